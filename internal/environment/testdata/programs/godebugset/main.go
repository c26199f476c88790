// assumed: nothing
package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"sync"
)

func read(data []byte) {
	_, err := tar.NewReader(bytes.NewReader(data)).Next()
	fmt.Print(err, "; ")
}

func main() {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	w.WriteHeader(&tar.Header{Name: "../x"})
	w.Close()
	read(b.Bytes())
	os.Setenv("GODEBUG", "tarinsecurepath=0")
	read(b.Bytes())
	os.Unsetenv("GODEBUG")
	read(b.Bytes())
	var wg sync.WaitGroup
	wg.Go(func() { os.Setenv("GODEBUG", "tarinsecurepath=0") })
	read(b.Bytes())
	wg.Wait()
	os.Clearenv()
	read(b.Bytes())
}

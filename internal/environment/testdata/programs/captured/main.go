// assumed: a printed address (the same in every execution)

// The program reads what it prints.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	r, w, _ := os.Pipe()
	old := os.Stdout
	os.Stdout = w
	fmt.Printf("%p", new(int))
	w.Close()
	os.Stdout = old
	b, _ := io.ReadAll(r)
	fmt.Println(len(b) > 4)
}

// assumed: a kernel file (every read returns the same contents); random bits (the same in every execution)
package main

import (
	"fmt"
	"io"
	"os"
	"sync"
)

func read(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		fmt.Println(err)
	}
	return string(b)
}

// A kernel file about the present moment has the same contents in every execution.
func main() {
	once, file := read("/proc/self/cgroup"), read("/etc/passwd")
	var mu sync.Mutex
	var wg sync.WaitGroup
	long := 0
	for range 2 {
		wg.Go(func() {
			text := read("/proc/uptime")
			mu.Lock()
			defer mu.Unlock()
			for range int(text[len(text)-2]) % 3 {
				mu.Unlock()
				mu.Lock()
			}
			long += min(len(text), 1)
		})
	}
	wg.Wait()
	f, err := os.Open("/dev/urandom")
	if err != nil {
		fmt.Println(err)
	}
	var bits [20]byte
	n, err := io.ReadFull(f, bits[:])
	fmt.Println(len(once) > 0, file == read("/etc/passwd"), long, n, err, bits != [20]byte{})
}

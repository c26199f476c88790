package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			old := n.Load()
			n.Store(old + 1)
		})
	}
	wg.Wait()
	if n.Load() != 2 {
		os.Exit(1)
	}
}

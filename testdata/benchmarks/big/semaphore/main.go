// 200 goroutines pass a semaphore of 10, 20 times each.
package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	sem := make(chan struct{}, 10)
	var in, most atomic.Int32
	var wg sync.WaitGroup
	for range 200 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				sem <- struct{}{}
				n := in.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				in.Add(-1)
				<-sem
			}
		}()
	}
	wg.Wait()
	if most.Load() > 10 {
		panic(most.Load())
	}
}

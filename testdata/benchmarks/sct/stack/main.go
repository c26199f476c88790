// Pushing and popping, with a check of the flag outside of the lock (CS/stack of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

const size = 5

func main() {
	var mu sync.Mutex
	var top int
	var pushed atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for range size {
			mu.Lock()
			top++
			pushed.Store(true)
			mu.Unlock()
		}
	})
	wg.Go(func() {
		for range size {
			if pushed.Load() {
				mu.Lock()
				if top == 0 {
					panic("underflow")
				}
				top--
				mu.Unlock()
			}
		}
	})
	wg.Wait()
}

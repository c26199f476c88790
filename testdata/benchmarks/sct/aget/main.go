// Downloading goroutines count the bytes that they have written, each for itself and then for all; an interrupt saves
// the counts for a later run, between the two (aget-bug2 of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

const parts, rounds = 3, 2

func main() {
	var offset [parts]atomic.Int32
	var mu sync.Mutex
	total := int32(0)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() {
			for range rounds {
				offset[i].Add(1)
				mu.Lock()
				total++
				mu.Unlock()
			}
		})
	}
	wg.Go(func() { // the interrupt
		mu.Lock()
		defer mu.Unlock()
		sum := int32(0)
		for i := range parts {
			sum += offset[i].Load()
		}
		if sum != total {
			panic("the saved counts differ")
		}
	})
	wg.Wait()
}

// Four goroutines copy the value of their neighbour, plus one, around a ring; another one fails if all are
// equal but for one (CS/token_ring of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var x [4]atomic.Int32
	var ok [4]atomic.Bool
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range x {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			x[i].Store(x[(i+3)%4].Load() + 1)
			ok[i].Store(true)
		})
	}
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		for i := range ok {
			if !ok[i].Load() {
				return
			}
		}
		if x[3].Load() == 4 {
			panic("in their order")
		}
	})
	wg.Wait()
}

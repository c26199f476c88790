// A consumer adds the numbers of the items that a producer puts, and main expects another sum than theirs
// (CS/arithmetic_prog of SCTBench).
package main

import "sync"

const items = 3

func main() {
	var mu sync.Mutex
	empty, full := sync.NewCond(&mu), sync.NewCond(&mu)
	there, total := false, 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for range items {
			mu.Lock()
			for there {
				empty.Wait()
			}
			there = true
			mu.Unlock()
			full.Signal()
		}
	})
	wg.Go(func() {
		for i := range items {
			mu.Lock()
			for !there {
				full.Wait()
			}
			there = false
			total += i + 1
			mu.Unlock()
			empty.Signal()
		}
	})
	wg.Wait()
	if total == items*(items+1)/2 {
		panic("the sum")
	}
}

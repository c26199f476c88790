// One goroutine fills a queue and another one compares its elements with those that it should have, one place too far
// (CS/queue of SCTBench). The second goroutine does something only if the first came before.
package main

import "sync"

const size = 20

func main() {
	var mu sync.Mutex
	var queue, stored []int
	filled := false
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		for i := range size {
			queue = append(queue, i)
			stored = append(stored, i)
		}
		filled = true
	})
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if !filled {
			return
		}
		for i := range size - 1 {
			if queue[0] != stored[i+1] {
				panic("another element")
			}
			queue = queue[1:]
		}
	})
	wg.Wait()
}

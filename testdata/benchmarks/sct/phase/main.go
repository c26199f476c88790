// A goroutine keeps a lock after its second phase, so that the other one waits forever (CS/phase01 of SCTBench).
package main

import "sync"

func main() {
	var x, y sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			x.Lock()
			x.Unlock()
			x.Lock()
			for range 2 {
				y.Lock()
				y.Unlock()
			}
		})
	}
	wg.Wait()
}

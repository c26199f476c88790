// Locks: two goroutines, 500,000 Lock/Unlock pairs each.
package main

import "sync"

func main() {
	const n = 500_000
	var mu sync.Mutex
	var wg sync.WaitGroup
	count := 0
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < n; i++ {
				mu.Lock()
				count++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	println(count)
}

// assumed: the clock (a loop until a moment runs at most three rounds before that has come)
package main

import (
	"fmt"
	"sync"
	"time"
)

// Two goroutines work for a while; a third one, which waits for the lock, comes in between, before or after.
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n, seen := 0, ""
	start := time.Now()
	for range 2 {
		wg.Go(func() {
			for time.Since(start) < time.Millisecond {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		mu.Lock()
		if seen = "early"; n > 0 {
			seen = "late"
		}
		mu.Unlock()
	})
	wg.Wait()
	fmt.Println(seen)
}

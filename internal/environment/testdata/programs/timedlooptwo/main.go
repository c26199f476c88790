// assumed: the clock (a loop that waits for a time runs at most three iterations before it)
package main

import (
	"fmt"
	"sync"
	"time"
)

// A goroutine works for a while; another one, which needs the lock, comes before it, in between or after it.
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n, seen := 0, ""
	start := time.Now()
	wg.Go(func() {
		for time.Since(start) < time.Millisecond {
			mu.Lock()
			n++
			mu.Unlock()
		}
	})
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

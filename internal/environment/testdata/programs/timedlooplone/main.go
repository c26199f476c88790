// assumed: the clock (a loop that waits for a time runs at most three iterations before it)
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A lone goroutine works for a while, then starts two others, of which one may lose what the other adds.
func main() {
	var rounds, n atomic.Int64
	for end := time.Now().Add(time.Millisecond); time.Now().Before(end); {
		rounds.Add(1)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { n.Store(n.Load() + 1) })
	}
	wg.Wait()
	fmt.Println(n.Load())
}

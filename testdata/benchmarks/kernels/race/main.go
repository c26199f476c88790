// Data races that need more than two goroutines in an unlucky order.
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"reload": reload, "closure": closure}[os.Args[1]]()
}

// reload: the progress of a reload is read without the lock, while the reload is under way.
func reload() {
	var mu sync.Mutex
	var loading atomic.Bool
	progress, reads := 0, 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 2 {
				if loading.Load() {
					_ = progress
				}
				mu.Lock()
				reads++
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		for i := range 2 {
			mu.Lock()
			loading.Store(true)
			progress = i
			loading.Store(false)
			mu.Unlock()
		}
	})
	wg.Wait()
}

// closure: requests that find too many others under way assign their error to one variable of the function
// around them.
func closure() {
	var err error
	var underWay atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if underWay.Add(1) > 2 {
				err = os.ErrDeadlineExceeded
			}
			underWay.Add(-1)
		})
	}
	wg.Wait()
	_ = err
}

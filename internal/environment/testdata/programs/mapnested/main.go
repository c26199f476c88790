// assumed: nothing
package main

import (
	"fmt"
	"sync"
)

// Two goroutines iterate over a map, one of them deletes entries while it does.
func main() {
	m := map[int]string{1: "a", 2: "b", 3: "c"}
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		for k := range m {
			delete(m, 4-k)
			fmt.Print(k)
		}
	})
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, v := range m {
			fmt.Print(v)
			break
		}
	})
	wg.Wait()
}

// Goroutines, as many as the argument says, do the same total work: 20,000 times they add to one of 16
// sums, each with a lock.
package main

import (
	"os"
	"strconv"
	"sync"
)

const total = 20_000

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var sums [16]struct {
		sync.Mutex
		n int
	}
	var wg sync.WaitGroup
	for g := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range total / n {
				s := &sums[(g+i)%len(sums)]
				s.Lock()
				s.n++
				s.Unlock()
			}
		}()
	}
	wg.Wait()
	sum := 0
	for i := range sums {
		sum += sums[i].n
	}
	if sum != total {
		panic(sum)
	}
}

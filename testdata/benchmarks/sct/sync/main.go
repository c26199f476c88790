// A producer and a consumer share a place for one item. The first argument is the number of items
// there at the beginning; the others are how many items the producer puts and the consumer takes.
// The producer waits forever at the end (CS/sync01 of SCTBench: 1 1 0; CS/sync02: 2 2 2).
package main

import (
	"os"
	"strconv"
	"sync"
)

func arg(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

func main() {
	var mu sync.Mutex
	empty, full := sync.NewCond(&mu), sync.NewCond(&mu)
	taken, puts, takes := arg(1), arg(2), arg(3)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range puts {
			mu.Lock()
			for taken > 0 {
				empty.Wait()
			}
			taken++
			mu.Unlock()
			full.Signal()
		}
	})
	wg.Go(func() {
		for range takes {
			mu.Lock()
			for taken == 0 {
				full.Wait()
			}
			taken--
			mu.Unlock()
			empty.Signal()
		}
	})
	wg.Wait()
}

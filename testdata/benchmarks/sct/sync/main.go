// A producer and a consumer with one place, of which the first argument says how many are taken at first; the
// producer puts, and the consumer takes, as many items as the other arguments say. The producer waits forever at the
// end (CS/sync01 of SCTBench: 1 1 0; CS/sync02: 2 2 2).
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

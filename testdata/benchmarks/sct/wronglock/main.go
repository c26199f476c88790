// One goroutine adds with one lock, others with another one (CS/wronglock of SCTBench). The accesses are
// atomic, so that the lost update is the bug, and not a race.
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func arg(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

func main() {
	var right, wrong sync.Mutex
	var data atomic.Int32
	var wg sync.WaitGroup
	for range arg(1) {
		wg.Go(func() {
			right.Lock()
			defer right.Unlock()
			x := data.Load()
			data.Add(1)
			if data.Load() != x+1 {
				panic("the lock does not protect the data")
			}
		})
	}
	for range arg(2) {
		wg.Go(func() {
			wrong.Lock()
			data.Add(1)
			wrong.Unlock()
		})
	}
	wg.Wait()
}

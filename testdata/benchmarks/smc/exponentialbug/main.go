// Three goroutines have two rounds each. One sets x, and n times y, under a lock; one clears x
// under the lock and, if x is set again, increments y; one reads both and finds the bug: 36570
// executions for n = 3, 3634 if one looks at what is read. (Maximal causality reduction, PLDI 2015,
// figure 2; its assertion is left out)
//
//	exponentialbug n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var (
	mu   sync.Mutex
	x, y atomic.Int64
)

func set(n int) {
	for range 2 {
		mu.Lock()
		x.Store(1)
		for range n {
			y.Store(1)
		}
		mu.Unlock()
	}
}

func clearX() {
	for range 2 {
		mu.Lock()
		x.Store(0)
		mu.Unlock()
		if x.Load() > 0 {
			y.Store(y.Load() + 1)
			x.Store(2)
		}
	}
}

func look() {
	for range 2 {
		if x.Load() > 1 {
			if y.Load() == 3 {
				return // here is the bug
			}
			y.Store(2)
		}
	}
}

func main() {
	n := number(1)
	var wg sync.WaitGroup
	wg.Add(3)
	go func() { defer wg.Done(); set(n) }()
	go func() { defer wg.Done(); clearX() }()
	go func() { defer wg.Done(); look() }()
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

// Setters execute a = 1, then b = -1; checkers fail if they see only one of both (CS/reorder of SCTBench).
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
	var a, b atomic.Int32
	var wg sync.WaitGroup
	for range arg(1) {
		wg.Go(func() {
			a.Store(1)
			b.Store(-1)
		})
	}
	for range arg(2) {
		wg.Go(func() {
			x, y := a.Load(), b.Load()
			if !(x == 0 && y == 0 || x == 1 && y == -1) {
				panic("reordered")
			}
		})
	}
	wg.Wait()
}

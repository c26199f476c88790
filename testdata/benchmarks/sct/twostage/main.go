// Writers store a value and then its successor, each with a lock of its own; readers fail if they find the
// first without the second (CS/twostage of SCTBench).
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
	var l1, l2 sync.Mutex
	var v1 atomic.Int32
	v2 := int32(0)
	var wg sync.WaitGroup
	for range arg(1) {
		wg.Go(func() {
			l1.Lock()
			v1.Store(1)
			l1.Unlock()
			l2.Lock()
			v2 = v1.Load() + 1
			l2.Unlock()
		})
	}
	for range arg(2) {
		wg.Go(func() {
			l1.Lock()
			if v1.Load() == 0 {
				l1.Unlock()
				return
			}
			x := v1.Load()
			l1.Unlock()
			l2.Lock()
			y := v2
			l2.Unlock()
			if y != x+1 {
				panic("one stage only")
			}
		})
	}
	wg.Wait()
}

// Two locks in two orders (CS/deadlock01 of SCTBench), after some work with both in one order.
package main

import (
	"os"
	"strconv"
	"sync"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	var a, b sync.Mutex
	x := 0
	work := func(first, second *sync.Mutex) {
		first.Lock()
		x++
		second.Lock()
		second.Unlock()
		first.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range n {
			work(&a, &b)
		}
	})
	wg.Go(func() {
		for range n {
			a.Lock()
			x++
			a.Unlock()
		}
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	wg.Wait()
}

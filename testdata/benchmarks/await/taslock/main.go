// A test-and-set lock: n goroutines wait with compare-and-swap alone. n! executions.
//
//	taslock n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

func main() {
	n := number(1)
	var l atomic.Bool
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			for !l.CompareAndSwap(false, true) {
			}
			count++
			l.Store(false)
		}()
	}
	wg.Wait()
	if count != n {
		panic("two were in the critical section")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

// A test-and-test-and-set lock: n goroutines wait until it is free and then try to get it, which somebody else can
// have done before: the failing tries make the executions more than n!.
//
//	ttaslock n [broken]
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

type ttasLock struct{ held atomic.Bool }

func (l *ttasLock) lock(broken bool) {
	for {
		for l.held.Load() {
		}
		if broken {
			l.held.Store(true)
			return
		}
		if l.held.CompareAndSwap(false, true) {
			return
		}
	}
}

func main() {
	n := number(1)
	var l ttasLock
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			l.lock(len(os.Args) > 2)
			count++
			l.held.Store(false)
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

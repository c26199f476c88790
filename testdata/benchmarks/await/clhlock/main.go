// The queue lock of Craig (1993), Landin and Hagersten (1994): each of n goroutines waits for the
// flag of its predecessor in the queue. n! executions.
//
//	clhlock n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

type node struct{ locked atomic.Bool }

type clhLock struct{ tail atomic.Pointer[node] }

func (l *clhLock) lock(me *node) {
	me.locked.Store(true)
	for pred := l.tail.Swap(me); pred.locked.Load(); {
	}
}

func main() {
	n := number(1)
	var l clhLock
	l.tail.Store(new(node))
	nodes := make([]node, n)
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			l.lock(&nodes[i])
			count++
			nodes[i].locked.Store(false)
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

// The queue lock of Mellor-Crummey and Scott (1991): each of n goroutines waits for its own flag, which its
// predecessor in the queue clears; a goroutine that leaves waits for a successor that is not linked yet.
//
//	mcslock n
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

type node struct {
	next   atomic.Pointer[node]
	locked atomic.Bool
}

type mcsLock struct{ tail atomic.Pointer[node] }

func (l *mcsLock) lock(me *node) {
	me.locked.Store(true)
	pred := l.tail.Swap(me)
	if pred == nil {
		return
	}
	pred.next.Store(me)
	for me.locked.Load() {
	}
}

func (l *mcsLock) unlock(me *node) {
	if me.next.Load() == nil {
		if l.tail.CompareAndSwap(me, nil) {
			return
		}
		for me.next.Load() == nil {
		}
	}
	me.next.Load().locked.Store(false)
}

func main() {
	n := number(1)
	var l mcsLock
	nodes := make([]node, n)
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			l.lock(&nodes[i])
			count++
			l.unlock(&nodes[i])
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

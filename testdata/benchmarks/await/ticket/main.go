// A ticket lock: n goroutines take a number each and wait until it is served. Those who wait do nothing that others
// notice, so there are as many executions as orders of the numbers: n!. (GenMC: 24 for 4)
//
//	ticket n [broken]
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

type ticketLock struct{ next, serving atomic.Int32 }

func (l *ticketLock) lock(broken bool) {
	var mine int32
	if broken { // two can take the same number
		mine = l.next.Load()
		l.next.Store(mine + 1)
	} else {
		mine = l.next.Add(1) - 1
	}
	for l.serving.Load() != mine {
	}
}

func (l *ticketLock) unlock() { l.serving.Add(1) }

func main() {
	n := number(1)
	var l ticketLock
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			l.lock(len(os.Args) > 2)
			count++
			l.unlock()
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

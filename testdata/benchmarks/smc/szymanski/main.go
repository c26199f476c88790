// Szymanski's critical section for two processes, entered loops times. A process that has
// read the other one's flag in vain loops times gives up: 22945 executions for 2 loops.
// (SV-COMP)
//
//	szymanski loops
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var (
	flag  [2]atomic.Int64
	x     atomic.Int64
	loops int
)

// await reports whether cond holds within loops attempts.
func await(cond func() bool) bool {
	for range loops {
		if cond() {
			return true
		}
	}
	return false
}

func process(me int) {
	mine, other := &flag[me], &flag[1-me]
	for range loops {
		mine.Store(1)
		if !await(func() bool { return other.Load() < 3 }) {
			return
		}
		mine.Store(3)
		if other.Load() == 1 {
			mine.Store(2)
			if !await(func() bool { return other.Load() == 4 }) {
				return
			}
		}
		mine.Store(4)
		if !await(func() bool { return other.Load() < 2 }) {
			return
		}
		critical(me)
		if !await(func() bool { return other.Load() < 2 || other.Load() > 3 }) {
			return
		}
		mine.Store(0)
	}
}

func critical(me int) {
	x.Store(int64(me + 1))
	if x.Load() != int64(me+1) {
		panic("two are in the critical section")
	}
}

func main() {
	loops = number(1)
	var wg sync.WaitGroup
	wg.Add(2)
	for me := range 2 {
		go func() {
			defer wg.Done()
			process(me)
		}()
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}

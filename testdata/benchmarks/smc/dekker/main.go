// Dekker's critical section for two processes, entered loops times. A process that has
// read the other one's flag in vain loops times gives up: 1599 executions for 2 loops.
// (SV-COMP)
//
//	dekker loops
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var (
	flag  [2]atomic.Int64
	turn  atomic.Int64
	x     atomic.Int64
	loops int
)

func process(me int) {
	for range loops {
		flag[me].Store(1)
		if !enter(me) {
			return
		}
		x.Store(int64(me + 1))
		if x.Load() != int64(me+1) {
			panic("two are in the critical section")
		}
		turn.Store(int64(1 - me))
		flag[me].Store(0)
	}
}

// enter reports whether the process may enter; otherwise it has given up.
func enter(me int) bool {
	for range loops {
		if flag[1-me].Load() == 0 {
			return true
		}
		if turn.Load() != int64(me) {
			flag[me].Store(0)
			if !myTurn(me) {
				return false
			}
			flag[me].Store(1)
		}
	}
	return false
}

func myTurn(me int) bool {
	for range loops {
		if turn.Load() == int64(me) {
			return true
		}
	}
	return false
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

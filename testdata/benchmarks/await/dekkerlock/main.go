// Dekker's lock (1965) for two goroutines, which wait in two nested loops.
//
//	dekkerlock 2
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

type dekker struct {
	wants [2]atomic.Bool
	turn  atomic.Int32
}

func (d *dekker) lock(me int32) {
	d.wants[me].Store(true)
	for d.wants[1-me].Load() {
		if d.turn.Load() != me {
			d.wants[me].Store(false)
			for d.turn.Load() != me {
			}
			d.wants[me].Store(true)
		}
	}
}

func (d *dekker) unlock(me int32) {
	d.turn.Store(1 - me)
	d.wants[me].Store(false)
}

func main() {
	n := number(1)
	var d dekker
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			d.lock(int32(i))
			count++
			d.unlock(int32(i))
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

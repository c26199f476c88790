// A barrier that can be used again: n goroutines meet rounds times; the last one to arrive reverses
// the sense, and the others wait for that in a loop that yields. n! executions for each round.
//
//	barrier n rounds
package main

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

type barrier struct {
	n, left atomic.Int32
	sense   atomic.Bool
}

func (b *barrier) wait(sense bool) {
	if b.left.Add(-1) == 0 {
		b.left.Store(b.n.Load())
		b.sense.Store(sense)
		return
	}
	for b.sense.Load() != sense {
		runtime.Gosched()
	}
}

func main() {
	n, rounds := number(1), number(2)
	var b barrier
	b.n.Store(int32(n))
	b.left.Store(int32(n))
	at := make([]int, n)
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			for round := range rounds {
				at[i]++
				b.wait(true)
				if at[(i+1)%n] != round+1 {
					panic("a round begins before the last one has ended")
				}
				b.wait(false)
			}
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

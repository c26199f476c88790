// A parent does its share of each phase beside its children, and reports without waiting for their last one: the macro
// that waits for the end is empty (splash2/barnes, fft and lu of SCTBench; the argument is the number of phases).
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

const goroutines = 2

type barrier struct {
	mu      sync.Mutex
	all     *sync.Cond
	arrived int
	round   int
}

func (b *barrier) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.arrived++; b.arrived == goroutines {
		b.arrived = 0
		b.round++
		b.all.Broadcast()
		return
	}
	for round == b.round {
		b.all.Wait()
	}
}

func main() {
	phases, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	b := &barrier{}
	b.all = sync.NewCond(&b.mu)
	var ended atomic.Int32
	work := func() {
		for range phases {
			b.wait()
		}
		ended.Add(1)
	}
	for range goroutines - 1 {
		go work()
	}
	work()
	if ended.Load() != goroutines {
		panic("a child still works")
	}
}

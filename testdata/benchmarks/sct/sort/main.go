// A sort hands one half to an idle goroutine of a pool: it marks the goroutine as busy before it has its lock and the
// half is there, so that the goroutine may wake up early and sort what it had before (Inspect/qsort_mt of SCTBench).
package main

import (
	"sync"
	"sync/atomic"
)

const size = 8

const (
	idle = iota
	busy
	done
)

type worker struct {
	mu    sync.Mutex
	woken *sync.Cond
	state atomic.Int32
	half  []int
}

func (w *worker) serve() {
	for {
		w.mu.Lock()
		for w.state.Load() == idle {
			w.woken.Wait()
		}
		half := w.half
		w.mu.Unlock()
		if w.state.Load() == done {
			return
		}
		insert(half)
		w.state.Store(idle)
	}
}

// set changes the state in the right way.
func (w *worker) set(state int32) {
	w.mu.Lock()
	w.state.Store(state)
	w.woken.Signal()
	w.mu.Unlock()
}

func insert(a []int) {
	for i := range a {
		for ; i > 0 && a[i-1] > a[i]; i-- {
			a[i-1], a[i] = a[i], a[i-1]
		}
	}
}

func main() {
	w := &worker{}
	w.woken = sync.NewCond(&w.mu)
	var wg sync.WaitGroup
	wg.Go(w.serve)
	a := []int{3, 1, 2, 0, 7, 5, 6, 4}
	if w.state.CompareAndSwap(idle, busy) { // the mistake
		w.mu.Lock()
		w.half = a[:size/2]
		w.woken.Signal()
		w.mu.Unlock()
	}
	insert(a[size/2:])
	for !w.state.CompareAndSwap(idle, idle) {
	}
	w.set(done)
	wg.Wait()
	for i := range a {
		if a[i] != i {
			panic("not sorted")
		}
	}
}

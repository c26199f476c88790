package main

import (
	"sync"
	"sync/atomic"
)

// The states of a runtime.
const (
	down = iota
	launching
	up
	landing
)

// A runtime has contexts. The first one launches it, and the last one lands it.
type runtime struct {
	mu        sync.Mutex
	changed   *sync.Cond // state
	collected *sync.Cond // collects
	state     atomic.Int32
	contexts  int
	collects  bool
	table     atomic.Pointer[[]string] // file names of scripts
	unchecked bool                     // the table may be nil, and the collector does not look
}

func newRuntime() *runtime {
	r := &runtime{}
	r.changed, r.collected = sync.NewCond(&r.mu), sync.NewCond(&r.mu)
	return r
}

// newContext adds a context. Whether it is the first one is decided before it waits for the collector.
func (r *runtime) newContext() {
	r.mu.Lock()
	first := false
	for {
		first = r.contexts == 0
		if r.state.Load() == up {
			for r.collects {
				r.collected.Wait()
			}
			break
		}
		if r.state.Load() == down {
			r.state.Store(launching)
			break
		}
		r.changed.Wait()
	}
	r.contexts++
	r.mu.Unlock()
	if first {
		r.table.Store(&[]string{"a.js"})
		r.mu.Lock()
		r.state.Store(up)
		r.changed.Broadcast()
		r.mu.Unlock()
	}
}

// destroyContext removes a context, collects, and lands the runtime if that was the last one.
func (r *runtime) destroyContext() {
	r.mu.Lock()
	for r.collects {
		r.collected.Wait()
	}
	if s := r.state.Load(); s != up && s != launching {
		panic("a context of a runtime that is not up")
	}
	r.contexts--
	last := r.contexts == 0
	if last {
		r.state.Store(landing)
	}
	r.mu.Unlock()
	r.collect(last)
	if last {
		r.table.Store(nil)
		r.mu.Lock()
		r.state.Store(down)
		r.changed.Broadcast()
		r.mu.Unlock()
	}
}

// collect sweeps the table. It looks at the state before it has the lock.
func (r *runtime) collect(last bool) {
	if r.state.Load() != up && !last {
		return
	}
	r.mu.Lock()
	if r.collects {
		for r.collects {
			r.collected.Wait()
		}
		r.mu.Unlock()
		return
	}
	r.collects = true
	r.mu.Unlock()
	if r.unchecked || r.table.Load() != nil {
		_ = len(*r.table.Load())
	}
	r.mu.Lock()
	r.collects = false
	r.collected.Broadcast()
	r.mu.Unlock()
}

// sweeps: a context that is not the last one sweeps the table after the last one has dropped it. The report removes
// the check for nil that hides this.
func sweeps() {
	r := newRuntime()
	r.unchecked = true
	r.newContext()
	r.newContext()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(r.destroyContext)
	}
	wg.Wait()
}

// lands: three goroutines create a context each and destroy it. A context that was not the first one, before it
// waited for the collector, finds the runtime landed when it is destroyed.
func lands() {
	r := newRuntime()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			r.newContext()
			r.destroyContext()
		})
	}
	wg.Wait()
}

// A thread has free lists, which the collector clears.
type thread struct{ free atomic.Int32 }

// clears: a goroutine takes a context for each of its requests and gives it back. While the collector walks through
// the contexts, the goroutine of one of them is gone between the check for nil and the access.
func clears() {
	var (
		mu       sync.Mutex
		idle     = sync.NewCond(&mu) // no request and no collection
		requests int
		collects bool
		owner    atomic.Pointer[thread] // of the context
	)
	begin := func() {
		mu.Lock()
		for collects {
			idle.Wait()
		}
		requests++
		mu.Unlock()
	}
	end := func() {
		mu.Lock()
		requests--
		idle.Broadcast()
		mu.Unlock()
	}
	const rounds = 3
	var wg sync.WaitGroup
	wg.Go(func() {
		me := &thread{}
		for range rounds {
			owner.Store(me)
			begin()
			me.free.Add(1)
			end()
			owner.Store(nil) // outside of a request
		}
	})
	for range rounds {
		mu.Lock()
		for requests > 0 {
			idle.Wait()
		}
		collects = true
		mu.Unlock()
		if owner.Load() != nil {
			owner.Load().free.Store(0)
		}
		mu.Lock()
		collects = false
		idle.Broadcast()
		mu.Unlock()
	}
	wg.Wait()
}

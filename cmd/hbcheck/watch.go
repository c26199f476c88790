package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/report"
)

// A memoryWatch bounds the memory of the process. Searches and the machine count their own memory exactly,
// and stop at --max-memory. The watch is for all the rest: overhead of objects, stacks, static facts,
// garbage. It is not exact, but stops explorations before the system kills the process.
//
//	in use when the program was loaded | --max-memory | slack
//	                                                    |      ^ explorations are stopped
//	                                                    ^ the collector does what it can
//
// If there are several explorations, the one that began last is stopped, and the others continue.
type memoryWatch struct {
	budget int64
	most   uint64 // bytes in use at which explorations are stopped

	mu      sync.Mutex
	running []*watched // in the order in which they began
}

// watched is one exploration.
type watched struct{ stopped, beside bool }

// newMemoryWatch returns the watch for a budget, and sets the limit of the collector. The memory in use
// now, after loading the program, is not counted.
func newMemoryWatch(budget int64) *memoryWatch {
	slack := max(64<<20, min(512<<20, budget/4))
	base := inUse()
	debug.SetMemoryLimit(int64(base) + budget + slack/2)
	return &memoryWatch{budget: budget, most: base + uint64(budget+slack)}
}

// memoryPeriod is the time between two measurements. A program allocates about 100 MB in it.
const memoryPeriod = 50 * time.Millisecond

// watch returns a context that is done when too much memory is in use. release reports whether too much
// memory was in use while there were other explorations.
func (w *memoryWatch) watch(ctx context.Context) (_ context.Context, release func() (crowded bool)) {
	ticks := time.NewTicker(memoryPeriod)
	ctx, cancel := w.watchAt(ctx, ticks.C, inUse)
	return ctx, func() bool {
		ticks.Stop()
		return cancel()
	}
}

// watchAt is watch with measure as the memory in use, measured at each tick.
func (w *memoryWatch) watchAt(ctx context.Context, ticks <-chan time.Time, measure func() uint64) (_ context.Context, cancel func() (crowded bool)) {
	me := new(watched)
	w.mu.Lock()
	w.running = append(w.running, me)
	w.mu.Unlock()
	ctx, cause := context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case <-ticks:
				if measure() > w.most && w.stops(me) {
					cause(fmt.Errorf("stopped at the memory budget of %s (--max-memory), which the whole process exceeds", report.Memory(uint64(w.budget))))
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() bool {
		cause(nil)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.running = slices.DeleteFunc(w.running, func(x *watched) bool { return x == me })
		return me.stopped && me.beside
	}
}

// stops reports whether me has to be stopped, because it began last.
func (w *memoryWatch) stops(me *watched) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.running)
	if n == 0 || w.running[n-1] != me {
		return false
	}
	me.stopped, me.beside = true, n > 1
	return true
}

// inUse returns the bytes that the process has from the system.
func inUse() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}

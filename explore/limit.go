package explore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A limit says when an exploration has to end: when its context is done, or its time is up. The
// time is that of the search and of all that follows it; building the program is not counted.
type limit struct {
	ctx     context.Context
	timeout time.Duration // 0: none
	spent   time.Duration // of it, before
	cancel  func()        // nil: the time is not counted yet

	// A search that is to be saved before it ends goes on for a moment.
	saving   atomic.Int32 // such searches
	deadline atomic.Int64 // of the moment, in Unix time; 0: it has not begun

	// cuttable: the machine may cut executions. It may not while a schedule is repeated.
	cuttable bool
}

// start begins to count the time, unless that has begun.
func (l *limit) start() {
	if l.cancel == nil && l.timeout > 0 {
		l.ctx, l.cancel = context.WithTimeoutCause(l.ctx, max(1, l.timeout-l.spent), fmt.Errorf("stopped after %v (--timeout)", l.timeout))
	}
}

// release ends the counting.
func (l *limit) release() {
	if l.cancel != nil {
		l.cancel()
	}
}

// ending reports whether the exploration has to end, as soon as what is to be saved is. It is asked after
// every step, by all workers.
func (l *limit) ending() bool { return l.ctx.Err() != nil }

// passed reports whether it has to end now.
func (l *limit) passed() bool { return l.ending() && !l.waits() }

// mostSaving is how long a search may take, at the end of its time, to come to where it can be saved.
const mostSaving = 5 * time.Second

// waits reports whether there is a search that is to be saved, and still may be.
func (l *limit) waits() bool {
	if l.saving.Load() == 0 {
		return false
	}
	now := time.Now()
	l.deadline.CompareAndSwap(0, now.Add(mostSaving).UnixNano())
	return now.UnixNano() < l.deadline.Load()
}

// reason says why it has to end; empty if it does not.
func (l *limit) reason() string {
	if !l.passed() {
		return ""
	}
	return context.Cause(l.ctx).Error()
}

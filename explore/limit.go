package explore

import (
	"context"
	"fmt"
	"time"
)

// A limit says when an exploration has to end: when its context is done, or its time is up. The
// time is that of the search and of all that follows it; building the program is not counted.
type limit struct {
	ctx     context.Context
	timeout time.Duration // 0: none
	spent   time.Duration // of it, before
	cancel  func()        // nil: the time is not counted yet

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

// passed reports whether the exploration has to end. It is asked after every step, by all workers.
func (l *limit) passed() bool { return l.ctx.Err() != nil }

// reason says why it has to end; empty if it does not.
func (l *limit) reason() string {
	if !l.passed() {
		return ""
	}
	return context.Cause(l.ctx).Error()
}

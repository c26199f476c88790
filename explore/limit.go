package explore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A limit says when an exploration has to end: when its context is done, or its time is up. The
// time is that of the search and of all that follows it; building the program is not counted. Of the
// time a search leaves as much as telling its longest schedule may take.
type limit struct {
	share   bool // timeout is a part of the time of all entries
	ctx     context.Context
	timeout time.Duration // 0: none
	spent   time.Duration // of it, before
	cancel  func()        // nil: the time is not counted yet

	// A search that is to be saved before it ends goes on for a moment.
	saving   atomic.Int32 // such searches
	deadline atomic.Int64 // of the moment, in Unix time; 0: it has not begun

	// The search ends early, and telling what it has found ends late.
	early atomic.Bool
	each  atomic.Uint64 // nanoseconds that a step costs it
	late  time.Time     // when telling has to end; zero: the time is not up yet

	// cuttable: the machine may cut executions. It may not while a schedule is repeated, unless that
	// has to end: telling.
	cuttable, telling bool

	asked func() // by tests: called whenever it is asked whether the exploration has to end
}

// done reports whether the context is.
func (l *limit) done() bool {
	if l.asked != nil {
		l.asked()
	}
	return l.ctx.Err() != nil
}

// interrupts reports whether the machine has to cut the execution.
func (l *limit) interrupts() bool { return l.cuttable && l.passed() || l.telling && l.untold() }

// mostTelling is how long telling what was found may take after the time is up, or after an interrupt.
const mostTelling = time.Second

// hurryKey is the key of WithHurry.
type hurryKey struct{}

// WithHurry returns a context in which an exploration whose context is done ends without telling what it has
// found more than it knows, and without saving, once hurry is closed.
func WithHurry(ctx context.Context, hurry <-chan struct{}) context.Context {
	return context.WithValue(ctx, hurryKey{}, hurry)
}

// hurried reports whether it is.
func (l *limit) hurried() bool {
	hurry, _ := l.ctx.Value(hurryKey{}).(<-chan struct{})
	select {
	case <-hurry: // never if it is nil
		return true
	default:
		return false
	}
}

// untold reports whether what is not told by now remains untold.
func (l *limit) untold() bool {
	if !l.done() {
		return false
	}
	if l.hurried() {
		return true
	}
	now := time.Now()
	if l.late.IsZero() {
		l.late = now.Add(mostTelling)
	}
	return now.After(l.late)
}

// reserve ends the search early, to have time to tell a schedule of so many steps. It has taken so many
// in all since it began.
func (l *limit) reserve(longest int, steps uint64, began time.Time) {
	if steps == 0 {
		return
	}
	l.each.Store(uint64(time.Since(began)) / steps)
	if l.tells(longest) {
		l.early.Store(true)
	}
}

// tells reports whether it is time to tell a schedule of so many steps: that costs about twice what they
// cost a search. It does not get more than a quarter of the time there was.
func (l *limit) tells(steps int) bool {
	if steps < longTelling {
		return false
	}
	end, ok := l.ctx.Deadline()
	return ok && time.Until(end) < min(l.timeout/4, time.Duration(2*l.each.Load()*uint64(steps)))
}

// longTelling is how many steps are told in no time.
const longTelling = 1000

// start begins to count the time, unless that has begun.
func (l *limit) start() {
	if l.cancel == nil && l.timeout > 0 {
		l.ctx, l.cancel = context.WithTimeoutCause(l.ctx, max(1, l.timeout-l.spent), l.timeUp())
	}
}

func (l *limit) timeUp() error {
	if l.share {
		return fmt.Errorf("stopped after %v, its share (--budget)", l.timeout.Round(time.Second/10))
	}
	return fmt.Errorf("stopped after %v (--timeout)", l.timeout)
}

// release ends the counting.
func (l *limit) release() {
	if l.cancel != nil {
		l.cancel()
	}
}

// ending reports whether the exploration has to end, as soon as what is to be saved is. It is asked after
// every step, by all workers.
func (l *limit) ending() bool { return l.early.Load() || l.done() }

// passed reports whether it has to end now.
func (l *limit) passed() bool { return l.ending() && !l.waits() }

// mostSaving is how long a search may take, at the end of its time, to come to where it can be saved; a
// tenth of its time if that is less.
const mostSaving = 5 * time.Second

// waits reports whether there is a search that is to be saved, and still may be.
func (l *limit) waits() bool {
	if l.saving.Load() == 0 || l.hurried() {
		return false
	}
	most := mostSaving
	if l.timeout > 0 {
		most = min(most, l.timeout/10)
	}
	now := time.Now()
	l.deadline.CompareAndSwap(0, now.Add(most).UnixNano())
	return now.UnixNano() < l.deadline.Load()
}

// reason says why it has to end; empty if it does not.
func (l *limit) reason() string {
	if !l.passed() {
		return ""
	}
	return l.cause()
}

// cause is reason of a limit that has passed, or has been before there was a search to save.
func (l *limit) cause() string {
	if err := context.Cause(l.ctx); err != nil {
		return err.Error()
	}
	return l.timeUp().Error()
}

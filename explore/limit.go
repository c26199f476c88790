package explore

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A limit says when an exploration has to end: when its context is done, or its time is up. The
// time includes the search and everything after it, but not building the program. The search ends
// early enough to leave time for narrating its longest schedule.
type limit struct {
	share   bool // timeout is a share of the time of several entries
	ctx     context.Context
	timeout time.Duration // 0: none
	spent   time.Duration // part of the timeout used before
	cancel  func()        // nil: the clock has not started

	// The clock, from start on. The clock stands still while machines for searches that share the time are
	// made.
	mu    sync.Mutex // guards the following fields
	timer *time.Timer
	outer *limit // the limit of all searches that share the time; nil: this search shares no time
	end   time.Time
	holds int           // searches that are making machines
	since time.Time     // when holds became more than 0
	extra time.Duration // how long the clock may still stand
	held  time.Duration // how long the clock has stood still
	later bool          // extend has moved the end

	// A search that has to be saved before it ends may continue for a short time.
	saving   atomic.Int32 // number of searches that are being saved
	deadline atomic.Int64 // end of that time, in Unix nanoseconds; 0: it has not begun

	// early ends the search before the deadline, to leave time for narrating its findings until late.
	early atomic.Bool
	each  atomic.Uint64 // nanoseconds of the search per step
	late  time.Time     // when narrating has to end; zero: time is not up yet

	// cuttable is set if the machine may cut executions: not while a schedule is repeated, unless the
	// repetition itself has to end (narrating).
	cuttable, narrating bool

	asked func() // called by done, for tests
}

// workBound is the reason of a search that Options.MaxWork has ended.
const workBound = "the bound on the work"

// done reports whether the context is done.
func (l *limit) done() bool {
	if l.asked != nil {
		l.asked()
	}
	return l.ctx.Err() != nil
}

// interrupts reports whether the machine has to cut the execution.
func (l *limit) interrupts() bool {
	return l.cuttable && l.passed() || l.narrating && l.narrationOver()
}

// mostNarrating is the maximum time for narrating findings after the time is up, or after an
// interrupt.
const mostNarrating = time.Second

// hurryKey is the key of WithHurry.
type hurryKey struct{}

// WithHurry returns a context for explorations. Once hurry is closed, an exploration whose context
// is done ends without saving, and narrates only steps that it has already recorded.
func WithHurry(ctx context.Context, hurry <-chan struct{}) context.Context {
	return context.WithValue(ctx, hurryKey{}, hurry)
}

// hurried reports whether the channel of WithHurry is closed.
func (l *limit) hurried() bool {
	hurry, _ := l.ctx.Value(hurryKey{}).(<-chan struct{})
	select {
	case <-hurry: // never if it is nil
		return true
	default:
		return false
	}
}

// narrationOver reports whether narrating has to end.
func (l *limit) narrationOver() bool {
	if !l.done() {
		return false
	}
	if l.hurried() {
		return true
	}
	now := time.Now()
	if l.late.IsZero() {
		l.late = now.Add(mostNarrating)
	}
	return now.After(l.late)
}

// reserve ends the search early, to leave time for narrating a schedule of longest steps. The search
// has executed the given number of steps since it began.
func (l *limit) reserve(longest int, steps uint64, began time.Time) {
	if steps == 0 {
		return
	}
	l.each.Store(uint64(time.Since(began)) / steps)
	if l.mustNarrate(longest) {
		l.early.Store(true)
	}
}

// mustNarrate reports whether the time left is no longer than narrating a schedule of the given number of
// steps takes. Narrating a step costs about twice as much as a step of the search. Narrating gets at most a
// quarter of the timeout.
func (l *limit) mustNarrate(steps int) bool {
	if steps < longNarrating {
		return false
	}
	end, ok := l.until()
	return ok && time.Until(end) < min(l.timeout/4, time.Duration(2*l.each.Load()*uint64(steps)))
}

// longNarrating is the number of steps from which narrating takes noticeable time.
const longNarrating = 1000

// limitKey is the key under which a context has its limit.
type limitKey struct{}

// outer returns the limit whose context is ctx, or nil.
func outer(ctx context.Context) *limit {
	l, _ := ctx.Value(limitKey{}).(*limit)
	return l
}

// start starts the clock, unless it has started.
func (l *limit) start() {
	if l.cancel != nil || l.timeout <= 0 {
		return
	}
	l.outer = outer(l.ctx)
	ctx, cancel := context.WithCancelCause(l.ctx)
	left := max(1, l.timeout-l.spent)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = time.Now().Add(left)
	l.timer = time.AfterFunc(left, func() { cancel(l.timeUp()) })
	l.cancel = func() {
		l.timer.Stop()
		cancel(nil)
	}
	l.ctx = context.WithValue(ctx, limitKey{}, l)
	//mutant: a time that is up at once lets some steps through [test ./cmd/hbcheck TestScripts/bounds]: remove
	if !time.Now().Before(l.end) {
		cancel(l.timeUp())
	}
}

// hold stops the clock until the returned function is called, but for at most the rest of extra. Several
// searches may hold it at the same time.
func (l *limit) hold() (release func()) {
	if l == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holds++; l.holds == 1 {
		l.since = time.Now()
		l.reset(l.extra)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.holds--; l.holds > 0 {
			return
		}
		took := min(l.extra, time.Since(l.since))
		l.extra, l.held, l.end = l.extra-took, l.held+took, l.end.Add(took)
		l.reset(0)
	}
}

// reset sets the timer to the end plus more, unless the timer has fired.
func (l *limit) reset(more time.Duration) {
	if l.timer != nil && l.timer.Stop() {
		//mutant: the clock never stands still [test ./explore TestInitialisingRefined]: " + more" -> ""
		l.timer.Reset(time.Until(l.end) + more)
	}
}

// narrateShare is the additional time for describing the findings of a search that ended within its
// share of the time of several entries. Without it the length of their schedules would depend on how
// much time is left at that moment.
const narrateShare = time.Minute

// extend moves the ends of shares that have not passed, once, by narrateShare.
func (l *limit) extend() {
	for x := outer(l.ctx); x != nil; x = x.outer {
		x.mu.Lock()
		if x.share && !x.later {
			x.later = true
			//mutant: a share has no time for descriptions [test ./explore TestExtend]: remove
			x.end = x.end.Add(narrateShare)
			x.reset(0)
		}
		x.mu.Unlock()
	}
}

// until returns the moment at which the time is up.
func (l *limit) until() (end time.Time, ok bool) {
	end, ok = l.ctx.Deadline()
	for x := outer(l.ctx); x != nil; x = x.outer {
		x.mu.Lock()
		//mutant: the time of all searches is no bound for one [test ./explore TestUntil]: "!ok || x.end.Before(end)" -> "!ok"
		if !ok || x.end.Before(end) {
			end, ok = x.end, true
		}
		x.mu.Unlock()
	}
	return end, ok
}

func (l *limit) timeUp() error {
	if l.share {
		return fmt.Errorf("stopped after %v, its share (--budget)", l.timeout.Round(time.Second/10))
	}
	return fmt.Errorf("stopped after %v (--timeout)", round(l.timeout))
}

// round rounds a computed time.
func round(d time.Duration) time.Duration {
	switch {
	case d > time.Second:
		return d.Round(time.Second / 10)
	case d > time.Millisecond:
		return d.Round(time.Millisecond)
	}
	return d
}

// release stops the clock.
func (l *limit) release() {
	if l.cancel != nil {
		l.cancel()
	}
}

// ending reports whether the exploration has to end, at once or when its searches have been saved.
// All workers call it after every step.
func (l *limit) ending() bool { return l.early.Load() || l.done() }

// passed reports whether the exploration has to end now.
func (l *limit) passed() bool { return l.ending() && !l.waits() }

// mostSaving is the maximum time that a search may take, at the end of its time, to reach a point where it
// can be saved. If a tenth of the timeout is less, the maximum is that tenth.
const mostSaving = 5 * time.Second

// waits reports whether there still is time for a search that has to be saved.
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

// reason returns why the exploration has to end now; "" if it does not.
func (l *limit) reason() string {
	if !l.passed() {
		return ""
	}
	return l.cause()
}

// cause returns the reason of a limit that has passed, even if a search still has to be saved.
func (l *limit) cause() string {
	if err := context.Cause(l.ctx); err != nil {
		return err.Error()
	}
	return l.timeUp().Error()
}

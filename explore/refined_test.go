package explore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// vague is a machine that needs refining from some moment on, and cannot be refined before the time
// is up.
type vague struct {
	*faketest.Machine
	needs *bool
}

func (m vague) NeedsRefining() bool { return *m.needs }

func (m vague) With(func(*vm.Config), func() bool) (describe.Machine, error) { return m, nil }

// TestRefinedTooLate: if the time is up when a search would begin again with a finer machine, it
// reports what it has executed.
func TestRefinedTooLate(t *testing.T) {
	long := strings.Repeat("store x 1;", 200) + "end"
	for _, bug := range []bool{false, true} {
		needs := false
		f := faketest.New("go 1; go 2; join 1", long, long)
		if bug {
			f = faketest.New("go 1; fail now; go 2; join 1", long, long)
		}
		e := Entry{Name: "F", New: func(func() bool) (describe.Machine, error) { return vague{f, &needs}, nil }}
		ctx, cancel := context.WithCancelCause(t.Context())
		opts := options("full")
		opts.Match, opts.All = false, bug
		opts.Progress = func(p Progress) {
			if p.Transitions > 1000 {
				needs = true
				cancel(errors.New("enough"))
			}
		}
		r, err := Run(ctx, e, opts)
		if err != nil || r.Stats.Transitions < 1000 || !r.stopped() || (r.Verdict == Fail) != bug || bug && len(r.Bugs) != 1 {
			t.Errorf("bug %v: %v %+v", bug, err, r)
		}
	}
}

// TestRefinedAtTheEnd: the verdict is not ok if there was no time for an exploration that had to
// begin again.
func TestRefinedAtTheEnd(t *testing.T) {
	f := faketest.New("go 1; store x 1", "store x 2")
	needs, begun := true, 0
	ctx, cancel := context.WithCancelCause(t.Context())
	m := vague{f, &needs}
	e := Entry{Name: "F", New: func(func() bool) (describe.Machine, error) {
		return refines{m, func() (describe.Machine, error) {
			begun++
			cancel(errors.New("enough"))
			return f, nil
		}, 0}, nil
	}}
	r, err := Run(ctx, e, options("full"))
	if err != nil || begun != 1 || r.Verdict != Incomplete || r.Stats.Transitions == 0 || !r.stopped() {
		t.Errorf("%v, begun again %d times: %+v", err, begun, r)
	}
}

// TestRefinedLate: if no execution ends after a search has begun again, the result is what was executed
// before.
func TestRefinedLate(t *testing.T) {
	f := faketest.New("go 1; store x 1", "store x 2")
	needs, begun := true, false
	ctx, cancel := context.WithCancelCause(t.Context())
	e := Entry{Name: "F", New: func(func() bool) (describe.Machine, error) {
		return refines{vague{f, &needs}, func() (describe.Machine, error) {
			begun = true
			return faketest.New(strings.Repeat("store x 1;", 5000) + "end"), nil
		}, 0}, nil
	}}
	opts := options("full")
	opts.Match = false
	opts.Progress = func(p Progress) {
		if begun && p.Transitions > 300 {
			cancel(errors.New("enough"))
		}
	}
	r, err := Run(ctx, e, opts)
	if err != nil || !begun || r.Verdict != Incomplete || r.Ended() == 0 || !r.stopped() {
		t.Errorf("%v, begun again %v: %+v", err, begun, r)
	}
}

// refines is a machine that a function refines.
type refines struct {
	vague
	refine func() (describe.Machine, error)
	takes  time.Duration
}

func (m refines) With(_ func(*vm.Config), interrupted func() bool) (describe.Machine, error) {
	for begin := time.Now(); time.Since(begin) < m.takes && !interrupted(); {
		time.Sleep(time.Second / 10)
	}
	return m.refine()
}

// TestInitialisingRefined: initialisers of a refined machine have their own time, too. The clock is that of a
// bubble.
func TestInitialisingRefined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			most time.Duration
			want Verdict
			load time.Duration
		}{{3 * time.Second, OK, 2 * time.Second}, {time.Second / 2, Incomplete, time.Second / 2}, {0, Incomplete, 0}} {
			f := faketest.New("store x 1")
			needs := true
			e := Entry{Name: "F", New: func(func() bool) (describe.Machine, error) {
				return refines{vague{f, &needs}, func() (describe.Machine, error) { return f, nil }, 2 * time.Second}, nil
			}}
			opts := options("full")
			opts.Portfolio = &Portfolio{Searches: []Options{opts}}
			opts.Timeout, opts.Share, opts.Initialising = time.Second, true, tt.most
			r, err := Run(t.Context(), e, opts)
			if err != nil || r.Verdict != tt.want || r.Stats.Load != tt.load {
				t.Errorf("at most %v: %v, %v after %v, want %v after %v", tt.most, err, r.Verdict, r.Stats.Load, tt.want, tt.load)
			}
		}
	})
}

// TestRefinedBug: a bug ends the exploration, even if the rest of the exploration is inconclusive.
func TestRefinedBug(t *testing.T) {
	needs, begun := false, 0
	m := vague{faketest.New("go 1; store x 1; panic now", "store x 2"), &needs}
	e := Entry{Name: "F", New: func(func() bool) (describe.Machine, error) {
		return refines{m, func() (describe.Machine, error) { begun++; return m.Machine, nil }, 0}, nil
	}}
	opts := options("full")
	opts.All = false
	search := *opts.POR
	run := search.Run
	search.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
		defer func() { needs = true }()
		return run(sys, v, cfg)
	}
	opts.POR = &search
	r, err := Run(t.Context(), e, opts)
	if err != nil || begun != 0 || r.Verdict != Fail || len(r.Bugs) != 1 {
		t.Errorf("%v, begun again %d times: %+v", err, begun, r)
	}
}

// TestChooseRefined: among searches without an answer a conclusive one is reported, if there is
// one.
func TestChooseRefined(t *testing.T) {
	ended := func(number int, coarse bool, work uint64) *contender {
		c := &contender{number: number, s: &exploration{collector: &collector{}, m: vague{needs: &coarse}}}
		c.found.Transitions = work
		return c
	}
	p := &portfolio{winner: -1, opts: &Options{Portfolio: &Portfolio{Searches: []Options{{}, {}, {}}}}}
	for _, tt := range []struct {
		coarse [3]bool
		want   int
	}{{[3]bool{}, 1}, {[3]bool{false, true, false}, 2}, {[3]bool{true, true, false}, 2}, {[3]bool{true, true, true}, 1}, {[3]bool{false, true, true}, 0}} {
		list := []*contender{ended(0, tt.coarse[0], 10), ended(1, tt.coarse[1], 30), ended(2, tt.coarse[2], 20)}
		if best := p.choose(list); best.number != tt.want {
			t.Errorf("%v: %d, want %d", tt.coarse, best.number, tt.want)
		}
	}
}

// TestChooseBug: a search that has found a bug, and was interrupted while it searched for more, is
// reported before others.
func TestChooseBug(t *testing.T) {
	with := func(work uint64, bugs ...*bug.Bug) *contender {
		c := &contender{s: &exploration{collector: &collector{bugs: bugs}, m: new(faketest.Machine)}}
		c.found.Transitions = work
		return c
	}
	p := &portfolio{winner: -1, opts: &Options{Portfolio: &Portfolio{Searches: []Options{{}, {}, {}}}}}
	warned, found, more := with(90, &bug.Bug{Warning: true}), with(20, &bug.Bug{}), with(50)
	for _, list := range [][]*contender{{warned, found, more}, {found, warned, more}, {more, warned, found}} {
		if best := p.choose(list); best != found {
			t.Errorf("the one that has worked %d", best.found.Transitions)
		}
	}
}

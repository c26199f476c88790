package explore

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// Run explores one entry. It stops early, with an incomplete result, when ctx
// is done; the cause of ctx is the reason given. An error means that the entry
// could not be explored at all: *Illegal, *Mistake, or what Entry.New returned.
//
// If time is bounded, and the exploration under the bound has come to its end and found nothing wrong, a
// part of what there is without it is explored, too. What is wrong there is a warning (Bug.Overtakes). So is
// a bug that shows only if a goroutine that waits on a channel is overtaken (Bug.Passes).
//
// What has been explored may say nothing, and everything begins again, finer. A bug that has been found by
// then is one; and if the time is up first, what is told is what has been explored.
func Run(ctx context.Context, e Entry, opts Options) (*Result, error) {
	r, err := finest(ctx, &e, &opts)
	var left []*Bug
	for err == nil {
		list := mayStay(&opts, r)
		if len(list) == 0 {
			break
		}
		left = append(left, list...)
		before := r.Stats.Explore
		opts = opts.tolerate(list)
		opts.Keep = opts.Keep.fresh()
		if opts.Timeout > 0 {
			opts.spent += before
		}
		if r, err = finest(ctx, &e, &opts); err == nil {
			r.Stats.Explore += before
			opts.spent = max(0, opts.spent-before) // what follows adds what all of them have taken
		}
	}
	if err == nil {
		r.keepLeft(left, opts.Leaks)
		r, err = afterwards(ctx, e, opts, r)
	}
	if r != nil {
		r.again = refinement{} // of no use any more
	}
	switch {
	case err != nil || opts.Keep == nil:
	case r.stopped():
		files, _ := filepath.Glob(opts.Keep.name("*"))
		r.Saved = len(files) > 0
	default:
		opts.Keep.Remove()
	}
	return r, err
}

// finest explores e with opts, again and again until the machine needs no refining, and changes both to the
// last ones.
func finest(ctx context.Context, e *Entry, opts *Options) (*Result, error) {
	r, err := explore(ctx, *e, *opts)
	var before time.Duration // that what was given up for a finer one took
	for err == nil && r.again.needed() && !r.FirstOnly && !r.stopped() {
		before += r.Stats.Explore
		*e, *opts = r.again.refine(*e, *opts)
		if opts.Portfolio == nil {
			opts.Keep = opts.Keep.fresh()
		}
		if opts.Timeout > 0 {
			opts.spent += r.Stats.Explore
		}
		last := r
		if r, err = explore(ctx, *e, *opts); err == nil && r.stopped() && r.Stats.Transitions == 0 {
			last.unfinished(r)
			r = last
		}
	}
	if err == nil && before > 0 {
		r.Stats.Explore += before
		opts.spent = max(0, opts.spent-before) // what follows adds what all of them have taken
	}
	return r, err
}

// afterwards explores what follows from r. A mistake there leaves r as it is.
func afterwards(ctx context.Context, e Entry, opts Options, r *Result) (better *Result, err error) {
	before := *r
	before.Bugs = nil
	for _, b := range r.Bugs {
		x := *b
		before.Bugs = append(before.Bugs, &x)
	}
	defer before.survive(func() { better, err = &before, nil })
	for _, p := range passes {
		if r.again.with == nil || !p.when(r, &opts) {
			continue
		}
		if r, err = p.run(ctx, e, opts, r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// An Overtaking is a timer that has to fire, Wait after it was started or time passed last, while
// the goroutine Runner could run.
type Overtaking struct {
	Wait   time.Duration
	Runner string
}

// overtakeWork is how many transitions are spent at least on what timers can do in any order.
const overtakeWork = 4_000

// anyTimePass adds what goes wrong where timers fire at any moment, as warnings. Its work is at most that of
// the exploration, so that it does not depend on the speed of the machine.
var anyTimePass = pass{
	when: func(r *Result, opts *Options) bool {
		return r.Verdict != Fail && !r.stopped() && slices.Contains(r.Modes, vm.ModeSlack) && !r.again.overtaken
	},
	change: vm.AnyTime,
	searches: func(opts Options) []Options {
		opts.Outcomes, opts.Explain, opts.CheckStatic, opts.Trace = false, nil, false, nil
		p := opts.Portfolio
		if p == nil {
			return []Options{opts}
		}
		both := portfolio{opts: &opts}
		list := []Options{both.options(p.Searches[0])}
		for _, x := range p.Samples {
			list = append(list, both.options(x))
		}
		return list
	},
	work: func(r *Result) uint64 { return max(overtakeWork, r.Stats.Transitions) },
	merge: func(r *Result, s *exploration, found por.Result, _ bool) (*Result, error) {
		if s.limit.passed() {
			return r, nil
		}
		s.result.Bugs = s.collector.bugs
		s.overtaking = true
		s.narrate()
		for _, b := range s.result.Bugs {
			if !b.Warning && b.Loop < 0 && b.Overtakes != nil {
				b.Warning = true
				r.Bugs = append(r.Bugs, b)
			}
		}
		return r, nil
	},
}

// A Delay is the time For that passes while the goroutine Runner could run, and does not.
type Delay struct {
	For    time.Duration
	Runner string
}

// A refinement says why what has been explored says nothing, and the search has to begin again.
type refinement struct {
	machine func(interrupted func() bool) (Machine, error) // a finer one, if it is needed
	await   bool                                           // see collector.needsAwait

	// with makes a machine with another configuration; nil: the machine cannot.
	with func(change func(*vm.Config)) func(interrupted func() bool) (Machine, error)
	// overtaken: timers that fire at any moment would find what is found already.
	overtaken bool
}

func (r *refinement) needed() bool { return r.machine != nil || r.await }

// needsRefining reports whether what has been explored says nothing: see vm.Environment.NeedsRefining.
func (s *exploration) needsRefining() bool {
	return s.m.NeedsRefining()
}

// refine returns what to explore instead of e with opts.
func (r *refinement) refine(e Entry, opts Options) (Entry, Options) {
	if r.machine != nil {
		e.New = r.machine
	}
	opts.awaitLoops = opts.awaitLoops || r.await
	return e, opts
}

// finishTime takes from the machine what the result says about time.
func (s *exploration) finishTime() {
	r, m := s.result, s.m
	r.Modes, r.Slack, r.InputLen, r.Arming = m.Modes(), m.Slack(), m.InputLen(), m.VisibleArming()
	r.again = s.refinement()
	r.again.with = func(change func(*vm.Config)) func(interrupted func() bool) (Machine, error) {
		return changed(m, change)
	}
}

// refinement says whether the search has to begin again, and how.
func (s *exploration) refinement() refinement {
	r := refinement{await: s.collector.needsAwait}
	if s.needsRefining() {
		r.machine = changed(s.m, s.m.Refined().Refine)
	}
	return r
}

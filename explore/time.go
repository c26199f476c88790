package explore

import (
	"context"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// Run explores one entry. It stops early, with an incomplete result, when ctx is done; the cause of
// ctx is the reason given. An error means that the entry could not be explored at all: *Illegal,
// *Mistake, or the error of Entry.New.
//
// If time is bounded, and the exploration under the bound has ended and found no bug, Run also
// explores a part of the executions without the bound. Their bugs are warnings (Bug.Overtakes). So
// are bugs that show only if a goroutine that waits on a channel is overtaken (Bug.Passes).
//
// If the exploration turns out to be inconclusive, Run begins again with a finer machine. A bug
// found by then stays a bug. If the time is up first, the result is that of the exploration so far.
func Run(ctx context.Context, e Entry, opts Options) (*Result, error) {
	r, err := finest(ctx, &e, &opts)
	var left []*bug.Bug
	for err == nil {
		list := mayStay(&opts, r)
		if len(list) == 0 {
			if !r.doubted || r.stopped() {
				break
			}
			opts.doubtsLeft = true
		}
		left = append(left, list...)
		first, before := r, r.Stats.Explore
		opts = opts.tolerate(list)
		opts.Keep = opts.Keep.fresh()
		if opts.Timeout > 0 {
			opts.spent += before
		}
		if r, err = finest(ctx, &e, &opts); err == nil {
			//mutant: executions that only leave goroutines are forgotten [test ./explore TestLeftLate]: "r.Ended() == 0" -> "false"
			if r.stopped() && r.Ended() == 0 {
				r.searchedAs(first)
			}
			r.Stats.Explore += before
			opts.spent = max(0, opts.spent-before) // the following additions include the time of all of them
		}
	}
	if err == nil {
		r.one(opts.All)
		r.keepLeft(left, opts.Leaks)
		r, err = afterwards(ctx, e, opts, r)
	}
	if r != nil {
		r.again = refinement{} // no longer needed
	}
	switch {
	case err != nil || opts.Keep == nil:
	case r.stopped():
		r.Saved = len(opts.Keep.files()) > 0
	default:
		opts.Keep.Remove()
	}
	return r, err
}

// finest explores e with opts, again and again until the machine needs no refining. It changes e and opts
// to those of the last exploration.
func finest(ctx context.Context, e *Entry, opts *Options) (*Result, error) {
	r, err := explore(ctx, *e, *opts)
	var before, loads time.Duration // times of the explorations that were replaced by finer ones
	for first := true; err == nil && r.again.needed() && !r.FirstOnly && !r.stopped(); first = false {
		before += r.Stats.Explore
		*e, *opts = r.again.refine(*e, *opts)
		if opts.Portfolio == nil {
			opts.Keep = opts.Keep.fresh()
		}
		if opts.Timeout > 0 {
			opts.spent += r.Stats.Explore
			more := max(0, r.Stats.Load-opts.Initialising)
			if opts.Initialising = max(0, opts.Initialising-r.Stats.Load); !first {
				opts.spent += more // a new machine is made each time
			}
		}
		//mutant: refining knows no limit [test ./explore TestRefiningEnds]: drop 1
		if over := (&limit{ctx: ctx, timeout: opts.Timeout, share: opts.Share}); ctx.Err() != nil || opts.Timeout > 0 && opts.spent >= opts.Timeout {
			r.unfinished(&Result{Incomplete: []Reason{{Cause: CauseStopped, Text: over.cause()}}})
			break
		}
		last := r
		loads += r.Stats.Load
		//mutant: what was seen before a search began again is lost [test ./explore TestRefinedLate]: "r.Ended() == 0 && last.Ended() > 0" -> "false"
		if r, err = explore(ctx, *e, *opts); err == nil && r.stopped() && (r.Stats.Transitions == 0 || r.Ended() == 0 && last.Ended() > 0) {
			last.unfinished(r)
			r, loads = last, loads+r.Stats.Load-last.Stats.Load
		}
	}
	if err == nil {
		r.Stats.Load += loads
	}
	if err == nil && before > 0 {
		r.Stats.Explore += before
		opts.spent = max(0, opts.spent-before) // the following additions include the time of all of them
	}
	return r, err
}

// afterwards runs the passes that follow r. A mistake of hbcheck in them leaves r unchanged.
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

// overtakeWork is the least bound on the transitions for executions with timers in any order.
const overtakeWork = 4_000

// anyTimePass adds, as warnings, the bugs of executions in which timers fire at any moment. The
// bound on its work is that of the exploration, so that it does not depend on the speed of the
// machine.
var anyTimePass = pass{
	when: func(r *Result, opts *Options) bool {
		//mutant: with --all a bug keeps timers from overtaking [test ./cmd/hbcheck TestScripts/folded]: "|| opts.All" -> ""
		return (r.Verdict != Fail || opts.All) && !r.stopped() && slices.Contains(r.Modes, vm.ModeSlack) && !r.again.overtaken
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
		s.result.Bugs = s.collector.found()
		s.overtaking = true
		s.narrate()
		for _, b := range s.result.Bugs {
			known := slices.ContainsFunc(r.Bugs, func(x *bug.Bug) bool { return x.Key() == b.Key() })
			if !b.Warning && b.Loop < 0 && b.Overtakes != nil && !known {
				b.Warning = true
				r.Bugs = append(r.Bugs, b)
			}
		}
		return r, nil
	},
}

// finishTime fills in the result's facts about time from the machine.
func (s *exploration) finishTime() {
	r, m := s.result, s.m
	r.Modes, r.Slack, r.InputLen, r.Refinement, r.Initialisers = m.Modes(), m.Slack(), m.InputLen(), m.Refinement(), m.ExploresInitialisers()
	r.again = s.refinement()
	r.again.with = func(change func(*vm.Config)) func(interrupted func() bool) (describe.Machine, error) {
		return changed(m, change)
	}
}

// passes are all of them, in their order. Each pass gets the result of the passes before it.
//
//	pass             follows                       on a machine                     and then
//	orders of maps   incomplete: some orders only  with all orders                  an answer is the result
//	in turn          bugs that gc may not have     with gc's queues and map order   no bug: they are warnings
//	any time         no bug                        whose timers fire at any moment  its bugs are warnings
var passes = []*pass{&allOrdersPass, &inTurnPass, &anyTimePass}

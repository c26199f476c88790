package explore

import (
	"context"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
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
	r, err := exploreRefined(ctx, &e, &opts)
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
		if r, err = exploreRefined(ctx, &e, &opts); err == nil {
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
		r, err = runPasses(ctx, e, opts, r)
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

// exploreRefined explores e with opts, and repeats this with a finer machine until no refining is needed. It
// sets e and opts to those of the last exploration.
func exploreRefined(ctx context.Context, e *Entry, opts *Options) (*Result, error) {
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

// passes are all of them, in their order. Each pass gets the result of the passes before it.
//
//	pass             follows                       on a machine                     and then
//	orders of maps   incomplete: some orders only  with all orders                  an answer is the result
//	in turn          bugs that gc may not have     with gc's queues and map order   no bug: they are warnings
//	any time         no bug                        whose timers fire at any moment  its bugs are warnings
var passes = []*pass{&allOrdersPass, &inTurnPass, &anyTimePass}

// runPasses runs the passes that follow r. A mistake of hbcheck in them leaves r unchanged.
func runPasses(ctx context.Context, e Entry, opts Options, r *Result) (better *Result, err error) {
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

// explore explores e once, without refinement; see exploreRefined.
func explore(ctx context.Context, e Entry, opts Options) (*Result, error) {
	if opts.Portfolio != nil {
		return runPortfolio(ctx, e, opts)
	}
	opts.phase = "search"
	e, opts, _, err := opts.Keep.resumed(ctx, e, opts, opts.phase)
	if err != nil {
		return nil, err
	}
	s, err := prepare(ctx, e, opts)
	if err != nil {
		return nil, err
	}
	defer s.limit.release()
	if err := s.finish(s.search()); err != nil {
		return nil, err
	}
	s.narrate()
	return s.result, nil
}

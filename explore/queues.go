package explore

import (
	"context"
	"go/token"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// A Passing is that the goroutine Runner overtakes Waiter, which came to the same channel Wait
// earlier; 0: before a call of synctest.Wait returned. If both are one goroutine, its select takes another
// case than the one that was ready first.
type Passing struct {
	Waiter, Runner string
	Wait           time.Duration
}

// A Ranging is a loop over a map that visits some keys first. The last one, which is not chosen, is none of
// them.
type Ranging struct {
	Pos  token.Position
	Keys []string
}

// queueWork is how much work is spent at least on executions that gc can have.
const queueWork = 1_000_000

// inTurn decides whether the bugs of r need what the language permits and gc does not do: that a goroutine
// which waits on a channel is overtaken, or an order of a map that gc cannot have. If each of their schedules
// does overtake one, or chooses an order, everything is explored once more where none is overtaken and maps
// have the orders that gc has for them. If that ends and shows no bug, the result is that, and the bugs are
// warnings. Otherwise they stay what they are.
//
// The explorer for that is full, which knows nothing of dependence: an operation that is not
// executed because another goroutine came earlier depends on more than what it accesses.
func inTurn(ctx context.Context, e Entry, opts Options, r *Result) (*Result, error) {
	for _, b := range r.Bugs {
		if !b.Warning && (b.Passes == nil && b.Order == nil || len(b.Inputs) > 0) {
			return r, nil
		}
	}
	work := max(queueWork, 4*r.Stats.Transitions)
	if opts.Timeout > 0 {
		opts.spent += r.Stats.Explore
	}
	if p := opts.Portfolio; p != nil {
		opts.Symmetry = slices.ContainsFunc(p.Searches, func(x Options) bool { return x.Symmetry })
	}
	opts.Portfolio, opts.POR, opts.Match, opts.Hybrid, opts.Jobs = nil, stateful.FullExplorer(), true, oracle.None, 0
	opts.Explain, opts.CheckStatic, opts.CheckDuplicates, opts.Trace = nil, false, false, nil
	e.New = r.again.with(vm.InTurn)
	for {
		s, err := prepare(ctx, e, opts)
		if err != nil {
			return nil, err
		}
		s.stopAfter(work)
		found := s.search()
		again := s.refinement()
		if again.needed() && !s.limit.passed() {
			e, opts = again.refine(e, opts)
			s.limit.release()
			continue
		}
		right := s.answers(&found) && !found.Stopped
		if right {
			err = s.finish(found)
			s.narrate()
		}
		s.limit.release()
		if !right {
			for _, b := range r.Bugs {
				b.Undecided = !b.Warning && !found.Stopped
			}
			return r, nil
		}
		if err != nil {
			return r, err
		}
		if s.result.Verdict != OK {
			for _, b := range r.Bugs {
				b.Undecided = !b.Warning && s.result.Verdict == Incomplete
			}
			return r, nil
		}
		for _, b := range r.Bugs {
			b.Warning = true
			s.result.Bugs = append(s.result.Bugs, b)
		}
		s.result.Stats.Load = r.Stats.Load
		s.result.again.overtaken = true
		return s.result, nil
	}
}

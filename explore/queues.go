package explore

import (
	"go/token"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
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

// queueWork is how much work executions that gc can have may cost at least.
const queueWork = 1_000_000

// inTurnPass decides whether the bugs of a result need what the language permits and gc does not do: to
// overtake a goroutine that waits on a channel, or an order of a map that gc cannot have. If each of their
// schedules does one of these, everything is explored once more where no goroutine is overtaken and maps have
// the orders that gc has for them. If that ends and shows no bug, it is the result, and the bugs are
// warnings. Otherwise they stay bugs.
//
// The explorer is full, which knows nothing of dependence: an operation that is not executed because
// another goroutine came earlier depends on more than what it accesses.
var inTurnPass = pass{
	when: func(r *Result, opts *Options) bool {
		return r.Verdict == Fail && !opts.LimitPreempt && !opts.All && !slices.ContainsFunc(r.Bugs, func(b *Bug) bool {
			return !b.Warning && (b.Passes == nil && b.Order == nil || len(b.Inputs) > 0)
		})
	},
	change: vm.InTurn,
	searches: func(opts Options) []Options {
		if p := opts.Portfolio; p != nil {
			opts.Symmetry = slices.ContainsFunc(p.Searches, func(x Options) bool { return x.Symmetry })
		}
		opts.Portfolio, opts.POR, opts.Match, opts.Hybrid, opts.Jobs = nil, stateful.FullExplorer(), true, oracle.None, 0
		opts.Explain, opts.CheckStatic, opts.CheckDuplicates, opts.Trace = nil, false, false, nil
		return []Options{opts}
	},
	work: func(r *Result) uint64 { return max(queueWork, 4*r.Stats.Transitions) },
	merge: func(r *Result, s *exploration, found por.Result, answered bool) (*Result, error) {
		undecided := func(why bool) *Result {
			for _, b := range r.Bugs {
				b.Undecided = !b.Warning && why
			}
			return r
		}
		if !answered || found.Stopped { // a bug that gc can have is found again: those of r are bugs
			return undecided(!found.Stopped), nil
		}
		if err := s.finish(found); err != nil {
			return r, err
		}
		s.narrate()
		if s.result.Verdict != OK {
			return undecided(s.result.Verdict == Incomplete), nil
		}
		for _, b := range r.Bugs {
			b.Warning = true
			s.result.Bugs = append(s.result.Bugs, b)
		}
		if s.result.Coverage != nil && r.Coverage != nil {
			s.result.Coverage.Add(r.Coverage)
		}
		s.result.Stats.Load = r.Stats.Load
		s.result.again.overtaken = true
		return s.result, nil
	},
}

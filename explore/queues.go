package explore

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// queueWork is the least bound on the work for exploring the executions that gc can have.
const queueWork = 1_000_000

// inTurnPass decides whether the bugs of a result need behaviour that the language permits and gc
// does not show: overtaking a goroutine that waits on a channel, or an order of a map that gc
// cannot have. If each of their schedules has such behaviour, the pass explores everything once
// more without overtaking and with only those orders of maps that gc can have. If that search ends
// and shows no bug, its result counts, and the bugs become warnings. Otherwise they stay bugs.
//
// Samples come first: gc can have every bug that they find. The explorer is full, which uses no dependence
// relation: without overtaking, an operation also depends on goroutines that came to the channel earlier.
var inTurnPass = pass{
	when: func(r *Result, opts *Options) bool {
		return r.Verdict == Fail && !opts.LimitPreempt && !opts.All && !slices.ContainsFunc(r.Bugs, func(b *bug.Bug) bool {
			return !b.Warning && (b.Passes == nil && b.Order == nil || len(b.Inputs) > 0)
		})
	},
	change: vm.InTurn,
	searches: func(opts Options) []Options {
		var list []Options
		if p := opts.Portfolio; p != nil {
			both := portfolio{opts: &opts}
			for _, x := range p.Samples {
				//mutant: no sample shows that gc can have a bug [test ./explore TestSampledInTurn]
				list = append(list, both.options(x))
			}
			opts.Symmetry = slices.ContainsFunc(p.Searches, func(x Options) bool { return x.Symmetry })
		}
		opts.Portfolio, opts.POR, opts.Match, opts.Hybrid, opts.Jobs = nil, stateful.FullExplorer(), true, oracle.None, 0
		opts.Explain, opts.CheckStatic, opts.CheckDuplicates, opts.Trace = nil, false, false, nil
		return append(list, opts)
	},
	work: func(r *Result) uint64 { return max(queueWork, 4*r.Stats.Transitions) },
	merge: func(r *Result, s *exploration, found por.Result, answered bool) (*Result, error) {
		undecided := func(why bool) *Result {
			for _, b := range r.Bugs {
				b.Undecided = !b.Warning && why
			}
			return r
		}
		// If the search has stopped, it has found a bug that gc can have, so r's bugs stay errors.
		if !answered || found.Stopped {
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
			b.OnlyPermitted = !b.Warning
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

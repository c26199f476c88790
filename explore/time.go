package explore

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

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

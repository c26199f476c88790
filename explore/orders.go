package explore

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// ordersWork is the least bound on the work for all orders of maps.
const ordersWork = 2_000_000

// allOrdersPass explores everything again with all orders of the maps, if the result is incomplete only
// because some orders were not tried.
//
// The number of orders does not determine their cost: a loop that has visited the same entries in another
// order is in the same state, so ten entries have a thousand states instead of three million paths. So a
// search that stores states tries all orders, and gives up after a while.
var allOrdersPass = pass{
	when: func(r *Result, opts *Options) bool {
		return r.Verdict == Incomplete && opts.Portfolio != nil && matching(opts.Portfolio) >= 0 &&
			!slices.ContainsFunc(r.Incomplete, func(x Reason) bool { return !isOrder(x) })
	},
	change: vm.AllOrders,
	searches: func(opts Options) []Options {
		both := portfolio{opts: &opts}
		return []Options{both.options(opts.Portfolio.Searches[matching(opts.Portfolio)])}
	},
	// Assumptions of the initialisation of packages do not depend on the orders of maps.
	pointless: func(s *exploration) bool {
		return slices.ContainsFunc(s.m.Assumed(), func(a vm.Assumption) bool { return !s.opts.Assume[a.What] })
	},
	work: func(r *Result) uint64 { return max(ordersWork, r.Work) },
	merge: func(r *Result, s *exploration, found por.Result, answered bool) (*Result, error) {
		//mutant: all orders end soon [test ./cmd/hbcheck TestScripts/orders]: false
		if !answered {
			return r, nil
		}
		s.markIgnores()
		if err := s.finish(found); err != nil {
			return nil, err
		}
		s.narrate()
		t := s.result
		t.Auto, t.AllOrders, t.Sampled, t.Work = true, true, r.Sampled, r.Work+found.Work()
		t.Stats.Load, t.Stats.Explore = r.Stats.Load, r.Stats.Explore+t.Stats.Explore
		if t.Coverage != nil && r.Coverage != nil {
			t.Coverage.Add(r.Coverage)
		}
		return t, nil
	},
}

// matching returns the index of p's search that stores states; -1 if none does.
func matching(p *Portfolio) int {
	return slices.IndexFunc(p.Searches, func(x Options) bool { return x.Match })
}

// isOrder reports whether r says that some orders of a map were not tried.
func isOrder(r Reason) bool {
	return r.Cause == CauseAssumed && (r.Assumption.What == vm.MapStarts || r.Assumption.What == vm.MapOrder)
}

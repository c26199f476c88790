package explore

import (
	"context"
	"slices"

	"hbcheck.dev/hbcheck/vm"
)

// ordersWork is how much is spent at least on all orders of maps.
const ordersWork = 2_000_000

// moreOrders explores everything once more with all orders of the maps, if that only some are tried is
// all that r has left open. If that has an answer, it is the result.
//
// How many orders there are says little about what they cost: a loop that has visited the same entries in
// another order is in the same state, so that ten entries have a thousand ways and not three millions. So it
// is tried, with a search that stores states, and given up after a while.
func moreOrders(ctx context.Context, e Entry, opts Options, r *Result) (*Result, error) {
	i := slices.IndexFunc(opts.Portfolio.Searches, func(x Options) bool { return x.Match })
	if i < 0 || slices.ContainsFunc(r.Incomplete, func(x Reason) bool { return !isOrder(x) }) {
		return r, nil
	}
	work := max(ordersWork, r.Work)
	if opts.Timeout > 0 {
		opts.spent += r.Stats.Explore
	}
	both := portfolio{opts: &opts}
	x := both.options(opts.Portfolio.Searches[i])
	e.New = r.again.with(vm.AllOrders)
	for {
		s, err := prepare(ctx, e, x)
		if err != nil {
			return nil, err
		}
		// What was assumed while packages were initialised does not depend on how their maps are ordered.
		vain := s.features.Assumed != nil && slices.ContainsFunc(s.features.Assumed(), func(a vm.Assumption) bool { return !x.Assume[a.What] })
		if vain {
			s.limit.release()
			return r, nil
		}
		s.stopAfter(work)
		found := s.search()
		again := s.refinement()
		if again.needed() && !s.limit.passed() {
			e, x = again.refine(e, x)
			s.limit.release()
			continue
		}
		//mutant: all orders end soon [test ./cmd/hbcheck TestScripts/orders]: false
		if !s.answers(&found) {
			s.limit.release()
			return r, nil
		}
		s.settle()
		err = s.finish(found)
		if err == nil {
			s.narrate()
		}
		s.limit.release()
		if err != nil {
			return nil, err
		}
		t := s.result
		t.Auto, t.AllOrders, t.Sampled, t.Work = true, true, r.Sampled, r.Work+found.Work()
		t.Stats.Load, t.Stats.Explore = r.Stats.Load, r.Stats.Explore+t.Stats.Explore
		if t.Coverage != nil && r.Coverage != nil {
			t.Coverage.Add(r.Coverage)
		}
		return t, nil
	}
}

// isOrder reports whether r is that some orders of a map were not tried.
func isOrder(r Reason) bool {
	return r.Cause == CauseAssumed && (r.Assumption.What == vm.MapStarts || r.Assumption.What == vm.MapOrder)
}

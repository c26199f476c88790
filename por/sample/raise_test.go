package sample

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestRaised: the bound on steps is raised twice while it cuts all executions. Then the first one holds
// again.
func TestRaised(t *testing.T) {
	work := func(n int) (list []toys.Instr) {
		for range n {
			list = append(list, toys.Instr{Op: toys.Store, A: 0, B: 1})
		}
		return list
	}
	first := []toys.Instr{{Op: toys.Go, A: 1}}
	for _, x := range []struct {
		stores, bound, ended, cut int
		raise                     bool
	}{
		{2, 20, 4, 0, true},
		{10, 10, 3, 1, true},
		{60, 10, 2, 2, true},
		{120, 2, 0, 4, true}, // more than the greatest bound
		{10, 10, 0, 4, false},
	} {
		toy := toys.New(append(first, work(x.stores)...), work(x.stores))
		r := RandomExplorer().Explore(toy, &stuck{}, por.Config{MaxExecutions: 4, MaxSteps: x.bound, Seed: 1, RaiseSteps: x.raise})
		if r.Executions != uint64(x.ended) || r.Truncated != uint64(x.cut) {
			t.Errorf("%d stores, bound %d, raised %v: %d executions have ended and %d were cut, want %d and %d", x.stores, x.bound, x.raise, r.Executions, r.Truncated, x.ended, x.cut)
		}
		if most := 2 + 10 + 50 + 2; x.bound == 2 && r.Transitions != uint64(most) {
			t.Errorf("%d steps in four walks without end, want %d", r.Transitions, most)
		}
	}
}

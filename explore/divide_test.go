package explore

import (
	"testing"
	"time"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// TestDivide: a test that is too big has the verdict of its subtests only if each was exhaustive alone,
// and an execution has shown which there are.
func TestDivide(t *testing.T) {
	big := func() *Result {
		r := &Result{Verdict: Incomplete, Subtests: []string{"T/a", "T/b", "T/b/c"}}
		r.Stats.Executions = 1
		r.Incomplete = []Reason{{Cause: CauseStopped}}
		return r
	}
	part := func(v Verdict) *Result {
		r := &Result{Verdict: v, Assumed: []vm.Assumption{{What: vm.RandSampled}}}
		r.Stats.Executions, r.Stats.Goroutines, r.Stats.Explore = 5, 3, time.Second
		return r
	}
	r := big()
	r.AddAlone("T/a", part(OK))
	if r.Divide() {
		t.Error("one subtest has no verdict")
	}
	r.AddAlone("T/b", part(Incomplete))
	if r.Divide() {
		t.Error("one subtest is incomplete")
	}
	r.AddAlone("T/b", part(OK))
	if !r.Divide() || r.Verdict != OK || r.Divided != 2 || r.Stats.Executions != 10 || r.Stats.Goroutines != 3 || len(r.Incomplete) > 0 {
		t.Errorf("all are exhaustive: %+v", r)
	}
	if len(r.Assumed) != 2 || r.Assumed[1].What != vm.SubtestsApart {
		t.Errorf("assumed: %v", r.Assumed)
	}
	unseen := big()
	unseen.Stats.Executions = 0
	refused := big()
	refused.Incomplete = []Reason{{Cause: CauseBound, Bound: por.Reason{Bound: por.BoundPreempt}}}
	for what, r := range map[string]*Result{"no execution has ended": unseen, "the test is not too big": refused} {
		r.AddAlone("T/a", part(OK))
		r.AddAlone("T/b", part(OK))
		if r.Divide() {
			t.Error(what)
		}
	}
}

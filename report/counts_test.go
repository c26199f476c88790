package report

import (
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por"
)

// TestFoundInSample: a bug that one of auto's samples has found, or the prediction from it, is told as that.
func TestFoundInSample(t *testing.T) {
	sampled := por.Reason{Bound: por.BoundSampled, Limit: 1, Count: 3}
	r := &explore.Result{Verdict: explore.Fail, Auto: true, POR: "surw", Incomplete: []explore.Reason{{Cause: explore.CauseBound, Bound: sampled}}}
	r.Stats.Executions = 3
	if got, want := search(r), "found in a sample of 3 executions of surw"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Auto = false
	if got, want := search(r), "incomplete: only a sample of 3 executions, from seed 1 (--max-executions, --seed), 3 executions"; got != want {
		t.Errorf("without auto: %q, want %q", got, want)
	}
}

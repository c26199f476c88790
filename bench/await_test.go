package bench

import (
	"context"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por/explorers"
)

// TestAwait: explorers that reduce by dependence end on programs that wait in loops, and find the bugs of
// broken locks.
func TestAwait(t *testing.T) {
	w := workspace(t)
	programs := []struct {
		name, args string
		verdict    explore.Verdict
	}{
		{"taslock", "2", explore.OK}, {"clhlock", "2", explore.OK}, {"ticket", "2", explore.OK}, {"ttaslock", "2", explore.OK},
		{"mcslock", "2", explore.OK}, {"bakery", "2", explore.OK}, {"peterson", "2", explore.OK}, {"dekkerlock", "2", explore.OK},
		{"barrier", "2 1", explore.OK},
		{"ticket", "2 broken", explore.Fail}, {"ttaslock", "2 broken", explore.Fail}, {"bakery", "2 broken", explore.Fail},
		{"peterson", "2 broken", explore.Fail},
	}
	for _, p := range programs {
		for _, e := range explorers.Exhaustive() {
			if e.Stateful {
				continue
			}
			x := CountedProgram{Suite: "await", Program: p.name, Args: p.args}
			r, err := w.CountExecutions(context.Background(), &x, CountOptions{Configuration: Configuration{POR: e}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Result.Verdict != p.verdict {
				t.Errorf("%s %s, %s: %s %v", p.name, p.args, e.Name, r.Result.Verdict, r.Result.Incomplete)
			}
		}
	}
}

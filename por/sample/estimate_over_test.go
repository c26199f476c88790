package sample_test

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// stepped counts the steps of a toy.
type stepped struct {
	*toys.System
	steps int
}

func (s *stepped) Step(g trace.GID, choice int) { s.steps++; s.System.Step(g, choice) }

// TestEstimateOver: an estimate ends at most one step after Over returns true, without a result.
func TestEstimateOver(t *testing.T) {
	writes := make([]toys.Instr, 40)
	for i := range writes {
		writes[i] = toys.Instr{Op: toys.Store, A: int8(i % 2), B: 1}
	}
	full := 0
	for limit := 1; ; limit++ {
		sys := &stepped{System: toys.Started(writes, writes, writes)}
		asked, since := 0, 0
		over := func() bool {
			if asked++; asked <= limit {
				since = sys.steps
			}
			return asked > limit
		}
		e := sample.NewEstimator(sys, por.Config{Over: over}, 1)
		if e.Sample() {
			if full = sys.steps; limit < full {
				t.Errorf("it is asked %d times in %d steps", limit, full)
			}
			break
		}
		if sys.steps > since+1 || e.Samples() != 0 {
			t.Fatalf("%d steps after it was to end; %d samples", sys.steps-since, e.Samples())
		}
	}
	if full < 100 {
		t.Errorf("%d steps", full)
	}
	if e := sample.NewEstimator(interrupted{toys.Started(writes)}, por.Config{}, 1); e.Sample() || e.Samples() != 0 {
		t.Error("an execution without a step is a sample")
	}
}

// interrupted is a toy in which no goroutine can move.
type interrupted struct{ *toys.System }

func (interrupted) Enabled(gs []trace.GID) []trace.GID { return gs }

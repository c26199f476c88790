package explore_test

import (
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por/explorers"
)

// TestPredictedChoice: if a step of a predicted execution cannot be made, another goroutine moves, with a
// choice of its own.
func TestPredictedChoice(t *testing.T) {
	const seed = 420 // its plans lead to a channel where fewer wait than before
	for p, e := range generatedFrom(t, []progen.Features{progen.Chans | progen.Selects | progen.Trying}, seed, 1) {
		o := explore.Options{POR: explorers.Lookup("surw"), All: true, MaxExecs: 300, MaxSteps: 10, NoMinimise: true, Seed: p.Seed}
		if r := runJobs(t, e, o); len(r.Mistakes) > 0 || r.Stats.Guessed+r.Stats.Predicted == 0 {
			t.Errorf("%d predicted: %v\n%s", r.Stats.Predicted, r.Mistakes, p.Source())
		}
	}
}

package explorers

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestProgress: every explorer reports its progress for users: a part of the whole
// that begins near zero and remains below one, or the number of executions.
func TestProgress(t *testing.T) {
	for _, e := range append(All(), With("optimal", "equivalence", "rf")) {
		said, grew := 0, false
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(73, seed))
			toy := toys.Random(r, 3, 4, false)
			last := 0.0
			cfg := por.Config{MaxSteps: 40, MaxExecutions: 500, Over: func() bool { return true }} // poll after every step
			cfg.Poll = func(p por.Progress) string {
				part := p.Fraction
				if p.Estimate > 0 {
					if part = float64(p.Done()) / p.Estimate; e.Samples && p.Estimate != float64(cfg.MaxExecutions) {
						t.Errorf("%s, seed %d: %v of %v samples", e.Name, seed, p.Estimate, cfg.MaxExecutions)
					}
				}
				if part < 0 || part >= 1 {
					t.Fatalf("%s, seed %d: %v is done while it searches", e.Name, seed, part)
				}
				if part > 0 {
					said++
				}
				grew = grew || last > 0 && part > last
				last = part
				return ""
			}
			e.Explore(toy, toys.NewFindings(toy), cfg)
		}
		if said == 0 || !grew {
			t.Errorf("%s: no call of Driver.Poll has a Progress with a Fraction or an Estimate that grows", e.Name)
		}
	}
}

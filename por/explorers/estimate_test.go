package explorers

import (
	"math"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestEstimateToys: the mean of many samples is the number of classes.
func TestEstimateToys(t *testing.T) {
	systems, outside, large := 0, 0, 0.0
	for _, seed := range deep.Seeds(t, 400, 400) {
		r := rand.New(rand.NewPCG(72, seed))
		toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), false)
		cfg := por.Config{MaxSteps: 40, MaxExecutions: 3000}
		f := toys.NewFindings(toy)
		want := With("optimal").Explore(toy, f, cfg)
		if len(want.Incomplete) > 0 || f.Restarts > 0 || want.Executions < 4 {
			continue
		}
		early := false // executions end in the middle
		for l := range f.Leaves {
			early = early || l[:4] == "exit"
		}
		if early || want.Blocked > 0 {
			continue
		}
		systems++
		initial := toy.State
		e := sample.NewEstimator(toy, cfg, seed)
		for range deep.Pick(1000, 4000) {
			if !e.Sample() {
				t.Fatalf("seed %d: nothing can be estimated\n%s", seed, toy.Program())
			}
		}
		if toy.State != initial {
			t.Fatal("the system is not left as it was found")
		}
		mean, err := e.Executions()
		n := float64(want.Executions)
		large = max(large, n)
		if d := math.Abs(mean - n); d > 2*err {
			outside++
			if d > 5*err && d > 1e-6*n {
				t.Errorf("seed %d: estimate %.1f ± %.1f, want %.0f\n%s", seed, mean, err, n, toy.Program())
			}
		}
	}
	t.Logf("%d toys with up to %.0f executions; %d estimates are more than two standard errors away", systems, large, outside)
	if systems < 50 || outside > systems/10 {
		t.Errorf("%d estimates of %d are more than two standard errors away", outside, systems)
	}
}

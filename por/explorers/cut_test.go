package explorers_test

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestCut: the findings of optimal and source are real for programs with executions that exceed the
// bound on steps, and cut executions do not prevent most of the others from being found. Findings
// are lost if they need an operation that a goroutine has not reached: in these programs, with less
// than a dozen steps, a sixth of the endings. If the other goroutines did not continue, twice as
// many would be lost.
func TestCut(t *testing.T) {
	cut, lost, found := 0, 0, 0
	for _, seed := range deep.Seeds(t, 1500, 1500) {
		r := rand.New(rand.NewPCG(11, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(2), 2+r.IntN(4), false)
		g := toys.NewStateGraph(toy, 8000)
		if g == nil {
			continue
		}
		bound := 4 + r.IntN(8)
		full, res := toys.Explore(t, toy, stateful.Full, por.Config{MaxSteps: bound, MaxExecutions: 100_000})
		if res.Truncated == 0 || len(res.Incomplete) > 1 {
			continue
		}
		cut++
		for _, name := range []string{"optimal", "source"} {
			f, _ := toys.Explore(t, toy, explorers.Lookup(name).Explore, por.Config{MaxSteps: bound, MaxExecutions: 10_000})
			for ending := range f.Leaves {
				if !g.Leaves[ending] {
					t.Errorf("seed %d %s: ending %q is none\n%s", seed, name, ending, toy.Program())
				}
			}
			for race := range f.Races {
				if !g.Races[race] {
					t.Errorf("seed %d %s: race %q is none\n%s", seed, name, race, toy.Program())
				}
			}
			for ending := range full.Leaves {
				if found++; f.Leaves[ending] == 0 {
					lost++
				}
			}
		}
	}
	if cut < 500 || lost*5 > found {
		t.Errorf("%d programs, %d of %d endings lost", cut, lost, found)
	}
}

package explorers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestSleeping: where goroutines sleep, each explorer finds all endings. Time passes when all goroutines
// wait, and a little before that.
func TestSleeping(t *testing.T) {
	seeds := deep.Seeds(t, 60, 3000)
	done := 0
	for _, seed := range seeds {
		toy := toys.Sleeping(rand.New(rand.NewPCG(48, seed)))
		g := toys.NewStateGraph(toy, 1500)
		if g == nil {
			continue
		}
		done++
		execs := g.Executions(toy)
		want := toys.Keys(g.Leaves)
		for _, e := range Exhaustive() {
			for _, match := range []bool{true, false} {
				if match && !e.Stateful || !match && (execs < 0 || execs > 2000) {
					continue
				}
				f, res := toys.Explore(t, toy, e.Explore, por.Config{Match: match})
				if got := toys.Keys(f.Leaves); !slices.Equal(got, want) || len(res.Incomplete) > 0 {
					t.Fatalf("seed %d %s match=%v: %v\n got %v\nwant %v\n%s", seed, e.Name, match, res.Incomplete, got, want, toy.Program())
				}
			}
		}
	}
	if t.Logf("%d programs", done); done < len(seeds)/2 {
		t.Error("most programs are too large")
	}
}

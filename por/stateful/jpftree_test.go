package stateful

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestJPFTree: the tree has the size that JPF finds when it walks it.
func TestJPFTree(t *testing.T) {
	checked := 0
	for _, seed := range deep.Seeds(t, 1000, 1000) {
		r := rand.New(rand.NewPCG(6, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(2), 2+r.IntN(4), false)
		f, g := toys.NewFindings(toy), toys.NewFindings(toy)
		want := JPF(toy, f, por.Config{MaxExecutions: 5000})
		if len(want.Incomplete) > 0 {
			continue
		}
		checked++
		got := JPFTree(toy, g, por.Config{})
		if got.Transitions != want.Transitions || got.Executions != want.Executions || got.Blocked != want.Blocked || len(got.Incomplete) > 0 {
			t.Fatalf("seed %d: %d steps, %d executions, %d blocked, want %d, %d, %d\n%s", seed, got.Transitions, got.Executions, got.Blocked, want.Transitions, want.Executions, want.Blocked, toy.Program())
		}
		if !slices.Equal(toys.Keys(f.Leaves), toys.Keys(g.Leaves)) || !slices.Equal(toys.Keys(f.Races), toys.Keys(g.Races)) {
			t.Fatalf("seed %d: other findings\n%s", seed, toy.Program())
		}
	}
	if checked < 900 {
		t.Errorf("%d toys checked", checked)
	}
}

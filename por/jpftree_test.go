package por

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestJPFTree: the tree is as large as JPF finds it when it walks it.
func TestJPFTree(t *testing.T) {
	checked := 0
	for seed := range 1000 {
		r := rand.New(rand.NewPCG(6, uint64(seed)))
		toy := randomToy(r, 2+r.IntN(2), 2+r.IntN(4), false)
		f, g := newFindings(toy), newFindings(toy)
		want := JPF(toy, f, Config{MaxExecutions: 5000})
		if len(want.Incomplete) > 0 {
			continue
		}
		checked++
		got := JPFTree(toy, g, Config{})
		if got.Transitions != want.Transitions || got.Executions != want.Executions || got.Blocked != want.Blocked || len(got.Incomplete) > 0 {
			t.Fatalf("seed %d: %d steps, %d executions, %d blocked, want %d, %d, %d\n%s", seed, got.Transitions, got.Executions, got.Blocked, want.Transitions, want.Executions, want.Blocked, toy.program())
		}
		if !slices.Equal(keys(f.leaves), keys(g.leaves)) || !slices.Equal(keys(f.races), keys(g.races)) {
			t.Fatalf("seed %d: other findings\n%s", seed, toy.program())
		}
	}
	if checked < 900 {
		t.Errorf("%d toys checked", checked)
	}
}

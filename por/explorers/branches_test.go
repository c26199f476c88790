package explorers

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestBranches: if outcomes of branches contradict each other, no explorer loses a class, and the
// explorers that claim to explore no class twice do not.
func TestBranches(t *testing.T) {
	seeds := deep.Seeds(t, 24, 900)
	n := len(seeds)
	for _, e := range onceEach {
		t.Run(e.name, func(t *testing.T) {
			checked, contradicting, most := 0, 0, 0
			for _, seed := range seeds {
				toy := toys.Branching(rand.New(rand.NewPCG(8, uint64(seed))))
				g := toys.NewStateGraph(toy, 2000)
				if g == nil || g.Executions(toy) < 0 || g.Executions(toy) > 3000 {
					continue
				}
				var all, found toys.Paths
				all.Visitor, found.Visitor = toys.NewFindings(toy), toys.NewFindings(toy)
				if e.run(toy, &found, por.Config{}); found.Restarts > 0 {
					continue
				}
				checked++
				stateful.Full(toy, &all, por.Config{})
				if slices.ContainsFunc(g.States, toys.State.Contradicted) {
					contradicting++
				}
				want, got := map[string]bool{}, map[string]int{}
				for _, p := range all.List {
					want[toys.ClassOf(toy, p)] = true
				}
				for _, p := range found.List {
					got[toys.ClassOf(toy, p)]++
				}
				most = max(most, len(want))
				if len(got) != len(want) || len(found.List) != len(want) {
					t.Fatalf("seed %d: %d executions of %d classes, want %d\n%s", seed, len(found.List), len(got), len(want), toy.Program())
				}
			}
			if contradicting < n/10 {
				t.Errorf("only %d of %d programs have branches that contradict each other", contradicting, checked)
			}
			t.Logf("%d programs, %d with contradictions, at most %d classes", checked, contradicting, most)
		})
	}
}

// TestBranchEndings: all explorers find every ending of programs whose branches contradict each other,
// wherever executions are cut.
func TestBranchEndings(t *testing.T) {
	for _, seed := range deep.Seeds(t, 16, 600) {
		toy := toys.Branching(rand.New(rand.NewPCG(9, uint64(seed))))
		g := toys.NewStateGraph(toy, 1000)
		if g == nil {
			continue
		}
		want := toys.Keys(g.Leaves)
		for _, e := range Exhaustive() {
			for _, match := range []bool{true, false} {
				if match && !e.Stateful || !match && g.Executions(toy) > 5000 {
					continue
				}
				f, res := toys.Explore(t, toy, e.Explore, por.Config{Match: match})
				if got := endings(f); !slices.Equal(got, want) || len(res.Incomplete) > 0 {
					t.Fatalf("seed %d, %s, match=%v: endings\n got %v\nwant %v\n%v\n%s", seed, e.Name, match, got, want, res.Incomplete, toy.Program())
				}
			}
		}
	}
}

// endings returns the endings of complete executions.
func endings(f *toys.Findings) []string {
	return slices.DeleteFunc(toys.Keys(f.Leaves), func(l string) bool { return strings.HasPrefix(l, por.Cut.String()) })
}

package por

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSourceToys: "For each Mazurkiewicz trace T defined by the happens-before relation, Explore(ε, ∅)
// explores a complete execution sequence that implements T" (section 5.2, of Source-DPOR).
func TestSourceToys(t *testing.T) {
	n, bad := 2000, 0
	for seed := range n {
		r := rand.New(rand.NewPCG(2, uint64(seed)))
		toy := randomToy(r, 2+r.IntN(2), 2+r.IntN(4), false)
		g := buildGraph(toy, 3000)
		if g == nil || g.executions(toy) < 0 {
			continue
		}
		if slices.ContainsFunc(keys(g.leaves), func(l string) bool {
			return strings.HasPrefix(l, "exit fault=") && !strings.HasPrefix(l, "exit fault=0")
		}) {
			continue // a toy crashes in the middle of a step
		}
		f := newFindings(toy)
		initial := toy.toyState
		res := Source(toy, f, Config{})
		if toy.toyState != initial || len(toy.marks) != 0 {
			t.Fatalf("the system is not left as it was found\n%s", toy.program())
		}
		if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.program())
		}
		if got, want := keys(f.races), keys(g.races); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.program())
		}
		if len(res.Incomplete) > 0 {
			t.Errorf("seed %d: %v", seed, res.Incomplete)
		}
		if bad > 2 {
			t.Fatal("enough")
		}
	}
}

// TestSourceClasses: each class is explored to its end once.
func TestSourceClasses(t *testing.T) {
	n, bad, checked, most := 600, 0, 0, 0
	var executions, blocked uint64
	for seed := range n {
		r := rand.New(rand.NewPCG(3, uint64(seed)))
		toy := randomToy(r, 2+r.IntN(3), 2+r.IntN(3), false)
		g := buildGraph(toy, 2000)
		if g == nil {
			continue
		}
		if x := g.executions(toy); x < 0 || x > 3000 || slices.ContainsFunc(keys(g.leaves), func(l string) bool { return strings.HasPrefix(l, "exit") }) {
			continue
		}
		checked++
		var all, found paths
		all.Visitor, found.Visitor = newFindings(toy), newFindings(toy)
		Full(toy, &all, Config{})
		res := Source(toy, &found, Config{})
		want, got := map[string]bool{}, map[string]int{}
		for _, p := range all.list {
			want[classOf(toy, p)] = true
		}
		for _, p := range found.list {
			got[classOf(toy, p)]++
		}
		most = max(most, len(want))
		executions += res.Executions
		blocked += res.Blocked
		if len(got) != len(want) || len(found.list) != len(want) {
			bad++
			t.Errorf("seed %d: %d executions of %d classes, want %d\n%s", seed, len(found.list), len(got), len(want), toy.program())
		}
		if bad > 2 {
			t.Fatal("enough")
		}
	}
	t.Logf("%d programs, at most %d classes; %d executions, %d blocked", checked, most, executions, blocked)
}

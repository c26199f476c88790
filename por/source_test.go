package por

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestSourceToys: "For each Mazurkiewicz trace T defined by the happens-before relation, Explore(ε, ∅)
// explores a complete execution sequence that implements T" (section 5.2, of Source-DPOR).
func TestSourceToys(t *testing.T) {
	n, bad := 1500, 0
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
	n, bad, checked, most := 300, 0, 0, 0
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

// countingToy is a toy that tells which Adds to a WaitGroup commute.
type countingToy struct{ *toy }

func (t countingToy) Next(g trace.GID) trace.Op {
	op := t.toy.Next(g)
	switch i, _ := t.at(int(g)); {
	case op.Kind != trace.WgAdd:
	case i.a == 1:
		op.Commutes = trace.AddsOne
	case i.a == -1 && t.wg >= 2:
		op.Commutes = trace.Subtracts
	case i.a == -1 && t.wg == 1:
		op.Commutes = trace.SubtractsLast
	}
	return op
}

// TestSourceWait: Adds that commute decide all the same whether Wait, which never executes in some
// executions, can be executed.
func TestSourceWait(t *testing.T) {
	ops := []toyOp{tWgAdd, tWgAdd, tWgAdd, tWgWait, tLoad, tStore}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(5, seed))
		prog := make([][]instr, 4)
		for g := range prog {
			for range 1 + r.IntN(2) {
				i := randomInstr(r, ops)
				if i.op == tWgAdd && i.a == 0 {
					i.a = 1
				}
				prog[g] = append(prog[g], i)
			}
		}
		prog[0] = slices.Concat([]instr{{op: tWgAdd, a: 1}, {op: tGo, a: 1}, {op: tGo, a: 2}, {op: tGo, a: 3}}, prog[0])
		toy := newToy(prog...)
		g := buildGraph(toy, 3000)
		if g == nil || slices.ContainsFunc(keys(g.leaves), func(l string) bool { return strings.HasPrefix(l, "exit") }) {
			continue
		}
		for name, run := range map[string]func(System, Visitor, Config) Result{"source": Source, "context": Context} {
			f := newFindings(toy)
			run(countingToy{toy}, f, Config{})
			if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: endings\n got %v\nwant %v\n%s", seed, name, got, want, toy.program())
			}
		}
	}
}

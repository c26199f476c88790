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

// The explorers that complete each class of executions once.
var onceEach = []struct {
	name          string
	run           func(por.System, por.Visitor, por.Config) por.Result
	toys, classes int // programs
}{
	{"optimal", With("optimal").Explore, 3000, 4000},
	{"parsimonious", parsimonious.Explore, 3000, 2000},
	{"source", With("source").Explore, 1500, 300},
}

// parsimonious is the explorer optimal with the option to keep nothing that it can explore at once:
// "eager race reversal ... avoids storing initial fragments of to-be-explored executions" (abstract
// of "Parsimonious Optimal Dynamic Partial Order Reduction").
var parsimonious = With("optimal", "prefix-memory", "-1")

// TestToys: "For each Mazurkiewicz trace T defined by the happens-before relation, Explore(ε, ∅)
// explores a complete execution sequence that implements T" (section 5.2 of "Source sets", of
// Source-DPOR). So all endings and races are found.
func TestToys(t *testing.T) {
	for _, e := range onceEach {
		t.Run(e.name, func(t *testing.T) {
			bad := 0
			for seed := range e.toys {
				r := rand.New(rand.NewPCG(2, uint64(seed)))
				toy := toys.Random(r, 2+r.IntN(2), 2+r.IntN(4), false)
				g := toys.NewStateGraph(toy, 3000)
				if g == nil || g.Executions(toy) < 0 {
					continue
				}
				if slices.ContainsFunc(toys.Keys(g.Leaves), func(l string) bool {
					return strings.HasPrefix(l, "exit fault=") && !strings.HasPrefix(l, "exit fault=0")
				}) {
					continue // a toy crashes in the middle of a step
				}
				f := toys.NewFindings(toy)
				initial := toy.State
				res := e.run(toy, f, por.Config{CheckDuplicates: true})
				if res.Duplicate != nil {
					bad++
					t.Errorf("seed %d: %v\n%s", seed, res.Duplicate, toy.Program())
				}
				if toy.State != initial || len(toy.Marks) != 0 {
					t.Fatalf("the system is not left as it was found\n%s", toy.Program())
				}
				if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) {
					bad++
					t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
				}
				if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
					bad++
					t.Errorf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
				}
				if len(res.Incomplete) > 0 {
					t.Errorf("seed %d: %v", seed, res.Incomplete)
				}
				if bad > 2 {
					t.Fatal("enough")
				}
			}
		})
	}
}

// TestToyClasses: each class is explored to its end once.
func TestToyClasses(t *testing.T) {
	for _, e := range onceEach {
		t.Run(e.name, func(t *testing.T) {
			bad, checked, left, most := 0, 0, 0, 0
			for seed := range deep.Pick(e.classes/8, e.classes) {
				r := rand.New(rand.NewPCG(3, uint64(seed)))
				toy := toys.Random(r, 2+r.IntN(3), 2+r.IntN(3), false)
				g := toys.NewStateGraph(toy, 2000)
				if g == nil {
					continue
				}
				if x := g.Executions(toy); x < 0 || x > 3000 || slices.ContainsFunc(toys.Keys(g.Leaves), func(l string) bool { return strings.HasPrefix(l, "exit") }) {
					continue
				}
				var all, found toys.Paths
				all.Visitor, found.Visitor = toys.NewFindings(toy), toys.NewFindings(toy)
				if e.run(toy, &found, por.Config{}); found.Restarts > 0 {
					left++ // to ClockVector
					continue
				}
				checked++
				stateful.Full(toy, &all, por.Config{})
				want, got := map[string]bool{}, map[string]int{}
				for _, p := range all.List {
					want[toys.ClassOf(toy, p)] = true
				}
				for _, p := range found.List {
					got[toys.ClassOf(toy, p)]++
				}
				most = max(most, len(want))
				if len(got) != len(want) || len(found.List) != len(want) {
					bad++
					t.Errorf("seed %d: %d executions of %d classes, want %d\n%s", seed, len(found.List), len(got), len(want), toy.Program())
				}
				if bad > 2 {
					t.Fatal("enough")
				}
			}
			if left > checked/4 {
				t.Errorf("%d programs checked, but %d left to another explorer", checked, left)
			}
			t.Logf("%d programs, at most %d classes; %d left to another explorer", checked, most, left)
		})
	}
}

// TestAddsAndWait: commuting Adds decide whether a Wait can be executed. In some executions it
// never can.
func TestAddsAndWait(t *testing.T) {
	ops := []toys.OpCode{toys.WgAdd, toys.WgAdd, toys.WgAdd, toys.WgWait, toys.Load, toys.Store}
	for _, seed := range deep.Seeds(t, 40, 400) {
		r := rand.New(rand.NewPCG(5, seed))
		prog := make([][]toys.Instr, 4)
		for g := range prog {
			for range 1 + r.IntN(2) {
				i := toys.RandomInstr(r, ops)
				if i.Op == toys.WgAdd && i.A == 0 {
					i.A = 1
				}
				prog[g] = append(prog[g], i)
			}
		}
		prog[0] = slices.Concat([]toys.Instr{{Op: toys.WgAdd, A: 1}, {Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Go, A: 3}}, prog[0])
		toy := toys.New(prog...)
		g := toys.NewStateGraph(toy, 3000)
		if g == nil || slices.ContainsFunc(toys.Keys(g.Leaves), func(l string) bool { return strings.HasPrefix(l, "exit") }) {
			continue
		}
		for name, run := range map[string]func(por.System, por.Visitor, por.Config) por.Result{"optimal": With("optimal").Explore, "source": With("source").Explore, "context": With("context").Explore} {
			f := toys.NewFindings(toy)
			run(toy, f, por.Config{})
			if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: endings\n got %v\nwant %v\n%s", seed, name, got, want, toy.Program())
			}
		}
	}
}

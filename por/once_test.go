package por

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// The explorers that complete each class of executions once.
var onceEach = []struct {
	name          string
	run           func(System, Visitor, Config) Result
	toys, classes int // programs
}{
	{"optimal", Optimal, 3000, 4000},
	{"parsimonious", parsimonious, 3000, 2000},
	{"source", Source, 1500, 300},
}

// parsimonious is Optimal if it keeps nothing that it can explore at once: "eager race reversal ... avoids storing
// initial fragments of to-be-explored executions" (abstract of "Parsimonious Optimal Dynamic Partial Order Reduction").
func parsimonious(sys System, v Visitor, cfg Config) Result {
	cfg.PastsMemory = -1
	return Optimal(sys, v, cfg)
}

// TestToys: "For each Mazurkiewicz trace T defined by the happens-before relation, Explore(ε, ∅)
// explores a complete execution sequence that implements T" (section 5.2 of "Source sets", of Source-DPOR). So all
// endings and races are found.
func TestToys(t *testing.T) {
	for _, e := range onceEach {
		t.Run(e.name, func(t *testing.T) {
			bad := 0
			for seed := range e.toys {
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
				res := e.run(toy, f, Config{CheckDuplicates: true})
				if res.Duplicate != nil {
					bad++
					t.Errorf("seed %d: %v\n%s", seed, res.Duplicate, toy.program())
				}
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
		})
	}
}

// TestToyClasses: each class is explored to its end once.
func TestToyClasses(t *testing.T) {
	for _, e := range onceEach {
		t.Run(e.name, func(t *testing.T) {
			bad, checked, left, most := 0, 0, 0, 0
			for seed := range e.classes {
				r := rand.New(rand.NewPCG(3, uint64(seed)))
				toy := randomToy(r, 2+r.IntN(3), 2+r.IntN(3), false)
				g := buildGraph(toy, 2000)
				if g == nil {
					continue
				}
				if x := g.executions(toy); x < 0 || x > 3000 || slices.ContainsFunc(keys(g.leaves), func(l string) bool { return strings.HasPrefix(l, "exit") }) {
					continue
				}
				var all, found paths
				all.Visitor, found.Visitor = newFindings(toy), newFindings(toy)
				if e.run(toy, &found, Config{}); found.restarts > 0 {
					left++ // to ClockVector
					continue
				}
				checked++
				Full(toy, &all, Config{})
				want, got := map[string]bool{}, map[string]int{}
				for _, p := range all.list {
					want[classOf(toy, p)] = true
				}
				for _, p := range found.list {
					got[classOf(toy, p)]++
				}
				most = max(most, len(want))
				if len(got) != len(want) || len(found.list) != len(want) {
					bad++
					t.Errorf("seed %d: %d executions of %d classes, want %d\n%s", seed, len(found.list), len(got), len(want), toy.program())
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

// TestAddsAndWait: Adds that commute decide all the same whether Wait, which never executes in some
// executions, can be executed.
func TestAddsAndWait(t *testing.T) {
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
		for name, run := range map[string]func(System, Visitor, Config) Result{"optimal": Optimal, "source": Source, "context": Context} {
			f := newFindings(toy)
			run(toy, f, Config{})
			if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: endings\n got %v\nwant %v\n%s", seed, name, got, want, toy.program())
			}
		}
	}
}

// classOf names the equivalence class of the execution path of t: its events and what each
// depends on. It is computed from the definition.
func classOf(t *toy, path trace.Schedule) string {
	type done struct {
		g     trace.GID
		n     int
		op    trace.Op
		label uint64
		deps  map[int]bool
	}
	m := t.Mark()
	var events []done
	count := map[trace.GID]int{}
	starter := map[trace.GID]int{}
	for _, a := range path {
		op := t.Next(a.G)
		e := done{g: a.G, n: count[a.G], op: op, label: t.Label(a.G, a.Choice), deps: map[int]bool{}}
		count[a.G]++
		if s, ok := starter[a.G]; ok {
			e.deps[s] = true
		}
		t.Step(a.G, a.Choice)
		for _, q := range t.Advanced(nil) {
			starter[q] = len(events)
		}
		for i := range events {
			if f := &events[i]; f.g == e.g || Dependent(&f.op, &e.op) {
				e.deps[i] = true
			}
		}
		events = append(events, e)
	}
	t.Rewind(m)
	t.Release(m)
	var lines []string
	for _, e := range events {
		var deps []string
		for i := range e.deps {
			deps = append(deps, fmt.Sprint(events[i].g, events[i].n))
		}
		slices.Sort(deps)
		lines = append(lines, fmt.Sprint(e.g, e.n, e.label, deps))
	}
	slices.Sort(lines)
	return strings.Join(lines, ";")
}

// paths collects the paths of complete executions.
type paths struct {
	Visitor
	list     []trace.Schedule
	restarts int
}

func (p *paths) Restart() { p.list, p.restarts = nil, p.restarts+1 }

func (p *paths) Leaf(path trace.Schedule, st Status) bool {
	if st == Ended || st == Stuck {
		p.list = append(p.list, slices.Clone(path))
	}
	return true
}

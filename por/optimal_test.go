package por

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

func TestOptimalToys(t *testing.T) {
	n, bad := 3000, 0
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
		res := Optimal(toy, f, Config{})
		if toy.toyState != initial || len(toy.marks) != 0 {
			t.Fatalf("the system is not left as it was found\n%s", toy.program())
		}
		if got, want := keys(f.leaves), keys(g.leaves); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.program())
		}
		if len(res.Incomplete) > 0 {
			t.Errorf("seed %d: %v", seed, res.Incomplete)
		}
		if bad > 2 {
			t.Fatal("enough")
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
		for _, q := range t.Moved(nil) {
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
	list []trace.Schedule
}

func (p *paths) Leaf(path trace.Schedule, st Status) bool {
	if st == Ended || st == Stuck {
		p.list = append(p.list, slices.Clone(path))
	}
	return true
}

// TestOptimalClasses: each class is explored once.
func TestOptimalClasses(t *testing.T) {
	n, bad, checked, most := 4000, 0, 0, 0
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
		d := toy
		all.Visitor, found.Visitor = newFindings(toy), newFindings(toy)
		Full(d, &all, Config{})
		Optimal(d, &found, Config{})
		want, got := map[string]bool{}, map[string]int{}
		for _, p := range all.list {
			want[classOf(d, p)] = true
		}
		for _, p := range found.list {
			got[classOf(d, p)]++
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
	t.Logf("%d programs, at most %d classes", checked, most)
}

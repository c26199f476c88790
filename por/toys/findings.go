package toys

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// checkPaths makes f verify that every reported path leads to the state of the system.
func checkPaths(t *testing.T, f *Findings, initial State) {
	f.check = func(path trace.Schedule) {
		r := &System{Prog: f.Toy.Prog, State: initial}
		for _, a := range path {
			r.Step(a.G, a.Choice)
		}
		if r.State != f.Toy.State {
			t.Fatalf("the path leads elsewhere\n%s", f.Toy.Program())
		}
	}
}

// Explore runs a search of toy, checks that it leaves the system in its initial state, and returns the
// findings.
func Explore(t *testing.T, toy *System, run func(por.System, por.Visitor, por.Config) por.Result, cfg por.Config) (*Findings, por.Result) {
	t.Helper()
	f := NewFindings(toy)
	initial := toy.State
	checkPaths(t, f, initial)
	res := run(toy, f, cfg)
	if toy.State != initial || len(toy.Marks) != 0 {
		t.Fatalf("the system is not left as it was found\n%s", toy.Program())
	}
	return f, res
}

// Findings collects the reports of a search, in a form that is equal for equal sets.
type Findings struct {
	Toy      *System
	Leaves   map[string]int
	Races    map[string]bool
	Lassos   [][]trace.Step // the loops
	paths    map[string]bool
	Restarts int
	check    func(path trace.Schedule)
	StopAt   int // leaves after which to stop; 0: never
}

// NewFindings returns a visitor without findings.
func NewFindings(t *System) *Findings {
	return &Findings{Toy: t, Leaves: map[string]int{}, Races: map[string]bool{}, paths: map[string]bool{}}
}

// Leaf implements por.Visitor.
func (f *Findings) Leaf(path trace.Schedule, st por.Status) bool {
	if st != por.Running && st != f.Toy.Status() {
		panic("leaf: wrong status")
	}
	if f.check != nil {
		f.check(path)
	}
	if st == por.Ended || st == por.Stuck {
		f.Leaves[f.Toy.Ending()]++
	}
	f.StopAt--
	return f.StopAt != 0
}

// Race implements por.Visitor.
func (f *Findings) Race(path trace.Schedule, a, b trace.Op) bool {
	if f.check != nil {
		f.check(path)
	}
	f.Races[RaceName(a, b)] = true
	return true
}

// RaceName names a race by its two program points.
func RaceName(a, b trace.Op) string {
	if b.G < a.G {
		a, b = b, a
	}
	return fmt.Sprintf("g%d@%d-g%d@%d", a.G, a.PC, b.G, b.PC)
}

// Livelock implements por.Visitor.
func (f *Findings) Livelock(path trace.Schedule, loop int) bool {
	if f.check != nil {
		f.check(path)
	}
	f.Lassos = append(f.Lassos, slices.Clone(path[loop:]))
	return true
}

// Restart implements por.Visitor.
func (f *Findings) Restart() { f.Leaves, f.Restarts = map[string]int{}, f.Restarts+1 }

// Keys returns the keys of m, sorted.
func Keys[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// Reasons returns the reasons why r is incomplete.
func Reasons(r por.Result) string {
	var s []string
	for _, why := range r.Incomplete {
		s = append(s, why.String())
	}
	return strings.Join(s, "; ")
}

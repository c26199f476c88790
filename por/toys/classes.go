package toys

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// ClassOf names the equivalence class of the execution path of t: its events and the dependences
// of each. It is computed from the definition.
func ClassOf(t *System, path trace.Schedule) string {
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
			if f := &events[i]; f.g == e.g || hb.Dependent(&f.op, &e.op) {
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

// Paths collects the paths of complete executions.
type Paths struct {
	por.Visitor
	List     []trace.Schedule
	Restarts int
}

// Restart implements por.Visitor.
func (p *Paths) Restart() { p.List, p.Restarts = nil, p.Restarts+1 }

// Leaf implements por.Visitor.
func (p *Paths) Leaf(path trace.Schedule, st por.Status) bool {
	if st == por.Ended || st == por.Stuck {
		p.List = append(p.List, slices.Clone(path))
	}
	return true
}

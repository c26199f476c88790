package vm

import (
	"testing"

	"hbcheck.dev/hbcheck/load"
)

// TestLabelsAbove: no word of a stack from Reached on has a label, though a rewind leaves frames with labels.
// Otherwise a later frame there would seem to have labels.
func TestLabelsAbove(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/above", Patterns: []string{"."}, Implicit: []string{"runtime"}, Cache: &proofCache})
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(prog, prog.Entries[0], Config{OrderedTime: true, Races: true})
	if err != nil {
		t.Fatal(err)
	}
	g := m.gs[1]
	above := 0 // steps with labels above the frame at the mark
	highest := func() (at int) {
		for i, x := range g.Shadow {
			if x != nil {
				at = i
			}
		}
		return at
	}
	const steps = 24
	start := m.Mark()
	for first := range steps {
		for last := first + 1; last < steps; last++ {
			for range first {
				m.Step(g.ID, 0)
			}
			mark, top := m.Mark(), int(g.FP)+g.Fn.Window
			for range last - first {
				m.Step(g.ID, 0)
			}
			if highest() >= top {
				above++
			}
			m.Rewind(mark)
			m.Step(g.ID, 0)
			if at := highest(); at > 0 && at >= int(g.Reached) {
				t.Fatalf("steps %d to %d: word %d has a label, Reached is %d", first, last, at, g.Reached)
			}
			m.Rewind(start)
		}
	}
	if above == 0 {
		t.Error("no label is above the frame of a mark")
	}
}

package vm

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// TestRewind: after random steps, marks, releases, collections and rewinds the machine is in
// exactly the state of the mark, and continues from there exactly as before.
func TestRewind(t *testing.T) {
	n, rounds := deep.N(3, 20), deep.Pick(3, 8)
	for _, s := range subjects(t, n) {
		t.Run(s.name, func(t *testing.T) {
			m := s.machine(t, Config{VisibleOutput: true})
			root := m.Mark()
			for round := range rounds {
				w := newWalker(m, uint64(round))
				w.steps(w.rng.IntN(40))
				checkMark(t, w, 3)
				if t.Failed() {
					return
				}
				m.Rewind(root)
			}
		})
	}
}

// checkMark sets a mark, wanders about and returns.
func checkMark(t *testing.T, w *walker, depth int) {
	m := w.m
	before, seen := copyState(m), picture(m)
	k := m.Mark()
	back := func(what string) bool {
		m.Rewind(k)
		after := copyState(m)
		if d := before.diff(&after, m); d != "" {
			t.Errorf("rewinding after %s: %s", what, d)
			return false
		}
		if p := picture(m); p != seen {
			t.Errorf("rewinding after %s: the state looks different:\n%s%s", what, seen, p)
			return false
		}
		return true
	}
	if !back("nothing") {
		return
	}
	// The same steps lead to the same states.
	first := trail(m, w.steps(w.rng.IntN(30)), k)
	if !back("a walk") {
		return
	}
	if second := trail(m, first.path, k); !first.equal(t, &second) || !back("the same walk") {
		return
	}
	// Anything may happen in between.
	for range 3 {
		w.steps(w.rng.IntN(20))
		switch w.rng.IntN(4) {
		case 0:
			m.collect()
		case 1:
			if depth > 0 {
				checkMark(t, w, depth-1)
			}
		case 2:
			// A mark that is released leaves no trace.
			r := m.Mark()
			p := picture(m)
			m.Release(r)
			if p != picture(m) {
				t.Error("setting a mark and releasing it changes the state")
			}
		case 3:
			r := m.Mark()
			w.steps(w.rng.IntN(10))
			m.Release(r)
		}
		if t.Failed() {
			return
		}
	}
	if !back("nested marks, releases and collections") {
		return
	}
	if third := trail(m, first.path, k); !first.equal(t, &third) || !back("the same walk again") {
		return
	}
	m.Release(k)
	if p := picture(m); p != seen {
		t.Error("releasing the mark changes the state")
	}
}

// trailOf is a schedule and the states on it.
type trailOf struct {
	path trace.Schedule
	seen []string
}

// trail rewinds to k and takes path.
func trail(m *Machine, path trace.Schedule, k por.Mark) trailOf {
	m.Rewind(k)
	r := trailOf{path: path}
	for _, s := range path {
		m.Step(s.G, s.Choice)
		r.seen = append(r.seen, picture(m))
	}
	return r
}

func (r *trailOf) equal(t *testing.T, s *trailOf) bool {
	for i := range r.seen {
		if r.seen[i] != s.seen[i] {
			t.Errorf("step %d of the same schedule from the same state leads elsewhere:\n%s%s", i, r.seen[i], s.seen[i])
			return false
		}
	}
	return true
}

// TestCollect: a collection between steps changes only the numbers of later objects.
func TestCollect(t *testing.T) {
	for _, s := range subjects(t, 20) {
		m, c := s.machine(t, Config{}), s.machine(t, Config{})
		m.Mark()
		c.Mark()
		w := newWalker(m, 7)
		for range 60 {
			step, ok := w.step()
			if !ok {
				break
			}
			c.Step(step.G, step.Choice)
			c.collect()
			if m.Hash() != c.Hash() || m.Report().Output(1) != c.Report().Output(1) || m.Status() != c.Status() {
				t.Errorf("%s: with collections the state is another one:\n%swithout:\n%s", s.name, picture(c), picture(m))
				break
			}
		}
	}
}

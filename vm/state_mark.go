package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Mark opens a mark, a state to return to.
func (m *Machine) Mark() por.Mark {
	if m.check != nil && m.check.what&CheckState != 0 && len(m.marks) == 0 {
		m.snapshotBase()
	}
	n := len(m.marks)
	m.marks = slices.Grow(m.marks, 1)[:n+1]
	k := &m.marks[n]
	m.heap.Mark(&k.heap)
	k.sym = m.sym.Mark()
	k.s = m.scalars
	k.gundo, k.gs, k.out, k.runs = len(m.gundo), len(m.gs), len(m.out), len(m.runs)
	if m.race != nil {
		m.raceMarks = append(m.raceMarks, m.race.Mark())
	}
	return por.Mark(n)
}

// Rewind returns to mark k, which stays open; later marks are closed.
func (m *Machine) Rewind(k por.Mark) {
	mk := &m.marks[k]
	m.marks = m.marks[:k+1]
	// The log may have entries for goroutines that are dropped: these goroutines have to exist until the log
	// is undone.
	m.rewindGoroutines(mk.gundo)
	m.dropGoroutines(mk.gs)
	m.alives.stale = true
	m.heap.Rewind(&mk.heap)
	m.sym.Rewind(mk.sym)
	m.scalars = mk.s
	m.out = m.out[:mk.out]
	m.runs = m.runs[:mk.runs]
	m.ready = m.ready[:0]
	m.moment++
	m.able.steps, m.waiters.indexed = 0, false
	if m.race != nil {
		m.raceMarks = m.raceMarks[:k+1]
		m.race.Rewind(&m.raceMarks[k])
	}
	m.verify(false)
}

// Release closes the youngest mark k and keeps the present state.
func (m *Machine) Release(k por.Mark) {
	if int(k) != len(m.marks)-1 {
		panic("BUG: marks are released last-in first-out")
	}
	m.heap.Release(&m.marks[k].heap)
	if m.race != nil {
		m.race.Drop(&m.raceMarks[k])
		m.raceMarks = m.raceMarks[:k]
	}
	m.marks = m.marks[:k]
	m.verify(false)
}

// A mark is a state to return to. It copies the small parts and records the lengths of the undo
// logs. Everything else is saved at its first change:
//
//	          mark 1         mark 2                        Rewind(1)
//	heap      ───┬──────────────┬───────────────────────▶  contents of objects, in reverse order
//	 undo        │ obj 7, obj 9 │ obj 7                    of saving, back to the length at mark 1
//	goroutines ──┼──────────────┼───────────────────────▶  records and stack words likewise
//	 gundo       │ g1           │ g1, g2
//	scalars     copied         copied                      copied back
//	out, gs     lengths        lengths                     cut to the lengths at mark 1
//
// Marks are nested, like a search's stack: a rewind closes the later marks, and only the youngest can be
// released. A mark costs a copy of the scalars; each later change pays for its own saving. The logs grow
// with the depth of the path and not with the number of states.
type mark struct {
	heap          heap.Mark
	sym           shadow.Mark
	s             scalars
	gundo         int
	gs, out, runs int
}

package vm

import "slices"

// living is what is kept of the goroutines that have not ended, in spawn-path order, for programs
// that start thousands, one after the other: goroutines that have ended stay in the table.
//
// Invariant, unless stale: list is a part of order, has all goroutines that have not ended, and ended
// others. A rewind makes it stale, as goroutines come back to life. It is replaced and not changed: what
// is being walked stays as it is, whatever is executed meanwhile and undone (speculate).
type living struct {
	list  []uint32 // slots
	ended int
	stale bool
}

// fewGoroutines is how many are walked rather than sorted out.
const fewGoroutines = 64

// living returns the slots of at least all goroutines that have not ended, in spawn-path order.
func (m *Machine) living() []uint32 {
	l := &m.alives
	if len(m.order) <= fewGoroutines {
		l.stale = true
		return m.order
	}
	if l.stale || 2*l.ended > len(l.list) {
		list := make([]uint32, 0, len(l.list)+fewGoroutines)
		for _, s := range m.order {
			if m.gs[s].status != gEnded {
				list = append(list, s)
			}
		}
		*l = living{list: list}
	}
	return l.list
}

// insertG puts a new goroutine where it belongs in spawn-path order.
func (m *Machine) insertG(g *goroutine) {
	insert := func(list []uint32) []uint32 {
		i, _ := slices.BinarySearchFunc(list, g, func(s uint32, g *goroutine) int {
			if m.before(g.id, m.gs[s].id) {
				return 1
			}
			return -1
		})
		return slices.Insert(list, i, g.slot)
	}
	m.order = insert(m.order)
	m.reordered++
	if l := &m.alives; !l.stale {
		//mutant: goroutines change places in a list that is walked [regions]: "slices.Clip(l.list)" -> "l.list"
		l.list = insert(slices.Clip(l.list))
	}
}

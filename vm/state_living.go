package vm

import (
	"hbcheck.dev/hbcheck/vm/bytecode"
	"slices"
)

// living is the list of goroutines that have not ended, in spawn-path order. It is for programs that start
// thousands of goroutines, one after the other, because goroutines that have ended stay in the table.
//
// Invariant, unless stale: list has, in the order of order, all goroutines that have not ended, and perhaps
// some that have. A rewind makes it stale, because goroutines come back to life. The list is replaced and not
// changed, so that steps that are executed and undone during a loop over it (speculate) do not affect the
// loop.
type living struct {
	list  []uint32 // slots
	ended int
	stale bool
}

// fewGoroutines is the most goroutines for which the whole order is used.
const fewGoroutines = 64

// living returns the slots of all goroutines that have not ended, and perhaps of others, in
// spawn-path order.
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

// insertG inserts a new goroutine in spawn-path order.
func (m *Machine) insertG(g *goroutine) {
	place := func(list []uint32) int {
		i, _ := slices.BinarySearchFunc(list, g, func(s uint32, g *goroutine) int {
			if m.before(g.ID, m.gs[s].ID) {
				return 1
			}
			return -1
		})
		return i
	}
	i := place(m.order)
	if i < len(m.order) {
		m.reordered++
	}
	m.order = slices.Insert(m.order, i, g.slot)
	if l := &m.alives; !l.stale {
		list := l.list
		// A loop over the list does not see a goroutine that is added at its end.
		if i = place(list); i < len(list) {
			//mutant: goroutines change places in a list that is walked [regions]: "slices.Clip(list)" -> "list"
			list = slices.Clip(list)
		}
		l.list = slices.Insert(list, i, g.slot)
	}
}

// eachLive calls f for the frames of g from the innermost on.
func (m *Machine) eachLive(g *goroutine, f func(fn *bytecode.Func, fp uint32, live []uint16, known bool)) {
	if g.overflow != nil || g.ending() {
		return
	}
	fn, fp, pc := g.Fn, g.FP, g.PC
	above := callee{}
	for {
		live, known := m.liveIn(fn, pc, above)
		f(fn, fp, live, known)
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		if link>>32&frBottom != 0 {
			return
		}
		above = callee{fn.ID, link >> 32}
		fp, fn, pc = uint32(link), m.link.Code[ra>>32], int32(uint32(ra))
	}
}

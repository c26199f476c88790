package vm

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// ensure grows g's stack so that n words exist; it returns false at the limit. The stack's length
// is a power of two, and so is the limit, so that the result does not depend on earlier growth.
func (m *Machine) ensure(g *goroutine, n uint32) bool {
	if uint64(n)*8 > m.cfg.MaxStack {
		return false
	}
	if int(n) > len(g.Stack) {
		m.mayGrow(g, n)
		g.grow(n)
	}
	return true
}

// mayGrow panics if stacks and objects together would exceed the memory limit with g's stack grown
// to n words (see recoverOutOfMemory). g's present stack counts, too, until it is copied.
func (m *Machine) mayGrow(g *goroutine, n uint32) {
	const small = 1 << 17 // words; smaller stacks need no check, because they are small compared with objects
	words := uint64(len(g.Stack))
	for words < uint64(n) {
		words *= 2
	}
	if words <= small {
		return
	}
	for _, q := range m.gs {
		words += uint64(len(q.Stack))
	}
	m.heap.Fits(words * 8)
}

const minStackWords = 256

// saveGoroutine saves g before it changes: the record and its top frame.
func (m *Machine) saveGoroutine(g *goroutine) {
	m.saves++
	m.able.change(g)
	g.changes()
	if g.epoch == m.heap.Epoch {
		return
	}
	u := gUndo{slot: g.slot, full: true, epoch: g.epoch, savedLo: g.savedLo}
	m.records = append(m.records, g.record())
	if g.status != gEnded && g.Fn != nil {
		lo := g.FP - bytecode.FrameHeader
		// The outgoing window too: the arguments of a pending native are there.
		u.lo, u.n = lo, g.FP+uint32(g.Fn.Window)-lo
		m.undoStack = append(m.undoStack, g.Stack[lo:lo+u.n]...)
		m.sym.Saved(&g.Goroutine, lo, u.n)
		g.savedLo = lo
	} else {
		g.savedLo = 0
	}
	m.gundo = append(m.gundo, u)
	g.epoch = m.heap.Epoch
}

// saveCallerFrame saves the frame that starts at lo (its header), up to the words already saved, before
// control returns into it.
func (m *Machine) saveCallerFrame(g *goroutine, lo uint32) {
	n := g.savedLo - lo
	m.undoStack = append(m.undoStack, g.Stack[lo:lo+n]...)
	m.sym.Saved(&g.Goroutine, lo, n)
	m.gundo = append(m.gundo, gUndo{slot: g.slot, lo: lo, n: n, savedLo: g.savedLo})
	g.savedLo = lo
}

// rewindGoroutines undoes the entries of the log after the first n, newest first, so that the entry
// saved first, with the state at the mark, is restored last.
func (m *Machine) rewindGoroutines(n int) {
	for len(m.gundo) > n {
		u := &m.gundo[len(m.gundo)-1]
		g := m.gs[u.slot]
		g.changes()
		if u.n > 0 {
			off := len(m.undoStack) - int(u.n)
			g.grow(u.lo + u.n) // see overflowStack
			copy(g.Stack[u.lo:], m.undoStack[off:])
			m.sym.Restored(&g.Goroutine, u.lo, off)
			m.undoStack = m.undoStack[:off]
		}
		if u.full {
			last := len(m.records) - 1
			g.restore(&m.records[last])
			//mutant: a rewind forgets who looks at the clock [env TestPollPrograms]
			m.noteLooker(g)
			g.epoch = u.epoch
			m.records = m.records[:last]
		}
		g.savedLo = u.savedLo
		m.gundo = m.gundo[:len(m.gundo)-1]
	}
}

// noteLooker records that g may be at a look in a loop. Most goroutines of a big program never are, so
// noteEffect does not walk over all of them.
func (t *goroutineTable) noteLooker(g *goroutine) {
	if g.looked != (lookBack{}) && !g.looker {
		g.looker = true
		t.lookers = append(t.lookers, g)
	}
}

// newG creates a goroutine record; the caller pushes its first frame.
func (m *Machine) newG(parent *goroutine) *goroutine {
	var g *goroutine
	slot := len(m.gs)
	if slot < cap(m.gs) {
		m.gs = m.gs[:slot+1]
		g = m.gs[slot] // recycled after a rewind
	} else {
		m.gs = append(m.gs, nil)
	}
	if g == nil {
		g = &goroutine{Goroutine: shadow.Goroutine{Stack: make([]uint64, minStackWords)}}
		m.gs[slot] = g
	}
	g.slot = uint32(slot)
	// The parent's number, and the number of the parent's earlier children, determine its number on all
	// paths.
	pid := trace.NoGID
	n := uint32(0)
	if parent != nil {
		pid = parent.ID
		n = parent.nspawn
		parent.nspawn++
	}
	g.Frame = shadow.Frame{ID: m.internG(pid, n)}
	g.gstate = gstate{parent: pid, status: gRunning}
	g.member = membership{number: g.member.number, rank: -1}
	if parent != nil {
		g.bubble, g.late, g.Facts = parent.bubble, parent.late, parent.Facts
		g.owned = parent.owned
	}
	if g.Shadow, g.Reached = nil, 0; m.tracking {
		g.Shadow = make([]*symbolic.Term, len(g.Stack))
	}
	// The parent's earlier actions happen before all actions of the new goroutine (memory model: Goroutine
	// creation).
	if m.race != nil && parent != nil {
		if m.race.Go(parent.slot, m.raceStack(parent)) != g.slot {
			panic("BUG: the race detector counts other goroutines")
		}
	}
	g.epoch, g.savedLo = m.heap.Epoch, 0
	g.changes()
	m.slots[g.ID] = int32(slot)
	m.insertG(g)
	if o := m.cfg.Observer; o != nil && parent != nil {
		o.Started(m, parent.ID, g.ID)
	}
	return g
}

// dropGoroutines removes the goroutines created since there were n.
func (m *Machine) dropGoroutines(n int) {
	if len(m.gs) == n {
		return
	}
	// Their records and stacks stay in the slice's capacity, where newG finds them.
	for _, g := range m.gs[n:] {
		m.slots[g.ID] = -1
	}
	m.gs = m.gs[:n]
	k := 0
	for _, s := range m.order {
		if int(s) < n {
			m.order[k] = s
			k++
		}
	}
	m.order = m.order[:k]
	m.reordered++
}

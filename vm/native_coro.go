package vm

import "hbcheck.dev/hbcheck/trace"

// Coroutines (iter.Pull). A coroutine is a goroutine of its own that runs only while the goroutine
// that switched to it waits: control changes within a step, invisibly. So the two share memory
// without the program being able to observe it, and the sharing does not publish objects to others.
//
// The guest object coro has two words.
const (
	crWaiting = 0 // 1 + the number of the goroutine to resume on a switch; 0 when the coroutine has ended
	crOwner   = 8 // number of the goroutine that created the coroutine + 1
	crSize    = 16
)

// peekNewCoro is the Peek of newcoro, which starts a goroutine.
func peekNewCoro(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if m.multi && m.facts.Counted {
		m.countOp(trace.Go, op)
	}
	return 1
}

// newCoro implements iter.newcoro(f func(*coro)) *coro.
func newCoro(m *Machine, g *goroutine, r Regs) Ctl {
	c := uint64(m.alloc(g, crSize, m.layWord)) << 32
	n := m.newG(g)
	n.system = true // never a leak by itself: the goroutine that waits for it is reported
	m.createdBy(n, g, g.executing())
	if !m.spawnFrame(n, r.U(0), []uint64{c}) {
		panic("BUG: no stack for a coroutine")
	}
	n.coro = c
	m.count(+1)
	n.status = gSwitchedOut
	m.setWord(c, crWaiting, uint64(n.ID)+1)
	m.setWord(c, crOwner, uint64(g.ID)+1)
	r.Set(0, c)
	return Next
}

// coroSwitch implements iter.coroswitch(c *coro).
func coroSwitch(m *Machine, g *goroutine, r Regs) Ctl {
	c := r.U(0)
	w := m.word(c, crWaiting)
	if w == 0 {
		m.fatal(g, FatalError, "coroswitch on exited coro")
		return Stop
	}
	q := m.gOf(trace.GID(w - 1))
	if g.coro != c && m.multi && m.word(c, crOwner) != uint64(g.ID)+1 {
		// The coroutine moves to another goroutine: from now on both may use the objects it holds.
		for _, w := range q.Stack[:q.FP+uint32(q.Fn.Window)] {
			m.heap.Publish(w)
		}
		m.heap.Publish(q.owned)
	}
	m.setWord(c, crWaiting, uint64(g.ID)+1)
	g.status = gSwitchedOut
	m.resume(g, q)
	return Stop
}

// resume lets the suspended goroutine q continue in g's place.
func (m *Machine) resume(g, q *goroutine) {
	if m.race != nil {
		m.race.Handoff(g.slot, q.slot)
	}
	m.saveGoroutine(q)
	q.status = gRunning
	//mutant: whole calls: a coroutine is in one call from its beginning [test ./internal/progen TestWholeCallsByHand]: remove
	q.inCall = g.inCall // the call continues in q, or a new one begins there
	m.ready = append(m.ready, q.slot)
	m.advanced = append(m.advanced, q.ID)
}

// coroEnd is called when coroutine g has ended.
func (m *Machine) coroEnd(g *goroutine) {
	c := g.coro
	q := m.gOf(trace.GID(m.word(c, crWaiting) - 1))
	m.setWord(c, crWaiting, 0)
	m.resume(g, q)
}

package vm

import (
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Natives of package internal/synctest: bubbles. Their numbers begin at 1, in the order in which
// they are opened. A goroutine or a channel belongs to the bubble of the goroutine that made it.
// The state shows which goroutines are blocked; nothing records it.

var synctestNatives = []Native{
	{Name: "internal/synctest.IsInBubble", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, g.bubble != 0)
		return Next
	}},
	{Name: "internal/synctest.hbEnter", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.opened == math.MaxUint16 {
			m.unsupported(g, RefusedSize, "more than 65,535 synctest bubbles")
			return Stop
		}
		m.opened++
		g.bubble = uint32(m.opened)
		m.setBubbleClock(g.bubble, 0)
		return Next
	}},
	{Name: "internal/synctest.hbLeave", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		g.bubble = 0
		return Next
	}},
	{Name: bubbleDrain, Peek: peekBubbleWait, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		n := 0
		for _, s := range m.living() {
			if q := m.gs[s]; q != g && m.inBubble(q, g.bubble) {
				n++
			}
		}
		r.Set(0, uint64(n))
		if n > 0 {
			m.replaceBubbleClock(bubbleClock{bubble: g.bubble, now: m.clockOf(g), waits: m.waitsIn(g.bubble), stopped: true})
		}
		return awaitBubble(m, g, r)
	}},
	{Name: "internal/synctest.hbWaiting", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		waiting := false
		for _, s := range m.living() {
			q := m.gs[s]
			waiting = waiting || m.inBubble(q, g.bubble) && m.isAtNative(q, bubbleWait)
		}
		r.SetBool(0, waiting)
		return Next
	}},
	{Name: bubbleWait, Peek: peekBubbleWait, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.replaceBubbleClock(bubbleClock{bubble: g.bubble, now: m.clockOf(g), waits: m.waitsIn(g.bubble) + 1})
		return awaitBubble(m, g, r)
	}},
}

const (
	bubbleWait  = "internal/synctest.hbWait"
	bubbleDrain = "internal/synctest.hbDrain"
)

// peekBubbleWait is the Peek of operations that wait for the rest of the bubble.
func peekBubbleWait(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	op.Kind = trace.SemAcquire
	return int(b2u(m.bubbleBlocked(g.bubble, g)))
}

// awaitBubble orders the earlier steps of the rest of the bubble before g's next ones.
func awaitBubble(m *Machine, g *goroutine, r Regs) Ctl {
	if m.following() {
		for _, s := range m.order {
			if q := m.gs[s]; q != g && q.bubble == g.bubble {
				m.race.Handoff(q.slot, g.slot)
			}
		}
	}
	return Next
}

// inBubble reports whether q is a live goroutine of the bubble. Timers do not count.
func (m *Machine) inBubble(q *goroutine, bubble uint32) bool {
	return q.bubble == bubble && !q.system && q.status != gEnded
}

// isAtNative reports whether a call of the native with that name is pending in q.
func (m *Machine) isAtNative(q *goroutine, name string) bool {
	if q.status != gReady || q.pending.Kind != trace.SemAcquire {
		return false
	}
	return m.natives[q.Fn.Code[q.PC].Imm32()].Name == name
}

// bubbleBlocked reports whether all goroutines of the bubble except self are durably blocked:
// others of the bubble, or the bubble's clock, must act for them to continue. A goroutine is not
// durably blocked if it waits for a mutex, for a WaitGroup that does not belong to the bubble
// (joinBubble), or on a channel made outside of the bubble.
//
// It first checks the goroutine that the last call found, because usually that one is still not blocked.
func (m *Machine) bubbleBlocked(bubble uint32, self *goroutine) bool {
	if i := int(m.moving); i < len(m.gs) && m.gs[i] != self && !m.blockedIn(bubble, m.gs[i]) {
		return false
	}
	for _, s := range m.living() {
		if q := m.gs[s]; q != self && !m.blockedIn(bubble, q) {
			m.moving = s
			return false
		}
	}
	return true
}

// blockedIn reports whether q is durably blocked, or is not a goroutine of the bubble.
func (m *Machine) blockedIn(bubble uint32, q *goroutine) bool {
	if q.bubble != bubble || q.status == gEnded {
		return true
	}
	if q.status != gReady {
		return false
	}
	//mutant: who waits for a lock is durably blocked [test ./internal/native TestOutcomes/areas/bubbles]: false
	if !q.pending.Kind.Row().Durable {
		return false
	}
	switch q.pending.Kind {
	case trace.Sleep:
		return !m.isDue(q)
	case trace.Timer:
		return !m.isDue(q) || !m.canFire(q)
	case trace.SemAcquire:
		return true
	case trace.Send, trace.Recv, trace.Select:
		return m.countAlternatives(q) == 0 && m.ownChannels(q)
	}
	// Not m.viewOf: this function is also called in the middle of a step.
	var op trace.Op
	in := &q.Fn.Code[q.PC]
	r := regsAt(unsafe.Pointer(&q.Stack[q.FP+uint32(in.A)]))
	n := m.natives[in.Imm32()].Peek(m, q, r, &op)
	return n == 0 && op.Kind != trace.WakeLock && (op.Kind != trace.WgWait || m.u32(r.U(0)+wgBubble) == bubble)
}

// isBubbleTurn reports whether it is the turn of g, a sleeper or timer of a bubble. Either g's time has come,
// or the clock moves to it. The clock moves if all others are blocked, none of them waits for the rest of the
// bubble to be blocked or to end, and no other deadline is earlier. The clock stops when the function that
// the bubble runs has returned.
func (m *Machine) isBubbleTurn(g *goroutine) bool {
	if m.isDue(g) {
		return true
	}
	//mutant: time passes in a bubble whose function has returned [test ./vm TestModels/synctest_stopped]: "m.isStopped(g.bubble) || " -> ""
	if m.isStopped(g.bubble) || !m.bubbleBlocked(g.bubble, g) {
		return false
	}
	for _, s := range m.living() {
		q := m.gs[s]
		if q == g || q.bubble != g.bubble || q.status != gReady {
			continue
		}
		switch {
		case m.isAtNative(q, bubbleWait), m.isAtNative(q, bubbleDrain):
			return false
		case q.pending.Kind == trace.Sleep, q.pending.Kind == trace.Timer && m.canFire(q):
			if m.deadline(q) < m.deadline(g) {
				return false
			}
		}
	}
	return true
}

// ownChannels reports whether all channels of g's channel operation are nil or were made in its
// bubble.
func (m *Machine) ownChannels(g *goroutine) bool {
	var arr [8]chanCase
	for _, c := range m.chanCases(g, arr[:0]) {
		if c.ch != 0 && bubbleOf(m.chanHdr(c.ch)) != g.bubble {
			return false
		}
	}
	return true
}

// isOther reports whether c was made in a bubble that g is not in.
func (m *Machine) isOther(g *goroutine, c ptr) bool {
	b := bubbleOf(m.chanHdr(c))
	return b != 0 && b != g.bubble
}

// isOutside reports whether a channel of g's channel operation was made in a bubble that g is not
// in. Other goroutines cannot change that.
func (m *Machine) isOutside(g *goroutine) bool {
	var arr [8]chanCase
	for _, c := range m.chanCases(g, arr[:0]) {
		if c.ch != 0 && m.isOther(g, c.ch) {
			return true
		}
	}
	return false
}

// throwOutside raises the fatal error of an operation for which isOutside or isOther is true. A
// select of one case and default is not a select to gc.
func (m *Machine) throwOutside(g *goroutine, op bytecode.Op) Ctl {
	if in := &g.Fn.Code[g.PC]; op == bytecode.Select && !blocking(in) && in.B == 1 {
		op = bytecode.Recv
		if g.Fn.Code[g.PC+1].Op == 1 {
			op = bytecode.Send
		}
	}
	text := map[bytecode.Op]string{bytecode.Send: "send on", bytecode.Recv: "receive on", bytecode.Close: "close of",
		bytecode.Select: "select on"}[op] + " synctest channel from outside bubble"
	m.throw(g, rtPanicText, m.literal(text), uint64(len(text)))
	return Called
}

package vm

import (
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Pending implements por.Effects.
func (m *Machine) Pending(buf []trace.GID) []trace.GID {
	for _, s := range m.living() {
		if g := m.gs[s]; g.status == gReady {
			buf = append(buf, g.ID)
		}
	}
	return buf
}

// Aborted implements por.Effects.
func (m *Machine) Aborted() bool { return m.fault != nil || m.exited }

// Touches implements por.Effects.
func (m *Machine) Touches(id trace.GID, buf []trace.Access) []trace.Access {
	g := m.gOf(id)
	op := m.Next(id)
	// Only a select can touch more than two locations, for which a trace.Op has room.
	if op.Kind != trace.Select && op.Kind != trace.TrySelect {
		return append(buf, op.Access[:op.N]...)
	}
	var arr [8]chanCase
	for _, c := range m.chanCases(g, arr[:0]) {
		if c.ch != 0 {
			buf = append(buf, onChannel(c.ch))
		}
	}
	if op.Kind == trace.TrySelect {
		m.peerChannels(g, func(a trace.Access) { buf = append(buf, a) })
	}
	return buf
}

// DependsOnAll implements por.Effects. If timers are ordered, a step by which time passes depends
// on all others (see step_time.go). So does a check whether the rest of a bubble is blocked. If the
// clock is read, its value depends on which goroutines have slept before.
func (m *Machine) DependsOnAll(id trace.GID) bool {
	g := m.gOf(id)
	switch g.pending.Kind {
	case trace.Sleep, trace.Timer:
		if g.looked.waits {
			return true
		}
		if m.timeOrdered(g) {
			return m.passesTime(g)
		}
		//mutant: sleepers commute where the clock is read [env TestPrograms/clocksleepers]: false
		return m.facts.ClockUsed
	case trace.SemAcquire:
		return true
	case trace.Clock:
		return m.loopsBack(g) && !g.system || g.pending.N > 0 && m.passesAtLooks()
	case trace.Inspect:
		return g.pending.InspectsAll()
	}
	return false
}

// Deadline implements por.Effects. A timer's deadline does not change while the timer waits, except that a
// ticker may miss ticks; a timer that is set again is another goroutine. A clock read that waits for changes
// has no deadline, because a change ends the wait (step_busywait.go).
func (m *Machine) Deadline(id trace.GID) int64 {
	switch g := m.gOf(id); {
	case g.isCollector():
		return math.MaxInt64
	case timed(g) && m.bounded(g) && !g.looked.waits:
		return m.deadline(g)
	}
	return 0
}

// Reach implements por.Effects: see rule 3 of step_time.go. An iteration of a loop with zero effect can be
// held back, although its operation does not block.
func (m *Machine) Reach(id trace.GID) int64 {
	g := m.gOf(id)
	if !m.cfg.OrderedTime || m.auto || m.cfg.Run || timed(g) || g.system || g.trail != nil || m.cfg.Slack >= math.MaxInt64/2 {
		return math.MaxInt64
	}
	//mutant: no moment comes before all goroutines wait [test ./internal/progen TestPassing]: "m.clock + max(0, m.cfg.Slack-m.debt)" -> "m.clock"
	return m.clock + max(0, m.cfg.Slack-m.debt)
}

// View implements por.Effects.
func (m *Machine) View(id trace.GID, op *trace.Op) (alternatives int, dependsOnAll bool) {
	g := m.gOf(id)
	dependsOnAll = m.DependsOnAll(id)
	if g.status != gReady {
		*op = g.pending
		return 0, dependsOnAll
	}
	v := m.viewOf(g)
	*op = v.op
	n := v.n // held executes the operation speculatively, which changes v
	switch {
	case n == 0 || m.executionOver():
		return 0, dependsOnAll
	case timed(g) && !m.inTurn(g), g.isCollector() && !m.collectsNow(g):
		return 0, dependsOnAll
	}
	if m.held(g) {
		return 0, dependsOnAll
	}
	return n, dependsOnAll
}

// Adds implements por.Effects.
func (m *Machine) Adds(id trace.GID) por.Adding {
	g := m.gOf(id)
	// The pending instruction is CallN: its operand A is the window with the native's arguments, the
	// WaitGroup and the number added to it. The WaitGroup may be nil.
	r := regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(g.Fn.Code[g.PC].A)]))
	if !m.mapped(r.U(0), 16) {
		return por.Adding{}
	}
	return por.Adding{N: int64(r.U(1)), Counter: int64(int32(m.u32(r.U(0) + wgCounter)))}
}

// Buffer implements por.Effects.
func (m *Machine) Buffer(id trace.GID) (length, room int, closed bool) {
	op := m.Next(id)
	if op.N != 1 || op.Kind != trace.Send && op.Kind != trace.Recv && op.Kind != trace.Close {
		return 0, 0, false
	}
	h := m.chanHdr(ptr(op.Access[0].Obj) << 32)
	return int(h[chLen/8]), int(h[chCap/8]), h[chClosed/8] != 0
}

// Identity implements por.Effects.
func (m *Machine) Identity(obj uint32) uint64 { return m.identity(uint64(obj)) }

// Updates implements por.Effects: an assignment to a map entry keeps the other entries, and
// atomic.Value compares types before it stores.
func (m *Machine) Updates(op *trace.Op) bool {
	if op.N == 0 {
		return false
	}
	const value = 16
	if op.Kind == trace.AtomicStore {
		//mutant: the store of an atomic.Value does not read [test ./cmd/hbcheck TestScripts/outcomes]: "== value" -> "== value && false"
		return op.Access[0].Size == value
	}
	return m.StaticView().IsMap(op.Access[0].Obj) || op.N == 2 && m.StaticView().IsMap(op.Access[1].Obj)
}

// Cases implements por.Effects.
func (m *Machine) Cases(id trace.GID, buf []por.Case) (cases []por.Case, parks bool) {
	g := m.gOf(id)
	if !g.pending.Kind.Communicates() {
		return buf, false
	}
	var arr [8]chanCase
	for _, c := range m.chanCases(g, arr[:0]) {
		if c.ch == 0 {
			buf = append(buf, por.Case{})
			continue
		}
		h := m.chanHdr(c.ch)
		buf = append(buf, por.Case{
			Chan: uint32(c.ch >> 32), Send: c.send,
			Len: int(h[chLen/8]), Room: int(h[chCap/8]), Closed: h[chClosed/8] != 0,
		})
		parks = parks || h[chCap/8] == 0 && !g.parked && m.observable(c)
	}
	return buf, parks && g.pending.Kind != trace.TrySelect
}

// Case implements por.Effects.
func (m *Machine) Case(id trace.GID, choice int) int {
	a, ok := m.chanAlternative(m.gOf(id), choice)
	if !ok {
		return -1
	}
	return a.caseIndex
}

// Advanced implements por.Effects.
func (m *Machine) Advanced(buf []trace.GID) []trace.GID { return append(buf, m.advanced...) }

// Label implements por.Effects. For an operation on channels the label is
//
//	bits  0          16             31     32             64
//	      │ case + 1 │ its partner's │ parks │ partner + 1 │
//
// where the case is 0 for default and for parking, and the partner, a GID, is 0 without a partner. For a
// Signal the label is the goroutine that is woken; for any other operation it is the number of the
// alternative.
func (m *Machine) Label(id trace.GID, choice int) uint64 {
	g := m.gOf(id)
	switch kind := g.pending.Kind; {
	case kind.Communicates():
		a, ok := m.chanAlternative(g, choice)
		if !ok {
			return uint64(choice)
		}
		label := uint64(a.caseIndex+1) | uint64(a.partnerCase)<<16
		if a.partner >= 0 {
			label |= uint64(m.gs[a.partner].ID+1) << 32
		}
		if a.park {
			label |= 1 << 31
		}
		return label
	case kind == trace.Clock && choice > 0:
		return uint64(m.jump(g, choice))
	case kind == trace.Signal:
		r := regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(g.Fn.Code[g.PC].A)]))
		// Alternative k wakes the k-th waiter of the Cond's list.
		w := m.word(r.U(0), cdList)
		for ; choice > 0 && w != 0; choice-- {
			w = m.word(w, wtNext)
		}
		if w == 0 {
			return 0
		}
		return uint64(m.u32(w + wtG))
	}
	return uint64(choice)
}

// PartnerCase returns the case that the partner takes if a goroutine executes its pending operation with an
// alternative that has a partner.
func (m *Machine) PartnerCase(id trace.GID, choice int) int {
	a, _ := m.chanAlternative(m.gOf(id), choice)
	return a.partnerCase
}

// Partner implements por.Effects.
func (m *Machine) Partner(id trace.GID, choice int) (trace.GID, bool) {
	g := m.gOf(id)
	if g.pending.Kind.Communicates() {
		if a, ok := m.chanAlternative(g, choice); ok && a.partner >= 0 {
			return m.gs[a.partner].ID, true
		}
	}
	return 0, false
}

// chanAlternative returns alternative choice of g's pending operation on channels; ok is false if
// it has fewer in the present state.
func (m *Machine) chanAlternative(g *goroutine, choice int) (chanAlt, bool) {
	alts := m.alts[:0]
	n := m.chanAlternatives(g, &alts)
	m.alts = alts
	if choice >= n {
		return chanAlt{}, false
	}
	return alts[choice], true
}

// Parks implements por.Parker.
func (m *Machine) Parks(id trace.GID, choice int) bool {
	g := m.gOf(id)
	if !g.pending.Kind.Communicates() {
		return false
	}
	a, ok := m.chanAlternative(g, choice)
	return ok && a.park
}

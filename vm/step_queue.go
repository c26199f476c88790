package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// The order of goroutines that wait on a channel. The language promises no order, so the served goroutine
// is a choice (step_partners.go). gc has queues: the goroutine that has parked first is served first, and
// no goroutine that comes later overtakes it.
//
// The moment at which a goroutine parks is unknown: after its last step the goroutine may be delayed, by the
// slack at most, before it parks (step_time.go). So q has parked before g if, according to the clock, q
// reached its operation earlier than g by more than the slack. If g is served while such a q waits for the
// same operation, g overtakes q.
//
//	clock 0    q: c <- 1     waits: there is no receiver
//	clock 1 s  g: c <- 2     waits, too
//	clock 2 s  h: <-c        gets 1 from gc; to get 2, g has to overtake q
//
// When synctest.Wait returns, all goroutines that are durably blocked in its bubble have parked, and so
// have those that wait when the bubble's clock moves: there is no slack in bubbles.
//
// A select that has parked takes the case that becomes ready first, also if others are ready by the time
// its goroutine runs: gc chooses the case when it wakes the goroutine (serve).
//
//	clock 0    g: select { case <-a: case <-b: }    waits
//	clock 1 s  h: close(a); close(b)                g has received from a
//
// With Config.InTurn no alternative overtakes, and only the case that gc has chosen is left. The remaining
// alternatives include all that gc's queues allow, and more:
//
//  1. A goroutine that is served from a queue takes the element at once. Here it is then enabled, and may
//     step later. No other goroutine can notice the rest of that step, up to its next operation. So it may
//     step at once; then no other goroutine is ahead of it.
//  2. If q may be served before g, and q came earlier, q is enabled as soon as g would be without
//     this rule: it waits for the same channel in the same direction. The first of the waiting
//     goroutines overtakes none. So no deadlock is new.
//  3. The case that gc has chosen stays ready unless another goroutine takes the element or the room: then
//     the other cases are alternatives again. Which of several waiting goroutines a send serves is open, so
//     none of them has an assigned case.
//  4. An operation that does not wait may take an element that gc has already given to a waiting
//     goroutine. Here the element is still in the buffer, so this adds behaviours and removes none.
//
// In run mode the goroutine that arrived first is always served first, as by gc.
//
// The order of arrival is then part of a state, and so are ages up to the slack. Every goroutine that
// arrives in the future comes after one that is older than the slack.

// cameFirst reports whether q has parked in its operation before g parks in its own.
func (m *Machine) cameFirst(q, g *goroutine) bool {
	if m.auto {
		return g.status == gRunning && !g.scheduled || q.wait.seq < g.wait.seq
	}
	slack := m.cfg.Slack
	if q.bubble != 0 || g.bubble != 0 {
		slack = 0
	}
	return q.bubble == g.bubble && (q.came < g.came-slack || q.cameAfter < g.cameAfter)
}

// ahead returns a goroutine that is overtaken if g executes case c, with a partner or alone, and the
// goroutine that overtakes it: g or the partner. Both are nil if no goroutine is overtaken.
func (m *Machine) ahead(g *goroutine, c chanCase, partner *goroutine) (overtaken, by *goroutine) {
	switch {
	case m.chanHdr(c.ch)[chClosed/8] != 0:
		return nil, nil
	case m.auto && m.cfg.Run:
	case m.auto, !m.cfg.OrderedTime && g.bubble == 0:
		return nil, nil
	}
	if blocking(&g.Fn.Code[g.PC]) {
		overtaken, by = m.overtakenBy(g, c, g, partner), g
	}
	if partner != nil {
		q := m.overtakenBy(partner, c.opposite(), g, partner)
		if q != nil && (overtaken == nil || m.before(q.ID, overtaken.ID)) {
			overtaken, by = q, partner
		}
	}
	if overtaken == nil {
		return nil, nil
	}
	return overtaken, by
}

// overtakenBy returns the first goroutine, except g and partner, that waits at c and came before x.
func (m *Machine) overtakenBy(x *goroutine, c chanCase, g, partner *goroutine) (first *goroutine) {
	var arr [8]chanCase
	slack := m.cfg.Slack
	if x.bubble != 0 {
		slack = 0
	}
	if !m.auto && x.came <= slack && x.cameAfter == 0 {
		return nil // clocks begin at 0: see cameFirst
	}
	waitsThere := func(d chanCase) bool { return d.ch == c.ch && d.send == c.send }
	m.eachWaiter(c, func(q *goroutine) bool {
		before := q != g && q != partner && waitsInQueue(q) && m.cameFirst(q, x)
		if before && slices.ContainsFunc(m.chanCases(q, arr[:0]), waitsThere) {
			first = q
		}
		return first == nil
	})
	return first
}

// hasParked reports whether g, which is at an operation on channels that waits, has parked in it.
func (m *Machine) hasParked(g *goroutine) bool {
	slack := m.cfg.Slack
	if g.bubble != 0 {
		slack = 0
	}
	return m.timeOrdered(g) && (m.clockOf(g)-g.came > slack || g.cameAfter < m.waitsIn(g.bubble))
}

// serve records which parked selects gc completes now that channel c was closed, or has a new element, or
// new room if send is set.
func (m *Machine) serve(c ptr, send bool) {
	if m.auto || m.clock <= m.cfg.Slack && !m.inBubbles() { // nothing has certainly parked
		return
	}
	all := m.chanHdr(c)[chClosed/8] != 0
	var only *goroutine
	index := 0
	var arr [8]chanCase
	for _, s := range m.order {
		q := m.gs[s]
		//mutant: what a select has got is waited for [test ./explore TestGeneratedSelects]: "|| q.assigned != 0" -> ""
		if !waitsInQueue(q) || q.assigned != 0 { // gc has taken it from all queues
			continue
		}
		for i, d := range m.chanCases(q, arr[:0]) {
			if d.ch != c || d.send != send && !all {
				continue
			}
			switch {
			case all:
				m.assign(q, i)
			case only != nil && only != q:
				return
			case only == nil:
				only, index = q, i
			}
			break
		}
	}
	if only != nil {
		m.assign(only, index)
	}
}

// assign records that gc completes case index of q's operation, if q has parked.
func (m *Machine) assign(q *goroutine, index int) {
	//mutant: a select that may not have parked is completed [test ./explore TestSelects]: drop 3
	if q.pending.Kind == trace.Select && q.assigned == 0 && m.hasParked(q) {
		m.saveGoroutine(q)
		q.assigned = uint16(index) + 1
	}
}

// assignedOther reports whether gc has completed a case of g's select on another channel than that of
// the case at index. If two cases are on one channel, gc takes either.
func (m *Machine) assignedOther(g *goroutine, index int, cases []chanCase) bool {
	if g.assigned == 0 {
		return false
	}
	c := cases[g.assigned-1]
	//mutant: what gc has completed is certain though another has taken it [test ./explore TestSelects]: drop 2
	return c.ch != cases[index].ch && m.readyWithoutPartner(c)
}

// notePassing records whether g, which executes alternative a, case c, overtakes a goroutine.
func (m *Machine) notePassing(g *goroutine, a chanAlt, c chanCase) {
	if m.passed != nil {
		return
	}
	if q, by := m.ahead(g, c, m.partnerOf(a)); q != nil {
		m.passed = &Passing{q.ID, by.ID, by.came - q.came}
		return
	}
	if g.assigned != 0 {
		var arr [8]chanCase
		if m.assignedOther(g, a.caseIndex, m.chanCases(g, arr[:0])) {
			m.passed = &Passing{g.ID, g.ID, 0}
		}
	}
}

// Passed returns the first goroutine that has been overtaken on this path, if there is one.
func (v Report) Passed() *Passing { return v.m.passed }

// writeQueue appends the part of the state that depends on the arrival of g at its operation. Where
// goroutines can be permuted, it names earlier ones by their places in the order in which they are
// written: the places are the same in a state that differs only in numbers. That order is
// independent of the order of arrival.
func (m *Machine) writeQueue(ws []uint64, g *goroutine) []uint64 {
	if !waitsInQueue(g) {
		return ws
	}
	n := len(ws)
	parked := b2u(g.cameAfter < m.waitsIn(g.bubble))
	ws = append(ws, 0, uint64(min(m.clockOf(g)-g.came, m.cfg.Slack+1))<<1|parked, uint64(g.assigned))
	if m.canon.Exchanging {
		for place, s := range m.canon.sorted {
			if m.cameBefore(m.gs[s], g) {
				ws = append(ws, uint64(place))
			}
		}
	} else {
		for _, s := range m.order {
			if q := m.gs[s]; m.cameBefore(q, g) {
				ws = append(ws, uint64(q.ID))
			}
		}
	}
	ws[n] = uint64(len(ws) - n)
	return ws
}

// cameBefore reports whether q waits on channels, for longer than g.
func (m *Machine) cameBefore(q, g *goroutine) bool {
	return q != g && waitsInQueue(q) && m.cameFirst(q, g)
}

// waitsInQueue reports whether g is at an operation on channels that waits.
func waitsInQueue(g *goroutine) bool {
	k := g.pending.Kind
	return g.status == gReady && (k == trace.Send || k == trace.Recv || k == trace.Select)
}

package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// An operation on a channel concerns the goroutines that wait there. If there are few goroutines,
// the machine inspects all of them. If there are many, and the search executes many steps without a
// rewind, the machine has an index.

// place returns the key of a case in the index.
func (c *chanCase) place() ptr { return c.ch | ptr(b2u(c.send)) }

// opposite returns the case that communicates with c.
func (c chanCase) opposite() chanCase { return chanCase{ch: c.ch, send: !c.send} }

// indexes reports whether the machine has the index, and makes it if it should.
func (m *Machine) indexes() bool {
	l := &m.waiters
	few := len(m.order) < manyGoroutines || !m.auto && m.able.steps < warmSteps
	if m.auto && !m.cfg.Run || m.check == nil && few {
		return false
	}
	if !l.indexed {
		l.indexed, l.at = true, make(map[ptr][]waiter)
		for _, s := range m.living() {
			if g := m.gs[s]; g.status == gReady && g.pending.Kind.Communicates() {
				m.indexArrival(g)
			}
		}
	}
	return true
}

// indexArrival adds g, which has reached an operation on channels, to the index.
func (m *Machine) indexArrival(g *goroutine) {
	l := &m.waiters
	if !l.indexed {
		return
	}
	var arr [8]chanCase
	for _, c := range m.chanCases(g, arr[:0]) {
		if c.ch == 0 {
			continue
		}
		list := l.at[c.place()]
		i, _ := slices.BinarySearchFunc(list, g.ID, func(w waiter, id trace.GID) int {
			return m.spawnOrder(m.gs[w.slot].ID, id)
		})
		if i < len(list) && list[i].slot == g.slot {
			//mutant: who comes to a channel again is not there [test ./vm TestEnabledKept]
			list[i].number = g.wait.seq
			continue
		}
		l.at[c.place()] = slices.Insert(list, i, waiter{g.slot, g.wait.seq})
	}
}

// waitersAt returns the goroutines that the index has at the channel of c, in c's direction, in spawn-path
// order.
func (m *Machine) waitersAt(c chanCase) (list []*goroutine) {
	m.eachWaiter(c, func(g *goroutine) bool {
		list = append(list, g)
		return true
	})
	return list
}

// eachWaiter calls f, until it returns false, for goroutines among which are all that wait at the channel
// of c in its direction, in spawn-path order.
func (m *Machine) eachWaiter(c chanCase, f func(*goroutine) bool) {
	if !m.indexes() {
		for _, s := range m.living() {
			if g := m.gs[s]; g.status == gReady && g.pending.Kind.Communicates() && !f(g) {
				return
			}
		}
		return
	}
	l := &m.waiters
	list := l.at[c.place()]
	gone := 0
	for _, w := range list {
		g := m.gs[w.slot]
		if g.wait.seq != w.number || g.status != gReady || !g.pending.Kind.Communicates() {
			gone++
			continue
		}
		if !f(g) {
			break
		}
	}
	if 2*gone > len(list) {
		l.at[c.place()] = slices.DeleteFunc(slices.Clone(list), func(w waiter) bool {
			g := m.gs[w.slot]
			return g.wait.seq != w.number || g.status != gReady
		})
	}
}

// longestWaiting returns the goroutine of peers that has waited longest to communicate with g at c: the first
// one in the channel's queue.
func (m *Machine) longestWaiting(g *goroutine, c chanCase, peers []*goroutine) []*goroutine {
	var first *goroutine
	var arr [8]chanCase
	for _, q := range peers {
		meets := func(d chanCase) bool { return d.ch == c.ch && d.send != c.send }
		if q != g && (first == nil || q.wait.seq < first.wait.seq) && slices.ContainsFunc(m.chanCases(q, arr[:0]), meets) {
			first = q
		}
	}
	if first == nil {
		return nil
	}
	return []*goroutine{first}
}

// waitingPeers returns goroutines among which are the partners of a sender to c, or of a receiver, in
// spawn-path order. Without an index, lists of all goroutines are cached per state if cached is set; in
// the middle of a step they are computed again.
//
// moment is 0 while the lists are being computed, so that a nested call does not use old lists.
func (m *Machine) waitingPeers(c chanCase, cached bool) []*goroutine {
	l := &m.waiters
	if m.indexes() {
		var list []*goroutine
		m.eachWaiter(c.opposite(), func(q *goroutine) bool {
			if q.pending.Kind != trace.TrySelect {
				list = append(list, q)
			}
			return true
		})
		return list
	}
	if !cached || l.moment != m.moment {
		l.moment, l.senders, l.receivers = 0, l.senders[:0], l.receivers[:0]
		for _, s := range m.living() {
			q := m.gs[s]
			if q.status != gReady {
				continue
			}
			k := q.pending.Kind
			if k == trace.Send || k == trace.Select {
				l.senders = append(l.senders, q)
			}
			if k == trace.Recv || k == trace.Select {
				l.receivers = append(l.receivers, q)
			}
		}
		if cached {
			l.moment = m.moment
		}
	}
	if c.send {
		return l.receivers
	}
	return l.senders
}

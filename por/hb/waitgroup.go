package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Operations on the counter of a WaitGroup commute as long as, in every order that the
// happens-before relation allows,
//
//	(1) the counter does not become negative, and
//	(2) while a goroutine waits at Wait, the counter does not become zero and then positive again: Wait
//	    could return at the zero, but not after it ("WaitGroup is reused before previous Wait has
//	    returned").
//
// Pairs of operations show neither of these. Take Done, Done and Add with the counter at two: the
// first Done commutes with the Add, but the second one, next to the Add, does not. So both are
// decided for an execution as a whole, exactly, once for each event (claims 11 and 12 of
// docs/research/optimal.md).
//
// An order that is allowed passes through down-closed sets of events. The counter in such a set D
// is the number of units added in D minus the units taken. Each Done is matched with a
// unit of an Add that happens before it, no two with the same one:
//
//	Add(2) ──┬─ unit ── Done         the counter after D: the number of units in D
//	         └─ unit ── Done         whose Done is not in D
//	Add(1) ──── unit
//
// Claim 1: if all Dones can be matched, (1) holds; otherwise it does not. Proof: if they can, the number
// above is not negative. If not, then by Hall's theorem there is a set of Dones with too few units before
// them. An order in which this set comes first, with the events before it, makes the counter negative.
//
// Claim 2: let a be the arrival of a goroutine at a Wait that has not returned. In some order the
// counter is zero while it waits if and only if there is a least set with these properties: it
// contains a; for each of its events, the events before that event; and for each of its units, the
// Done of that unit. Proof: in a set D with a whose counter is zero the Done of every unit in D is
// in D, so D contains that set. Conversely the counter in that set is zero, and some order passes
// through it. The order matters if an event that raises the counter is outside of it.

// matching is scratch memory for one WaitGroup.
type matching struct {
	adds    []int32  // initialUnits, and in order the events that have changed the counter
	initial int64    // value of the counter at the start
	visited []int32  // units that augment has tried
	closure []uint32 // the set of claim 2, as a clock
}

// The name of a unit is the event that has added it.
const (
	initialUnits = -1 // the units of the counter at the start
	unmatched    = -2 // the unit of a Done that takes no unit
)

// changes reports whether e has changed the counter of the WaitGroup wg.
func (e *Event) changes(wg trace.Access) bool {
	return e.Op.Kind == trace.WgAdd && e.Op.N > 0 && e.Op.Access[0].Overlaps(wg)
}

// wgOrderMatters is called when event i, the newest one, has been executed. It reports whether i
// shows that the operations on some WaitGroup do not commute, and matches i if it is a Done.
//
// It checks condition (1) for the new Done, and condition (2) for the goroutines at Wait
// of the WaitGroup of the event, and those that the event has brought to a Wait.
func (x *Execution) wgOrderMatters(i int) bool {
	e := &x.Events[i]
	if e.Op.Kind == trace.WgAdd && e.Op.N > 0 {
		wg := e.Op.Access[0]
		if !x.matchLatest(i) {
			x.listAdds(wg)
			if !x.matchDone(i) {
				return true
			}
		}
		if e.change.N > 0 && slices.ContainsFunc(x.Races, x.isWait) {
			return true // Wait has returned at a zero, and only the order of this path puts it before e
		}
		for q, blocks := range x.MayBlock {
			p := &x.Pending[q]
			waits := blocks && p.Kind == trace.WgWait && p.N > 0 && p.Access[0].Overlaps(wg)
			if waits && x.reusedDuringWait(wg, int(x.Last[q])) {
				return true
			}
		}
	}
	participants := x.Participants(i)
	for k := range participants {
		q := participants[k].G
		p := &x.Pending[q]
		if p.Kind == trace.WgWait && p.N > 0 && x.reusedDuringWait(p.Access[0], int(x.Last[q])) {
			return true
		}
	}
	return false
}

func (x *Execution) isWait(i int32) bool { return x.Events[i].Op.Kind == trace.WgWait }

// listAdds collects the events that have changed the counter of wg.
func (x *Execution) listAdds(wg trace.Access) {
	m := &x.matching
	m.adds, m.initial = append(m.adds[:0], initialUnits), 0
	for _, j := range x.withBit[objectNumber(wg.Obj)] {
		if e := &x.Events[j]; e.changes(wg) {
			if len(m.adds) == 1 {
				m.initial = e.change.Counter
			}
			m.adds = append(m.adds, j)
		}
	}
}

// freeUnits returns the number of unmatched units of event u. No event has the number of the
// initial units, so for these freeUnits counts the Dones that are matched with them.
func (x *Execution) freeUnits(u int32) int64 {
	if u >= 0 {
		return max(0, x.Events[u].change.N) - x.Events[u].matchedUnits
	}
	n := x.matching.initial
	for _, d := range x.matching.adds[1:] {
		if x.Events[d].unit == u {
			n--
		}
	}
	return n
}

// assign matches Done d with a unit of u.
func (x *Execution) assign(d, u int32) {
	if old := x.Events[d].unit; old >= 0 {
		x.Events[old].matchedUnits--
	}
	if x.Events[d].unit = u; u >= 0 {
		x.Events[u].matchedUnits++
	}
}

// matchLatest matches event i in the usual case: nothing has changed the counter since the previous
// event, and the latest Add that happens before i has a free unit, or all units are
// initial ones.
func (x *Execution) matchLatest(i int) bool {
	e := &x.Events[i]
	wg := e.Op.Access[0]
	list := x.withBit[objectNumber(wg.Obj)]
	k := len(list) - 2 // the last event in list is i
	for k >= 0 && !x.Events[list[k]].changes(wg) {
		k--
	}
	if e.change.N != -1 {
		return false
	}
	if k >= 0 {
		if a := &x.Events[list[k]].change; e.change.Counter != a.Counter+a.N {
			return false
		}
	}
	if len(x.positiveAdds) == 0 {
		e.unit = initialUnits
		return e.change.Counter > 0
	}
	if k < 0 {
		return false
	}
	for k := len(x.positiveAdds) - 1; k >= 0; k-- {
		if u := x.positiveAdds[k]; x.Events[u].changes(wg) && x.Before(int(u), x.Clock(i)) {
			if x.freeUnits(u) == 0 {
				return false
			}
			x.assign(int32(i), u)
			return true
		}
	}
	return false
}

// matchDone finds a unit for event i, if it is a Done: it reports whether all Dones can be matched.
// It also reports false if claim 1 does not apply, because several units are taken at once, or because the
// counter has been overwritten and does not have the value that results from the events.
//
// Invariant: all Dones before i are matched; otherwise the search would be Unsupported. So one
// augmenting path for i decides.
func (x *Execution) matchDone(i int) bool {
	m := &x.matching
	sum := m.initial
	if n := len(m.adds); n > 2 { // earlier events have been checked
		a := &x.Events[m.adds[n-2]].change
		sum = a.Counter + a.N
	}
	e := &x.Events[i]
	e.unit = unmatched
	if e.change.Counter != sum || e.change.N < -1 {
		return false
	}
	m.visited = m.visited[:0]
	//mutant: no counter of a WaitGroup becomes negative [semantics]: true
	return e.change.N >= 0 || x.augment(int32(i))
}

// augment finds a unit for Done d, along an augmenting path: it takes the unit of another Done that can
// take another one (Kuhn 1955).
//
//	Done d  ─may take─▶ unit u  ─held by─▶ Done other  ─may take─▶ unit v, free
//	after:  d has u, other has v
//
// Units of one event are interchangeable, so an event is visited once for all of its units.
func (x *Execution) augment(d int32) bool {
	m := &x.matching
	for k := len(m.adds) - 1; k >= 0; k-- { // latest first: the first ones happen before all
		u := m.adds[k]
		adds := u < 0 || x.Events[u].change.N > 0 && x.Before(int(u), x.Clock(int(d)))
		if !adds || slices.Contains(m.visited, u) {
			continue
		}
		m.visited = append(m.visited, u)
		free := x.freeUnits(u) > 0
		for _, other := range m.adds[1:] {
			if !free && x.Events[other].unit == u {
				free = x.augment(other)
			}
		}
		if free {
			x.assign(d, u)
			return true
		}
	}
	return false
}

// reusedDuringWait reports whether the counter of wg can be zero, and then be raised, while a goroutine
// waits at Wait that has arrived by event a (-1: it was there at the start): claim 2.
//
// The closure is the set of claim 2. It grows until it has the Done of each of its units, or until a unit has
// no Done: then the counter is never zero while the goroutine waits.
func (x *Execution) reusedDuringWait(wg trace.Access, a int) bool {
	m := &x.matching
	m.closure = m.closure[:0]
	if a >= 0 {
		x.addToClosure(a)
	}
	outside := func(r int32) bool { return x.Events[r].changes(wg) && !x.inClosure(r) }
	if !slices.ContainsFunc(x.positiveAdds, outside) {
		return false // as in most programs, all Adds come first
	}
	x.listAdds(wg)
	for grown := true; grown; {
		grown = false
		for _, u := range m.adds {
			if x.inClosure(u) && x.freeUnits(u) > 0 {
				return false // the counter is never zero
			}
		}
		for _, d := range m.adds[1:] {
			if u := x.Events[d].unit; u != unmatched && x.inClosure(u) && !x.inClosure(d) {
				x.addToClosure(int(d))
				grown = true
			}
		}
	}
	//mutant: no WaitGroup is used again [toySystems]: false
	return slices.ContainsFunc(x.positiveAdds, outside)
}

// inClosure reports whether event i belongs to the closure.
func (x *Execution) inClosure(i int32) bool {
	if i == initialUnits {
		return true
	}
	e := &x.keys[i]
	return int(e.G) < len(x.matching.closure) && x.matching.closure[e.G] >= e.N
}

// addToClosure adds event i, with the events before it, to the closure.
func (x *Execution) addToClosure(i int) {
	for len(x.matching.closure) < x.Width {
		x.matching.closure = append(x.matching.closure, 0)
	}
	x.Join(x.matching.closure, i)
}

package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Operations on the counter of a WaitGroup commute as long as, whatever order the happens-before relation allows them
// to be executed in,
//
//   - the counter does not become negative, and
//   - it does not pass through zero and grow again while somebody stands before Wait, who could return at the zero, and
//     could not behind it ("WaitGroup is reused before previous Wait has returned").
//
// Neither can be seen in pairs of operations (of Done, Done, Add at two the first Done commutes with the Add, and
// the second one, where it is next to it, does not), so it is decided for an execution as a whole, exactly:
//
// An order allowed passes through the downward closed sets of events, and the counter in such a set D is that
// of the units added in D less those taken. Each Done is matched with a unit of an Add that happens before
// it, no two with the same one. If that can be done, the counter of D is the number of units in D whose
// Done is not in D, which is never negative. (If it cannot, then by Hall's theorem there are Dones before which
// too little is added in all, and some order makes the counter negative.)
//
// If a is the arrival of somebody at Wait who has not returned, let D be a set with a whose counter is zero. Then the Done of
// every unit in D is in D, and all that happens before that, and so on. The least set that is closed in this way, if there is one
// (if no Done is missing), has counter zero, and some order passes through it; what matters is whether an event that raises the counter is
// not in it.

// changes reports whether e has changed the counter of the WaitGroup wg.
func (e *Event) changes(wg trace.Access) bool {
	return e.Op.Kind == trace.WgAdd && e.Op.N > 0 && e.Op.Access[0].Overlaps(wg)
}

// wgOrderMatters is called when event i, the newest one, is executed. It reports whether it shows that the operations on some
// WaitGroup do not commute, and notes the unit that belongs to a Done.
func (x *Execution) wgOrderMatters(i int) bool {
	e := &x.Events[i]
	if e.Op.Kind == trace.WgAdd && e.Op.N > 0 {
		wg := e.Op.Access[0]
		if !x.matchesLatest(i) {
			x.listAdds(wg)
			if !x.matches(i) {
				return true
			}
		}
		if e.change.N > 0 && slices.ContainsFunc(x.Races, func(w int32) bool { return x.Events[w].Op.Kind == trace.WgWait }) {
			return true // Wait has returned at a zero, and nothing but the order they are in here says that it was before e
		}
		for q, blocked := range x.MayBlock {
			if p := &x.Pending[q]; blocked && p.Kind == trace.WgWait && p.N > 0 && p.Access[0].Overlaps(wg) && x.reusedDuringWait(wg, int(x.Last[q])) {
				return true
			}
		}
	}
	for k := e.UndoStart; k < len(x.UndoLog); k++ {
		m := &x.UndoLog[k]
		if p := &x.Pending[m.G]; p.Kind == trace.WgWait && p.N > 0 {
			if x.reusedDuringWait(p.Access[0], int(x.Last[m.G])) {
				return true
			}
		}
	}
	return false
}

// A unit is named by the event that has added it; those there have been from the start by initialUnits.
const (
	initialUnits = -1
	unmatched    = -2
)

// listAdds collects the events that have changed the counter of wg, in order, behind initialUnits.
func (x *Execution) listAdds(wg trace.Access) {
	x.adds, x.initialCount = append(x.adds[:0], initialUnits), 0
	for _, j := range x.withBit[objectBit(wg.Obj)] {
		if e := &x.Events[j]; e.changes(wg) {
			if len(x.adds) == 1 {
				x.initialCount = e.change.Counter
			}
			x.adds = append(x.adds, j)
		}
	}
}

// unmatchedUnits returns how many of the units event u has added no Done has taken.
func (x *Execution) unmatchedUnits(u int32) int64 {
	if u >= 0 {
		return max(0, x.Events[u].change.N) - x.Events[u].matchedUnits
	}
	n := x.initialCount
	for _, d := range x.adds[1:] {
		if x.Events[d].matched == u {
			n--
		}
	}
	return n
}

// assign makes unit u that of Done d.
func (x *Execution) assign(d, u int32) {
	if old := x.Events[d].matched; old >= 0 {
		x.Events[old].matchedUnits--
	}
	if x.Events[d].matched = u; u >= 0 {
		x.Events[u].matchedUnits++
	}
}

// matchesLatest is matched in the case that nearly all Dones are: the counter is what the one before has made of it, and of the latest Add
// that happens before event i a unit is left, or all units have been there from the start.
func (x *Execution) matchesLatest(i int) bool {
	e := &x.Events[i]
	wg := e.Op.Access[0]
	list := x.withBit[objectBit(wg.Obj)]
	k := len(list) - 2 // the last one is i
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
	if len(x.positiveAdds) == 0 { // all has been added from the start
		x.Events[i].matched = initialUnits
		return e.change.Counter > 0
	}
	if k < 0 {
		return false
	}
	for k := len(x.positiveAdds) - 1; k >= 0; k-- {
		if u := x.positiveAdds[k]; x.Events[u].changes(wg) && x.Before(int(u), x.Clock(i)) {
			if x.unmatchedUnits(u) == 0 {
				return false
			}
			x.assign(int32(i), u)
			return true
		}
	}
	return false
}

// matches finds a unit for event i, if it takes one: it reports whether all Dones have one that has been added before. It also
// reports false if that is not the question: if several are taken at once, or the counter is not what the events
// have made of it, because it is overwritten.
func (x *Execution) matches(i int) bool {
	sum := x.initialCount
	if n := len(x.adds); n > 2 { // of which the same has been asked
		a := &x.Events[x.adds[n-2]].change
		sum = a.Counter + a.N
	}
	e := &x.Events[i]
	e.matched = unmatched
	if e.change.Counter != sum || e.change.N < -1 {
		return false
	}
	x.visited = x.visited[:0]
	return e.change.N >= 0 || x.augment(int32(i))
}

// augment finds a unit for Done d, taking it away from another Done that finds another one if need be (Kuhn 1955).
func (x *Execution) augment(d int32) bool {
	for k := len(x.adds) - 1; k >= 0; k-- { // latest first: the first ones happen before all
		u := x.adds[k]
		if u >= 0 && (x.Events[u].change.N <= 0 || !x.Before(int(u), x.Clock(int(d)))) || slices.Contains(x.visited, u) {
			continue
		}
		x.visited = append(x.visited, u)
		free := x.unmatchedUnits(u) > 0
		for _, other := range x.adds[1:] {
			if !free && x.Events[other].matched == u {
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

// reusedDuringWait reports whether the counter of wg can be zero while somebody who has
// arrived by event a (or initialUnits) stands before Wait, and grow then.
func (x *Execution) reusedDuringWait(wg trace.Access, a int) bool {
	x.closure = x.closure[:0]
	if a >= 0 {
		x.addToClosure(a)
	}
	apart := func(r int32) bool { return x.Events[r].changes(wg) && !x.inClosure(r) }
	if !slices.ContainsFunc(x.positiveAdds, apart) {
		return false // as in most programs, where all that is added is added first
	}
	x.listAdds(wg)
	for grown := true; grown; {
		grown = false
		for _, u := range x.adds {
			if x.inClosure(u) && x.unmatchedUnits(u) > 0 {
				return false // it is never zero
			}
		}
		for _, d := range x.adds[1:] {
			if u := x.Events[d].matched; u != unmatched && x.inClosure(u) && !x.inClosure(d) {
				x.addToClosure(int(d))
				grown = true
			}
		}
	}
	return slices.ContainsFunc(x.positiveAdds, apart)
}

// inClosure reports whether event i belongs to the set needed.
func (x *Execution) inClosure(i int32) bool {
	if i == initialUnits {
		return true
	}
	e := &x.Keys[i]
	return int(e.G) < len(x.closure) && x.closure[e.G] >= e.N
}

// addToClosure adds event i, with what happens before it, to the set needed.
func (x *Execution) addToClosure(i int) {
	for len(x.closure) < x.Width {
		x.closure = append(x.closure, 0)
	}
	x.Join(x.closure, i)
}

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

// adds reports whether e has changed the counter of the WaitGroup wg.
func (e *Event) adds(wg trace.Access) bool {
	return e.Op.Kind == trace.WgAdd && e.Op.N > 0 && e.Op.Access[0].Overlaps(wg)
}

// regroups is called when event i, the newest one, is executed. It reports whether it shows that the operations on some
// WaitGroup do not commute, and notes the unit that belongs to a Done.
func (x *Execution) regroups(i int) bool {
	e := &x.Events[i]
	if e.Op.Kind == trace.WgAdd && e.Op.N > 0 {
		wg := e.Op.Access[0]
		if !x.takesLatest(i) {
			x.tally(wg)
			if !x.matched(i) {
				return true
			}
		}
		if e.adding.N > 0 && slices.ContainsFunc(x.Races, func(w int32) bool { return x.Events[w].Op.Kind == trace.WgWait }) {
			return true // Wait has returned at a zero, and nothing but the order they are in here says that it was before e
		}
		for q, blocked := range x.Blocked {
			if p := &x.Pending[q]; blocked && p.Kind == trace.WgWait && p.N > 0 && p.Access[0].Overlaps(wg) && x.reused(wg, int(x.Last[q])) {
				return true
			}
		}
	}
	for k := e.Undo; k < len(x.Moved); k++ {
		m := &x.Moved[k]
		if p := &x.Pending[m.G]; p.Kind == trace.WgWait && p.N > 0 {
			if x.reused(p.Access[0], int(x.Last[m.G])) {
				return true
			}
		}
	}
	return false
}

// A unit is named by the event that has added it; those there have been from the start by atStart.
const (
	atStart = -1
	noUnit  = -2
)

// tally collects the events that have changed the counter of wg, in order, behind atStart.
func (x *Execution) tally(wg trace.Access) {
	x.group, x.start = append(x.group[:0], atStart), 0
	for _, j := range x.by[aboutObject(wg.Obj)] {
		if e := &x.Events[j]; e.adds(wg) {
			if len(x.group) == 1 {
				x.start = e.adding.Counter
			}
			x.group = append(x.group, j)
		}
	}
}

// left returns how many of the units event u has added no Done has taken.
func (x *Execution) left(u int32) int64 {
	if u >= 0 {
		return max(0, x.Events[u].adding.N) - x.Events[u].taken
	}
	n := x.start
	for _, d := range x.group[1:] {
		if x.Events[d].unit == u {
			n--
		}
	}
	return n
}

// take makes unit u that of Done d.
func (x *Execution) take(d, u int32) {
	if old := x.Events[d].unit; old >= 0 {
		x.Events[old].taken--
	}
	if x.Events[d].unit = u; u >= 0 {
		x.Events[u].taken++
	}
}

// takesLatest is matched in the case that nearly all Dones are: the counter is what the one before has made of it, and of the latest Add
// that happens before event i a unit is left, or all units have been there from the start.
func (x *Execution) takesLatest(i int) bool {
	e := &x.Events[i]
	wg := e.Op.Access[0]
	list := x.by[aboutObject(wg.Obj)]
	k := len(list) - 2 // the last one is i
	for k >= 0 && !x.Events[list[k]].adds(wg) {
		k--
	}
	if e.adding.N != -1 {
		return false
	}
	if k >= 0 {
		if a := &x.Events[list[k]].adding; e.adding.Counter != a.Counter+a.N {
			return false
		}
	}
	if len(x.raises) == 0 { // all has been added from the start
		x.Events[i].unit = atStart
		return e.adding.Counter > 0
	}
	if k < 0 {
		return false
	}
	for k := len(x.raises) - 1; k >= 0; k-- {
		if u := x.raises[k]; x.Events[u].adds(wg) && x.Before(int(u), x.Clock(i)) {
			if x.left(u) == 0 {
				return false
			}
			x.take(int32(i), u)
			return true
		}
	}
	return false
}

// matched finds a unit for event i, if it takes one: it reports whether all Dones have one that has been added before. It also
// reports false if that is not the question: if several are taken at once, or the counter is not what the events
// have made of it, because it is overwritten.
func (x *Execution) matched(i int) bool {
	sum := x.start
	if n := len(x.group); n > 2 { // of which the same has been asked
		a := &x.Events[x.group[n-2]].adding
		sum = a.Counter + a.N
	}
	e := &x.Events[i]
	e.unit = noUnit
	if e.adding.Counter != sum || e.adding.N < -1 {
		return false
	}
	x.tried = x.tried[:0]
	return e.adding.N >= 0 || x.match(int32(i))
}

// match finds a unit for Done d, taking it away from another Done that finds another one if need be (Kuhn 1955).
func (x *Execution) match(d int32) bool {
	for k := len(x.group) - 1; k >= 0; k-- { // latest first: the first ones happen before all
		u := x.group[k]
		if u >= 0 && (x.Events[u].adding.N <= 0 || !x.Before(int(u), x.Clock(int(d)))) || slices.Contains(x.tried, u) {
			continue
		}
		x.tried = append(x.tried, u)
		free := x.left(u) > 0
		for _, other := range x.group[1:] {
			if !free && x.Events[other].unit == u {
				free = x.match(other)
			}
		}
		if free {
			x.take(d, u)
			return true
		}
	}
	return false
}

// reused reports whether the counter of wg can be zero while somebody who has
// arrived by event a (or atStart) stands before Wait, and grow then.
func (x *Execution) reused(wg trace.Access, a int) bool {
	x.needed = x.needed[:0]
	if a >= 0 {
		x.need(a)
	}
	apart := func(r int32) bool { return x.Events[r].adds(wg) && !x.needs(r) }
	if !slices.ContainsFunc(x.raises, apart) {
		return false // as in most programs, where all that is added is added first
	}
	x.tally(wg)
	for grown := true; grown; {
		grown = false
		for _, u := range x.group {
			if x.needs(u) && x.left(u) > 0 {
				return false // it is never zero
			}
		}
		for _, d := range x.group[1:] {
			if u := x.Events[d].unit; u != noUnit && x.needs(u) && !x.needs(d) {
				x.need(int(d))
				grown = true
			}
		}
	}
	return slices.ContainsFunc(x.raises, apart)
}

// needs reports whether event i belongs to the set needed.
func (x *Execution) needs(i int32) bool {
	if i == atStart {
		return true
	}
	e := &x.Briefs[i]
	return int(e.G) < len(x.needed) && x.needed[e.G] >= e.N
}

// need adds event i, with what happens before it, to the set needed.
func (x *Execution) need(i int) {
	for len(x.needed) < x.Width {
		x.needed = append(x.needed, 0)
	}
	x.Join(x.needed, i)
}

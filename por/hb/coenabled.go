package hb

import (
	"math/bits"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// What Flanagan and Godefroid ("Dynamic Partial-Order Reduction for Model Checking Software", POPL
// 2005) ask of a happens-before relation: the last event that is dependent with a pending
// operation, does not happen before it, and may be co-enabled with it.

// MayBeCoEnabled reports whether event i and op, the pending operation of goroutine q, may be
// co-enabled in a state to which events lead that are independent of event i. since is the last
// event before which q was not at op, and enabled are the goroutines that were enabled before event
// i.
//
// Claim 1. A lock that is released is held, and then nothing can acquire it, whichever goroutine
// releases it. (A release of a lock that is free ends the program.)
//
// Claim 2. Before an event that lowers a WaitGroup's counter it is not zero, nor is it if that
// event is left out, so no goroutine can return from Wait that was not enabled before.
//
// Claim 3. If q was at op when event i was executed, and was disabled, then event i is not needed
// for it only if another event independent of it enables op. What enables an operation changes a
// location that it touches. If it touches only one, then event i and the other one both change
// that, and are not independent.
func (x *Execution) MayBeCoEnabled(i, since int, q trace.GID, op *NextOp, enabled []trace.GID) bool {
	e := &x.Events[i]
	if e.EndsExecution {
		return true
	}
	if r, ok := releases(&e.Op); ok {
		if a, ok := acquires(op); ok && r.Overlaps(a) {
			return false // claim 1
		}
	}
	if e.Op.Kind == trace.WgAdd && e.Op.Commutes == trace.Subtracts && op.Kind == trace.WgWait {
		return since < i && slices.Contains(enabled, q) // claim 2
	}
	locations := len(op.Touches())
	if !x.dep.ignoreOutput && (op.Kind == trace.Output || ends(op.Kind)) {
		locations++ // what is printed
	}
	if op.DependsOnAll || e.Op.DependsOnAll || locations != 1 || since >= i {
		return true
	}
	return slices.Contains(enabled, q) // claim 3
}

// releases returns the lock or Once that an operation releases, if it can be acquired only then.
// Readers do not keep a writer from announcing itself, and may pass a writer (see trace.Barges).
func releases(n *NextOp) (trace.Access, bool) {
	switch r := n.Kind.Row(); {
	case r.On == trace.OnOnce, r.On == trace.OnLock && !r.Shared:
		return n.access(r.Releases)
	case r.On == trace.OnCond && n.Lock == trace.MutexLock: // Wait, which unlocks
		return n.access(r.Releases &^ trace.First)
	}
	return trace.Access{}, false
}

// acquires returns the lock or Once that an operation waits for, and cannot get while it is held.
func acquires(n *NextOp) (trace.Access, bool) {
	r := n.Kind.Row()
	switch {
	case n.Kind == trace.Lock, n.Kind == trace.OnceEnter:
		return n.access(r.Acquires)
	case n.Kind == trace.WakeLock && n.Lock == trace.MutexLock:
		return n.access(r.Acquires)
	case r.On == trace.OnCond && n.Lock == trace.MutexLock: // Wait, which locks again
		return n.access(r.Acquires &^ trace.First)
	}
	return trace.Access{}, false
}

// access returns the access of n that is the only one in set, if n has it.
//
// The tables of trace name accesses by position, as a set of bits.
func (n *NextOp) access(set trace.Accesses) (trace.Access, bool) {
	for i := range n.N {
		if set == 1<<i {
			return n.Access[i], true
		}
	}
	return trace.Access{}, false
}

// ClockOf returns the clock of the last event that g has taken part in: what happens before its
// pending operation. It is valid until an event is executed.
func (x *Execution) ClockOf(g trace.GID) []uint32 {
	return x.ClockAfter(x.LastEvent(g))
}

// ClockAfter returns the clock of event i, or that of what nothing happens before if i is negative.
func (x *Execution) ClockAfter(i int) []uint32 {
	if i >= 0 {
		return x.Clock(i)
	}
	for len(x.none) < x.Width {
		x.none = append(x.none, 0)
	}
	return x.none
}

// prints reports whether op, which is pending, decides what has been printed, if that makes a
// difference.
func (x *Execution) prints(op *NextOp) bool { return !x.dep.ignoreOutput && ends(op.Kind) }

// DependsOn reports whether op, which is pending, depends on event i.
//
// An operation that will end the program depends on all that prints, because that decides what
// has been printed by then.
func (x *Execution) DependsOn(i int, op *NextOp) bool {
	f := &x.Events[i]
	prints := x.prints(op)
	return x.DependentOp(f, op, prints) || prints && f.DependsOnOutput
}

// LastRace returns the last event but for those from index end on that op, a pending operation,
// depends on, that does not happen before what has the clock c, and for which mayBe is true; -1 if
// there is none.
//
// Invariant: best is the largest index found, so that in each list the walk ends where it cannot
// be beaten. An event that happens before op and overwrites what op touches ends the walk, too.
func (x *Execution) LastRace(op *NextOp, c []uint32, end int, mayBe func(i int) bool) int {
	is := func(i int) bool { return !x.Before(i, c) && x.DependsOn(i, op) && mayBe(i) }
	if len(x.onAll) > 0 || op.DependsOnAll {
		for i := end - 1; i >= 0; i-- {
			if is(i) {
				return i
			}
			if x.Events[i].onAll() && x.Before(i, c) {
				break // so is all before it
			}
		}
		return -1
	}
	footprint := op.footprint
	if x.prints(op) {
		footprint |= outputBit
	}
	best := -1
	for ; footprint != 0; footprint &= footprint - 1 {
		list := x.withBit[bits.TrailingZeros64(footprint)]
		for k := len(list) - 1; k >= 0 && int(list[k]) > best; k-- {
			i := int(list[k])
			switch {
			case i >= end:
			case is(i):
				best = i
			case x.Before(i, c) && x.Events[i].Op.overwrites(op):
				k = 0 // what is before it happens before op, too
			}
		}
	}
	return best
}

// Ended reports whether a step of another goroutine has ended q, which had a pending operation
// then; pending are those that have one now. Stopping a timer ends the hidden goroutine that waits
// for it. Its operation races with that, but is not there any more to be compared.
func Ended(q trace.GID, pending []trace.GID) bool { return !slices.Contains(pending, q) }

// OutputAccess is a location that no machine has: what is printed, in its order.
var OutputAccess = trace.Access{Obj: 1<<32 - 1, Size: 1, Write: true}

// Locations appends what n touches, with OutputAccess if what is printed depends on n.
func (x *Execution) Locations(n *NextOp, buf []trace.Access) []trace.Access {
	buf = append(buf, n.Touches()...)
	if !x.dep.ignoreOutput && (n.Kind == trace.Output || ends(n.Kind)) {
		buf = append(buf, OutputAccess)
	}
	return buf
}

// EventLocations appends what event i touches: its operation and that of its partner, and what it
// has turned out to touch when it was executed.
func (x *Execution) EventLocations(i int, buf []trace.Access) []trace.Access {
	e := &x.Events[i]
	buf = x.Locations(&e.Op, buf)
	if e.PartnerOp.Kind != trace.None {
		buf = append(buf, e.PartnerOp.Touches()...)
	}
	if e.EndsExecution && e.DependsOnOutput {
		buf = append(buf, OutputAccess)
	}
	return append(buf, e.arrivals...)
}

// Arrivals returns the WaitGroups at whose Wait goroutines have arrived by event i.
func (x *Execution) Arrivals(i int) []trace.Access { return x.Events[i].arrivals }

// TurnedOut returns an operation that touches what event i has turned out to touch when it was
// executed, besides its own operation: what has been printed, if it ended the program, and
// WaitGroups at whose Wait goroutines have arrived. nil: nothing. It is valid until the next call.
//
// It is made to look like an operation, so that it can be looked for with LastRace.
func (x *Execution) TurnedOut(i int) *NextOp {
	e := &x.Events[i]
	n := &x.late
	*n = NextOp{Op: trace.Op{G: e.G}}
	if e.EndsExecution && e.DependsOnOutput {
		n.Kind = trace.Output
	}
	if len(e.arrivals) > 0 {
		n.extra = &e.arrivals
	}
	if n.Kind == trace.None && n.extra == nil {
		return nil
	}
	n.setFootprint()
	for _, a := range e.arrivals {
		n.footprint |= 1 << objectNumber(a.Obj)
	}
	return n
}

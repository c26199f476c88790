package hb

import (
	"math/bits"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// This file answers the question that Flanagan and Godefroid ("Dynamic Partial-Order Reduction for Model
// Checking Software", POPL 2005) put to a happens-before relation: what is the last event on which a pending
// operation depends, that does not happen before the operation and may be co-enabled with it?

// MayBeCoEnabled reports whether event i and op, the pending operation of goroutine q, may be
// co-enabled in a state that can be reached by events independent of event i. since is the event by
// which q arrived at op, and enabled are the goroutines that were enabled before event i.
//
// Claim 1. Before an event that releases a lock, the lock is held, and nothing can acquire it,
// whichever goroutine releases it. (A release of a lock that is free ends the program.)
//
// Claim 2. Before an event that lowers a WaitGroup's counter, the counter is not zero. Without the
// event the counter is not zero either. So only goroutines that were enabled before the event can
// return from Wait.
//
// Claim 3. Suppose that q was at op when event i was executed, and was disabled. Then op can be enabled
// without event i only if another event, independent of event i, enables op. An event that enables an
// operation changes a location that the operation touches. If op touches only one location, then event i and
// the other event both change it, and are not independent.
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
		locations++ // the output
	}
	if op.DependsOnAll || e.Op.DependsOnAll || locations != 1 || since >= i {
		return true
	}
	return slices.Contains(enabled, q) // claim 3
}

// releases returns the lock or Once that an operation releases, if it can be acquired only then.
// Readers do not prevent a writer from announcing itself, and may pass a writer (see trace.Barges).
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

// access returns the access of n that set names, if set names a single access and n has it.
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

// ClockOf returns the clock of the last event in which g has taken part: the events that happen before
// its pending operation. It is valid until an event is executed.
func (x *Execution) ClockOf(g trace.GID) []uint32 {
	return x.ClockAfter(x.LastEvent(g))
}

// ClockAfter returns the clock of event i, or the clock of no events if i is negative.
func (x *Execution) ClockAfter(i int) []uint32 {
	if i >= 0 {
		return x.Clock(i)
	}
	for len(x.none) < x.Width {
		x.none = append(x.none, 0)
	}
	return x.none
}

// prints reports whether op, which is pending, ends the program and so decides which output exists,
// and whether the relation considers output.
func (x *Execution) prints(op *NextOp) bool { return !x.dep.ignoreOutput && ends(op.Kind) }

// DependsOn reports whether op, which is pending, depends on event i.
//
// An operation that ends the program depends on all output, because the order decides which output
// exists.
func (x *Execution) DependsOn(i int, op *NextOp) bool {
	f := &x.Events[i]
	prints := x.prints(op)
	return x.DependentOp(f, op, prints) || prints && f.DependsOnOutput
}

// LastRace returns the last event j before index end such that op, a pending operation, depends on
// j, j does not happen before an event with clock c, and mayBe(j) is true. It returns -1 if there
// is none.
//
// Invariant: best is the largest index found, so in each list the walk ends at a smaller index. An event that
// happens before op and overwrites the locations of op ends the walk, too.
func (x *Execution) LastRace(op *NextOp, c []uint32, end int, mayBe func(i int) bool) int {
	is := func(i int) bool { return !x.Before(i, c) && x.DependsOn(i, op) && mayBe(i) }
	if len(x.onAll) > 0 || op.DependsOnAll {
		for i := end - 1; i >= 0; i-- {
			if is(i) {
				return i
			}
			if x.Events[i].onAll() && x.Before(i, c) {
				break // all earlier events happen before c, too
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
				k = 0 // earlier events happen before op, too
			}
		}
	}
	return best
}

// Ended reports whether a step of another goroutine has ended q, which had a pending operation
// before; pending are the goroutines that have one after. Stopping a timer ends the hidden goroutine that
// waits for it. The timer's operation races with the stop, but does not exist any more.
func Ended(q trace.GID, pending []trace.GID) bool { return !slices.Contains(pending, q) }

// OutputAccess is a location that no machine has. It stands for the order of output.
var OutputAccess = trace.Access{Obj: 1<<32 - 1, Size: 1, Write: true}

// Locations appends the locations of n, with OutputAccess if output depends on n.
func (x *Execution) Locations(n *NextOp, buf []trace.Access) []trace.Access {
	buf = append(buf, n.Touches()...)
	if !x.dep.ignoreOutput && (n.Kind == trace.Output || ends(n.Kind)) {
		buf = append(buf, OutputAccess)
	}
	return buf
}

// EventLocations appends the locations of event i: those of its operation, of its partner's, and those
// that only its execution has shown.
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

// TurnedOut returns an operation with the accesses of event i that only its execution has shown: the
// output, if it ended the program, and WaitGroups at whose Wait goroutines have arrived. It returns nil if
// there are none. The result, an argument for LastRace, is valid until the next call.
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

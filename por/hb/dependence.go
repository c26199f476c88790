package hb

import "hbcheck.dev/hbcheck/trace"

// dependence decides which operations of different goroutines must keep their order. Two independent
// operations can be executed in either order from any state in which both are enabled. Both orders lead to
// the same state, and neither of the two operations enables or disables the other one.
//
// It refines trace.Op.Conflicts: one of the operations has been executed, so its outcome is known.
type dependence struct {
	ignoreOutput  bool // as in Relation
	readersDepend bool
	pairwise      bool
}

// dependent reports whether b, executed some time after a, depends on it.
//
// The first rule that applies decides: operations that depend on all, and those without a common
// location; counters and output, whose accesses conflict although they commute; readers of a lock,
// which write its word and commute; receives without an element in a buffer; two operations on one buffer,
// and its close; a select, whose accesses are in extra. All others are compared as accesses to memory.
func (d dependence) dependent(a, b *NextOp) bool {
	switch {
	case a.DependsOnAll || b.DependsOnAll:
		return true
	case a.footprint&b.footprint == 0:
		return false
	case a.Kind == trace.WgAdd && b.Kind == trace.WgAdd && !d.pairwise:
		return false // see wgOrderMatters
	case a.Kind == trace.Output && b.Kind == trace.Output:
		//mutant: outputs commute [toySystems]: false
		return !d.ignoreOutput
	case a.Commutes == trace.Reads && b.Commutes == trace.Reads:
		//mutant: misused readers commute [misused]: false
		//mutant: readers do not commute [counted]: drop 1
		return d.readersDepend && a.Conflicts(&b.Op)
	case bothReceive(a, b):
		return false
	case a.Slot.Capacity > 0 && b.Slot.Capacity > 0 && a.Access[0] == b.Access[0]:
		return sameElement(a, b)
	case a.extra != nil || b.extra != nil:
		return Overlap(a.Touches(), b.Touches())
	}
	return a.Conflicts(&b.Op)
}

// Dependent reports whether b, executed some time after a by another goroutine, depends on it, if
// neither depends on all and the order of output makes a difference.
func Dependent(a, b *trace.Op) bool {
	x, y := NextOp{Op: *a}, NextOp{Op: *b}
	x.setFootprint()
	y.setFootprint()
	return dependence{}.dependent(&x, &y)
}

// DependentOps reports whether b, executed some time after a, depends on it.
func (x *Execution) DependentOps(a, b *NextOp) bool { return x.dep.dependent(a, b) }

// Dependent reports whether event e, executed after f, depends on it.
//
// Each event may have two goroutines, so there are four pairs of operations to compare. The locations that
// only the execution of e has shown are compared, too.
func (x *Execution) Dependent(f, e *Event) bool {
	if x.DependentOp(f, &e.Op, e.DependsOnOutput) {
		return true
	}
	if e.PartnerOp.Kind != trace.None && x.DependentOp(f, &e.PartnerOp, false) {
		return true
	}
	if len(e.arrivals) == 0 {
		return false
	}
	return Overlap(e.arrivals, f.Op.Touches()) ||
		f.PartnerOp.Kind != trace.None && Overlap(e.arrivals, f.PartnerOp.Touches())
}

// DependentOp reports whether op, without its partner, depends on f. dependsOnOutput is as in
// Event.
func (x *Execution) DependentOp(f *Event, op *NextOp, dependsOnOutput bool) bool {
	return x.dep.dependent(&f.Op, op) ||
		//mutant: the end of the program does not depend on what is printed [toySystems]: "\t\tf.DependsOnOutput && op.Kind == trace.Output || dependsOnOutput && f.Op.Kind == trace.Output ||\n" -> ""
		f.DependsOnOutput && op.Kind == trace.Output || dependsOnOutput && f.Op.Kind == trace.Output ||
		f.PartnerOp.Kind != trace.None && x.dep.dependent(&f.PartnerOp, op) ||
		len(f.arrivals) > 0 && Overlap(f.arrivals, op.Touches())
}

// MayBeReversed reports whether op, at which a goroutine has arrived, might be executed before e
// instead, with a different result.
//
// It is Dependent for a pending operation, except for pairs that certainly have no other order. A
// CondWait has no other order with any event: its goroutine waits for a Signal, which is an event.
func (x *Execution) MayBeReversed(e *Event, op *NextOp) bool {
	if op.Kind == trace.CondWait || e.ComesBefore(op) || !e.EndsExecution && Enables(e, &op.Op) {
		return false
	}
	onBuffer := e.Op.Slot.Capacity > 0 && op.Slot.Capacity > 0 && e.Op.Access[0] == op.Access[0]
	if onBuffer && e.Op.Kind != op.Kind {
		return false // the two commute, or one enables the other
	}
	return x.dep.dependent(&e.Op, op) || e.PartnerOp.Kind != trace.None && x.dep.dependent(&e.PartnerOp, op)
}

// Enables reports whether op can only be enabled after e has been executed, so that there is no
// other order of the two.
//
// The operations of such a pair depend on each other, but are not a race. Otherwise every critical section
// would try to execute the waiting Lock before the Unlock.
func Enables(e *Event, op *trace.Op) bool {
	switch e.Op.Kind {
	case trace.Unlock: // readers may pass a writer (see trace.Barges)
		return op.Kind == trace.Lock || op.Kind == trace.WakeLock && e.Op.Lock == trace.MutexLock
	case trace.WgAdd:
		return op.Kind == trace.WgWait && e.change.N != 0 // see wgOrderMatters
	}
	return false
}

// aboutLocks are the kinds of operations for which unbalancedUnlock can return true.
var aboutLocks = trace.KindsWhere(func(r *trace.Row) bool {
	return r.On == trace.OnLock || r.On == trace.OnCond
})

// unbalancedUnlock reports whether one of these holds: event i unlocks a read lock that its goroutine does
// not hold; it unlocks for a writer that is only pending; or it is on a Cond with an RWMutex. Without such
// events readers come and leave in any order. After such an event, the order of readers' unlocks decides
// which of them finds too few readers, or may pass a writer.
//
// Example: g1: RLock; g2: RUnlock. In this order nothing happens; in the other one g2 crashes.
// The two would commute as readers.
func (x *Execution) unbalancedUnlock(i int) bool {
	e := &x.Events[i]
	switch e.Op.Kind {
	case trace.Unlock:
		return e.Op.Commutes == trace.Barges
	case trace.Park, trace.CondWait:
		return e.Op.N > 1 && e.Op.Lock != trace.MutexLock
	case trace.WakeLock:
		return e.Op.N > 0 && e.Op.Lock != trace.MutexLock
	case trace.RUnlock:
		//mutant: read locks are always balanced [misused]: false
		return e.Op.N > 0 && x.readLocks(e.G, e.Op.Access[0], i) <= 0
	}
	return false
}

// readLocks returns the number of read locks of the RWMutex at lock that g holds before event end.
func (x *Execution) readLocks(g trace.GID, lock trace.Access, end int) int {
	held := 0
	for j := range x.Events[:end] {
		f := &x.Events[j]
		if f.G != g || f.Op.N == 0 || f.Op.Access[0].Obj != lock.Obj || f.Op.Access[0].Off != lock.Off {
			continue
		}
		switch {
		case f.Op.Kind == trace.RLock, f.Op.Kind == trace.TryRLock && f.Op.Access[0].Write:
			held++
		case f.Op.Kind == trace.RUnlock:
			held--
		}
	}
	return held
}

package hb

import "hbcheck.dev/hbcheck/trace"

// dependence says which operations of different goroutines must keep their order.
// Two that are independent can be executed in either order from any state in which both
// can, lead to the same state, and do not enable or disable each other.
//
// It is what trace.Op.Conflicts says of accesses, made exact where one of the
// operations has been executed and so its outcome is known.
type dependence struct {
	ignoreOutput  bool
	readersDepend bool // readers may leave who have not come, see rude
	pairwise      bool // see Relation.Pairwise
}

// Dependent reports whether b, executed some time after a, depends on it.
func (d dependence) Dependent(a, b *NextOp) bool {
	switch {
	case a.DependsOnAll || b.DependsOnAll:
		return true
	case a.footprint&b.footprint == 0:
		return false
	case a.Kind == trace.WgAdd && b.Kind == trace.WgAdd && !d.pairwise:
		return false // see execution.regroups
	case a.Kind == trace.Output && b.Kind == trace.Output:
		return !d.ignoreOutput
	case a.Commutes == trace.Reads && b.Commutes == trace.Reads:
		return d.readersDepend && a.Conflicts(&b.Op)
	case a.Slot.Capacity > 0 && b.Slot.Capacity > 0 && a.Access[0] == b.Access[0]:
		return sameElement(a, b)
	case a.extra != nil || b.extra != nil:
		return Overlap(a.Touches(), b.Touches())
	}
	return a.Conflicts(&b.Op)
}

// Touches returns all locations that n touches.
func (n *NextOp) Touches() []trace.Access {
	if n.extra != nil {
		return *n.extra
	}
	return n.Access[:n.N]
}

func Overlap(a, b []trace.Access) bool {
	for i := range a {
		for j := range b {
			if (a[i].Write || b[j].Write) && a[i].Overlaps(b[j]) {
				return true
			}
		}
	}
	return false
}

// overwrites reports whether everything that was executed before a and that b depends on comes before a in every order, as a
// writes all that b touches.
func (a *NextOp) overwrites(b *NextOp) bool {
	if a.Kind == trace.WgAdd || a.N != 1 || b.N != 1 || a.CommutesWithPeers() || a.Slot.Capacity > 0 {
		return false // it commutes with some of that
	}
	return a.Access[0].Write && a.Access[0].Contains(&b.Access[0])
}

// CommutesWithPeers reports whether a commutes with others of its kind: what depends on it may depend on
// them, too, though it does not.
func (a *NextOp) CommutesWithPeers() bool {
	return a.Commutes == trace.Reads || a.Commutes == trace.Increments
}

// OnCond reports whether the operation is about the goroutines that wait on a Cond.
func (a *NextOp) OnCond() bool {
	return a.Kind == trace.Park || a.Kind == trace.Signal || a.Kind == trace.Broadcast
}

// Blocks reports whether an operation of kind k can be disabled. What one of these
// does to others if it is executed first is found out when a goroutine arrives in front of it; the
// others are always executed sooner or later, and then tell by themselves.
func Blocks(k trace.Kind) bool { return k.Blocks() }

// Blocks reports whether the operation can be disabled.
func (n *NextOp) Blocks() bool { return Blocks(n.Kind) || n.Awaits != trace.NoAwait }

// Enables reports whether b can only be enabled once x has been executed, so that there
// is no other order of the two.
func Enables(x *Event, b *trace.Op) bool {
	switch x.Op.Kind {
	case trace.Unlock:
		// Readers may pass a writer (see trace.Barges).
		return b.Kind == trace.Lock || b.Kind == trace.WakeLock && x.Op.Lock == trace.MutexLock
	case trace.WgAdd:
		return b.Kind == trace.WgWait && x.change.N != 0 // see execution.regroups
	}
	return false
}

// MayBeReversed reports whether op, which a goroutine has arrived in front of, might be executed before x
// instead, and that would make a difference.
func MayBeReversed(d dependence, x *Event, op *NextOp) bool {
	switch {
	case op.Kind == trace.CondWait, !x.EndsExecution && Enables(x, &op.Op):
		return false
	case x.Op.Slot.Capacity > 0 && op.Slot.Capacity > 0 && x.Op.Kind != op.Kind && x.Op.Access[0] == op.Access[0]:
		return false // they commute, or one enables the other
	}
	return d.Dependent(&x.Op, op) || x.PartnerOp.Kind != trace.None && d.Dependent(&x.PartnerOp, op)
}

// Dependent reports whether b, executed some time after a by another goroutine, depends on it
// if neither is entangled with everything and the order of output makes a difference.
func Dependent(a, b *trace.Op) bool {
	x, y := NextOp{Op: *a}, NextOp{Op: *b}
	x.setFootprint()
	y.setFootprint()
	return dependence{}.Dependent(&x, &y)
}

// unbalancedUnlock reports whether event i unlocks a read lock that its goroutine does not hold, or a lock for a writer that is
// only pending, or is about a Cond with an RWMutex. Readers come and go in any order as long as nobody does;
// then which of them finds too few readers, or may pass a writer, is a matter of their order.
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
		if e.Op.N == 0 {
			return false
		}
	default:
		return false
	}
	held := 0
	for j := range x.Events[:i] {
		f := &x.Events[j]
		if f.G != e.G || f.Op.N == 0 || f.Op.Access[0].Obj != e.Op.Access[0].Obj || f.Op.Access[0].Off != e.Op.Access[0].Off {
			continue
		}
		switch {
		case f.Op.Kind == trace.RLock, f.Op.Kind == trace.TryRLock && f.Op.Access[0].Write:
			held++
		case f.Op.Kind == trace.RUnlock:
			held--
		}
	}
	return held <= 0
}

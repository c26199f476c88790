package por

import "hbcheck.dev/hbcheck/trace"

// dependence says which operations of different goroutines must keep their order.
// Two that are independent can be executed in either order from any state in which both
// can, lead to the same state, and do not enable or disable each other.
//
// It is what trace.Op.Conflicts says of accesses, made exact where one of the
// operations has been executed and so its outcome is known.
type dependence struct {
	ignoreOutput bool
	rude         bool // readers may leave who have not come, see rude
}

// dependent reports whether b, executed some time after a, depends on it.
func (d dependence) dependent(a, b *intended) bool {
	switch {
	case a.tangled || b.tangled:
		return true
	case a.about&b.about == 0:
		return false
	case a.Kind == trace.WgAdd && b.Kind == trace.WgAdd:
		return false // see execution.regroups
	case a.Kind == trace.Output && b.Kind == trace.Output:
		return !d.ignoreOutput
	case a.Commutes == trace.Reads && b.Commutes == trace.Reads:
		return d.rude && a.Conflicts(&b.Op)
	case a.place.room > 0 && b.place.room > 0 && a.Access[0] == b.Access[0]:
		return sameElement(a, b)
	case a.more != nil || b.more != nil:
		return overlap(a.touches(), b.touches())
	}
	return a.Conflicts(&b.Op)
}

// touches returns all locations that n touches.
func (n *intended) touches() []trace.Access {
	if n.more != nil {
		return *n.more
	}
	return n.Access[:n.N]
}

func overlap(a, b []trace.Access) bool {
	for i := range a {
		for j := range b {
			if (a[i].Write || b[j].Write) && a[i].Overlaps(b[j]) {
				return true
			}
		}
	}
	return false
}

// covers reports whether everything that was executed before a and that b depends on comes before a in every order, as a
// writes all that b touches.
func (a *intended) covers(b *intended) bool {
	if a.Kind == trace.WgAdd || a.N != 1 || b.N != 1 || a.amongOthers() || a.place.room > 0 {
		return false // it commutes with some of that
	}
	return a.Access[0].Write && a.Access[0].Contains(&b.Access[0])
}

// amongOthers reports whether a commutes with others of its kind: what depends on it may depend on
// them, too, though it does not.
func (a *intended) amongOthers() bool {
	return a.Commutes == trace.Reads || a.Commutes == trace.Increments
}

// onCond reports whether the operation is about the goroutines that wait on a Cond.
func (a *intended) onCond() bool {
	return a.Kind == trace.Park || a.Kind == trace.Signal || a.Kind == trace.Broadcast
}

// channel reports whether operations of kind k are about channels.
func channel(k trace.Kind) bool { return onChannels>>k&1 != 0 }

// onChannels has the kinds of which channel is true, as bits.
const onChannels uint64 = 1<<trace.Send | 1<<trace.Recv | 1<<trace.Select | 1<<trace.TrySelect | 1<<trace.Close | 1<<trace.Timer | 1<<trace.SyncAccess

// blocks reports whether an operation of kind k can be disabled. What one of these
// does to others if it is executed first is found out when a goroutine arrives in front of it; the
// others are always executed sooner or later, and then tell by themselves.
func blocks(k trace.Kind) bool { return k.Blocks() }

// blocks reports whether the operation can be disabled.
func (n *intended) blocks() bool { return blocks(n.Kind) || n.Awaits != trace.NoAwait }

// enables reports whether b can only be enabled once x has been executed, so that there
// is no other order of the two.
func enables(x *executed, b *trace.Op) bool {
	switch x.op.Kind {
	case trace.Unlock:
		// Readers may pass a writer (see trace.Barges).
		return b.Kind == trace.Lock || b.Kind == trace.WakeLock && x.op.N > 0 && x.op.Access[0].Size == mutex
	case trace.WgAdd:
		return b.Kind == trace.WgWait && x.adding.N != 0 // see execution.regroups
	}
	return false
}

// mayDepend reports whether op, which a goroutine has arrived in front of, might be executed before x
// instead, and that would make a difference.
func mayDepend(d dependence, x *executed, op *intended) bool {
	switch {
	case op.Kind == trace.CondWait, !x.over && enables(x, &op.Op):
		return false
	case x.op.place.room > 0 && op.place.room > 0 && x.op.Kind != op.Kind && x.op.Access[0] == op.Access[0]:
		return false // they commute, or one enables the other
	}
	return d.dependent(&x.op, op) || x.with.Kind != trace.None && d.dependent(&x.with, op)
}

// Dependent reports whether b, executed some time after a by another goroutine, depends on it
// if neither is entangled with everything and the order of output makes a difference.
func Dependent(a, b *trace.Op) bool {
	x, y := intended{Op: *a}, intended{Op: *b}
	x.classify()
	y.classify()
	return dependence{}.dependent(&x, &y)
}

// rude reports whether event i unlocks a read lock that its goroutine does not hold, or a lock for a writer that is
// only pending, or is about a Cond with an RWMutex. Readers come and go in any order as long as nobody does;
// then which of them finds too few readers, or may pass a writer, is a matter of their order.
func (x *execution) rude(i int) bool {
	e := &x.events[i]
	switch e.op.Kind {
	case trace.Unlock:
		return e.op.Commutes == trace.Barges
	case trace.Park, trace.CondWait:
		return e.op.N > 1 && e.op.Access[1].Size > mutex
	case trace.WakeLock:
		return e.op.N > 0 && e.op.Access[0].Size > mutex
	case trace.RUnlock:
		if e.op.N == 0 {
			return false
		}
	default:
		return false
	}
	held := 0
	for j := range x.events[:i] {
		f := &x.events[j]
		if f.g != e.g || f.op.N == 0 || f.op.Access[0].Obj != e.op.Access[0].Obj || f.op.Access[0].Off != e.op.Access[0].Off {
			continue
		}
		switch {
		case f.op.Kind == trace.RLock, f.op.Kind == trace.TryRLock && f.op.Access[0].Write:
			held++
		case f.op.Kind == trace.RUnlock:
			held--
		}
	}
	return held <= 0
}

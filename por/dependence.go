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
	case (a.Wide && channel(b.Kind)) || (b.Wide && channel(a.Kind)):
		return true
	}
	return a.Conflicts(&b.Op)
}

// covers reports whether everything that was executed before a and that b depends on comes before a in every order, as a
// writes all that b touches.
func (a *intended) covers(b *intended) bool {
	if a.Kind == trace.WgAdd || a.N != 1 || b.N != 1 {
		return false
	}
	x, y := &a.Access[0], &b.Access[0]
	return x.Write && x.Obj == y.Obj && x.Off <= y.Off && y.Off+y.Size <= x.Off+x.Size
}

func channel(k trace.Kind) bool {
	return k == trace.Send || k == trace.Recv || k == trace.Select || k == trace.TrySelect || k == trace.Close || k == trace.Timer || k == trace.SyncAccess
}

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
		return b.Kind == trace.Lock || b.Kind == trace.RLock || b.Kind == trace.WakeLock
	case trace.WgAdd:
		return b.Kind == trace.WgWait && x.adding.N != 0 // see execution.regroups
	}
	return false
}

// mayDepend reports whether op, which a goroutine has arrived in front of, might be executed before x
// instead, and that would make a difference.
func mayDepend(d dependence, x *executed, op *intended) bool {
	if op.Kind == trace.CondWait || !x.over && enables(x, &op.Op) {
		return false
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

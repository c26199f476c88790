package vm

import "hbcheck.dev/hbcheck/trace"

// Holders returns the goroutines that must act before op, which is about a
// lock, can be executed, as far as the lock remembers them: of several readers
// only the sum of their numbers is known.
func (m *Machine) Holders(op trace.Op) []trace.GID {
	if op.N == 0 {
		return nil
	}
	p := ptr(op.Access[0].Obj)<<32 | ptr(op.Access[0].Off)
	owner := uint32(0)
	switch op.Kind {
	case trace.Lock, trace.RLock, trace.WakeLock:
		owner = m.u32(p + muOwner)
	case trace.LockPending:
		if m.u32(p+rwReaders) == 1 {
			owner = m.u32(p + rwOwners)
		}
	case trace.OnceEnter:
		owner = m.u32(p + onMutex + muOwner)
	}
	if owner == 0 {
		return nil
	}
	return []trace.GID{trace.GID(owner - 1)}
}

// waitReason is what a stack's heading says about a goroutine that is not running.
func (m *Machine) waitReason(g *goroutine) string {
	in := &g.fn.Code[g.pc]
	switch m.Next(g.id).Kind {
	case trace.Recv:
		if *g.reg(uint32(in.B)) == 0 {
			return "chan receive (nil chan)"
		}
		return "chan receive"
	case trace.Send:
		if *g.reg(uint32(in.A)) == 0 {
			return "chan send (nil chan)"
		}
		return "chan send"
	case trace.Select:
		if in.B == 0 {
			return "select (no cases)"
		}
		return "select"
	case trace.Lock, trace.WakeLock, trace.OnceEnter: // a RWMutex's writers compete for a Mutex
		return "sync.Mutex.Lock"
	case trace.LockPending:
		return "sync.RWMutex.Lock"
	case trace.RLock:
		return "sync.RWMutex.RLock"
	case trace.WgWait:
		return "sync.WaitGroup.Wait"
	case trace.CondWait:
		return "sync.Cond.Wait"
	case trace.SemAcquire:
		switch {
		case m.isAtNative(g, bubbleWait):
			return "synctest.Wait"
		case m.isAtNative(g, bubbleDrain):
			return "synctest.Run"
		}
		return "semacquire"
	case trace.Sleep:
		return "sleep"
	case trace.Spin:
		return "running"
	}
	return "runnable"
}

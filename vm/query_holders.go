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

package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Together reports whether step i and the operation op of q may be co-enabled in a state to which steps
// lead that are independent of step i. enabled are the goroutines that could go on before step i.
//
// A lock that is released is held, and then nobody can acquire it, whoever released it. (A release of a
// lock that is free ends the program.) Before a step that lowers a WaitGroup's counter it is not zero, nor is it if that step
// is left out, so nobody can return from Wait who has not been let go before. And if q stood before op when step i was made, and could not go
// on, then step i is not needed for it only if another step independent of it enables op. What enables an
// operation changes a location that it touches. If it touches only one, then step i and the
// other one both change that, and are not independent.
func Together(h *History, i uint32, q trace.GID, op *Intent, enabled []trace.GID) bool {
	e := &h.Events[i-1]
	if e.Over {
		return true
	}
	if r, ok := releases(e.op.Kind, h.Touches(e)); ok {
		if a, ok := acquires(op.Op.Kind, op.Touches); ok && r.Overlaps(a) {
			return false
		}
	}
	if e.op.Commutes == commutesDown && op.Op.Kind == trace.WgWait {
		return h.lastMoved(q) < i && slices.Contains(enabled, q)
	}
	if op.Tangled || e.tangled || len(op.Touches) != 1 || h.lastMoved(q) >= i {
		return true
	}
	return slices.Contains(enabled, q)
}

const mutex = 8 // bytes of a Mutex in the machine; those of an RWMutex are more

// releases returns the lock that an operation releases, if it can be acquired only then.
// Readers do not keep a writer from announcing itself.
func releases(k trace.Kind, touches []trace.Access) (trace.Access, bool) {
	switch {
	case (k == trace.Unlock || k == trace.OnceLeave) && len(touches) > 0:
		return touches[0], true
	case k == trace.Park && len(touches) > 1 && touches[1].Size == mutex:
		return touches[1], true
	}
	return trace.Access{}, false
}

// acquires returns the lock that an operation waits for, and cannot get while it is held.
// (Readers may pass a writer, see trace.Barges.)
func acquires(k trace.Kind, touches []trace.Access) (trace.Access, bool) {
	switch k {
	case trace.Lock, trace.OnceEnter:
		if len(touches) > 0 {
			return touches[0], true
		}
	case trace.WakeLock:
		if len(touches) > 0 && touches[0].Size == mutex {
			return touches[0], true
		}
	case trace.CondWait:
		if len(touches) > 1 && touches[1].Size == mutex {
			return touches[1], true
		}
	}
	return trace.Access{}, false
}

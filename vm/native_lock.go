package vm

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/trace"
)

// Locking and unlocking of Mutex and RWMutex, and of the locker of a Cond. The conditions and effects are
// defined once for each kind of locker; the natives (native_sync.go) only name the kind.

// The state of a Mutex.
const (
	muLocked = overlay.MutexLocked
	muPass   = overlay.MutexPass
)

// Kinds of lockers.
const (
	mutexLocker = overlay.MutexLocker
	writeLocker = overlay.WriteLocker
	readLocker  = overlay.ReadLocker
	otherLocker = overlay.OtherLocker
)

// lockOp is syncOp for an operation on the lock l.
func (m *Machine) lockOp(op *trace.Op, k trace.Kind, l ptr, kind int, write, enabled bool) int {
	n := m.syncOp(op, k, l, lockerSize(kind), write, enabled)
	if op.N > 0 {
		op.Lock = lockModes[kind]
	}
	return n
}

// lockModes are the modes of the kinds of lockers.
var lockModes = [...]trace.LockMode{
	mutexLocker: trace.MutexLock, writeLocker: trace.WriteLock, readLocker: trace.ReadLock, otherLocker: trace.NoLock,
}

// peekUnlock is the Peek of unlocking.
func peekUnlock(k trace.Kind, kind int) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		l := r.U(0)
		n := m.lockOp(op, k, l, kind, true, true)
		m.peekRelease(op, l, kind)
		return n
	}
}

// peekRelease completes the Peek of an operation that unlocks l. If the operation ends the program,
// it is visible even if no other goroutine can reach the lock.
func (m *Machine) peekRelease(op *trace.Op, l ptr, kind int) {
	switch {
	case !m.mapped(l, lockerSize(kind)):
	case op.N == 0 && m.unlockable(l, kind) != "":
		op.Kind = trace.Crash
	case op.N == 0:
	case m.barges(l, kind):
		op.Commutes = trace.Barges
	case op.Kind == trace.RUnlock && m.unlockable(l, kind) == "":
		op.Commutes = trace.Reads
	}
}

func lockerSize(kind int) uint32 {
	if kind == mutexLocker {
		return overlay.MutexSize
	}
	return overlay.RWMutexSize
}

// An RWMutex counts like the runtime's. Each of its methods is one step, except Lock, which is two. Its
// fields are those of the runtime, except that the count of readers does not include waiting readers, whose
// operation is still pending. So misuse that the runtime does not detect has the same effects. If Unlock is
// called while a writer is only pending, then for each reader that still holds the lock, one reader may pass
// any later writer; and the pending writer may wait forever.
//
//	Lock     announce ─▶ no readers: the writer holds it
//	                  └▶ n readers: leaving += n, and it is pending until admitted > 0
//	RUnlock  readers--; if a writer is announced, leaving--; with the last of them admitted++
//	Unlock   the state loses its lock, and a pass is added for each reader there still is
//	RLock    needs an unlocked state, or takes a pass

// locked reports whether the mutex at l is locked; an RWMutex counts as locked by a writer that
// holds it or is pending.
func (m *Machine) locked(l ptr) bool { return m.u32(l+muState)&muLocked != 0 }

// lockable reports whether an operation of this kind can lock l now. A writer can announce itself
// while there are readers. Passes come from misuse: see above.
func (m *Machine) lockable(l ptr, kind int) bool {
	if kind == otherLocker || !m.mapped(l, lockerSize(kind)) {
		return true
	}
	passes := kind == readLocker && m.u32(l+muState) >= muPass
	return passes || !m.locked(l)
}

// lock locks l for g. It reports whether g is only the pending writer.
func (m *Machine) lock(g *goroutine, l ptr, kind int) (pending bool) {
	switch kind {
	case otherLocker:
		return false
	case readLocker:
		if m.locked(l) {
			m.setU32(l+muState, m.u32(l+muState)-muPass)
		}
		m.setU32(l+rwReaders, m.u32(l+rwReaders)+1)
		m.setU32(l+rwOwners, m.u32(l+rwOwners)+uint32(g.ID)+1)
		//mutant: a reader locks nowhere [test ./cmd/hbcheck TestScripts/causes]
		m.noteLocked(g, l, true)
		return false
	}
	m.noteLocked(g, l, false)
	m.setU32(l+muState, m.u32(l+muState)|muLocked)
	m.setU32(l+muOwner, uint32(g.ID)+1)
	if kind == writeLocker {
		if n := m.u32(l + rwReaders); n > 0 {
			m.setU32(l+rwLeaving, m.u32(l+rwLeaving)+n)
			return m.u32(l+rwLeaving) != 0
		}
	}
	return false
}

// unlockable returns the text of the fatal error that unlocking l causes; "" if there is none.
func (m *Machine) unlockable(l ptr, kind int) string {
	switch {
	case kind == otherLocker:
	case kind == readLocker:
		if m.u32(l+rwReaders) == 0 {
			return "sync: RUnlock of unlocked RWMutex"
		}
	case m.locked(l):
	case kind == writeLocker:
		return "sync: Unlock of unlocked RWMutex"
	default:
		return "sync: unlock of unlocked mutex"
	}
	return ""
}

// unlock unlocks l. It returns the text of the fatal error if l is not locked.
func (m *Machine) unlock(g *goroutine, l ptr, kind int) string {
	if text := m.unlockable(l, kind); text != "" {
		return text
	}
	if m.lockLog != nil && kind != otherLocker {
		m.noteUnlocked(g, l, kind == readLocker)
	}
	switch kind {
	case otherLocker:
	case readLocker:
		n := m.u32(l + rwReaders)
		owners := m.u32(l+rwOwners) - uint32(g.ID) - 1
		if n == 1 {
			owners = 0 // locked by one goroutine and unlocked by another
		}
		m.setU32(l+rwReaders, n-1)
		m.setU32(l+rwOwners, owners)
		if m.locked(l) { // a writer is pending, or holds l and has let readers pass
			m.setU32(l+rwLeaving, m.u32(l+rwLeaving)-1)
			if m.u32(l+rwLeaving) == 0 {
				m.setU32(l+rwAdmitted, m.u32(l+rwAdmitted)+1)
			}
		}
	default:
		pass := uint32(0)
		if kind == writeLocker {
			pass = m.u32(l + rwReaders)
		}
		m.setU32(l+muState, m.u32(l+muState)-muLocked+pass*muPass)
		m.setU32(l+muOwner, 0)
	}
	return ""
}

// Misuses reports whether the pending operation of goroutine id, executed now, would end the
// program by releasing a lock that is not held.
func (v StaticView) Misuses(id trace.GID) bool {
	m := v.m
	g := m.gOf(id)
	op := m.Next(id)
	switch op.Kind {
	case trace.Unlock, trace.RUnlock:
		l := ptr(op.Access[0].Obj)<<32 | ptr(op.Access[0].Off)
		return op.N == 0 || m.unlockable(l, slices.Index(lockModes[:], op.Lock)) != ""
	case trace.Park: // hbPark(cond, lock, its kind)
		r := regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(g.Fn.Code[g.PC].A)]))
		return m.unlockable(r.U(1), int(r.U(2))) != ""
	}
	return false
}

// barges reports whether unlocking l as kind unlocks it for a writer that is only pending.
func (m *Machine) barges(l ptr, kind int) bool {
	return kind == writeLocker && m.locked(l) && (m.u32(l+rwLeaving) != 0 || m.u32(l+rwAdmitted) != 0)
}

func peekLocker(k trace.Kind, kind int) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.lockOp(op, k, r.U(0), kind, true, m.lockable(r.U(0), kind))
	}
}

// peekRLock is the Peek of RLock. If there are passes, two readers do not commute, because there may be only
// one pass.
func peekRLock(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	l := r.U(0)
	n := m.lockOp(op, trace.RLock, l, readLocker, true, m.lockable(l, readLocker))
	if op.N > 0 && m.u32(l+muState) < muPass {
		op.Commutes = trace.Reads
	}
	return n
}

func (m *Machine) lockFn(g *goroutine, r Regs, kind int) Ctl {
	if !m.mapped(r.U(0), lockerSize(kind)) {
		return m.nilFault(g)
	}
	r.SetBool(0, m.lock(g, r.U(0), kind))
	return Next
}

func (m *Machine) unlockFn(g *goroutine, r Regs, kind int) Ctl {
	if !m.mapped(r.U(0), lockerSize(kind)) {
		return m.nilFault(g)
	}
	if text := m.unlock(g, r.U(0), kind); text != "" {
		return m.misuse(g, text)
	}
	return Next
}

// canTry reports whether a Try operation would succeed now. Unlike Lock, TryLock of a writer never
// announces itself: it fails while there are readers.
func (m *Machine) canTry(l ptr, kind int) bool {
	return !m.locked(l) && (kind != writeLocker || m.u32(l+rwReaders) == 0)
}

// peekTry returns the Peek of a Try operation: one that is going to fail only reads.
func peekTry(k trace.Kind, kind int) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		l, size := r.U(0), lockerSize(kind)
		return m.lockOp(op, k, l, kind, m.mapped(l, size) && m.canTry(l, kind), true)
	}
}

func (m *Machine) tryLock(g *goroutine, r Regs, kind int) Ctl {
	l := r.U(0)
	if !m.mapped(l, lockerSize(kind)) {
		return m.nilFault(g)
	}
	m.cfg.locks.never.Store(true)
	ok := m.canTry(l, kind)
	if ok {
		m.lock(g, l, kind)
	}
	r.SetBool(0, ok)
	return Next
}

package mhb

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
)

// opKind is a blocking operation the walk can stop at.
type opKind uint8

const (
	opLock   opKind = iota // of a Mutex, or for writing or reading of a RWMutex
	opWgWait               // WaitGroup.Wait
	opRecv                 // receiving from a channel
	opSend                 // sending to a channel
	opWake                 // Cond.Wait, until there is a signal
	opOnce                 // Once.Do, while the function runs
)

// nativeOp is what a native means to the walk.
type nativeOp uint8

const (
	otherOp nativeOp = iota
	lockOp
	tryOp
	unlockOp
	pendingOp // the pending writer waits for the readers to leave
	parkOp    // Cond.Wait lets go of its lock, the second argument
	wakeOp    // and whoever is woken has to take it again
	signalOp
	waitOp
	addOp
	onceOp
	leaveOp
	tickOp // a timer sends to its channel
	libraryOp
)

// nativeOps lists the natives that block or enable, by name. The first argument
// is the object. The address of an RWMutex is that of the Mutex inside, which is
// locked by its writer; RUnlock frees no one who waits for that.
var nativeOps = map[string]nativeOp{
	"(*sync.Mutex).Lock": lockOp, "(*sync.RWMutex).RLock": lockOp, "sync.hbAnnounce": lockOp,
	"(*sync.Mutex).TryLock": tryOp, "(*sync.RWMutex).TryLock": tryOp, "(*sync.RWMutex).TryRLock": tryOp,
	"(*sync.Mutex).Unlock": unlockOp, "(*sync.RWMutex).Unlock": unlockOp, "(*sync.RWMutex).RUnlock": unlockOp,
	"sync.hbPending": pendingOp,
	"sync.hbPark":    parkOp, "sync.hbWake": wakeOp, "sync.hbSignal": signalOp, "sync.hbBroadcast": signalOp,
	"sync.hbWgWait": waitOp, "sync.hbWgAdd": addOp,
	"sync.hbOnceEnter": onceOp, "sync.hbOnceLeave": leaveOp,
	"time.hbSend":   tickOp,
	"sync.hbAccess": libraryOp, "sync.hbPool": libraryOp,
}

// opOf returns what native fn means.
func (o *Oracle) opOf(fn *ssa.Function) nativeOp {
	op, ok := o.ops[fn]
	if !ok {
		op = nativeOps[fn.String()]
		o.ops[fn] = op
	}
	return op
}

// words are argument words; those that are not known are missing.
type argWords struct {
	x  []uint64
	ok []bool
}

func (a argWords) at(i int) (uint64, bool) {
	if i < len(a.x) && a.ok[i] {
		return a.x[i], true
	}
	return 0, false
}

// native walks a call of a native, and reports whether it may return. A
// goroutine that stands before it already is standing.
func (w *walk) native(fn *ssa.Function, site ssa.CallInstruction, args argWords, v *visit, loop bool) bool {
	standing := site != nil && ssa.Instruction(site) == w.standing
	for _, x := range w.o.prog.NativeAccesses(fn, site) {
		if x.Key == 0 && x.Write {
			w.anything() // nothing is known of it
			return true
		}
		if w.access(x); w.conflict {
			return true
		}
	}
	p, known := args.at(0)
	switch w.o.opOf(fn) {
	case lockOp:
		if known && w.locked(p) && w.blocked(stop{opLock, p}, "lock") {
			return false
		}
		w.meets(trace.Lock, p, known)
	case tryOp:
		w.meets(trace.TryLock, p, known)
	case pendingOp:
		w.meets(trace.LockPending, p, known)
	case unlockOp:
		w.unlock(fn, p, known)
	case parkOp:
		w.meets(trace.CondWait, p, known)
		l, ok := args.at(1)
		if !ok && known {
			l, ok = w.locker(p)
		}
		w.eff.unlocks.note(l, ok)
		w.meets(trace.Unlock, l, ok)
	case wakeOp:
		l, ok := args.at(1)
		if !ok && known {
			l, ok = w.locker(p)
		}
		if w.sleeps(p, known, l, ok, args, standing) {
			return false
		}
		w.meets(trace.Lock, l, ok)
	case signalOp:
		w.eff.signals.note(p, known)
		w.meets(trace.Signal, p, known)
	case waitOp:
		if known {
			if n, ok := w.word(p); ok && int32(n>>32) > 0 && !(standing && w.canMove) && w.blocked(stop{opWgWait, p}, "join") {
				if !standing {
					w.meets(trace.WgWait, p, true)
				}
				return false
			}
		}
		w.meets(trace.WgWait, p, known)
	case addOp:
		w.add(p, known, args, v, loop)
	case onceOp:
		if known {
			if n, ok := w.word(p); ok && uint32(n) == 0 && n>>32 != 0 && w.blocked(stop{opOnce, p}, "once") {
				return false
			}
		}
		w.meets(trace.OnceEnter, p, known)
	case leaveOp:
		w.eff.leaves.note(p, known)
		w.meets(trace.OnceLeave, p, known)
	case tickOp:
		w.eff.sends.note(p, known)
		w.meets(trace.Send, p, known)
	case libraryOp:
		write, ok := args.at(1)
		if k := trace.SyncAccess; ok && write == 0 && fn.Name() == "hbAccess" {
			w.meetsReading(k, p, known)
		} else {
			w.meets(k, p, known)
		}
	}
	return true
}

// locked reports whether the mutex at p is locked, for writing if it is a RWMutex.
func (w *walk) locked(p uint64) bool {
	n, ok := w.word(p)
	return ok && uint32(n) != 0
}

// unlock notes that the mutex at p is unlocked. Readers leaving free nobody who
// waits for a writer.
func (w *walk) unlock(fn *ssa.Function, p uint64, known bool) {
	if !strings.HasSuffix(fn.Name(), "RUnlock") {
		w.eff.unlocks.note(p, known)
	}
	w.meets(trace.Unlock, p, known)
}

// condLocker is where a Cond keeps its Locker.
const condLocker = 0

// locker returns the mutex of the Cond at p, if nobody can change it.
func (w *walk) locker(p uint64) (uint64, bool) {
	if !w.stable(p+condLocker) || !w.stable(p+condLocker+8) {
		return 0, false
	}
	a := w.v.ask(question{kind: askLocker, p: p + condLocker})
	return a.x, a.ok
}

// sleeps reports whether the walk stops at hbWake(c, l, kind, w): waiting for a
// signal, or for the lock.
func (w *walk) sleeps(c uint64, known bool, l uint64, lknown bool, args argWords, standing bool) bool {
	notified := false
	if standing {
		if w.canMove {
			return false
		}
		x, ok := args.at(3)
		n, ok2 := w.word(x + waiterNotified&^7)
		if !ok || !ok2 {
			return false
		}
		notified = byte(n>>(waiterNotified%8*8)) != 0
	}
	if !notified && known && w.blocked(stop{opWake, c}, "wait") {
		return true
	}
	return known && lknown && l != 0 && w.isMutex(c, l) && w.locked(l) && w.blocked(stop{opLock, l}, "wait")
}

// waiterNotified is where a waiter of a Cond is told that it has been notified.
const waiterNotified = 12

// isMutex reports whether l, the lock of the Cond at c, is one of package sync's.
func (w *walk) isMutex(c, l uint64) bool {
	a := w.v.ask(question{kind: askLocker, p: c + condLocker})
	return a.ok && a.x == l
}

// add notes WaitGroup.Add(delta) on the WaitGroup at p.
func (w *walk) add(p uint64, known bool, args argWords, v *visit, loop bool) {
	d, ok := args.at(1)
	delta := int64(d)
	switch {
	case ok && delta >= 0:
		w.meetsAdd(p, known, +1)
		return
	case !known:
		v.dones.any = true
	case !ok || loop || delta < -many:
		v.dones.add(p, many)
	default:
		v.dones.add(p, int(-delta))
	}
	if !ok {
		w.meetsAdd(p, known, 0)
	} else {
		w.meetsAdd(p, known, -1)
	}
}

package mhb

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// opKind is a blocking operation the walk can stop at.
//
// effects.enabling returns the events that enable it.
type opKind uint8

const (
	opLock   opKind = iota // on a Mutex, or for writing or reading on an RWMutex
	opWgWait               // WaitGroup.Wait
	opRecv                 // receiving from a channel
	opSend                 // sending to a channel
	opWake                 // Cond.Wait, until there is a signal
	opOnce                 // Once.Do, while the function runs
)

// nativeOp is the meaning of a native for the walk: the operation it blocks at, the ones it enables, and
// the operation that a synchronising target may conflict with.
type nativeOp uint8

const (
	otherOp nativeOp = iota
	lockOp
	tryOp
	unlockOp
	runlockOp
	pendingOp // the pending writer waits for the readers to leave
	parkOp    // Cond.Wait releases its lock, the second argument
	wakeOp    // Cond.Wait takes its lock again when it is notified
	signalOp
	waitOp
	addOp
	onceOp
	leaveOp
	tickOp // a timer sends to its channel
	libraryOp
)

// nativeOpOf returns the meaning of a native that executes an operation of kind k.
func nativeOpOf(k trace.Kind) nativeOp {
	switch k {
	case trace.Lock, trace.RLock: // an RWMutex begins with the Mutex its writer locks
		return lockOp
	case trace.TryLock, trace.TryRLock:
		return tryOp
	case trace.Unlock:
		return unlockOp
	case trace.RUnlock:
		return runlockOp
	case trace.LockPending:
		return pendingOp
	case trace.Park:
		return parkOp
	case trace.CondWait, trace.WakeLock: // both are operations of the native hbWake
		return wakeOp
	case trace.Signal, trace.Broadcast:
		return signalOp
	case trace.WgWait:
		return waitOp
	case trace.WgAdd:
		return addOp
	case trace.OnceEnter:
		return onceOp
	case trace.OnceLeave:
		return leaveOp
	case trace.Send:
		return tickOp
	case trace.SyncAccess, trace.IOWait:
		return libraryOp
	case trace.None, trace.Read, trace.Write, trace.ReadWrite, trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW,
		trace.Recv, trace.Select, trace.TrySelect, trace.Close, trace.SemAcquire,
		trace.Sleep, trace.Timer, trace.Clock, trace.Choose, trace.Branch, trace.Yield, trace.Output, trace.Exit, trace.Crash, trace.Go, trace.End, trace.Spin,
		trace.Inspect:
		return otherOp // only its accesses matter; that of an Inspect is static.InspectOp
	}
	panic("BUG: nativeOpOf has no case for " + k.String())
}

// opOf returns the meaning of native fn. The table of operations has its kind.
func (o *Oracle) opOf(fn *ssa.Function) nativeOp {
	op, ok := o.ops[fn]
	if !ok {
		if kinds := trace.KindsOf(fn.String()); len(kinds) > 0 {
			op = nativeOpOf(kinds[0])
		}
		//mutant: timers are of the library [micro stopsTimer]: false
		if op == libraryOp && fn.Pkg.Pkg.Path() == "time" {
			op = otherOp // an operation of a timer, before which no choice is skipped: see ofLibrary
		}
		o.ops[fn] = op
	}
	return op
}

// ref is a value, usually the address of an object that synchronises. An operation on an unknown object
// does not block, and enables every operation blocked at an object that it may be.
type ref struct {
	p     uint64
	known bool       // p is the value
	objs  static.Set // if the address is unknown: the objects of the points-to analysis in which the address may be
	ahead bool       // if the mutex is unknown: whether it is certainly locked ahead
}

// args are argument words.
type argRefs []ref

func (a argRefs) at(i int) ref {
	if i < len(a) {
		return a[i]
	}
	return ref{}
}

// native walks a call of a native from the function that v visits, and reports whether the call may return.
//
// Each case does three things, as far as they apply: it notes what the operation may enable
// (eff), stops if the operation is disabled and its object is certain, and notes that it may be executed
// (mayExecute), for targets that synchronise.
//
//	mu.Lock()    disabled, mu certain    stops: nothing after it is walked
//	mu.Lock()    not certain which       passed: it may be any mutex that is free
//	mu.Unlock()                          noted; passed
//
// The walk passes some operations that may block: the pending writer of an RWMutex, semaphores, sleeping.
// No walk notes the operations that enable them, and passing them over-approximates.
func (w *walk) native(c *invocation, v *visit) bool {
	fn, args, atNext := c.fn, c.args, c.atNext
	for _, x := range w.o.nativeAccesses(fn, c.site) {
		//mutant: natives that write unlock nothing [reflected unsafelyAtomic]: "(x.Objs == static.Empty || w.o.prog.HasLocks(x.Objs))" -> "x.Objs == static.Empty"
		if x.Key == 0 && x.Write && (x.Objs == static.Empty || w.o.prog.HasLocks(x.Objs)) {
			w.top() // the native may unlock anything
			return true
		}
		if w.access(x); w.conflict {
			return true
		}
	}
	r := args.at(0)
	p, known := r.p, r.known
	switch w.o.opOf(fn) {
	case lockOp:
		if known && w.locked(p) && w.blocked(stop{opLock, p}, "lock") {
			return false
		}
		//mutant: operations on locks are independent [micro lockedForGood]
		w.mayExecute(trace.Lock, r)
	case tryOp:
		//mutant: TryLock waits [micro tryLock]: "w.mayExecute(trace.TryLock, r)" -> "if known && w.locked(p) && w.blocked(stop{opLock, p}, \"lock\") {\n\t\t\treturn false\n\t\t}"
		w.mayExecute(trace.TryLock, r)
	case pendingOp:
		w.mayExecute(trace.LockPending, r)
	case unlockOp:
		w.unlock(r, len(c.guards) > 0)
	case runlockOp: // readers that leave enable no operation that waits for a writer
		w.mayExecute(trace.RUnlock, r)
	case parkOp:
		w.mayExecute(trace.CondWait, r)
		l := w.lockOf(r, args.at(1))
		if l.known || !l.ahead {
			w.o.note(&w.eff.unlocks, l)
		}
		w.mayExecute(trace.Unlock, l)
	case wakeOp:
		l := w.lockOf(r, args.at(1))
		if w.sleeps(r, l, atNext) {
			return false
		}
		w.mayExecute(trace.Lock, l)
	case signalOp:
		//mutant: signals wake no goroutine [micro signalledByThird]
		w.o.note(&w.eff.signals, r)
		w.mayExecute(trace.Signal, r)
	case waitOp:
		if known {
			n, ok := w.word(p)
			waits := ok && int32(overlay.Uint32(n, overlay.WaitGroupCounter)) > 0 && !(atNext && w.canMove)
			if waits && w.blocked(stop{opWgWait, p}, "join") {
				if !atNext {
					w.mayExecute(trace.WgWait, r)
				}
				return false
			}
		}
		w.mayExecute(trace.WgWait, r)
	case addOp:
		w.add(r, args.at(1), v, c.loop)
	case onceOp:
		if known {
			n, ok := w.word(p)
			runs := ok && overlay.Uint32(n, overlay.OnceDone) == 0 && overlay.Uint32(n, overlay.OnceMutex) != 0
			if runs && w.blocked(stop{opOnce, p}, "once") {
				return false
			}
		}
		w.mayExecute(trace.OnceEnter, r)
	case leaveOp:
		//mutant: leaving a Once enables nothing [micro onceOfThird]
		w.o.note(&w.eff.leaves, r)
		w.mayExecute(trace.OnceLeave, r)
	case tickOp:
		//mutant: a timer does not send [micro selectTimer]
		w.o.note(&w.eff.sends, r)
	case libraryOp:
		write, ok := writeFlag(fn, args)
		//mutant: operations on a test do not matter [testing]
		w.noteSync(syncEffect{kind: trace.SyncAccess, on: r, reads: ok && write.known && write.p == 0, wide: wide[fn.String()]})
		//mutant: mhb does not know that Pools do [models TestModels/pool[CT]]: false
		if fn.String() == "sync.hbPool" { // the result may depend on collections
			w.noteSync(syncEffect{kind: trace.SyncAccess, on: args.at(1), reads: true})
		}
	}
	return true
}

// wide are the natives that access more of the object than its beginning.
var wide = map[string]bool{"internal/effect.Range": true,
	"hbcheck.dev/hbcheck/hbtest/lin.called": true, "hbcheck.dev/hbcheck/hbtest/lin.returned": true}

// writeFlag returns the argument that says whether an access to a library object writes: the last parameter
// of its native, if that is a bool. The other natives always write.
func writeFlag(fn *ssa.Function, args argRefs) (ref, bool) {
	params := fn.Signature.Params()
	last := params.Len() - 1
	if b, ok := params.At(last).Type().(*types.Basic); !ok || b.Kind() != types.Bool {
		return ref{}, false
	}
	return args.at(last), true
}

// locked reports whether the mutex at p is locked; for an RWMutex, whether it is locked for writing and
// lets no reader pass.
//
// It reads the present state. blocked and the rounds establish that the mutex stays locked while T_c waits.
func (w *walk) locked(p uint64) bool {
	//mutant: readers keep readers out [micro readers]: "n, ok := w" -> "if r, ok := w.word(p + overlay.RWMutexReaders); ok && int32(r) == 1 {\n\t\treturn true\n\t}\n\tn, ok := w"
	n, ok := w.word(p)
	return ok && overlay.Uint32(n, overlay.MutexState) == overlay.MutexLocked
}

// unlock notes that the mutex at m is unlocked. No goroutine is blocked at
// a mutex that is locked ahead.
func (w *walk) unlock(m ref, guarded bool) {
	if m.known || !guarded {
		//mutant: unlocking enables nothing [micro foreignUnlock]
		w.o.note(&w.eff.unlocks, m)
	}
	w.mayExecute(trace.Unlock, m)
}

// lockOf returns the lock of the Cond c: l, the value in the code, or the lock that the Cond has now if no
// other goroutine can change its L.
func (w *walk) lockOf(c, l ref) ref {
	if !l.known && c.known {
		if p, ok := w.locker(c.p); ok {
			return ref{p: p, known: true}
		}
	}
	return l
}

// locker returns the mutex of the Cond at p, if no other goroutine can change it.
func (w *walk) locker(p uint64) (uint64, bool) {
	if !w.stable(p+overlay.CondLocker) || !w.stable(p+overlay.CondLocker+8) {
		return 0, false
	}
	a := w.v.ask(question{kind: askLocker, p: p + overlay.CondLocker})
	return a.x, a.ok
}

// sleeps reports whether the walk stops at hbWake(c, l, kind, w): waiting for a
// signal, or for the lock.
//
// A goroutine that has already reached it may have been notified: then it waits only for the lock. A
// goroutine that reaches it later has not been notified, so it may block twice: until the signal, then
// until the lock is free.
func (w *walk) sleeps(c, l ref, atNext bool) bool {
	if !w.o.has(Conds) {
		return false
	}
	notified := false
	if atNext {
		if w.canMove {
			return false
		}
		a := w.v.ask(question{kind: askNotified, v: w.nextCall.Common().Args[3]})
		if !a.ok {
			return false
		}
		//mutant: a notified waiter sleeps [micro notified]
		notified = a.x != 0
	}
	if !notified && c.known && w.blocked(stop{opWake, c.p}, "wait") {
		return true
	}
	known := c.known && l.known && l.p != 0
	return known && w.isMutex(c.p, l.p) && w.locked(l.p) && w.blocked(stop{opLock, l.p}, "wait")
}

// isMutex reports whether l, the lock of the Cond at c, is one of package sync's.
func (w *walk) isMutex(c, l uint64) bool {
	a := w.v.ask(question{kind: askLocker, p: c + overlay.CondLocker})
	return a.ok && a.x == l
}

// add notes WaitGroup.Add(delta) on the WaitGroup wg.
//
// Only a decrement can enable a Wait. Known decrements are counted in v.dones, because each call of the
// function adds to them.
//
//	wg.Add(n), n >= 0 known     enables nothing
//	wg.Done()                   one Done
//	in a loop, or unknown       many: any number
func (w *walk) add(wg, delta ref, v *visit, loop bool) {
	d := int64(delta.p)
	switch {
	case delta.known && d >= 0:
		if wg.known && wg.p < private {
			v.credit.add(wg.p, int(min(d, many)))
		}
		w.mayAdd(wg, +1)
		return
	case !wg.known || wg.p >= private:
		//mutant: Done of unknown groups does not count [micro unknownDone]
		w.o.note(&v.dones, wg)
	case !delta.known || loop || d < -many:
		v.dones.add(wg.p, many)
	default:
		//mutant: Done does not count [micro extraDone]
		v.dones.add(wg.p, int(-d))
	}
	if !delta.known {
		w.mayAdd(wg, 0)
	} else {
		w.mayAdd(wg, -1)
	}
}

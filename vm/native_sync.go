package vm

import (
	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/race"
)

// Natives of package sync (load/overlay/_src/sync). The state of a primitive is in its guest struct, so it is
// rewound and hashed like all memory. The struct also has the numbers of the goroutines that hold the
// primitive. They are for reports, which name the goroutine that must act for another one to continue. The
// program's behaviour does not depend on these numbers.

// Each operation is one step, except for RWMutex.Lock (native_lock.go) and Cond.Wait:
//
//	hbPark    the goroutine becomes a waiter and unlocks c.L
//	          Signal takes one of the waiters off the list, Broadcast all: they are notified
//	hbWake    enabled when it is notified and c.L can be locked, which it does
//
// Nothing wakes a goroutine: a blocking operation is pending, and its Peek determines in each state
// whether it is enabled. So there are no queues here, and no order among waiting goroutines.

var syncNatives = []Native{
	{Name: "(*sync.Mutex).Lock", Peek: peekLocker(trace.Lock, mutexLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.lockFn(g, r, mutexLocker)
	}},
	{Name: "(*sync.Mutex).TryLock", Peek: peekTry(trace.TryLock, mutexLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.tryLock(g, r, mutexLocker)
	}},
	{Name: "(*sync.Mutex).Unlock", Peek: peekUnlock(trace.Unlock, mutexLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.unlockFn(g, r, mutexLocker)
	}},
	{Name: "(*sync.RWMutex).RLock", Peek: peekRLock, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.lockFn(g, r, readLocker)
	}},
	{Name: "(*sync.RWMutex).TryRLock", Peek: peekTry(trace.TryRLock, readLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.tryLock(g, r, readLocker)
	}},
	{Name: "(*sync.RWMutex).RUnlock", Peek: peekUnlock(trace.RUnlock, readLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.unlockFn(g, r, readLocker)
	}},
	{Name: "(*sync.RWMutex).TryLock", Peek: peekTry(trace.TryLock, writeLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.tryLock(g, r, writeLocker)
	}},
	{Name: "(*sync.RWMutex).Unlock", Peek: peekUnlock(trace.Unlock, writeLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.unlockFn(g, r, writeLocker)
	}},
	{Name: "sync.hbAnnounce", Peek: peekLocker(trace.Lock, writeLocker), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.lockFn(g, r, writeLocker)
	}},
	{Name: "sync.hbPending", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.lockOp(op, trace.LockPending, r.U(0), writeLocker, true, m.u32(r.U(0)+rwAdmitted) > 0)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.setU32(r.U(0)+rwAdmitted, m.u32(r.U(0)+rwAdmitted)-1)
		return Next
	}},
	{Name: "sync.hbWgAdd", Peek: peekWgAdd, Fn: wgAdd},
	{Name: "sync.hbWgWait", Peek: peekWgWait, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.mapped(r.U(0), 16) {
			return m.nilFault(g)
		}
		g.wait.notified = false
		if g.Choice == 1 { // g had not begun to wait when the counter was zero
			g.PC--
			var op trace.Op
			m.mayExecute(g, peekWgWait(m, g, r, &op), &op)
			return Stop
		}
		r.SetBool(0, m.u32(r.U(0)+wgCounter) == 0)
		return Next
	}},
	{Name: "sync.hbOnceEnter", Peek: peekOnce, Fn: onceEnter},
	{Name: "sync.hbOnceLeave", Peek: peekAccess(trace.OnceLeave, 12, true), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.setU32(r.U(0)+onDone, 1)
		if m.lockLog != nil {
			m.noteUnlocked(g, r.U(0)+onMutex, false)
		}
		m.setU32(r.U(0)+onMutex+muState, 0)
		m.setU32(r.U(0)+onMutex+muOwner, 0)
		return Next
	}},
	{Name: "sync.hbG", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, uint64(g.ID)+1)
		return Next
	}},
	{Name: "sync.hbBefore", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.before(trace.GID(uint32(r.U(0))-1), trace.GID(uint32(r.U(1))-1)))
		return Next
	}},
	{Name: "sync.hbPark", Peek: peekPark, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if text := m.unlock(g, r.U(1), int(r.U(2))); text != "" {
			return m.misuse(g, text)
		}
		return Next
	}},
	{Name: "sync.hbWake", Peek: peekWake, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.lock(g, r.U(1), int(r.U(2))))
		return Next
	}},
	{Name: "sync.hbSignal", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		peekNotify(m, r, trace.Signal, op)
		n := 0
		for w := m.word(r.U(0), cdList); w != 0; w = m.word(w, wtNext) {
			n++
		}
		return max(n, 1)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		k := int(g.Choice)
		if m.auto {
			k = m.firstWaiter(m.word(r.U(0), cdList))
		}
		r.Set(0, uint64(k))
		return Next
	}},
	{Name: "sync.hbBroadcast", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return peekNotify(m, r, trace.Broadcast, op)
	}, Fn: nop},
	{Name: "sync.hbOrder", Fn: mapOrder},
	{Name: "sync.hbFind", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		e := g.owned
		//mutant: caches of the library are one [models TestCaches/encode]: "m.word(e, 0) != r.U(1) || " -> ""
		for e != 0 && (m.word(e, 0) != r.U(1) || m.word(e, overlay.OwnedKey) != r.U(2) || m.word(e, overlay.OwnedKey+8) != r.U(3)) {
			e = m.word(e, overlay.OwnedNext)
		}
		r.Set(0, e)
		return Next
	}},
	{Name: "sync.hbOwned", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, g.owned)
		return Next
	}},
	{Name: "sync.hbOwn", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		g.owned = r.U(1)
		return Next
	}},
	{Name: "sync.hbPut", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.following() {
			m.race.Release(g.slot, pooled(r.U(1)))
		}
		m.notePooled(r.U(1), true)
		return Next
	}},
	{Name: "sync.hbGot", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.following() {
			m.race.Acquire(g.slot, pooled(r.U(1)))
		}
		m.notePooled(r.U(1), false)
		return Next
	}},
	{Name: "sync.hbTries", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		n := r.U(0)
		//mutant: pools keep everything [env TestPrograms/pool]: drop 1
		tries := !m.cfg.Run && n <= maxOrdered+1 && m.triesEarly(g, uint32(n)) && m.tryOrders(g, uint32(n))
		if !tries && !m.cfg.Run {
			m.assume(g, PoolKept)
		}
		r.SetBool(0, tries)
		return Next
	}},
	{Name: "sync.hbPool", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if m.stdCaller(g) {
			return 1
		}
		m.syncOp(op, trace.SyncAccess, r.U(0), 8, true, true)
		//mutant: Pools do not depend on collections [models TestModels/poolCollected]: false
		if p := r.U(1); p != 0 {
			m.syncOp(op, trace.SyncAccess, p, 4, false, true)
		}
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, !m.stdCaller(g))
		return Next
	}},
}

func nop(*Machine, *goroutine, Regs) Ctl { return Next }

// pooled returns the location that orders putting an object into a Pool before getting it; p is the
// data word of the interface that holds the object.
func pooled(p ptr) race.Loc { return race.Loc(p) + race.Hidden + 16 }

// syncOp describes a visible operation on n bytes at p and returns the number of its alternatives,
// 0 or 1. An operation on an object that only its goroutine can reach is not visible, unless the
// goroutine is blocked there forever. Neither is one on memory that does not exist, which faults.
// Every Peek of package sync ends here. A Peek that reads the object's contents first has to check
// that the object exists (mapped): the operation itself raises the fault.
func (m *Machine) syncOp(op *trace.Op, k trace.Kind, p ptr, n uint32, write, enabled bool) int {
	id := p >> 32
	if m.mapped(p, n) && (!enabled || m.multi && m.heap.Objs[id].Flags&heap.Shared != 0) {
		op.Kind = k
		op.Access[op.N] = trace.Access{Obj: uint32(id), Off: uint32(p), Size: n, Write: write}
		op.N++
	}
	return int(b2u(enabled))
}

// mapped reports whether n bytes at p are guest memory.
func (m *Machine) mapped(p ptr, n uint32) bool { return m.heap.Load(p, uint64(n), 0) != nil }

// nilFault raises the run-time panic of a nil dereference.
func (m *Machine) nilFault(g *goroutine) Ctl {
	m.throw(g, rtPanicMem)
	return Called
}

// misuse ends the program with a fatal error of package sync.
func (m *Machine) misuse(g *goroutine, text string) Ctl {
	m.fatal(g, SyncMisuse, text)
	return Stop
}

// peekAccess returns the Peek of an operation that is always enabled, on size bytes at its first
// argument.
func peekAccess(k trace.Kind, size uint32, write bool) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.syncOp(op, k, r.U(0), size, write, true)
	}
}

// peekWgAdd is the Peek of Add. Adds of numbers with the same sign commute, as long as the counter
// does not become negative.
func peekWgAdd(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	n := m.syncOp(op, trace.WgAdd, r.U(0), 8, true, true)
	if op.N == 0 {
		return n
	}
	switch d, v := int64(r.U(1)), int64(int32(m.u32(r.U(0)+wgCounter))); {
	case d == 1:
		op.Commutes = trace.AddsOne
	case d > 0:
		op.Commutes = trace.AddsMore
	case d == -1 && v >= 2:
		op.Commutes = trace.Subtracts
	case d == -1 && v >= 1:
		op.Commutes = trace.SubtractsLast
	}
	return n
}

// wgAdd adds to a WaitGroup's counter. When the counter becomes zero, a goroutine with a pending Wait may
// already count as a waiter, because the counter was not zero before. That goroutine can return now, and it
// panics if the counter grows again before it returns.
func wgAdd(m *Machine, g *goroutine, r Regs) Ctl {
	p := r.U(0)
	if !m.mapped(p, 16) {
		return m.nilFault(g)
	}
	old := m.u32(p + wgCounter)
	v := old + uint32(r.U(1))
	if text := m.joinBubble(g, p, old); text != "" {
		return m.misuse(g, text)
	}
	m.setU32(p+wgCounter, v)
	if v == 0 && m.u32(p+wgBubble) != 0 {
		m.setU32(p+wgBubble, 0)
	}
	if v == 0 && old != 0 {
		for _, s := range m.living() {
			q := m.gs[s]
			a := &q.pending.Access[0]
			waits := q.status == gReady && q.pending.Kind == trace.WgWait
			onThis := a.Obj == uint32(p>>32) && a.Off == uint32(p)
			if waits && onThis && !q.wait.notified {
				m.saveGoroutine(q)
				q.wait.notified = true
			}
		}
	}
	r.Set(0, uint64(int64(int32(v))))
	return Next
}

// joinBubble makes the WaitGroup at p, whose counter is n, belong to g's bubble until its counter
// is zero again, if that is allowed; otherwise it returns the fatal error. Package variables never
// belong to a bubble.
func (m *Machine) joinBubble(g *goroutine, p ptr, n uint32) string {
	switch in := m.u32(p + wgBubble); {
	case m.opened == 0 || in == g.bubble || p>>32 < heap.StaticLimit:
	case in == 0 && n == 0:
		m.setU32(p+wgBubble, g.bubble)
	case in != 0 && g.bubble != 0:
		return "sync: WaitGroup.Add called from multiple synctest bubbles"
	default:
		return "sync: WaitGroup.Add called from inside and outside synctest bubble"
	}
	return ""
}

// peekWgWait is the Peek of Wait. A goroutine whose Wait was pending when the counter reached zero may have
// been waiting already, and returns. Or it had only arrived, and waits for the next zero if the counter has
// changed since then. Alternative 1 is the second case: it leaves the goroutine at Wait, without its mark.
func peekWgWait(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	p := r.U(0)
	if m.mapped(p, 16) && g.wait.notified && m.u32(p+wgCounter) != 0 && !m.auto {
		m.syncOp(op, trace.WgWait, p, 8, false, true)
		return 2
	}
	returns := !m.mapped(p, 16) || m.u32(p+wgCounter) == 0 || g.wait.notified
	return m.syncOp(op, trace.WgWait, p, 8, false, returns)
}

func peekOnce(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	p := r.U(0)
	if !m.mapped(p, 12) {
		return 1
	}
	done := m.u32(p+onDone) != 0
	return m.syncOp(op, trace.OnceEnter, p, 12, !done, done || !m.locked(p+onMutex))
}

func onceEnter(m *Machine, g *goroutine, r Regs) Ctl {
	p := r.U(0)
	if !m.mapped(p, 12) {
		return m.nilFault(g)
	}
	if m.u32(p+onDone) != 0 {
		r.SetBool(0, false)
		return Next
	}
	m.lock(g, p+onMutex, mutexLocker)
	r.SetBool(0, true)
	return Next
}

// peekNotify describes a Signal or Broadcast, which only reads if no goroutine waits.
func peekNotify(m *Machine, r Regs, k trace.Kind, op *trace.Op) int {
	list := r.U(0) + cdList
	return m.syncOp(op, k, list, 8, m.mapped(list, 8) && m.word(list, 0) != 0, true)
}

func peekPark(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	m.syncOp(op, trace.Park, r.U(0)+cdList, 8, true, true)
	if kind := int(r.U(2)); kind != otherLocker {
		l := r.U(1)
		m.lockOp(op, trace.Park, l, kind, true, true)
		m.peekRelease(op, l, kind)
	}
	return 1
}

func peekWake(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	kind := int(r.U(2))
	notified := m.heap.Bytes(r.U(3)+wtNotified, 1)[0] != 0
	enabled := notified && m.lockable(r.U(1), kind)
	if notified { // the waiter is not in the list of the Cond any more
		op.Kind = trace.WakeLock
	} else {
		m.syncOp(op, trace.CondWait, r.U(0)+cdList, 8, true, false)
	}
	if kind != otherLocker {
		m.lockOp(op, op.Kind, r.U(1), kind, true, enabled)
	}
	return int(b2u(enabled))
}

// firstWaiter returns the index in the list of the longest waiter, which is the one that the
// runtime wakes.
func (m *Machine) firstWaiter(w ptr) int {
	best, seq := 0, ^uint32(0)
	for i := 0; w != 0; i, w = i+1, m.word(w, wtNext) {
		if q := m.gOf(trace.GID(m.u32(w+wtG) - 1)); q.wait.seq < seq {
			best, seq = i, q.wait.seq
		}
	}
	return best
}

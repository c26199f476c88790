package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/loops"
)

// Await loops that lock:
//
//	for { mu.Lock(); d := done; mu.Unlock(); if d { break } }
//
// An iteration has zero effect, too, if it releases each lock that it takes, and takes each lock that it
// releases, in this order. Claim: without the iteration the others can do the same.
//
//  1. While the goroutine holds the lock, it only delays the others. Without the iteration it
//     delays none of them.
//  2. An attempt to lock (TryLock) may fail in the middle of the iteration. So if the program
//     attempts that on any path, these iterations have an effect (LockedNever).
//  3. One goroutine may release the lock of another one. Without the iteration that is a crash, which the
//     search finds; or there are other readers, and as many of them remain in the end.
//  4. Without the iteration fewer events happen before others, so no data race is lost; and the rest is an
//     execution, so none is invented.
//
// The last operation of an iteration releases a lock, or comes later. The release is executed, because a
// goroutine that is prevented from releasing a lock would hold up all others. Then the goroutine spins.
//
// Snapshots at every operation on a lock are expensive, and few loops wait in this way. So a search begins
// with LockedUnknown, where locking has an effect. When it cuts a long execution in a loop that may have no
// other effect, it begins again with LockedAwaits.

// lockedNeeded returns the treatment that the search needs for iterations that lock.
func (m *Machine) lockedNeeded() Locked {
	l := m.cfg.locks
	switch {
	//mutant: locked loops: attempts do not find the lock [test ./cmd/hbcheck TestScripts/locked]: "l.never.Load()" -> "false"
	case l.never.Load() && m.cfg.locked != LockedUnknown:
		return LockedNever
	case l.cut.Load() && m.cfg.locked == LockedUnknown && !l.never.Load():
		return LockedAwaits
	}
	return m.cfg.locked
}

// NoteCut is called in the state in which the search abandons an execution because it is long.
func (v Environment) NoteCut() {
	m := v.m
	e, ok := m.reduction.(*awaitElimination)
	if !ok || e.mode != AwaitOnce || m.cfg.locked != LockedUnknown || m.cfg.locks.never.Load() {
		return
	}
	if e.looking == nil {
		e.looking = &awaitElimination{m: m, loops: m.loopTable(true)}
	}
	if slices.ContainsFunc(m.living(), func(s uint32) bool {
		g := m.gs[s]
		return g.status == gReady && g.Fn != nil && !g.ending() && e.looking.inLoop(g) && (e.stopped || !e.inLoop(g))
	}) {
		m.cfg.locks.cut.Store(true)
	}
}

// lockStep returns the pending operation of g on a lock, if it can be part of an iteration with zero effect.
// Otherwise the lock is 0.
func (e *awaitElimination) lockStep(g *goroutine) (none lockStep) {
	m := e.m
	if !e.locked || m.effect(g) != loops.Locks {
		return none
	}
	op := &g.pending
	if op.N != 1 || op.Lock != trace.MutexLock && op.Lock != trace.ReadLock {
		return none
	}
	s := lockStep{l: ptr(op.Access[0].Obj)<<32 | ptr(op.Access[0].Off), kind: slices.Index(lockModes[:], op.Lock)}
	if s.out = op.Kind == trace.Unlock || op.Kind == trace.RUnlock; !s.out {
		return s
	}
	//mutant: locked loops: who waits may hold a lock [test ./internal/progen TestLockedSpins]: "|| !g.trail.takes(s)" -> ""
	if g.trail == nil || !g.trail.takes(s) {
		return none
	}
	return s
}

// takes reports whether the lock that s releases has been taken, and not released, since the trail of n
// began.
func (n *snapshot) takes(s lockStep) bool {
	for ; n != nil; n = n.prev {
		if n.lock.l == s.l && n.lock.kind == s.kind {
			return !n.lock.out
		}
	}
	return false
}

// balanced reports whether the iteration from start to n releases only locks that it has taken, and all
// of these.
func (n *snapshot) balanced(start *snapshot) bool {
	held := make(map[lockStep]int)
	for ; n != start; n = n.prev { // backwards
		if s := n.lock; s.l != 0 {
			if s.out {
				s.out = false
				held[s]++
			} else if held[s]--; held[s] < 0 {
				return false
			}
		}
	}
	for _, k := range held {
		if k != 0 {
			return false
		}
	}
	return true
}

// available reports whether the lock that an iteration has taken in step s could be taken now.
func (m *Machine) available(s lockStep) bool { return s.l == 0 || s.out || m.lockable(s.l, s.kind) }

package stateful

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// JPF is Java Pathfinder's own partial order reduction, the baseline for other reductions. It makes a
// scheduling choice where a goroutine is about to synchronise, or to access an object that other goroutines
// can reach, if more than one goroutine is enabled. Otherwise the goroutine that moved last continues.
//
// JPF's AllRunnablesSyncPolicy puts its choices after an operation (after an unlock only if it woke a
// thread, after a notify only if a thread was notified). Ours are before the next operation, which is
// equivalent for the operations without a choice. An operation needs no choice if every operation that the
// others can execute before it commutes with it. Then executing it at once loses no outcome ({goroutine} is
// a persistent set). SyncPolicy.NeedsNoChoice has the cases.
//
// Unlocking commutes with everything under an assumption: no goroutine tries a lock, no lock is released
// twice, no RWMutex is unlocked while its writer waits for readers, and no lock is copied or overwritten
// (*p = T{}). SyncPolicy notices when the assumption is wrong; then the search restarts with choices before
// unlocking, too. (A goroutine that copies a lock does so before a Lock and after it, in different
// executions, and SyncPolicy notices the latter.)
//
// Example of the assumption about unlocking, and of its refutation:
//
//	g1: mu.Lock(); x = 1; mu.Unlock()
//	g2: if mu.TryLock() { ... }             before the Unlock it fails, after it, it does not:
//	                                        a choice before Unlock is needed
//
// Done commutes with everything while no counter of a WaitGroup becomes negative, and none is raised from
// zero while a goroutine is at Wait. Let Done of g be possible, so that the counter is at least one, and
// let u be the steps of others before it in some execution.
//
//  1. Additions commute, so that g's Done can come before u unless a step of u depends on whether the
//     counter is one or, without that unit, zero: a Wait, and the set of goroutines at Wait
//     that the zero releases.
//  2. If the counter becomes zero in u, a Done makes it negative after g's: the search
//     restarts. So every Wait that returns in u was possible before u.
//  3. With g's Done first the counter may become zero in u, which releases the goroutines at Wait. They
//     need not return; if they do not return before g's Done in the execution, they are at Wait after it,
//     and released, too. Goroutines that reach Wait later in u are released by g's Done in the execution,
//     and find a zero if g's Done comes first. The result is the same unless the counter is raised again
//     before they return. Then it is raised from zero while they are at Wait, and the search restarts.
//
// Done needs no choice only together with Config.Parts: searches without parts are for comparison with
// Java Pathfinder and other reductions.
//
// With a bound on preemptions there are choices before unlocking and Done, and the search finds all endings
// of schedules within the bound:
//
//  1. Take a schedule w t u within the bound, where w is not empty. Let t be the pending operation of the
//     goroutine g that moved last; t needs no choice, and is the first step of g in the schedule.
//  2. An operation without a choice, except unlocking and Done, neither enables nor disables an operation of
//     an existing goroutine. So in t w u the step from w to u is a preemption only if one of those
//     from w to t and from t to u is one in w t u.
//  3. A switch from g before t is a preemption: g can continue, and t is no Yield. So t w u has at most
//     as many as w t u.
//
// Unlocking and Done enable others: the last goroutine of w may wait for the lock in w t u, where a switch
// from it is free, and not wait in t w u.
//
// If calls of libraries are not interrupted (Config.WholeCalls), the search finds all endings of
// schedules without such interruptions: operations inside a call have no alternative goroutine, and
// each first operation of a call has a choice. So t above can only be an operation of the user's
// own code:
//
//  4. Operations of a call need a choice, even Yield and Sleep. After t, g is not inside of a call, so that
//     the switch from t to u is free. The switch from w to u in t w u is one from a goroutine that has not
//     moved since, and was free in w t u, or that waits (2).
//
// A call may loop until another goroutine moves. So the goroutine may be interrupted inside of a call, too,
// where a cycle of states closes, and after callLimit steps without another goroutine: more schedules than
// necessary are no mistake.
//
// If goroutines of libraries are prompt (Config.Prompt), the search finds all endings of such schedules:
//
//  5. In w t u and t w u the same goroutines are prompt, if t makes none prompt. Starting one may do so, and
//     has a choice. The goroutine of t has executed code of the reader, so its next operation begins a call,
//     or is the reader's: it is not prompt. The oracle's operations may wake others, and so it is not asked.
//
// Equal goroutines may be prompt in another order than the one with which a state was first found
// (Config.Symmetry): then for each order of the reader's operations some order of the library's is explored.
func JPF(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	//mutant: jpf: unlocking needs no choice though preemptions are bounded [test ./por/explorers ^TestPreemptionWhileLocked$]: "!cfg.LimitPreempt" -> "true"
	p := &SyncPolicy{IgnoreOutput: cfg.IgnoreOutput, UnlockNeedsNoChoice: !cfg.LimitPreempt && !cfg.WholeCalls}
	p.effects = por.CapabilitiesOf(sys).Effects
	p.DoneNeedsNoChoice = p.effects != nil && cfg.Parts != nil && p.UnlockNeedsNoChoice
	_, leave := cfg.Enter(p)
	defer leave()
	for {
		r := explore(sys, v, cfg, p)
		switch {
		case p.Miscounted:
			p.Miscounted, p.DoneNeedsNoChoice = false, false
			por.Restart(v, cfg, countingMatters)
		case p.Violated:
			p.Violated, p.UnlockNeedsNoChoice = false, false
			por.Restart(v, cfg, unlockingMatters)
		default:
			return r
		}
	}
}

// Reasons why a search restarts.
const (
	unlockingMatters = "it makes a difference in this program when locks are released"
	countingMatters  = "it makes a difference in this program when Done is called"
)

// A SyncPolicy decides which operations need no choice before them.
type SyncPolicy struct {
	IgnoreOutput bool
	// UnlockNeedsNoChoice is the assumption: no goroutine tries a lock, releases one that is free
	// or not yet held, or copies or overwrites one.
	UnlockNeedsNoChoice bool
	Violated            bool // the assumption is wrong
	// DoneNeedsNoChoice is the assumption that no counter of a WaitGroup becomes negative, and none is raised
	// from zero while a goroutine is at Wait.
	DoneNeedsNoChoice bool
	Miscounted        bool // that assumption is wrong

	effects por.Effects `saved:"-"` // the system's effects; nil: no assumption about counters

	last    trace.Kind  // the operation being executed
	locks   lockSet     // seen so far
	pending []trace.GID `saved:"-"`
}

// lockSet has the places of locks. Searches can have only a few steps (see package lookahead), so
// an empty set is small.
//
// objects is a filter: one bit is enough for most accesses, to objects without locks. Objects
// share bits, hence "may" in has.
type lockSet struct {
	objects [4]uint64 // bit set of the numbers of objects with locks in them, modulo its size
	at      map[uint32][]trace.Access
}

// add records the locks that op is an operation on.
func (s *lockSet) add(op *trace.Op) {
	for _, a := range op.Access[:op.N] {
		list := s.at[a.Obj]
		if slices.ContainsFunc(list, func(b trace.Access) bool { return b.Off == a.Off }) {
			continue
		}
		if s.at == nil {
			s.at = make(map[uint32][]trace.Access)
		}
		s.at[a.Obj] = append(list, a)
		s.objects[a.Obj/64%4] |= 1 << (a.Obj % 64)
	}
}

// has reports whether there may be a lock in obj.
func (s *lockSet) has(obj uint32) bool {
	return s.objects[obj/64%4]>>(obj%64)&1 != 0
}

// accessed reports whether op accesses a lock as if it were ordinary memory.
func (s *lockSet) accessed(op *trace.Op) bool {
	for _, a := range op.Access[:op.N] {
		if s.has(a.Obj) && slices.ContainsFunc(s.at[a.Obj], a.Overlaps) {
			return true
		}
	}
	return false
}

// NeedsNoChoice reports whether op commutes with everything other goroutines can do
// before it is executed.
func (p *SyncPolicy) NeedsNoChoice(op *trace.Op) bool {
	switch op.Kind {
	case trace.Go, trace.End:
		// The new goroutine can do nothing before it exists, and a goroutine's last step only ends it. No
		// other goroutine notices the step, if none can count the goroutines.
		//mutant: Go and End need no choice [points]: true
		return op.N == 0
	case trace.Choose, trace.Branch:
		// Only the goroutine itself sees the value, but its alternatives remain.
		return true
	case trace.Unlock, trace.RUnlock, trace.OnceLeave:
		// While the lock is held the others cannot lock it; only TryLock
		// sees that it is held. Readers leave in any order.
		return p.UnlockNeedsNoChoice
	case trace.WgAdd:
		// A Done that leaves the counter at zero or above.
		return p.DoneNeedsNoChoice && (op.Commutes == trace.Subtracts || op.Commutes == trace.SubtractsLast)
	case trace.Output:
		return p.IgnoreOutput
	}
	return false
}

// Before is called before g executes its pending operation.
//
// Violated is false here, because After halts the search as soon as it is true. An access to a lock
// as ordinary memory copies or overwrites it.
func (p *SyncPolicy) Before(sys por.System, g trace.GID) {
	if !p.UnlockNeedsNoChoice && !p.DoneNeedsNoChoice {
		return
	}
	op := sys.Next(g)
	p.last = op.Kind
	if op.Kind == trace.WgAdd && p.DoneNeedsNoChoice {
		p.Miscounted = p.miscounts(g, &op)
	}
	if !p.UnlockNeedsNoChoice {
		return
	}
	switch k := op.Kind; {
	case k == trace.TryLock, k == trace.TryRLock:
		p.Violated = true
	case k == trace.Unlock, k == trace.Park:
		// If the writer is only pending, it makes a difference whether readers unlock before or
		// after this operation.
		p.Violated = op.Commutes == trace.Barges
	case k == trace.Lock, k == trace.RLock, k == trace.OnceEnter:
		p.locks.add(&op)
	//mutant: reading a lock changes nothing [reflected counter]: "Memory()" -> "Memory() && k != trace.Read"
	case k.Memory():
		p.Violated = p.Violated || p.locks.accessed(&op)
	}
}

// miscounts reports whether g's pending operation, op, an addition to a counter, refutes DoneNeedsNoChoice.
func (p *SyncPolicy) miscounts(g trace.GID, op *trace.Op) bool {
	switch a := p.effects.Adds(g); {
	case a.Underruns():
		//mutant: jpf: no counter becomes negative [counting]: false
		return true
	case a.N <= 0 || a.Counter != 0 || op.N == 0:
		return false
	}
	p.pending = p.effects.Pending(p.pending[:0])
	return slices.ContainsFunc(p.pending, func(q trace.GID) bool {
		w := p.effects.Next(q)
		//mutant: jpf: no counter is raised while a goroutine waits [counting]: "w.Kind == trace.WgWait && w.N > 0" -> "false"
		return w.Kind == trace.WgWait && w.N > 0 && w.Access[0].Overlaps(op.Access[0])
	})
}

// After is called after g's operation, and reports whether the search has to restart. Releasing a free lock
// is a fatal error in Go, at which the goroutine remains. After cannot distinguish an execution that ends
// with that error from one that exits at once. So both make the search restart, at the cost of choices before
// unlocking. If the goroutine has ended, too, the program ended normally.
//
// Example: mu.Unlock() of a mutex that is not locked. With no choice before it another
// goroutine's mu.Lock() would never come first, and the error would be the only outcome.
func (p *SyncPolicy) After(sys por.System, g trace.GID) bool {
	if p.Miscounted {
		return true
	}
	if !p.UnlockNeedsNoChoice {
		return false
	}
	switch p.last {
	case trace.Unlock, trace.RUnlock, trace.Park: // Cond.Wait unlocks, too
		next := sys.Next(g).Kind
		failed := next == trace.Crash || next != trace.None && sys.Status() == por.Ended
		p.Violated = p.Violated || failed
	}
	return p.Violated
}

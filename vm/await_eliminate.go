package vm

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/fingerprint"
	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/loops"
)

// Await-loop elimination (spin-loop elimination, spin-assume).
//
// An await loop, such as `for !ready.Load() {}`, can iterate any number of times, so a search that
// does not match states does not end. But iterations with zero effect can be left out:
//
//  1. An iteration of a loop by goroutine g has zero effect if two conditions hold. First, g's own
//     state (its stack, and the objects that only g can reach) is the same at the end of the
//     iteration as at its beginning. Second, in between g has executed only reads of atomic variables
//     or of plain memory, TryLocks and compare-and-swaps that fail, selects that take their default,
//     Gosched, and Sleep.
//  2. Take an execution with such an iteration and remove the iteration's operations. No other
//     goroutine notices, because the iteration writes nothing, and g continues as before. So the
//     rest is an execution, too, and leads to the same state.
//  3. Hence it is enough to explore the executions in which no iteration has zero effect.
//
// The idea is that of GenMC's spin-assume and SAVer (Kokologiannakis, Ren and Vafeiadis: Dynamic
// Partial Order Reductions for Spinloops, FMCAD 2021): there a compiler pass replaces the exit test
// of a loop without effects by an assume statement, and a check at run time finds loops whose
// iterations have zero net effect. Here all decisions are made at run time, by comparing states:
// snapshots of g at the operations of a loop since its last effect (gstate.trail). Static analysis
// only determines where snapshots are worth their cost (package loops).
//
// With AwaitOnce an atomic operation that would complete an iteration with zero effect is not
// enabled: its goroutine is blocked, as if by an assume, until the value it is going to read has
// changed. This depends only on the goroutine and on the operation's location, so to an explorer it
// is like a lock. To decide whether the operation would complete such an iteration, the machine
// executes it speculatively, once for each value found at the location. Three cases are not
// eliminated:
//
//   - An iteration that has read different values from one location: another goroutine has
//     interfered, as with a compare-and-swap after a load. It is executed. Each such iteration
//     needs an effect of another goroutine, so an infinite number of them needs an infinite number
//     of effects.
//   - An iteration whose last operation reads plain memory is executed once, because the read may
//     be part of a data race. Then the goroutine spins (gSpinning).
//   - If waiting makes time pass, a loop that waits has an effect.
//
// A goroutine that has read two locations may be blocked at the second one after the first one has
// changed. If no goroutine is enabled in such a state, the execution is redundant (por.Redundant):
// it begins an iteration that another execution leaves out. But if no value that the blocked
// goroutines have read in their iterations has changed, they loop forever: SpinSchedule.
//
// Time passes while all goroutines wait. Goroutines that are blocked here count as waiting; natively they
// spin. Suppose that time passes while a goroutine is blocked at its second read. It has read the first
// location before that time, and a later event may change this location. So an iteration during which time
// passes is completed, not eliminated: the step that makes time pass, on which all others depend, restarts
// the trails (beginAnew). No execution is lost: a goroutine that is elsewhere in its loop when time passes
// reaches the same place by reads with the same results as before.
//
//	T1: for x.Load() == 0 && y.Load() == 0 {}      T2: time.Sleep(1); x.Store(1)
//
// Time does not pass while a goroutine is blocked here although a value that it has read has
// changed (misses): natively it does not wait.
//
// With AwaitChange, for explorers that sample schedules, a goroutine is blocked only as long as all
// values that it has read in the iteration are unchanged.

// Await is the machine's treatment of iterations with zero effect.
type Await uint8

const (
	AwaitNever  Await = iota // execute them like others
	AwaitOnce                // do not complete them: for explorers that do not match states
	AwaitChange              // do not complete them until a value read has changed: for explorers that sample
	AwaitLocked              // AwaitOnce with LockedAwaits
)

var _ reduction = (*awaitElimination)(nil)

// Await sets the treatment of iterations with zero effect. The machine must be in its initial
// state.
func (m *Machine) Await(mode Await) {
	m.reduction = nil
	m.moment++
	for _, g := range m.gs {
		g.trail, g.outcomes.valid = nil, false
	}
	if mode == AwaitNever {
		return
	}
	locked := mode == AwaitLocked || mode == AwaitOnce && m.cfg.locked == LockedAwaits
	if locked {
		mode = AwaitOnce
	}
	e := &awaitElimination{m: m, mode: mode, locked: locked, loops: m.loopTable(locked), most: mostOwn}
	if m.cfg.SmallLimits {
		e.most = 0
	}
	m.reduction = e
	for _, g := range m.gs {
		e.afterLocal(g)
	}
}

func (e *awaitElimination) samples() bool { return e.mode == AwaitChange }

// maxSnapshots is the maximum number of snapshots in a trail. A longer iteration counts as one with an
// effect.
const maxSnapshots = 64

// tooLong replaces a trail with more snapshots.
var tooLong = &snapshot{depth: maxSnapshots, digest: 1}

// stepStart has the data before a step of a goroutine with a trail.
type stepStart struct {
	from  *snapshot // nil: the step has an effect
	read  trace.Access
	of    uint64
	val   uint64
	cases []chanCase
	lock  lockStep
	clock uint64
}

// zeroEffect reports whether g's pending operation, executed now, can be part of an iteration with
// zero effect, and returns the location that it reads then.
//
//	Gosched                               reads nothing
//	Sleep, where time has no order        reads nothing
//	a load of one location, plain or      reads that location
//	atomic; TryLock, if it is going
//	to fail; a failing compare-and-swap;
//	the length of a channel
//	a select that takes its default       looks at its channels (polled)
//
// An operation that reads in another way, such as a read of a map's entry, or that reads symbolic values, is
// treated as if it had an effect.
func (e *awaitElimination) zeroEffect(g *goroutine) (read trace.Access, ok bool) {
	op := &e.m.viewOf(g).op
	in := &g.Fn.Code[g.PC]
	switch op.Kind {
	case trace.Yield:
		return read, e.m.effect(g) == loops.Yields
	case trace.TrySelect:
		return read, len(e.polled(g)) > 0
	case trace.SyncAccess:
		return op.Access[0], in.Op == bytecode.ChanLen && op.N == 1
	case trace.Sleep:
		return read, !e.m.facts.ClockUsed && !e.m.timeOrdered(g)
	case trace.Read:
		if m := e.m; m.tracking && len(m.sym.Overlaps(op.Access[0].Obj, op.Access[0].Off, op.Access[0].Size)) > 0 {
			return read, false // the read may find several values
		}
		load := in.Op >= bytecode.LdS8 && in.Op <= bytecode.LdN
		element := in.Op >= bytecode.LdXS8 && in.Op <= bytecode.LdX64
		return op.Access[0], op.N == 1 && (load || element)
	case trace.AtomicLoad, trace.Inspect, trace.TryLock, trace.TryRLock:
		if m := e.m; m.tracking && len(m.sym.Overlaps(op.Access[0].Obj, op.Access[0].Off, op.Access[0].Size)) > 0 {
			return read, false
		}
		return op.Access[0], op.N == 1 && !op.Access[0].Write && e.m.effect(g) != loops.HasEffect
	case trace.Lock, trace.RLock, trace.Unlock, trace.RUnlock:
		return read, e.lockStep(g).l != 0
	}
	return read, false
}

// polled returns the cases of the select of g if it takes its default; nil for other operations.
func (e *awaitElimination) polled(g *goroutine) []chanCase {
	m := e.m
	if op := &m.viewOf(g).op; op.Kind != trace.TrySelect || m.cfg.InTurn {
		return nil
	}
	cases := m.chanCases(g, nil)
	if m.finds(g, cases) {
		return nil
	}
	return cases
}

// mayFail reports whether the pending operation of g, which has an effect now, may have none later.
func (e *awaitElimination) mayFail(g *goroutine) bool {
	return e.m.effect(g) == loops.MayFail || g.pending.Kind == trace.TrySelect || e.locked && e.m.effect(g) == loops.Locks
}

// beforeStep implements reduction.
func (e *awaitElimination) beforeStep(g *goroutine) {
	m := e.m
	e.start.from, e.completed = nil, nil
	e.quiet, e.clock = g.pending.Kind == trace.SemAcquire, m.clock
	if g.trail == nil {
		return
	}
	if read, ok := e.zeroEffect(g); ok {
		of, val := m.value(read)
		e.start = stepStart{from: g.trail, read: read, of: of, val: val, cases: e.polled(g), lock: e.lockStep(g), clock: m.clockReads}
	}
}

// afterLocal implements reduction.
func (e *awaitElimination) afterLocal(g *goroutine) { e.arrive(g, &stepStart{}) }

// afterStep implements reduction.
func (e *awaitElimination) afterStep(g *goroutine) {
	if e.quiet || e.m.clock != e.clock {
		e.beginAnew(g)
	}
	e.completed = e.arrive(g, &e.start)
}

// beginAnew restarts the trails of all goroutines, at their present places, except that of g, which
// has made time pass.
func (e *awaitElimination) beginAnew(g *goroutine) {
	//mutant: an iteration in which time passes is left out [env TestPollPrograms]: "e.mode != AwaitOnce" -> "true"
	if e.mode != AwaitOnce {
		return
	}
	m := e.m
	for _, s := range m.living() {
		q := m.gs[s]
		switch {
		case q == g || q.trail == nil || q.trail == tooLong:
		//mutant: who spins when time passes does so forever [env TestPollPrograms]: "q.status == gSpinning" -> "false"
		case q.status == gSpinning: // q reaches its next operation again
			m.saveGoroutine(q)
			q.status, q.pending = gRunning, trace.Op{}
			m.ready = append(m.ready, q.slot)
		case q.status == gReady && q.trail.prev != nil:
			m.saveGoroutine(q)
			n := &snapshot{state: q.trail.state, stack: q.trail.stack}
			n.digest = hash.Mix(hash.Mix(hash.Mix(0, n.state[0]), 0), 0)
			q.trail, q.outcomes.valid, q.view.moment = n, false, 0
		default:
			continue
		}
		m.moment++ // other goroutines are enabled
	}
	m.runLocal()
}

// arrive takes a snapshot of g after the step that began with d, if g is in a loop that it could
// iterate with zero effect. It returns the beginning of the zero-effect iteration that the step has
// completed, or nil.
//
// arrive also detects the effects of a step that its operation does not show: the step has
// completed another goroutine's operation (advanced), or has read the clock. Output is not such an
// effect: where it counts, printing is an operation. Neither are the actions of models: they
// declare an operation for everything that others can notice (package effect).
func (e *awaitElimination) arrive(g *goroutine, d *stepStart) (start *snapshot) {
	m := e.m
	g.trail = nil
	ended := m.executionOver() || g.status != gReady || g.Fn == nil || g.overflow != nil || g.ending()
	if !m.multi || ended || m.auto || g.bubble != 0 || e.busyAlone(g) || !e.inLoop(g) {
		return nil
	}
	//mutant: a loop that looks only waits [test ./cmd/hbcheck TestScripts/looks]: drop 3
	if d.from == nil || len(m.advanced) > 0 || m.clockReads != d.clock {
		d = &stepStart{}
	}
	if _, ok := e.zeroEffect(g); !ok && !e.mayFail(g) {
		e.stopped = e.stopped || m.effect(g) == loops.Locks
		return nil // all later operations have an effect
	}
	n := &snapshot{prev: d.from, read: d.read, of: d.of, val: d.val, cases: d.cases, lock: d.lock}
	if d.from != nil {
		// This test comes before the fingerprint is computed: a loop over a text reads thousands of
		// bytes, and each byte would cost a fingerprint.
		if n.depth = d.from.depth + 1; n.depth >= maxSnapshots {
			g.trail = tooLong
			return nil
		}
		n.digest = d.from.digest
	}
	most := e.most
	if n.prev != nil && n.prev.stack != (por.Hash{}) {
		most = 0 // the state is still big
	}
	if n.state, n.stack = e.ownState(g, most); n.stack != (por.Hash{}) {
		for p := n.prev; p != nil; p = p.prev {
			//mutant: big states are their stacks [test ./internal/progen ^TestBigSpins$]: "p.stack == n.stack" -> "false"
			if p.stack == n.stack {
				n.state, _ = e.ownState(g, math.MaxInt)
				break
			}
		}
	}
	g.view.moment = 0 // the view is out of date: the operation now awaits something
	n.digest = hash.Mix(hash.Mix(hash.Mix(n.digest, n.state[0]), n.of), n.val)
	g.trail = n
	for start = n.prev; start != nil && start.state != n.state; start = start.prev {
	}
	if start != nil && !n.balanced(start) {
		g.trail = &snapshot{state: n.state, stack: n.stack, digest: hash.Mix(hash.Mix(hash.Mix(0, n.state[0]), 0), 0)}
		return nil
	}
	switch {
	case start == nil, e.speculating:
	case e.mode == AwaitChange || n.interfered(start):
		g.trail = start // as if g had not left the loop
	default:
		g.serial.valid = false
		m.setSpinning(g)
	}
	return start
}

// A goroutine that is alone waits for no other one: only its endless loops have iterations with zero effect.
// So on a long path the machine takes snapshots of such a goroutine only in some steps. (A package whose
// initialiser reads tables after its first goroutine has ended makes ten thousand steps.) An endless loop has
// many steps, and one of them is not skipped.
const (
	lonelySteps  = 4096             // number of steps of a path before some are skipped; also the length of a period
	lonelyLooked = 4 * maxSnapshots // steps of each period that are not skipped
)

// busyAlone reports whether g is alone, at one of the steps that are skipped.
func (e *awaitElimination) busyAlone(g *goroutine) bool {
	//mutant: a loop without end is left out [test ./internal/progen TestSpins]: "e.m.steps < lonelySteps || " -> ""
	//mutant: a goroutine alone never waits in vain [test ./cmd/hbcheck TestScripts/lonely]: "e.m.steps < lonelySteps || " -> "false && "
	if e.m.steps < lonelySteps || e.m.steps%lonelySteps >= lonelySteps-lonelyLooked {
		return false
	}
	return !slices.ContainsFunc(e.m.living(), func(s uint32) bool { return e.m.gs[s] != g && e.m.gs[s].status != gEnded })
}

// interfered reports whether one location was read with different values between start and n.
func (n *snapshot) interfered(start *snapshot) bool {
	for a := n; a != start; a = a.prev {
		for b := a.prev; b != start && a.read.Size > 0; b = b.prev {
			if a.read == b.read && a.of == b.of && a.val != b.val {
				return true
			}
		}
	}
	return false
}

// awaits implements reduction.
func (e *awaitElimination) awaits(g *goroutine) trace.Awaiting {
	switch {
	case e.mode != AwaitOnce || g.trail == tooLong || e.m.effect(g) == loops.Locks:
		return trace.NoAwait
	case e.m.effect(g) == loops.MayFail:
		return trace.AwaitWrite
	}
	return trace.AwaitRead
}

// blocks implements reduction.
func (e *awaitElimination) blocks(g *goroutine) bool {
	if e.speculating || g.trail == tooLong || e.m.effect(g) == loops.Locks {
		return false
	}
	if e.mode == AwaitOnce && e.m.viewOf(g).op.Kind.Plain() {
		return false
	}
	t := e.outcomeOf(g)
	return t.start != nil && (e.mode == AwaitOnce || e.unchanged(g, g.trail, t.start))
}

// outcomeOf returns the outcome of g's pending operation.
func (e *awaitElimination) outcomeOf(g *goroutine) outcome {
	read, ok := e.zeroEffect(g)
	if !ok {
		return outcome{}
	}
	_, val := e.m.value(read)
	if !g.outcomes.valid {
		g.outcomes = outcomes{valid: true}
	}
	for i := range g.outcomes.known {
		if t := &g.outcomes.known[i]; t.valid && t.val == val {
			return *t
		}
	}
	r := g.outcomes // outcomes become invalid when g moves
	var t outcome
	e.speculating = true
	e.m.speculate(func() { t = e.execute(g) })
	e.speculating = false
	t.valid, t.val = true, val
	r.known[r.next%len(r.known)] = t
	r.next++
	g.outcomes = r
	return t
}

// maxIdle is the maximum number of operations that an iteration may have after its last read.
const maxIdle = 8

// execute executes g's pending operation, and the operations after it until one reads.
//
// Operations without a read follow at once: in for !x.Load() { runtime.Gosched() } the iteration
// ends after Gosched, so x.Load is the operation to block.
func (e *awaitElimination) execute(g *goroutine) (t outcome) {
	base := g.trail
	for t.steps < maxIdle {
		t.steps++
		e.m.step(g, 0)
		start := e.completed
		if start != nil && !g.trail.interfered(start) {
			t.start = start
			for s := base; s != start; s = s.prev {
				if s == nil { // the iteration began after g's present snapshot
					t.start = nil
					break
				}
			}
			break
		}
		if start != nil || g.trail == nil || g.trail == tooLong || g.status != gReady {
			break
		}
		if read, ok := e.zeroEffect(g); !ok || read.Size > 0 || g.pending.Kind == trace.TrySelect || e.m.effect(g) == loops.Locks {
			break
		}
	}
	return t
}

// unchanged reports whether all values that g has read between two snapshots are unchanged, and no case of
// its selects has become ready.
func (e *awaitElimination) unchanged(g *goroutine, n, start *snapshot) bool {
	for ; n != start; n = n.prev {
		if of, val := e.m.value(n.read); of != n.of || val != n.val || n.cases != nil && e.m.finds(g, n.cases) || !e.m.available(n.lock) {
			return false
		}
	}
	return true
}

// iterationOf returns the beginning of the iteration that g is prevented from completing, or has
// completed if it spins, and the number of steps of the iteration.
func (e *awaitElimination) iterationOf(g *goroutine) (start *snapshot, steps int) {
	switch {
	case g.trail == nil || g.trail == tooLong:
	case g.status == gSpinning:
		for start = g.trail.prev; start.state != g.trail.state; start = start.prev {
		}
		return start, g.trail.depth - start.depth
	case g.status == gReady && e.m.viewOf(g).n > 0 && e.m.effect(g) != loops.Locks:
		if t := e.outcomeOf(g); t.start != nil {
			return t.start, t.steps + g.trail.depth - t.start.depth
		}
	}
	return nil, 0
}

// redundant implements reduction. It reports whether a goroutine that is blocked by the reduction
// has read a value that has changed since.
//
//	T1: for x.Load() == 0 && y.Load() == 0 {}      T2: x.Store(1)
//
// T1 has read x = 0; reading y = 0 would complete the iteration, so it is blocked. T2 stores, and
// no goroutine can move any more, although T1 does not loop forever. In another execution T1 has
// not begun that iteration.
func (e *awaitElimination) redundant() bool {
	return slices.ContainsFunc(e.m.living(), func(s uint32) bool { return e.misses(e.m.gs[s]) })
}

// misses implements reduction.
func (e *awaitElimination) misses(g *goroutine) bool {
	start, _ := e.iterationOf(g)
	return start != nil && !e.unchanged(g, g.trail, start)
}

// SpinSchedule returns, in a state in which no goroutine is enabled, one iteration of each goroutine
// that can only iterate a loop with zero effect: a schedule that leads back to the same state.
func (m *Machine) SpinSchedule() (loop trace.Schedule) {
	e, ok := m.reduction.(*awaitElimination)
	if !ok {
		return nil
	}
	for _, s := range m.order {
		g := m.gs[s]
		_, steps := e.iterationOf(g)
		for range steps {
			loop = append(loop, trace.Step{G: g.ID})
		}
	}
	return loop
}

// mostOwn is the number of words from which a goroutine's own state is big. The fingerprint of a big state
// takes longer than hundreds of steps. So at first a snapshot of it has only a fingerprint of the stack. If
// an earlier snapshot has the same stack, the new one gets the fingerprint of the whole state, so the machine
// notices the second of two equal iterations.
const mostOwn = 4096

// ownState returns a fingerprint of the state that only g can change, apart from its status: its
// stack, and the objects that only g can reach. If these are more than most words, it returns a number that
// no such fingerprint has, and a fingerprint of the stack.
func (e *awaitElimination) ownState(g *goroutine, most int) (state, stack por.Hash) {
	c := &e.m.canon
	c.OwnOnly = true
	e.m.prepareWriter(false)
	c.BeginTraversal()
	e.m.serialise(&e.serial, g, &e.loops)
	ws := e.m.writeSerialised(c.Words[:0], &e.serial)
	n := len(ws)
	for i := 0; i < len(c.Queue); i++ {
		if len(ws) > most {
			c.Words, c.OwnOnly = ws, false
			stack = fingerprint.Sum(ws[:n])
			return por.Hash{hash.Mix(stack[0], 1), hash.Mix(stack[1], 2)}, stack
		}
		ws = c.WriteObject(ws, c.Queue[i])
	}
	c.Words, c.OwnOnly = ws, false
	return fingerprint.Sum(ws), por.Hash{}
}

// inLoop reports whether g is in a loop that it could iterate with zero effect, in its running
// function or in a caller.
//
// Callers count, because a loop may be in a caller and its operations in the callee.
func (e *awaitElimination) inLoop(g *goroutine) bool {
	fn, fp, pc := g.Fn, g.FP, g.executing()
	for {
		if l := e.loops.Of(fn); l.Any && l.In[pc] {
			return true
		}
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		if link>>32&frBottom != 0 {
			return false
		}
		fp, fn, pc = uint32(link), e.m.link.Code[ra>>32], callPC(link, ra)
	}
}

// awaitElimination is the reduction.
type awaitElimination struct {
	m           *Machine
	mode        Await             // not AwaitNever
	locked      bool              // iterations may lock: see await_locked.go
	stopped     bool              // locking has ended an iteration
	looking     *awaitElimination // the elimination that treats locking as without effect, for NoteCut
	loops       loops.Table
	start       stepStart  // start of the present step
	quiet       bool       // the step makes time pass because all goroutines wait
	clock       int64      // time before the step
	completed   *snapshot  // the beginning of the zero-effect iteration that the last step has completed
	speculating bool       // the present steps are going to be undone
	serial      serialised // buffer of ownState
	most        int        // mostOwn, except in tests
}

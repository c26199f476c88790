package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Await-loop elimination (spin-loop elimination, spin-assume).
//
// An await loop, such as `for !ready.Load() {}`, can iterate any number of times, so a search that
// does not compare states has no end. But iterations with zero effect can be left out:
//
//  1. An iteration of a loop by goroutine g has zero effect if g is in the same state of its own at
//     its end as at its beginning (its stack, and the objects that only g can reach), and if all
//     that g has done in between are reads of atomic variables or of plain memory, TryLocks and
//     compare-and-swaps that fail, Gosched, and Sleep.
//  2. Take an execution with such an iteration and leave the iteration's operations out. No other
//     goroutine notices, as nothing was written, and g continues as before. So the rest is an
//     execution, too, and leads to the same state.
//  3. Hence it is enough to explore the executions in which no iteration has zero effect.
//
// The idea is that of GenMC's spin-assume and SAVer (Kokologiannakis, Ren and Vafeiadis: Dynamic
// Partial Order Reductions for Spinloops, FMCAD 2021): there a compiler pass replaces the exit
// test of a loop without effects by an assume statement, and a check at run time finds loops
// whose iterations have zero net effect. Here everything is decided at run time, by comparing states:
// snapshots of g at the operations of a loop since its last effect (gstate.trail). Static analysis
// only says where snapshots are worth their cost (await_loops.go, await_counting.go).
//
// With AwaitOnce an atomic operation that would complete an iteration with zero effect is not
// enabled: its goroutine is blocked, as if by an assume, until what it is going to read has
// changed. That depends on the goroutine and on the operation's location and on nothing else,
// so to an explorer it is like a lock. Whether it would, is found by executing it speculatively,
// once for each value that is found at the location. Three things are not eliminated:
//
//   - An iteration that has read different values from one location: another goroutine has
//     interfered, as with a compare-and-swap after a load. It is executed. Each needs an effect
//     of another goroutine, so there are infinitely many only if there are of those.
//   - One whose last operation reads plain memory is executed once, because the read may be part
//     of a data race. Then the goroutine spins (gSpinning).
//   - Where time passes by waiting, a loop that waits makes a difference.
//
// A goroutine that has read two locations may be blocked at the second one when the first one has
// changed. If no goroutine is enabled then, the execution is redundant (por.Redundant): it begins
// the iteration that is left out in another execution. But if all that was read in the iterations
// of the blocked goroutines is unchanged, these loop forever: SpinSchedule.
//
// With AwaitChange, for explorers that sample schedules, a goroutine is blocked only as long as
// all that it has read in the iteration is unchanged.

// Await says what the machine does about iterations with zero effect.
type Await uint8

const (
	AwaitNever  Await = iota // they are like others
	AwaitOnce                // they are not completed: for explorers that do not match states
	AwaitChange              // they are not completed until what was read has changed: for those that sample
)

// awaitElimination is the reduction.
type awaitElimination struct {
	m           *Machine
	mode        Await // not AwaitNever
	loops       loopTable
	start       stepStart  // of the step under way
	completed   *snapshot  // where the iteration with zero effect began that the last step has completed
	speculating bool       // what is executed is going to be undone
	serial      serialised // ownState's
}

var _ reduction = (*awaitElimination)(nil)

// Await sets what is done about iterations with zero effect. The machine must be in its initial
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
	e := &awaitElimination{m: m, mode: mode, loops: loopTable{m: m}}
	m.reduction = e
	for _, g := range m.gs {
		e.afterLocal(g)
	}
}

// A snapshot is a goroutine at an operation of a loop, with how it has come there.
//
//	g.trail ─▶ │ state C, read y = 2 │ ─prev─▶ │ state B, read x = 1 │ ─prev─▶ │ state A │ ─▶ nil
//
// A is where g came to an operation of the loop after its last effect; it read x = 1 and came to B.
// If its next step leads to a state that is in the list, the steps since then are an iteration with
// zero effect. Snapshots are never written to once they are linked, as states on other paths share
// them.
type snapshot struct {
	prev   *snapshot    // the one before; nil if the goroutine has had an effect since, or is new
	depth  int          // number of snapshots before
	state  por.Hash     // the goroutine's own
	read   trace.Access // what it has read since prev, if Size > 0,
	of     uint64       // which object that was,
	val    uint64       // and the value found there
	digest uint64       // of all that, and of prev's
}

// maxSnapshots is how many snapshots are kept. A longer iteration counts as one with an effect.
const maxSnapshots = 64

// tooLong takes the place of a trail with more snapshots.
var tooLong = &snapshot{depth: maxSnapshots, digest: 1}

// outcomes remembers what a goroutine's pending operation leads to, by the value that it reads.
// Speculation costs a few steps and a rewind. A lock that is polled is looked at in many states, in
// most of which it has a value that was there before.
type outcomes struct {
	valid bool // the goroutine has not moved since
	next  int
	known [4]outcome
}

// outcome is what an operation leads to if it reads val.
type outcome struct {
	valid bool
	val   uint64
	start *snapshot // it completes the iteration with zero effect that began there; nil: it completes none
	steps int       // to get there
}

// stepStart is what is noted before a step of a goroutine with a trail.
type stepStart struct {
	from  *snapshot // nil: the step has an effect
	read  trace.Access
	of    uint64
	val   uint64
	clock uint64
}

// zeroEffect reports whether g's pending operation can be part of an iteration with zero effect, as
// it would be executed now, and what it reads then.
//
//	Gosched                               reads nothing
//	Sleep, where time has no order        reads nothing
//	a load of one location, plain or      reads that location
//	atomic; TryLock, if it is going
//	to fail; a failing compare-and-swap
//
// What reads in another way, a map's entry for one, is taken to have an effect, as is what reads
// symbolic values.
func (e *awaitElimination) zeroEffect(g *goroutine) (read trace.Access, ok bool) {
	op := &e.m.viewOf(g).op
	in := &g.fn.Code[g.pc]
	switch op.Kind {
	case trace.Yield:
		return read, e.m.effect(g) == yields
	case trace.Sleep:
		return read, !e.m.link.clockUsed && !e.m.timeOrdered(g)
	case trace.Read:
		if m := e.m; m.tracking && len(m.sym.overlaps(op.Access[0].Obj, op.Access[0].Off, op.Access[0].Size)) > 0 {
			return read, false // what it finds there is not one value
		}
		load := in.Op >= bytecode.LdS8 && in.Op <= bytecode.LdN
		element := in.Op >= bytecode.LdXS8 && in.Op <= bytecode.LdX64
		return op.Access[0], op.N == 1 && (load || element)
	case trace.AtomicLoad, trace.Inspect, trace.TryLock, trace.TryRLock:
		if m := e.m; m.tracking && len(m.sym.overlaps(op.Access[0].Obj, op.Access[0].Off, op.Access[0].Size)) > 0 {
			return read, false
		}
		return op.Access[0], op.N == 1 && !op.Access[0].Write && e.m.effect(g) != hasEffect
	}
	return read, false
}

// beforeStep implements reduction.
func (e *awaitElimination) beforeStep(g *goroutine) {
	m := e.m
	e.start.from, e.completed = nil, nil
	if g.trail == nil {
		return
	}
	if read, ok := e.zeroEffect(g); ok {
		of, val := m.value(read)
		e.start = stepStart{from: g.trail, read: read, of: of, val: val, clock: m.clockReads}
	}
}

// afterLocal implements reduction.
func (e *awaitElimination) afterLocal(g *goroutine) { e.arrive(g, &stepStart{}) }

// afterStep implements reduction.
func (e *awaitElimination) afterStep(g *goroutine) { e.completed = e.arrive(g, &e.start) }

// arrive takes a snapshot of g after the step that began with d, if g is in a loop that it could
// iterate with zero effect. It returns where the iteration with zero effect began that the step
// has completed, if it has.
//
// The effects of a step that its operation does not show are found here: it has completed another
// goroutine's operation (advanced), or the clock was read. What was printed is none: where it counts,
// printing is an operation. Nor is what models do: what others can notice of it they declare by an
// operation (package effect).
func (e *awaitElimination) arrive(g *goroutine, d *stepStart) (start *snapshot) {
	m := e.m
	g.trail = nil
	ended := m.executionOver() || g.status != gReady || g.fn == nil || g.overflow != nil || g.ending()
	if !m.multi || ended || m.auto || g.bubble != 0 || !e.loops.inLoop(g) {
		return nil
	}
	//mutant: a loop that looks only waits [test ./cmd/hbcheck TestScripts/looks]: drop 3
	if d.from == nil || len(m.advanced) > 0 || m.clockReads != d.clock {
		d = &stepStart{}
	}
	if _, ok := e.zeroEffect(g); !ok && m.effect(g) != mayFail {
		return nil // whatever comes then has an effect
	}
	n := &snapshot{prev: d.from, state: e.ownState(g), read: d.read, of: d.of, val: d.val}
	if d.from != nil {
		if n.depth = d.from.depth + 1; n.depth >= maxSnapshots {
			g.trail = tooLong
			return nil
		}
		n.digest = d.from.digest
	}
	g.view.moment = 0 // its operation awaits something
	n.digest = mix(mix(mix(n.digest, n.state[0]), n.of), n.val)
	g.trail = n
	for start = n.prev; start != nil && start.state != n.state; start = start.prev {
	}
	switch {
	case start == nil, e.speculating:
	case e.mode == AwaitChange || n.interfered(start):
		g.trail = start // as if it had not left
	default:
		g.serial.valid = false
		m.setSpinning(g)
	}
	return start
}

// interfered reports whether between start and n one location has been read with different values.
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
	case e.mode != AwaitOnce || g.trail == tooLong:
		return trace.NoAwait
	case e.m.effect(g) == mayFail:
		return trace.AwaitWrite
	}
	return trace.AwaitRead
}

// blocks implements reduction.
func (e *awaitElimination) blocks(g *goroutine) bool {
	if e.speculating || g.trail == tooLong {
		return false
	}
	if e.mode == AwaitOnce && e.m.viewOf(g).op.Kind.Plain() {
		return false
	}
	t := e.outcomeOf(g)
	return t.start != nil && (e.mode == AwaitOnce || e.unchanged(g.trail, t.start))
}

// outcomeOf returns what g's pending operation leads to.
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
	r := g.outcomes // which is invalid when g has moved
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

// maxIdle is how many operations that read nothing an iteration may have after the last one that does.
const maxIdle = 8

// execute executes g's pending operation, and what follows it as long as that reads nothing.
//
// What reads nothing follows at once: in for !x.Load() { runtime.Gosched() } the iteration ends
// after Gosched, and x.Load is what it has to be kept from.
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
		if read, ok := e.zeroEffect(g); !ok || read.Size > 0 {
			break
		}
	}
	return t
}

// unchanged reports whether all that was read between two snapshots is still there.
func (e *awaitElimination) unchanged(n, start *snapshot) bool {
	for ; n != start; n = n.prev {
		if of, val := e.m.value(n.read); of != n.of || val != n.val {
			return false
		}
	}
	return true
}

// iterationOf returns where the iteration began that g is kept from completing or, if it spins, has
// completed, and how many steps there are in it.
func (e *awaitElimination) iterationOf(g *goroutine) (start *snapshot, steps int) {
	switch {
	case g.trail == nil || g.trail == tooLong:
	case g.status == gSpinning:
		for start = g.trail.prev; start.state != g.trail.state; start = start.prev {
		}
		return start, g.trail.depth - start.depth
	case g.status == gReady && e.m.viewOf(g).n > 0:
		if t := e.outcomeOf(g); t.start != nil {
			return t.start, t.steps + g.trail.depth - t.start.depth
		}
	}
	return nil, 0
}

// redundant implements reduction: a goroutine that is kept from its next operation has read what
// has changed since.
//
//	T1: for x.Load() == 0 && y.Load() == 0 {}      T2: x.Store(1)
//
// T1 has read x = 0; to read y = 0 would complete the iteration, so it is blocked. T2 stores, and
// no goroutine moves any more, though T1 does not loop forever: in another execution it has not
// begun that iteration.
func (e *awaitElimination) redundant() bool {
	return slices.ContainsFunc(e.m.living(), func(s uint32) bool {
		g := e.m.gs[s]
		start, _ := e.iterationOf(g)
		return start != nil && !e.unchanged(g.trail, start)
	})
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
			loop = append(loop, trace.Step{G: g.id})
		}
	}
	return loop
}

// ownState is a fingerprint of what only g can change, apart from its status: of its stack, and of
// the objects that only g can reach.
func (e *awaitElimination) ownState(g *goroutine) por.Hash {
	c := &e.m.canon
	c.ownOnly = true
	e.m.beginTraversal()
	e.m.serialise(&e.serial, g, &e.loops)
	ws := e.m.writeSerialised(c.words[:0], &e.serial)
	for i := 0; i < len(c.queue); i++ {
		ws = e.m.writeObject(ws, c.queue[i])
	}
	c.words, c.ownOnly = ws, false
	return fingerprint(ws)
}

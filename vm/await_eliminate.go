package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// A loop that waits (`for !ready.Load() {}`) can be gone round any number of times, so
// without states that are compared a search has no end. But an iteration that has no effect
// is of no use: take an execution, leave out the reads of the iteration, and what is left is an execution,
// too, that leads to the same state. So it is enough to explore the executions in which
// there is no such iteration.
//
// An iteration is found by comparing a goroutine's own state (its stack, and the objects only it can reach)
// with those it has been in since its last effect, at the operations of a loop. An effect is
// whatever is not a read of an atomic variable or of plain memory, a TryLock or compare-and-swap that
// fails, a Gosched or a Sleep.
//
// With AwaitOnce an atomic operation that would complete one is not enabled: its goroutine waits until what
// it is going to read has changed. That depends on its goroutine and on the location of the operation, and on
// nothing else, so it is like a lock. In front of each such operation it is tried out what it would lead to, once for
// each value there is. Three things are left as they are:
//
//   - An iteration that has read different values from one location has been interfered with
//     (a compare-and-swap behind a load, by another one). It is executed: every
//     such iteration needs somebody else's effect, so there is no end of them only if there is
//     no end of those.
//   - One that ends with reading plain memory is executed once, because the read may be part of a data race. Then
//     the goroutine stands still (gSpinning).
//   - Where time passes by waiting, a loop that waits makes a difference.
//
// A goroutine that has read two locations may stand in front of the second one when the first has changed. If
// nobody goes on, the execution is of no use either (por.Redundant): it has been entered
// with an iteration that has no effect. But if all that was read in the iterations of those who wait is still so, they go round
// for ever: Rounds.
//
// With AwaitChange, for explorers that take schedules one by one, a goroutine waits only as long as all
// that it has read in the iteration is still so.

// Await says what the machine does about iterations without effect.
type Await uint8

// What it does.
const (
	AwaitNever  Await = iota // they are like others
	AwaitOnce                // they are not completed: for explorers that do not match states
	AwaitChange              // they are not completed until what was read has changed: for those that sample
)

// A snapshot is a point at which a goroutine has stood since its last effect.
type snapshot struct {
	prev   *snapshot
	depth  int
	state  por.Hash     // the goroutine's own
	read   trace.Access // what it has read behind prev, if Size > 0,
	of     uint64       // which object that was,
	val    uint64       // and what was found there
	digest uint64       // of all that, and of what was before
}

// maxSnapshots is how many stops are remembered. An iteration that takes longer is like one with an effect.
const maxSnapshots = 64

// tooLong takes the place of stops that are too many.
var tooLong = &snapshot{depth: maxSnapshots, digest: 1}

// outcomes remembers of a goroutine that stands before an operation what that would lead to.
type outcomes struct {
	valid bool // it has not moved since
	next  int
	known [4]outcome
}

// outcome is what an operation leads to if it reads val.
type outcome struct {
	valid bool
	val   uint64
	start *snapshot // it completes the iteration that began there; nil: it does not complete one without effect
	steps int       // to get there
}

// Await sets what is done about iterations without effect. The machine must stand in its initial state.
func (m *Machine) Await(a Await) {
	m.await = a
	m.moment++
	for _, g := range m.gs {
		g.trail, g.outcomes.valid = nil, false
		if a != AwaitNever {
			m.afterStep(g, stepStart{})
		}
	}
}

// isZeroEffect reports whether the operation g stands before can be part of an iteration without effect, as it
// would be executed now, and what it reads then.
func (m *Machine) isZeroEffect(g *goroutine) (read trace.Access, ok bool) {
	op := &m.viewOf(g).op
	in := &g.fn.Code[g.pc]
	switch op.Kind {
	case trace.Yield:
		return read, m.effect(g) == yields
	case trace.Sleep:
		return read, !m.link.clockUsed
	case trace.Read:
		return op.Access[0], op.N == 1 && (in.Op >= bytecode.LdS8 && in.Op <= bytecode.LdN || in.Op >= bytecode.LdXS8 && in.Op <= bytecode.LdX64)
	case trace.AtomicLoad, trace.TryLock, trace.TryRLock:
		return op.Access[0], op.N == 1 && !op.Access[0].Write && m.effect(g) != hasEffect
	}
	return read, false
}

// effect returns what effect the native has that g stands before, if it does.
func (m *Machine) effect(g *goroutine) effect {
	in := &g.fn.Code[g.pc]
	if in.Op != bytecode.CallN {
		return hasEffect
	}
	return m.natives[in.Imm32()].effect
}

// stepStart is what is noted when a goroutine leaves a stop.
type stepStart struct {
	from  *snapshot
	read  trace.Access
	of    uint64
	val   uint64
	out   int
	clock uint64
}

// beforeStep is called in front of a step of g, who stands at a stop.
func (m *Machine) beforeStep(g *goroutine) stepStart {
	m.hidden = false
	d := stepStart{from: g.trail, out: len(m.out), clock: m.clockReads}
	ok := false
	if d.read, ok = m.isZeroEffect(g); !ok {
		return stepStart{}
	}
	d.of, d.val = m.value(d.read)
	return d
}

// afterStep notes where g stands behind a step. It returns the stop at which the iteration began that the
// step has completed without effect, if it has.
func (m *Machine) afterStep(g *goroutine, d stepStart) (start *snapshot) {
	g.trail = nil
	if !m.multi || m.executionOver() || g.status != gReady || g.fn == nil || g.overflow != nil || m.timeOrdered(g) || !m.inLoop(g) {
		return nil
	}
	if len(m.advanced) > 0 || m.hidden || len(m.out) != d.out || m.clockReads != d.clock {
		d = stepStart{}
	}
	if _, ok := m.isZeroEffect(g); !ok && m.effect(g) != mayFail {
		return nil // whatever comes then has an effect
	}
	n := &snapshot{prev: d.from, state: m.ownState(g), read: d.read, of: d.of, val: d.val}
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
	case start == nil, m.speculating:
	case m.await == AwaitChange || n.interfered(start):
		g.trail = start // as if it had not left
	default:
		g.status, g.serial.valid = gSpinning, false
		g.pending = trace.Op{G: g.id, Kind: trace.Spin, Func: g.fn.ID, PC: uint32(g.pc)}
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

// awaiting returns how the operation g stands before depends on what others write.
func (m *Machine) awaiting(g *goroutine) trace.Awaiting {
	switch {
	case m.await != AwaitOnce || g.trail == tooLong:
		return trace.NoAwait
	case m.effect(g) == mayFail:
		return trace.AwaitWrite
	}
	return trace.AwaitRead
}

// awaitBlocked reports whether g is not to execute the operation it stands before.
func (m *Machine) awaitBlocked(g *goroutine) bool {
	if m.speculating || g.trail == nil || g.trail == tooLong {
		return false
	}
	if m.await == AwaitOnce && m.viewOf(g).op.Kind.Plain() {
		return false
	}
	t := m.outcomeOf(g)
	return t.start != nil && (m.await == AwaitOnce || m.readsUnchanged(g.trail, t.start))
}

// outcomeOf returns what the operation g stands before leads to.
func (m *Machine) outcomeOf(g *goroutine) outcome {
	read, ok := m.isZeroEffect(g)
	if !ok {
		return outcome{}
	}
	_, val := m.value(read)
	if !g.outcomes.valid {
		g.outcomes = outcomes{valid: true}
	}
	for i := range g.outcomes.known {
		if t := &g.outcomes.known[i]; t.valid && t.val == val {
			return *t
		}
	}
	r := g.outcomes // which is invalid when g has moved
	t := m.speculate(g)
	t.valid, t.val = true, val
	r.known[r.next%len(r.known)] = t
	r.next++
	g.outcomes = r
	return t
}

// maxIdle is how many operations that read nothing an iteration may have behind the last one that does.
const maxIdle = 8

// speculate executes the operation g stands before, and what comes then as long as that reads nothing, and undoes it all.
func (m *Machine) speculate(g *goroutine) (t outcome) {
	moved, arrivals, cnt, reads := m.advanced, m.arrivals, m.cnt, m.clockReads
	races, check, observer := m.race, m.check, m.heap.allocated
	started := m.cfg.Observer
	m.advanced, m.race, m.check, m.heap.allocated, m.cfg.Observer = nil, nil, nil, nil, nil
	m.speculating = true
	k := m.Mark()
	base := g.trail
	for t.steps < maxIdle {
		t.steps++
		start := m.step(g, 0)
		if start != nil && !g.trail.interfered(start) {
			t.start = start
			for s := base; s != start; s = s.prev {
				if s == nil { // the iteration is behind this stop
					t.start = nil
					break
				}
			}
			break
		}
		if start != nil || g.trail == nil || g.trail == tooLong || g.status != gReady {
			break
		}
		if read, ok := m.isZeroEffect(g); !ok || read.Size > 0 {
			break
		}
	}
	m.Rewind(k)
	m.Release(k)
	m.speculating = false
	m.advanced, m.arrivals, m.cnt, m.clockReads = moved, arrivals, cnt, reads
	m.race, m.check, m.heap.allocated, m.cfg.Observer = races, check, observer, started
	return t
}

// value returns what object a is of and what is found there.
func (m *Machine) value(a trace.Access) (of, val uint64) {
	if a.Size == 0 {
		return 0, 0
	}
	p := m.heap.load(uint64(a.Obj)<<32|uint64(a.Off), uint64(a.Size), 0)
	if p == nil {
		return 0, 0
	}
	var buf [3]uint64
	for i, w := range writeRaw(buf[:0], p, a.Size) {
		if id := w >> 32; id >= staticLimit && w&funcBit == 0 && id < uint64(len(m.heap.objs)) { // a pointer
			w = m.identity(id) + w&(1<<32-1)
		}
		if i == 0 {
			val = w
		} else {
			val = mix(val+1, w)
		}
	}
	return m.identity(uint64(a.Obj)), val
}

// identity names an object so that no other one has the same name in any execution: as goroutines
// execute the same steps, they allocate the same objects.
func (m *Machine) identity(id uint64) uint64 {
	o := &m.heap.objs[id]
	if id < uint64(m.heap.baseLimit) || o.site == 0 {
		return mix(0, id)
	}
	return mix(mix(1, uint64(o.gid)), uint64(o.seq))
}

// readsUnchanged reports whether all that was read between two stops is still there.
func (m *Machine) readsUnchanged(n, start *snapshot) bool {
	for ; n != start; n = n.prev {
		if of, val := m.value(n.read); of != n.of || val != n.val {
			return false
		}
	}
	return true
}

// iterationOf returns where the iteration began that g does not complete or, if it stands still, has completed, and
// how many steps there are in it.
func (m *Machine) iterationOf(g *goroutine) (start *snapshot, steps int) {
	switch {
	case g.trail == nil || g.trail == tooLong:
	case g.status == gSpinning:
		for start = g.trail.prev; start.state != g.trail.state; start = start.prev {
		}
		return start, g.trail.depth - start.depth
	case g.status == gReady && m.viewOf(g).n > 0:
		if t := m.outcomeOf(g); t.start != nil {
			return t.start, t.steps + g.trail.depth - t.start.depth
		}
	}
	return nil, 0
}

// redundant reports whether somebody who waits in a state in which nobody can go on has read what is not so any more.
func (m *Machine) redundant() bool {
	return slices.ContainsFunc(m.order, func(s uint32) bool {
		g := m.gs[s]
		start, _ := m.iterationOf(g)
		return start != nil && !m.readsUnchanged(g.trail, start)
	})
}

// SpinSchedule returns, in a state in which nobody can go on, the steps of those who would only go round loops without effect: they lead
// back to the same state.
func (m *Machine) SpinSchedule() (loop trace.Schedule) {
	for _, s := range m.order {
		g := m.gs[s]
		_, steps := m.iterationOf(g)
		for range steps {
			loop = append(loop, trace.Step{G: g.id})
		}
	}
	return loop
}

// ownState is a fingerprint of what only g can change, without its fate: of its stack, and the objects that only it can reach.
func (m *Machine) ownState(g *goroutine) por.Hash {
	c := &m.canon
	c.ownOnly = true
	m.beginTraversal()
	m.serialise(&m.ownSerial, g, true)
	ws := m.writeSerialised(c.words[:0], &m.ownSerial)
	for i := 0; i < len(c.queue); i++ {
		ws = m.writeObject(ws, c.queue[i])
	}
	c.words, c.ownOnly = ws, false
	return fingerprint(ws)
}

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

// A stop is a point at which a goroutine has stood since its last effect.
type stop struct {
	prev   *stop
	depth  int
	state  por.Hash     // the goroutine's own
	read   trace.Access // what it has read behind prev, if Size > 0,
	of     uint64       // which object that was,
	val    uint64       // and what was found there
	digest uint64       // of all that, and of what was before
}

// maxStops is how many stops are remembered. An iteration that takes longer is like one with an effect.
const maxStops = 64

// lost takes the place of stops that are too many.
var lost = &stop{depth: maxStops, digest: 1}

// round remembers of a goroutine that stands before an operation what that would lead to.
type round struct {
	valid bool // it has not moved since
	next  int
	tries [4]try
}

// try is what an operation leads to if it reads val.
type try struct {
	known bool
	val   uint64
	start *stop // it completes the iteration that began there; nil: it does not complete one without effect
	steps int   // to get there
}

// Await sets what is done about iterations without effect. The machine must stand in its initial state.
func (m *Machine) Await(a Await) {
	m.await = a
	m.moment++
	for _, g := range m.gs {
		g.trail, g.round.valid = nil, false
		if a != AwaitNever {
			m.arrive(g, departure{})
		}
	}
}

// passing reports whether the operation g stands before can be part of an iteration without effect, as it
// would be executed now, and what it reads then.
func (m *Machine) passing(g *goroutine) (read trace.Access, ok bool) {
	op := &m.look(g).op
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

// departure is what is noted when a goroutine leaves a stop.
type departure struct {
	from  *stop
	read  trace.Access
	of    uint64
	val   uint64
	out   int
	clock uint64
}

// depart is called in front of a step of g, who stands at a stop.
func (m *Machine) depart(g *goroutine) departure {
	m.hidden = false
	d := departure{from: g.trail, out: len(m.out), clock: m.clockReads}
	ok := false
	if d.read, ok = m.passing(g); !ok {
		return departure{}
	}
	d.of, d.val = m.value(d.read)
	return d
}

// arrive notes where g stands behind a step. It returns the stop at which the iteration began that the
// step has completed without effect, if it has.
func (m *Machine) arrive(g *goroutine, d departure) (start *stop) {
	g.trail = nil
	if !m.multi || m.over() || g.status != gReady || g.fn == nil || g.doom != nil || m.timeOrdered(g) || !m.inLoop(g) {
		return nil
	}
	if len(m.moved) > 0 || m.hidden || len(m.out) != d.out || m.clockReads != d.clock {
		d = departure{}
	}
	if _, ok := m.passing(g); !ok && m.effect(g) != mayFail {
		return nil // whatever comes then has an effect
	}
	n := &stop{prev: d.from, state: m.ownState(g), read: d.read, of: d.of, val: d.val}
	if d.from != nil {
		if n.depth = d.from.depth + 1; n.depth >= maxStops {
			g.trail = lost
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
	case start == nil, m.trying:
	case m.await == AwaitChange || n.interfered(start):
		g.trail = start // as if it had not left
	default:
		g.status, g.transcript.valid = gSpinning, false
		g.pending = trace.Op{G: g.id, Kind: trace.Spin, Func: g.fn.ID, PC: uint32(g.pc)}
	}
	return start
}

// interfered reports whether between start and n one location has been read with different values.
func (n *stop) interfered(start *stop) bool {
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
	case m.await != AwaitOnce || g.trail == lost:
		return trace.NoAwait
	case m.effect(g) == mayFail:
		return trace.AwaitWrite
	}
	return trace.AwaitRead
}

// doomed reports whether g is not to execute the operation it stands before.
func (m *Machine) doomed(g *goroutine) bool {
	if m.trying || g.trail == nil || g.trail == lost {
		return false
	}
	if m.await == AwaitOnce && m.look(g).op.Kind.Plain() {
		return false
	}
	t := m.try(g)
	return t.start != nil && (m.await == AwaitOnce || m.holds(g.trail, t.start))
}

// try returns what the operation g stands before leads to.
func (m *Machine) try(g *goroutine) try {
	read, ok := m.passing(g)
	if !ok {
		return try{}
	}
	_, val := m.value(read)
	if !g.round.valid {
		g.round = round{valid: true}
	}
	for i := range g.round.tries {
		if t := &g.round.tries[i]; t.known && t.val == val {
			return *t
		}
	}
	r := g.round // which is invalid when g has moved
	t := m.tryOut(g)
	t.known, t.val = true, val
	r.tries[r.next%len(r.tries)] = t
	r.next++
	g.round = r
	return t
}

// maxIdle is how many operations that read nothing an iteration may have behind the last one that does.
const maxIdle = 8

// tryOut executes the operation g stands before, and what comes then as long as that reads nothing, and undoes it all.
func (m *Machine) tryOut(g *goroutine) (t try) {
	moved, arrivals, cnt, reads := m.moved, m.arrivals, m.cnt, m.clockReads
	races, check, observer := m.race, m.check, m.heap.allocated
	started := m.cfg.Observer
	m.moved, m.race, m.check, m.heap.allocated, m.cfg.Observer = nil, nil, nil, nil, nil
	m.trying = true
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
		if start != nil || g.trail == nil || g.trail == lost || g.status != gReady {
			break
		}
		if read, ok := m.passing(g); !ok || read.Size > 0 {
			break
		}
	}
	m.Rewind(k)
	m.Release(k)
	m.trying = false
	m.moved, m.arrivals, m.cnt, m.clockReads = moved, arrivals, cnt, reads
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

// holds reports whether all that was read between two stops is still there.
func (m *Machine) holds(n, start *stop) bool {
	for ; n != start; n = n.prev {
		if of, val := m.value(n.read); of != n.of || val != n.val {
			return false
		}
	}
	return true
}

// circle returns where the iteration began that g does not complete or, if it stands still, has completed, and
// how many steps there are in it.
func (m *Machine) circle(g *goroutine) (start *stop, steps int) {
	switch {
	case g.trail == nil || g.trail == lost:
	case g.status == gSpinning:
		for start = g.trail.prev; start.state != g.trail.state; start = start.prev {
		}
		return start, g.trail.depth - start.depth
	case g.status == gReady && m.look(g).n > 0:
		if t := m.try(g); t.start != nil {
			return t.start, t.steps + g.trail.depth - t.start.depth
		}
	}
	return nil, 0
}

// redundant reports whether somebody who waits in a state in which nobody can go on has read what is not so any more.
func (m *Machine) redundant() bool {
	return slices.ContainsFunc(m.order, func(s uint32) bool {
		g := m.gs[s]
		start, _ := m.circle(g)
		return start != nil && !m.holds(g.trail, start)
	})
}

// Rounds returns, in a state in which nobody can go on, the steps of those who would only go round loops without effect: they lead
// back to the same state.
func (m *Machine) Rounds() (loop trace.Schedule) {
	for _, s := range m.order {
		g := m.gs[s]
		_, steps := m.circle(g)
		for range steps {
			loop = append(loop, trace.Step{G: g.id})
		}
	}
	return loop
}

// ownState is a fingerprint of what only g can change, without its fate: of its stack, and the objects that only it can reach.
func (m *Machine) ownState(g *goroutine) por.Hash {
	c := &m.can
	c.own = true
	m.begin()
	m.transcribe(&m.copied, g, true)
	ws := m.writeTranscript(c.words[:0], &m.copied)
	for i := 0; i < len(c.queue); i++ {
		ws = m.writeObject(ws, c.queue[i])
	}
	c.words, c.own = ws, false
	return fingerprint(ws)
}

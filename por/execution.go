package por

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// intended is an operation that a goroutine stands before.
type intended struct {
	trace.Op
	tangled bool // it depends on everything the others do, and they on it
}

// next returns what g stands before.
func (x *execution) next(g trace.GID) intended { return intended{x.sys.Next(g), x.sys.Entangled(g)} }

// A move is a step by its stable name (see Effects.Label).
type move struct {
	g     trace.GID
	label uint64
}

// executed is an operation that has been executed.
type executed struct {
	move
	n    uint32    // number among the events its goroutine has executed, from 1
	near uint64    // see execution.near
	op   intended  // as it was then,
	with intended  // and that of the goroutine it met, if any,
	mate trace.GID // which is this
	undo int       // len(execution.moved) before it
	// over marks an event that has ended the whole execution. It has been undone since, and the path goes
	// on as if it had been executed but its goroutine were the only one that knows.
	over bool
	// adding is what it has done to the counter of a WaitGroup, and unit the event that has added what
	// it takes (see matched).
	adding Adding
	unit   int32
	taken  int64 // how many of what it has added belong to Dones
	// printed marks one with which it is decided what has been printed.
	printed bool
}

// execution is the path from the initial state to the present one as a partial
// order. An event happens before another if the latter depends on it, or is the
// same goroutine's, or the one who executes it was started, met or woken by it, and so
// on (Lamport 1978; Mattern 1988 for the clocks).
type execution struct {
	sys Effects
	dep dependence

	path   trace.Schedule // the same steps, by numbers of alternatives
	events []executed
	// clocks has a row of width numbers for each event: how many events of
	// each goroutine happened before it, itself included.
	clocks []uint32
	width  int

	count []uint32 // events executed, by goroutine
	last  []int32  // the last event that each has taken part in, or -1
	known []bool   // it exists
	// pending is the operation each stood before when it arrived there.
	pending []intended
	moved   []lastOf // undo log of last and pending

	// beyond is set when the happens-before relation is not enough to tell what can be executed in
	// another order: see Optimal.
	beyond bool

	races []int32 // the events that the newest one depends on directly

	able  []trace.GID // the goroutines that can move, if they have been
	asked bool        // asked for in the present state: see canMove

	tangled bool // some operation so far was: see near
	wait    []trace.GID
	buf     []trace.GID

	group, tried []int32 // see regroups
	start        int64
	needed       []uint32
}

type lastOf struct {
	g       trace.GID
	last    int32
	known   bool
	pending intended
}

func newExecution(sys System, cfg Config) *execution {
	x := &execution{sys: effects(sys), dep: dependence{ignoreOutput: cfg.IgnoreOutput}, width: 4}
	for _, g := range x.sys.Standing(nil) {
		x.grow(int(g))
		x.known[g], x.pending[g] = true, x.next(g)
		x.beyond = x.beyond || selects(&x.pending[g].Op)
	}
	return x
}

// clock returns event i's row.
func (x *execution) clock(i int) []uint32 { return x.clocks[i*x.width : (i+1)*x.width] }

// before reports whether event i happened before an event with the clock c, or is it.
func (x *execution) before(i int, c []uint32) bool {
	e := &x.events[i]
	return c[e.g] >= e.n
}

// lastEvent returns the last event g has taken part in, or -1.
func (x *execution) lastEvent(g trace.GID) int {
	if int(g) < len(x.last) {
		return int(x.last[g])
	}
	return -1
}

// execute executes alternative choice of g's next operation. Afterwards races lists, latest
// first, the events of others that it depends on and that
// do not happen before another such event.
func (x *execution) execute(g trace.GID, choice int) {
	i := len(x.events)
	x.events = append(x.events, executed{move: move{g, x.label(g, choice)}, op: x.next(g), undo: len(x.moved), unit: noUnit})
	e := &x.events[i]
	if channel(e.op.Kind) {
		if p, ok := x.sys.Partner(g, choice); ok {
			e.with, e.mate = x.next(p), p
		}
	}
	if e.op.Kind == trace.WgAdd {
		e.adding = x.sys.Adds(g)
	}
	signals := e.op.Kind == trace.Signal || e.op.Kind == trace.Broadcast
	if signals {
		x.condWaiters()
	}
	x.sys.Step(g, choice)
	x.asked = false
	x.path = append(x.path, trace.Step{G: g, Choice: choice})
	if len(x.canMove()) == 0 {
		switch x.sys.Status() {
		case Cut:
			e.over = true
		case Ended:
			e.over = len(x.sys.Standing(x.wait[:0])) > 0
			e.printed = !x.dep.ignoreOutput && (e.over || ends(e.op.Kind))
		}
	}
	x.grow(int(g))
	x.buf = x.sys.Moved(x.buf[:0])
	moved := x.buf
	for _, q := range moved {
		x.grow(int(q))
	}
	x.clocks = append(x.clocks, make([]uint32, x.width)...)
	x.part(g, i)
	// Whoever can be met only where it stands is no matter of order: it must have
	// arrived. But a Signal finds or does not find who waits.
	if blocks(e.op.Kind) {
		for _, q := range moved {
			x.part(q, i)
		}
	}
	x.count[g]++
	e.n = x.count[g]
	c := x.clock(i)
	c[g] = e.n
	e.near = x.near(e)
	x.races = x.races[:0]
	for j := i - 1; j >= 0; j-- {
		if f := &x.events[j]; c[f.g] < f.n && (f.near&e.near != 0 || x.tangled) && x.dependent(f, e) {
			x.races = append(x.races, int32(j))
			x.join(c, j)
		}
	}
	switch {
	case blocks(e.op.Kind):
	case signals:
		for _, q := range x.wait {
			if x.sys.Next(q).Kind != trace.CondWait {
				x.part(q, i)
			}
		}
		for _, q := range moved {
			if !x.known[q] {
				x.part(q, i)
			}
		}
	default:
		for _, q := range moved {
			// Who stands before Wait is told of the zero, which is only a matter of its being enabled.
			if e.op.Kind != trace.WgAdd || !x.known[q] {
				x.part(q, i)
			}
		}
	}
	x.beyond = x.beyond || x.regroups(i)
}

// selects reports whether op is a select on several channels, or one that does not wait.
func selects(op *trace.Op) bool {
	return op.Kind == trace.TrySelect || op.Kind == trace.Select && (op.N > 1 || op.Wide)
}

// label returns the stable name of an alternative.
func (x *execution) label(g trace.GID, choice int) uint64 { return x.sys.Label(g, choice) }

// canMove returns the goroutines that can move now, valid until one does.
func (x *execution) canMove() []trace.GID {
	if !x.asked {
		x.able, x.asked = x.sys.Enabled(x.able[:0]), true
	}
	return x.able
}

// near is a set of things that e is about, as bits: objects by their numbers, output and channels. Events that have none in
// common are independent, unless one is tangled.
func (x *execution) near(e *executed) (set uint64) {
	const output, channels = 1 << 62, 1 << 63
	for _, op := range [...]*intended{&e.op, &e.with} {
		for _, a := range op.Access[:op.N] {
			set |= 1 << (a.Obj % 62)
		}
		if op.Kind == trace.Output {
			set |= output
		}
		if op.Wide || channel(op.Kind) {
			set |= channels
		}
		x.tangled = x.tangled || op.tangled
	}
	if e.printed {
		set |= output
	}
	return set
}

// dependent reports whether event e, executed after f, depends on it.
func (x *execution) dependent(f, e *executed) bool {
	return x.dep.dependent(&f.op, &e.op) ||
		f.printed && e.op.Kind == trace.Output || e.printed && f.op.Kind == trace.Output ||
		e.with.Kind != trace.None && x.dep.dependent(&f.op, &e.with) ||
		f.with.Kind != trace.None && (x.dep.dependent(&f.with, &e.op) || e.with.Kind != trace.None && x.dep.dependent(&f.with, &e.with))
}

// part makes g take part in event i.
func (x *execution) part(g trace.GID, i int) {
	if x.last[g] >= 0 {
		x.join(x.clock(i), int(x.last[g]))
	}
	x.moved = append(x.moved, lastOf{g, x.last[g], x.known[g], x.pending[g]})
	x.last[g], x.known[g], x.pending[g] = int32(i), true, x.next(g)
	x.beyond = x.beyond || selects(&x.pending[g].Op)
}

// join makes what happened before event j happen before the event with clock c.
func (x *execution) join(c []uint32, j int) {
	for g, n := range x.clock(j) {
		c[g] = max(c[g], n)
	}
}

// ends reports whether operations of kind k end the program.
func ends(k trace.Kind) bool { return k == trace.Crash || k == trace.Exit }

// condWaiters collects the goroutines that wait for a Signal.
func (x *execution) condWaiters() {
	x.wait = x.wait[:0]
	for g, known := range x.known {
		if known && x.pending[g].Kind == trace.CondWait {
			x.wait = append(x.wait, trace.GID(g))
		}
	}
}

// grow makes room for goroutine g.
func (x *execution) grow(g int) {
	for len(x.last) <= g {
		x.last = append(x.last, -1)
		x.known = append(x.known, false)
		x.pending = append(x.pending, intended{})
		x.count = append(x.count, 0)
	}
	if g < x.width {
		return
	}
	width := x.width
	for width <= g {
		width *= 2
	}
	rows := len(x.clocks) / x.width
	clocks := make([]uint32, rows*width)
	for i := range rows {
		copy(clocks[i*width:], x.clock(i))
	}
	x.clocks, x.width = clocks, width
}

// truncate forgets all events but the first n. The system must have been rewound
// to the state behind them.
func (x *execution) truncate(n int) {
	if n == len(x.events) {
		return
	}
	for i := len(x.events) - 1; i >= n; i-- {
		e := &x.events[i]
		x.count[e.g]--
		if e.unit >= 0 {
			x.events[e.unit].taken--
		}
	}
	undo := x.events[n].undo
	for i := len(x.moved) - 1; i >= undo; i-- {
		m := &x.moved[i]
		x.last[m.g], x.known[m.g], x.pending[m.g] = m.last, m.known, m.pending
	}
	x.moved = x.moved[:undo]
	x.events = x.events[:n]
	x.path = x.path[:n]
	x.clocks = x.clocks[:n*x.width]
}

// bytes returns the memory it holds.
func (x *execution) bytes() int64 {
	return int64(cap(x.events))*int64(unsafe.Sizeof(executed{})) + int64(cap(x.clocks))*4 +
		int64(cap(x.moved))*int64(unsafe.Sizeof(lastOf{})) + int64(cap(x.path))*int64(unsafe.Sizeof(trace.Step{}))
}

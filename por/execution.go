package por

import (
	"math/bits"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// intended is an operation that a goroutine stands before.
type intended struct {
	trace.Op
	tangled bool  // it depends on everything the others do, and they on it
	ways    int32 // how many alternatives it has now; 0: it is disabled
	// about is a set of things that the operation is about, as bits: objects by their numbers, channels, output. Two
	// operations that have none in common are independent, unless one is tangled.
	about uint64
	place place
	more  *[]trace.Access // what a select with more than two channels touches; shared
}

const (
	aboutOutput   = 1 << 62
	aboutChannels = 1 << 63
)

// aboutObject is the number of the bit for object obj.
func aboutObject(obj uint32) uint32 { return obj % 62 }

// classify fills in about.
func (n *intended) classify() {
	n.about = 0
	for i := range n.N {
		n.about |= 1 << aboutObject(n.Access[i].Obj)
	}
	if n.Kind == trace.Output {
		n.about |= aboutOutput
	}
	if n.Wide || channel(n.Kind) {
		n.about |= aboutChannels
	}
}

// simple returns the only location that the operation accesses, if nothing but that decides which others it depends on (and
// that WgAdds commute), and else one of no bytes.
func (n *intended) simple() trace.Access {
	if n.N == 1 && !n.tangled && n.about < aboutOutput && (n.Commutes == 0 || n.Commutes == trace.Compares || n.Kind == trace.WgAdd) {
		return n.Access[0]
	}
	return trace.Access{}
}

// gone reports whether somebody else has ended the goroutine that stood there: the hidden one of a timer ends when that is stopped.
func (n *intended) gone() bool { return n.Kind == trace.End && n.ways == 0 }

// arrive notes what g stands before, as it may be executed later.
func (x *execution) arrive(g trace.GID) {
	n := &x.pending[g]
	*n = *x.next(g)
	if n.Awaits != trace.NoAwait {
		x.awaits = true
		if n.Awaits == trace.AwaitWrite {
			for i := range n.Access[:n.N] {
				n.Access[i].Write = true
			}
		}
	}
	x.known[g], x.blocked[g] = true, n.blocks()
}

// A move is a step by its stable name (see Effects.Label).
type move struct {
	g     trace.GID
	label uint64
}

// executed is an operation that has been executed.
type executed struct {
	move
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
	// obj is the channel that the case of a select which it was takes an element from (grow is -1) or puts one into (1).
	obj  uint32
	grow int
	// printed marks one with which it is decided what has been printed.
	printed bool
}

// begin makes e the event of an operation. It is large, and filled in where it stays.
func (e *executed) begin(m move, op *intended, undo int) {
	e.move, e.undo, e.unit, e.taken = m, undo, noUnit, 0
	e.op = *op
	e.with.Kind, e.with.about, e.with.tangled, e.mate = trace.None, 0, false, 0
	e.over, e.printed = false, false
	e.obj, e.grow = 0, 0
	e.adding = Adding{}
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
	briefs []brief // the same events
	// clocks has a row of width numbers for each event: how many events of
	// each goroutine happened before it, itself included.
	clocks []uint32
	width  int

	count []uint32                  // events executed, by goroutine
	last  []int32                   // the last event that each has taken part in, or -1
	known []bool                    // it exists
	order []trace.GID               // all of them, in an order that does not depend on how the search went
	elder func(a, b trace.GID) bool // which is this
	// pending is the operation each stood before when it arrived there.
	pending []intended
	blocked []bool   // unless this is set it does not block
	moved   []lastOf // undo log of last and pending

	// beyond is set when the happens-before relation is not enough to tell what can be executed in
	// another order: see Optimal.
	beyond bool
	// awaits is set when somebody stands before an operation that awaits something: see Context.
	awaits bool
	// uncivil is set, and beyond, when readers do not commute, as was assumed: see rude.
	uncivil bool

	received map[uint32]uint32 // how many elements of a channel with a buffer: see placeOf

	// rf is set if reads of memory depend on what they read from only: see readsFrom. src is then what
	// each event has read from; ended says that the one that is being executed has ended the execution in another order.
	rf, ended bool
	updater   Updater // or nil
	src       []name

	races []int32 // the events that the newest one depends on directly

	// What has been asked of the present state.
	state   uint64
	able    []trace.GID // the goroutines that can move: canMove
	ableAt  uint64
	ahead   []intended // by goroutine: next
	aheadAt []uint64

	// by lists for every bit of intended.about the events that have it, of which others are no WgAdds; raises lists
	// those WgAdds that make a counter larger.
	by      [64][]int32
	others  [64]int32
	raises  []int32
	tangled bool // some event so far was
	wait    []trace.GID
	buf     []trace.GID
	cases   []Case
	fronts  []front
	touched []trace.Access

	group, tried []int32 // see regroups
	start        int64
	needed       []uint32
}

// brief is as much of an event as decides in most cases that it and a later one are independent, or
// ordered anyway. It is looked at for every earlier event when one is executed.
type brief struct {
	g     trace.GID
	n     uint32       // number among the events g has executed, from 1
	about uint64       // intended.about of all of it
	at    trace.Access // intended.simple of it
	adds  bool         // it is a WgAdd
}

type lastOf struct {
	g       trace.GID
	last    int32
	known   bool
	pending intended
}

func newExecution(sys System, cfg Config) *execution {
	x := &execution{sys: effects(sys), dep: dependence{ignoreOutput: cfg.IgnoreOutput, rude: cfg.rude}, width: 4, state: 1, received: make(map[uint32]uint32), elder: func(a, b trace.GID) bool { return a < b }}
	if e, ok := sys.(GoroutineOrder); ok {
		x.elder = e.Precedes
	}
	for _, g := range x.sys.Pending(nil) {
		x.grow(int(g))
		x.arrive(g)
		x.front(g, -1)
	}
	return x
}

// elsewhere is called when the state of the system has changed.
func (x *execution) elsewhere() { x.state++ }

// next returns what g stands before, valid until somebody moves.
func (x *execution) next(g trace.GID) *intended {
	if int(g) >= len(x.ahead) {
		x.grow(int(g))
	}
	n := &x.ahead[g]
	if x.aheadAt[g] != x.state {
		x.aheadAt[g] = x.state
		ways, tangled := x.sys.View(g, &n.Op)
		n.ways, n.tangled = int32(ways), tangled
		if x.rf {
			x.update(n)
		}
		n.classify()
		n.place = place{}
		if n.Wide || n.more != nil {
			n.more = x.wide(g, n)
		}
		if n.N == 1 && (n.Kind == trace.Send || n.Kind == trace.Recv) {
			n.place = x.placeOf(g, &n.Op)
		}
	}
	return n
}

// wide returns what n, which g stands before, touches if there is no room for that in it.
func (x *execution) wide(g trace.GID, n *intended) *[]trace.Access {
	if !n.Wide || !channel(n.Kind) {
		return nil
	}
	x.touched = x.sys.Touches(g, x.touched[:0])
	if n.more == nil || !slices.Equal(x.touched, *n.more) {
		all := slices.Clone(x.touched)
		return &all
	}
	return n.more
}

// canMove returns the goroutines that can move, valid until one does.
func (x *execution) canMove() []trace.GID {
	if x.ableAt != x.state {
		x.ableAt = x.state
		x.able = x.sys.Enabled(x.able[:0])
	}
	return x.able
}

// clock returns event i's row.
func (x *execution) clock(i int) []uint32 { return x.clocks[i*x.width : (i+1)*x.width] }

// before reports whether event i happened before an event with the clock c, or is it.
func (x *execution) before(i int, c []uint32) bool {
	e := &x.briefs[i]
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
	x.events = slices.Grow(x.events, 1)[:i+1]
	e := &x.events[i]
	e.begin(move{g, x.label(g, choice)}, x.next(g), len(x.moved))
	if channel(e.op.Kind) {
		if p, ok := x.sys.Partner(g, choice); ok {
			e.with, e.mate = *x.next(p), p
		}
	}
	if k := e.op.Kind; k == trace.Select || k == trace.TrySelect {
		x.fill(e, choice)
	}
	if e.op.Kind == trace.WgAdd {
		e.adding = x.sys.Adds(g)
	}
	signals := e.op.Kind == trace.Signal || e.op.Kind == trace.Broadcast
	if signals {
		x.condWaiters()
	}
	x.sys.Step(g, choice)
	x.elsewhere()
	if takes(&e.op) {
		x.received[e.op.Access[0].Obj]++
	}
	x.path = append(x.path, trace.Step{G: g, Choice: choice})
	if x.next(g).ways == 0 && len(x.canMove()) == 0 {
		switch x.sys.Status() {
		case Cut:
			e.over = true
		case Ended:
			e.over = x.ended || len(x.sys.Pending(x.wait[:0])) > 0
			e.printed = !x.dep.ignoreOutput && (e.over || ends(e.op.Kind))
		}
	}
	if e.over && takes(&e.op) { // it will be undone
		x.received[e.op.Access[0].Obj]--
	}
	x.buf = x.sys.Advanced(x.buf[:0])
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
	b := brief{g: g, n: x.count[g], about: e.op.about | e.with.about, adds: e.op.Kind == trace.WgAdd && !e.op.tangled}
	if e.printed {
		b.about |= aboutOutput
	} else {
		b.at = e.op.simple()
	}
	x.briefs = append(x.briefs, b)
	c := x.clock(i)
	c[g] = b.n
	x.races = x.races[:0]
	x.tangled = x.tangled || e.op.tangled || e.with.tangled
	switch {
	case x.rf:
		x.observe(i)
	case x.tangled || b.about&(b.about-1) != 0: // it is about several things
		for j := i - 1; j >= 0; j-- {
			x.relate(e, c, j)
		}
	case b.about != 0:
		bit := bits.TrailingZeros64(b.about)
		list := x.by[bit]
		if b.adds && x.others[bit] == 0 {
			list = nil // see regroups
		}
		for k := len(list) - 1; k >= 0; k-- {
			j := int(list[k])
			f := &x.briefs[j]
			if c[f.g] < f.n {
				x.relate(e, c, j)
			}
			if f.at.Size > 0 && b.at.Size > 0 {
				if !f.adds && f.at.Write && f.at.Contains(&b.at) {
					break
				}
			} else if x.events[j].op.covers(&e.op) {
				break
			}
		}
	}
	for set := b.about; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		x.by[bit] = append(x.by[bit], int32(i))
		if !b.adds {
			x.others[bit]++
		}
	}
	if e.adding.N > 0 {
		x.raises = append(x.raises, int32(i))
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
	x.uncivil = x.uncivil || !x.dep.rude && x.rude(i)
	x.beyond = x.beyond || x.uncivil || x.regroups(i)
}

// relate adds event j to races and to the clock c of e, the newest event, if e depends on it and has no other reason
// to come later.
func (x *execution) relate(e *executed, c []uint32, j int) {
	f := &x.briefs[j]
	if c[f.g] >= f.n {
		return
	}
	switch b := &x.briefs[len(x.briefs)-1]; {
	case f.adds && b.adds:
		return // see regroups
	case f.at.Size > 0 && b.at.Size > 0:
		if !f.at.Write && !b.at.Write || !f.at.Overlaps(b.at) {
			return
		}
	case !x.dependent(&x.events[j], e):
		return
	}
	x.races = append(x.races, int32(j))
	x.join(c, j)
}

// label returns the stable name of an alternative.
func (x *execution) label(g trace.GID, choice int) uint64 { return x.sys.Label(g, choice) }

// dependent reports whether event e, executed after f, depends on it.
func (x *execution) dependent(f, e *executed) bool {
	return x.dependentOp(f, &e.op, e.printed) || e.with.Kind != trace.None && x.dependentOp(f, &e.with, false)
}

// dependentOp is dependent for op without whom it meets. printed is executed.printed of it.
func (x *execution) dependentOp(f *executed, op *intended, printed bool) bool {
	return x.dep.dependent(&f.op, op) ||
		f.printed && op.Kind == trace.Output || printed && f.op.Kind == trace.Output ||
		f.with.Kind != trace.None && x.dep.dependent(&f.with, op)
}

// part makes g take part in event i.
func (x *execution) part(g trace.GID, i int) {
	if x.last[g] >= 0 {
		x.join(x.clock(i), int(x.last[g]))
	}
	n := len(x.moved)
	x.moved = slices.Grow(x.moved, 1)[:n+1]
	m := &x.moved[n]
	m.g, m.last, m.known, m.pending = g, x.last[g], x.known[g], x.pending[g]
	x.last[g] = int32(i)
	x.arrive(g)
	x.beyond = x.beyond || x.rf && !understood(&x.pending[g].Op)
	x.front(g, i)
}

// join makes what happened before event j happen before the event with clock c.
func (x *execution) join(c []uint32, j int) {
	d := x.clock(j)
	c = c[:len(d)]
	for g, n := range d {
		c[g] = max(c[g], n)
	}
}

// ends reports whether operations of kind k end the program.
func ends(k trace.Kind) bool { return k == trace.Crash || k == trace.Exit }

// condWaiters collects the goroutines that wait for a Signal.
func (x *execution) condWaiters() {
	x.wait = x.wait[:0]
	for _, g := range x.order {
		if x.known[g] && x.pending[g].Kind == trace.CondWait {
			x.wait = append(x.wait, g)
		}
	}
}

// grow makes room for goroutine g.
func (x *execution) grow(g int) {
	if g < len(x.last) {
		return
	}
	for len(x.last) <= g {
		i := len(x.order)
		for i > 0 && x.elder(trace.GID(len(x.last)), x.order[i-1]) {
			i--
		}
		x.order = slices.Insert(x.order, i, trace.GID(len(x.last)))
		x.last = append(x.last, -1)
		x.known = append(x.known, false)
		x.pending = append(x.pending, intended{})
		x.blocked = append(x.blocked, false)
		x.ahead, x.aheadAt = append(x.ahead, intended{}), append(x.aheadAt, 0)
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
	x.elsewhere()
	if n == len(x.events) {
		return
	}
	for i := len(x.events) - 1; i >= n; i-- {
		if e := &x.events[i]; e.unit >= 0 {
			x.events[e.unit].taken--
		}
		if e := &x.events[i]; takes(&e.op) && !e.over {
			x.received[e.op.Access[0].Obj]--
		}
		b := &x.briefs[i]
		x.count[b.g]--
		for set := b.about; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			x.by[bit] = x.by[bit][:len(x.by[bit])-1]
			if !b.adds {
				x.others[bit]--
			}
		}
	}
	for len(x.raises) > 0 && int(x.raises[len(x.raises)-1]) >= n {
		x.raises = x.raises[:len(x.raises)-1]
	}
	undo := x.events[n].undo
	for i := len(x.moved) - 1; i >= undo; i-- {
		m := &x.moved[i]
		x.last[m.g], x.known[m.g], x.pending[m.g] = m.last, m.known, m.pending
		x.blocked[m.g] = x.pending[m.g].blocks()
	}
	x.moved = x.moved[:undo]
	for len(x.fronts) > 0 && x.fronts[len(x.fronts)-1].at >= n {
		x.fronts = x.fronts[:len(x.fronts)-1]
	}
	x.events, x.briefs = x.events[:n], x.briefs[:n]
	x.path = x.path[:n]
	if x.rf {
		x.src = x.src[:n]
	}
	x.clocks = x.clocks[:n*x.width]
}

// bytes returns the memory it holds.
func (x *execution) bytes() int64 {
	return int64(cap(x.events))*int64(unsafe.Sizeof(executed{})+unsafe.Sizeof(brief{})) + int64(cap(x.clocks))*4 +
		int64(cap(x.moved))*int64(unsafe.Sizeof(lastOf{})) + int64(cap(x.path))*int64(unsafe.Sizeof(trace.Step{}))
}

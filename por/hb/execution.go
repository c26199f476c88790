package hb

import (
	"math/bits"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// NextOp is an operation that a goroutine stands before.
type NextOp struct {
	trace.Op
	Tangled bool  // it depends on everything the others do, and they on it
	Ways    int32 // how many alternatives it has now; 0: it is disabled
	// about is a set of things that the operation is about, as bits: objects by their numbers, channels, output. Two
	// operations that have none in common are independent, unless one is tangled.
	about uint64
	Place place
	more  *[]trace.Access // what a select with more than two channels touches; shared
}

const (
	aboutOutput   = 1 << 62
	aboutChannels = 1 << 63
)

// aboutObject is the number of the bit for object obj.
func aboutObject(obj uint32) uint32 { return obj % 62 }

// classify fills in about.
func (n *NextOp) classify() {
	n.about = 0
	for i := range n.N {
		n.about |= 1 << aboutObject(n.Access[i].Obj)
	}
	if n.Kind == trace.Output {
		n.about |= aboutOutput
	}
	if n.Wide || Channel(n.Kind) {
		n.about |= aboutChannels
	}
}

// simple returns the only location that the operation accesses, if nothing but that decides which others it depends on (and
// that WgAdds commute), and else one of no bytes.
func (n *NextOp) simple() trace.Access {
	if n.N == 1 && !n.Tangled && n.about < aboutOutput && (n.Commutes == 0 || n.Commutes == trace.Compares || n.Kind == trace.WgAdd) {
		return n.Access[0]
	}
	return trace.Access{}
}

// Gone reports whether somebody else has ended the goroutine that stood there: the hidden one of a timer ends when that is stopped.
func (n *NextOp) Gone() bool { return n.Kind == trace.End && n.Ways == 0 }

// arrive notes what g stands before, as it may be executed later.
func (x *Execution) arrive(g trace.GID) {
	n := &x.Pending[g]
	*n = *x.Next(g)
	if n.Awaits != trace.NoAwait {
		x.Awaits = true
		if n.Awaits == trace.AwaitWrite {
			for i := range n.Access[:n.N] {
				n.Access[i].Write = true
			}
		}
	}
	x.Known[g], x.Blocked[g] = true, n.Blocks()
}

// A Move is a step by its stable name (see Effects.Label).
type Move struct {
	G     trace.GID
	Label uint64
}

// Event is an operation that has been executed.
type Event struct {
	Move
	Op   NextOp    // as it was then,
	With NextOp    // and that of the goroutine it met, if any,
	Mate trace.GID // which is this
	Undo int       // len(execution.moved) before it
	// Over marks an event that has ended the whole execution. It has been undone since, and the path goes
	// on as if it had been executed but its goroutine were the only one that knows.
	Over bool
	// adding is what it has done to the counter of a WaitGroup, and unit the event that has added what
	// it takes (see matched).
	adding por.Adding
	unit   int32
	taken  int64 // how many of what it has added belong to Dones
	// Obj is the channel that the case of a select which it was takes an element from (grow is -1) or puts one into (1).
	Obj  uint32
	Grow int
	// Printed marks one with which it is decided what has been printed.
	Printed bool
}

// begin makes e the event of an operation. It is large, and filled in where it stays.
func (e *Event) begin(m Move, op *NextOp, undo int) {
	e.Move, e.Undo, e.unit, e.taken = m, undo, noUnit, 0
	e.Op = *op
	e.With.Kind, e.With.about, e.With.Tangled, e.Mate = trace.None, 0, false, 0
	e.Over, e.Printed = false, false
	e.Obj, e.Grow = 0, 0
	e.adding = por.Adding{}
}

// Execution is the path from the initial state to the present one as a partial
// order. An event happens before another if the latter depends on it, or is the
// same goroutine's, or the one who executes it was started, met or woken by it, and so
// on (Lamport 1978; Mattern 1988 for the clocks).
type Execution struct {
	Sys por.Effects
	Dep dependence

	Path   trace.Schedule // the same steps, by numbers of alternatives
	Events []Event
	Briefs []brief // the same events
	// clocks has a row of width numbers for each event: how many events of
	// each goroutine happened before it, itself included.
	clocks []uint32
	Width  int

	Count []uint32                  // events executed, by goroutine
	Last  []int32                   // the last event that each has taken part in, or -1
	Known []bool                    // it exists
	Order []trace.GID               // all of them, in an order that does not depend on how the search went
	Elder func(a, b trace.GID) bool // which is this
	// Pending is the operation each stood before when it arrived there.
	Pending []NextOp
	Blocked []bool   // unless this is set it does not block
	Moved   []lastOf // undo log of last and pending

	// Beyond is set when the happens-before relation is not enough to tell what can be executed in
	// another order: see Optimal.
	Beyond bool
	// Awaits is set when somebody stands before an operation that awaits something: see Context.
	Awaits bool
	// Uncivil is set, and beyond, when readers do not commute, as was assumed: see rude.
	Uncivil bool

	received map[uint32]uint32 // how many elements of a channel with a buffer: see placeOf

	// Rf is set if reads of memory depend on what they read from only: see ReadsFrom. src is then what
	// each event has read from; ended says that the one that is being executed has ended the execution in another order.
	Rf, Ended bool
	Updater   por.Updater // or nil
	Src       []EventID

	Races []int32 // the events that the newest one depends on directly

	// What has been asked of the present state.
	state   uint64
	able    []trace.GID // the goroutines that can move: CanMove
	ableAt  uint64
	ahead   []NextOp // by goroutine: next
	aheadAt []uint64

	// by lists for every bit of intended.about the events that have it, of which others are no WgAdds; raises lists
	// those WgAdds that make a counter larger.
	by      [64][]int32
	others  [64]int32
	raises  []int32
	tangled bool // some event so far was
	wait    []trace.GID
	buf     []trace.GID
	cases   []por.Case
	Fronts  []front
	touched []trace.Access

	group, tried []int32 // see regroups
	start        int64
	needed       []uint32
}

// brief is as much of an event as decides in most cases that it and a later one are independent, or
// ordered anyway. It is looked at for every earlier event when one is executed.
type brief struct {
	G     trace.GID
	N     uint32       // number among the events g has executed, from 1
	about uint64       // intended.about of all of it
	at    trace.Access // intended.simple of it
	adds  bool         // it is a WgAdd
}

type lastOf struct {
	G       trace.GID
	Last    int32
	Known   bool
	Pending NextOp
}

// NewExecution begins an execution in the present state of sys. rude says that readers do not
// commute: see execution.rude.
func NewExecution(sys por.System, ignoreOutput, rude bool) *Execution {
	x := &Execution{Sys: por.EffectsOf(sys), Dep: dependence{ignoreOutput: ignoreOutput, rude: rude}, Width: 4, state: 1, received: make(map[uint32]uint32), Elder: func(a, b trace.GID) bool { return a < b }}
	if e := por.CapabilitiesOf(sys).GoroutineOrder; e != nil {
		x.Elder = e.Precedes
	}
	for _, g := range x.Sys.Pending(nil) {
		x.grow(int(g))
		x.arrive(g)
		x.front(g, -1)
	}
	return x
}

// Elsewhere is called when the state of the system has changed.
func (x *Execution) Elsewhere() { x.state++ }

// Next returns what g stands before, valid until somebody moves.
func (x *Execution) Next(g trace.GID) *NextOp {
	if int(g) >= len(x.ahead) {
		x.grow(int(g))
	}
	n := &x.ahead[g]
	if x.aheadAt[g] != x.state {
		x.aheadAt[g] = x.state
		ways, tangled := x.Sys.View(g, &n.Op)
		n.Ways, n.Tangled = int32(ways), tangled
		if x.Rf {
			x.update(n)
		}
		n.classify()
		n.Place = place{}
		if n.Wide || n.more != nil {
			n.more = x.wide(g, n)
		}
		if n.N == 1 && (n.Kind == trace.Send || n.Kind == trace.Recv) {
			n.Place = x.placeOf(g, &n.Op)
		}
	}
	return n
}

// wide returns what n, which g stands before, touches if there is no room for that in it.
func (x *Execution) wide(g trace.GID, n *NextOp) *[]trace.Access {
	if !n.Wide || !Channel(n.Kind) {
		return nil
	}
	x.touched = x.Sys.Touches(g, x.touched[:0])
	if n.more == nil || !slices.Equal(x.touched, *n.more) {
		all := slices.Clone(x.touched)
		return &all
	}
	return n.more
}

// CanMove returns the goroutines that can move, valid until one does.
func (x *Execution) CanMove() []trace.GID {
	if x.ableAt != x.state {
		x.ableAt = x.state
		x.able = x.Sys.Enabled(x.able[:0])
	}
	return x.able
}

// Clock returns event i's row.
func (x *Execution) Clock(i int) []uint32 { return x.clocks[i*x.Width : (i+1)*x.Width] }

// Before reports whether event i happened before an event with the clock c, or is it.
func (x *Execution) Before(i int, c []uint32) bool {
	e := &x.Briefs[i]
	return c[e.G] >= e.N
}

// LastEvent returns the last event g has taken part in, or -1.
func (x *Execution) LastEvent(g trace.GID) int {
	if int(g) < len(x.Last) {
		return int(x.Last[g])
	}
	return -1
}

// Execute executes alternative choice of g's next operation. Afterwards races lists, latest
// first, the events of others that it depends on and that
// do not happen before another such event.
func (x *Execution) Execute(g trace.GID, choice int) {
	i := len(x.Events)
	x.Events = slices.Grow(x.Events, 1)[:i+1]
	e := &x.Events[i]
	e.begin(Move{G: g, Label: x.Label(g, choice)}, x.Next(g), len(x.Moved))
	if Channel(e.Op.Kind) {
		if p, ok := x.Sys.Partner(g, choice); ok {
			e.With, e.Mate = *x.Next(p), p
		}
	}
	if k := e.Op.Kind; k == trace.Select || k == trace.TrySelect {
		x.fill(e, choice)
	}
	if e.Op.Kind == trace.WgAdd {
		e.adding = x.Sys.Adds(g)
	}
	signals := e.Op.Kind == trace.Signal || e.Op.Kind == trace.Broadcast
	if signals {
		x.condWaiters()
	}
	x.Sys.Step(g, choice)
	x.Elsewhere()
	if takes(&e.Op) {
		x.received[e.Op.Access[0].Obj]++
	}
	x.Path = append(x.Path, trace.Step{G: g, Choice: choice})
	if x.Next(g).Ways == 0 && len(x.CanMove()) == 0 {
		switch x.Sys.Status() {
		case por.Cut:
			e.Over = true
		case por.Ended:
			e.Over = x.Ended || len(x.Sys.Pending(x.wait[:0])) > 0
			e.Printed = !x.Dep.ignoreOutput && (e.Over || ends(e.Op.Kind))
		}
	}
	if e.Over && takes(&e.Op) { // it will be undone
		x.received[e.Op.Access[0].Obj]--
	}
	x.buf = x.Sys.Advanced(x.buf[:0])
	moved := x.buf
	for _, q := range moved {
		x.grow(int(q))
	}
	x.clocks = append(x.clocks, make([]uint32, x.Width)...)
	x.part(g, i)
	// Whoever can be met only where it stands is no matter of order: it must have
	// arrived. But a Signal finds or does not find who waits.
	if Blocks(e.Op.Kind) {
		for _, q := range moved {
			x.part(q, i)
		}
	}
	x.Count[g]++
	b := brief{G: g, N: x.Count[g], about: e.Op.about | e.With.about, adds: e.Op.Kind == trace.WgAdd && !e.Op.Tangled}
	if e.Printed {
		b.about |= aboutOutput
	} else {
		b.at = e.Op.simple()
	}
	x.Briefs = append(x.Briefs, b)
	c := x.Clock(i)
	c[g] = b.N
	x.Races = x.Races[:0]
	x.tangled = x.tangled || e.Op.Tangled || e.With.Tangled
	switch {
	case x.Rf:
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
			f := &x.Briefs[j]
			if c[f.G] < f.N {
				x.relate(e, c, j)
			}
			if f.at.Size > 0 && b.at.Size > 0 {
				if !f.adds && f.at.Write && f.at.Contains(&b.at) {
					break
				}
			} else if x.Events[j].Op.covers(&e.Op) {
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
	case Blocks(e.Op.Kind):
	case signals:
		for _, q := range x.wait {
			if x.Sys.Next(q).Kind != trace.CondWait {
				x.part(q, i)
			}
		}
		for _, q := range moved {
			if !x.Known[q] {
				x.part(q, i)
			}
		}
	default:
		for _, q := range moved {
			// Who stands before Wait is told of the zero, which is only a matter of its being enabled.
			if e.Op.Kind != trace.WgAdd || !x.Known[q] {
				x.part(q, i)
			}
		}
	}
	x.Uncivil = x.Uncivil || !x.Dep.rude && x.rude(i)
	x.Beyond = x.Beyond || x.Uncivil || x.regroups(i)
}

// relate adds event j to races and to the clock c of e, the newest event, if e depends on it and has no other reason
// to come later.
func (x *Execution) relate(e *Event, c []uint32, j int) {
	f := &x.Briefs[j]
	if c[f.G] >= f.N {
		return
	}
	switch b := &x.Briefs[len(x.Briefs)-1]; {
	case f.adds && b.adds:
		return // see regroups
	case f.at.Size > 0 && b.at.Size > 0:
		if !f.at.Write && !b.at.Write || !f.at.Overlaps(b.at) {
			return
		}
	case !x.Dependent(&x.Events[j], e):
		return
	}
	x.Races = append(x.Races, int32(j))
	x.Join(c, j)
}

// Label returns the stable name of an alternative.
func (x *Execution) Label(g trace.GID, choice int) uint64 { return x.Sys.Label(g, choice) }

// Dependent reports whether event e, executed after f, depends on it.
func (x *Execution) Dependent(f, e *Event) bool {
	return x.DependentOp(f, &e.Op, e.Printed) || e.With.Kind != trace.None && x.DependentOp(f, &e.With, false)
}

// DependentOp is dependent for op without whom it meets. printed is executed.printed of it.
func (x *Execution) DependentOp(f *Event, op *NextOp, printed bool) bool {
	return x.Dep.Dependent(&f.Op, op) ||
		f.Printed && op.Kind == trace.Output || printed && f.Op.Kind == trace.Output ||
		f.With.Kind != trace.None && x.Dep.Dependent(&f.With, op)
}

// part makes g take part in event i.
func (x *Execution) part(g trace.GID, i int) {
	if x.Last[g] >= 0 {
		x.Join(x.Clock(i), int(x.Last[g]))
	}
	n := len(x.Moved)
	x.Moved = slices.Grow(x.Moved, 1)[:n+1]
	m := &x.Moved[n]
	m.G, m.Last, m.Known, m.Pending = g, x.Last[g], x.Known[g], x.Pending[g]
	x.Last[g] = int32(i)
	x.arrive(g)
	x.Beyond = x.Beyond || x.Rf && !Understood(&x.Pending[g].Op)
	x.front(g, i)
}

// Join makes what happened before event j happen before the event with clock c.
func (x *Execution) Join(c []uint32, j int) {
	d := x.Clock(j)
	c = c[:len(d)]
	for g, n := range d {
		c[g] = max(c[g], n)
	}
}

// ends reports whether operations of kind k end the program.
func ends(k trace.Kind) bool { return k == trace.Crash || k == trace.Exit }

// condWaiters collects the goroutines that wait for a Signal.
func (x *Execution) condWaiters() {
	x.wait = x.wait[:0]
	for _, g := range x.Order {
		if x.Known[g] && x.Pending[g].Kind == trace.CondWait {
			x.wait = append(x.wait, g)
		}
	}
}

// grow makes room for goroutine g.
func (x *Execution) grow(g int) {
	if g < len(x.Last) {
		return
	}
	for len(x.Last) <= g {
		i := len(x.Order)
		for i > 0 && x.Elder(trace.GID(len(x.Last)), x.Order[i-1]) {
			i--
		}
		x.Order = slices.Insert(x.Order, i, trace.GID(len(x.Last)))
		x.Last = append(x.Last, -1)
		x.Known = append(x.Known, false)
		x.Pending = append(x.Pending, NextOp{})
		x.Blocked = append(x.Blocked, false)
		x.ahead, x.aheadAt = append(x.ahead, NextOp{}), append(x.aheadAt, 0)
		x.Count = append(x.Count, 0)
	}
	if g < x.Width {
		return
	}
	width := x.Width
	for width <= g {
		width *= 2
	}
	rows := len(x.clocks) / x.Width
	clocks := make([]uint32, rows*width)
	for i := range rows {
		copy(clocks[i*width:], x.Clock(i))
	}
	x.clocks, x.Width = clocks, width
}

// Truncate forgets all events but the first n. The system must have been rewound
// to the state behind them.
func (x *Execution) Truncate(n int) {
	x.Elsewhere()
	if n == len(x.Events) {
		return
	}
	for i := len(x.Events) - 1; i >= n; i-- {
		if e := &x.Events[i]; e.unit >= 0 {
			x.Events[e.unit].taken--
		}
		if e := &x.Events[i]; takes(&e.Op) && !e.Over {
			x.received[e.Op.Access[0].Obj]--
		}
		b := &x.Briefs[i]
		x.Count[b.G]--
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
	undo := x.Events[n].Undo
	for i := len(x.Moved) - 1; i >= undo; i-- {
		m := &x.Moved[i]
		x.Last[m.G], x.Known[m.G], x.Pending[m.G] = m.Last, m.Known, m.Pending
		x.Blocked[m.G] = x.Pending[m.G].Blocks()
	}
	x.Moved = x.Moved[:undo]
	for len(x.Fronts) > 0 && x.Fronts[len(x.Fronts)-1].At >= n {
		x.Fronts = x.Fronts[:len(x.Fronts)-1]
	}
	x.Events, x.Briefs = x.Events[:n], x.Briefs[:n]
	x.Path = x.Path[:n]
	if x.Rf {
		x.Src = x.Src[:n]
	}
	x.clocks = x.clocks[:n*x.Width]
}

// Bytes returns the memory it holds.
func (x *Execution) Bytes() int64 {
	return int64(cap(x.Events))*int64(unsafe.Sizeof(Event{})+unsafe.Sizeof(brief{})) + int64(cap(x.clocks))*4 +
		int64(cap(x.Moved))*int64(unsafe.Sizeof(lastOf{})) + int64(cap(x.Path))*int64(unsafe.Sizeof(trace.Step{}))
}

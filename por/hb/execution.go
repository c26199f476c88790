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
	DependsOnAll bool  // it depends on everything the others do, and they on it
	Alternatives int32 // how many alternatives it has now; 0: it is disabled
	// footprint is a set of things that the operation is about, as bits: objects by their numbers, channels, output. Two
	// operations that have none in common are independent, unless one is tangled.
	footprint uint64
	Slot      slot
	extra     *[]trace.Access // what a select with more than two channels touches; shared
}

const (
	outputBit   = 1 << 62
	channelsBit = 1 << 63
)

// objectBit is the number of the bit for object obj.
func objectBit(obj uint32) uint32 { return obj % 62 }

// setFootprint fills in about.
func (n *NextOp) setFootprint() {
	n.footprint = 0
	for i := range n.N {
		n.footprint |= 1 << objectBit(n.Access[i].Obj)
	}
	if n.Kind == trace.Output {
		n.footprint |= outputBit
	}
	if n.Wide || n.Kind.Channels() {
		n.footprint |= channelsBit
	}
}

// singleAccess returns the only location that the operation accesses, if nothing but that decides which others it depends on (and
// that WgAdds commute), and else one of no bytes.
func (n *NextOp) singleAccess() trace.Access {
	if n.N == 1 && !n.DependsOnAll && n.footprint < outputBit && (n.Commutes == 0 || n.Commutes == trace.Compares || n.Kind == trace.WgAdd) {
		return n.Access[0]
	}
	return trace.Access{}
}

// Terminated reports whether somebody else has ended the goroutine that stood there: the hidden one of a timer ends when that is stopped.
func (n *NextOp) Terminated() bool { return n.Kind == trace.End && n.Alternatives == 0 }

// recordPending notes what g stands before, as it may be executed later.
func (x *Execution) recordPending(g trace.GID) {
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
	x.noteCommuting(n)
	x.Exists[g], x.MayBlock[g] = true, n.Blocks()
}

// A Transition is a step by its stable name (see Effects.Label).
type Transition struct {
	G     trace.GID
	Label uint64
}

// Event is an operation that has been executed.
type Event struct {
	Transition
	Op        NextOp    // as it was then,
	PartnerOp NextOp    // and that of the goroutine it met, if any,
	Partner   trace.GID // which is this
	UndoStart int       // len(execution.moved) before it
	// EndsExecution marks an event that has ended the whole execution. It has been undone since, and the path goes
	// on as if it had been executed but its goroutine were the only one that knows.
	EndsExecution bool
	// change is what it has done to the counter of a WaitGroup, and unit the event that has added what
	// it takes (see matched).
	change       por.Adding
	matched      int32
	matchedUnits int64 // how many of what it has added belong to Dones
	// BufferChan is the channel that the case of a select which it was takes an element from (grow is -1) or puts one into (1).
	BufferChan   uint32
	BufferChange int
	// arrivals are the WaitGroups at whose Wait goroutines have arrived by it: see Relation.Arrivals.
	arrivals []trace.Access
	// DependsOnOutput marks one with which it is decided what has been printed.
	DependsOnOutput bool
}

// init makes e the event of an operation. It is large, and filled in where it stays.
func (e *Event) init(m Transition, op *NextOp, undo int) {
	e.Transition, e.UndoStart, e.matched, e.matchedUnits = m, undo, unmatched, 0
	e.Op = *op
	e.PartnerOp.Kind, e.PartnerOp.footprint, e.PartnerOp.DependsOnAll, e.Partner = trace.None, 0, false, 0
	e.EndsExecution, e.DependsOnOutput = false, false
	e.BufferChan, e.BufferChange = 0, 0
	e.change = por.Adding{}
	e.arrivals = e.arrivals[:0]
}

// Execution is the path from the initial state to the present one as a partial
// order. An event happens before another if the latter depends on it, or is the
// same goroutine's, or the one who executes it was started, met or woken by it, and so
// on (Lamport 1978; Mattern 1988 for the clocks).
type Execution struct {
	Sys por.Effects
	Dep dependence
	rel Relation

	Path   trace.Schedule // the same steps, by numbers of alternatives
	Events []Event
	Keys   []eventKey // the same events
	// clocks has a row of width numbers for each event: how many events of
	// each goroutine happened before it, itself included.
	clocks []uint32
	Width  int

	Count    []uint32                  // events executed, by goroutine
	Last     []int32                   // the last event that each has taken part in, or -1
	Exists   []bool                    // it exists
	Order    []trace.GID               // all of them, in an order that does not depend on how the search went
	Precedes func(a, b trace.GID) bool // which is this
	// Pending is the operation each stood before when it arrived there.
	Pending  []NextOp
	MayBlock []bool      // unless this is set it does not block
	UndoLog  []undoEntry // undo log of last and pending

	// Unsupported is set when the happens-before relation is not enough to tell what can be executed in
	// another order: see Optimal.
	Unsupported bool
	// Awaits is set when somebody stands before an operation that awaits something: see Context.
	Awaits bool
	// Underrun is set when, with Relation.Pairwise, an operation is pending that makes a counter negative.
	Underrun bool
	none     []uint32 // see ClockAfter
	late     NextOp   // see TurnedOut
	// CommutingRefuted is set, and Unsupported, when readers or additions do not commute, as was assumed:
	// see unbalancedUnlock and noteCommuting.
	CommutingRefuted   bool
	commuting, awaited locationSet // see noteCommuting

	received map[uint32]uint32 // how many elements of a channel with a buffer: see slotOf

	// ReadsFrom is set if reads of memory depend on what they read from only: see ReadsFrom. src is then what
	// each event has read from; ended says that the one that is being executed has ended the execution in another order.
	ReadsFrom, EndedInOtherOrder bool
	Updater                      por.Updater // or nil
	Sources                      []EventID

	Races []int32 // the events that the newest one depends on directly

	// What has been asked of the present state.
	state     uint64
	enabled   []trace.GID // the goroutines that can move: Enabled
	enabledAt uint64
	next      []NextOp // by goroutine: next
	nextAt    []uint64

	// withBit lists for every bit of intended.about the events that have it, of which others are no WgAdds; raises lists
	// those WgAdds that make a counter larger.
	withBit          [64][]int32
	nonAdds          [64]int32
	positiveAdds     []int32
	someDependsOnAll bool // some event so far was
	condWaiting      []trace.GID
	advanced         []trace.GID
	cases            []por.Case
	Snapshots        []SelectSnapshot
	touched          []trace.Access

	adds, visited []int32 // see regroups
	initialCount  int64
	closure       []uint32
}

// eventKey is as much of an event as decides in most cases that it and a later one are independent, or
// ordered anyway. It is looked at for every earlier event when one is executed.
type eventKey struct {
	G         trace.GID
	N         uint32       // number among the events g has executed, from 1
	footprint uint64       // intended.about of all of it
	access    trace.Access // intended.simple of it
	wgAdd     bool         // it is a WgAdd
}

type undoEntry struct {
	G       trace.GID
	Last    int32
	Exists  bool
	Pending NextOp
}

// NewExecution begins an execution in the present state of sys.
func NewExecution(sys por.System, rel Relation) *Execution {
	dep := dependence{ignoreOutput: rel.IgnoreOutput, readersDepend: rel.ReadersDepend, pairwise: rel.Pairwise}
	x := &Execution{Sys: por.EffectsOf(sys), rel: rel, Dep: dep, Width: 4, state: 1, received: make(map[uint32]uint32), Precedes: func(a, b trace.GID) bool { return a < b }}
	if e := por.CapabilitiesOf(sys).GoroutineOrder; e != nil {
		x.Precedes = e.Precedes
	}
	for _, g := range x.Sys.Pending(nil) {
		x.grow(int(g))
		x.recordPending(g)
		x.snapshotSelect(g, -1)
	}
	return x
}

// Invalidate is called when the state of the system has changed.
func (x *Execution) Invalidate() { x.state++ }

// Next returns what g stands before, valid until somebody moves.
func (x *Execution) Next(g trace.GID) *NextOp {
	if int(g) >= len(x.next) {
		x.grow(int(g))
	}
	n := &x.next[g]
	if x.nextAt[g] != x.state {
		x.nextAt[g] = x.state
		ways, tangled := x.Sys.View(g, &n.Op)
		n.Alternatives, n.DependsOnAll = int32(ways), tangled
		if x.ReadsFrom {
			x.markUpdate(n)
		}
		if x.rel.AdditionsDepend && n.Commutes == trace.Increments {
			n.Commutes = 0
		}
		if x.rel.Pairwise && n.Kind == trace.WgAdd {
			x.pairwise(g, n)
		}
		n.setFootprint()
		n.Slot = slot{}
		if n.Wide || n.extra != nil {
			n.extra = x.extraAccesses(g, n)
		}
		if n.N == 1 && (n.Kind == trace.Send || n.Kind == trace.Recv) {
			n.Slot = x.slotOf(g, &n.Op)
		}
	}
	return n
}

// extraAccesses returns what n, which g stands before, touches if there is no room for that in it.
func (x *Execution) extraAccesses(g trace.GID, n *NextOp) *[]trace.Access {
	if !n.Wide || !n.Kind.Channels() {
		return nil
	}
	x.touched = x.Sys.Touches(g, x.touched[:0])
	if n.extra == nil || !slices.Equal(x.touched, *n.extra) {
		all := slices.Clone(x.touched)
		return &all
	}
	return n.extra
}

// Enabled returns the goroutines that can move, valid until one does.
func (x *Execution) Enabled() []trace.GID {
	if x.enabledAt != x.state {
		x.enabledAt = x.state
		x.enabled = x.Sys.Enabled(x.enabled[:0])
	}
	return x.enabled
}

// Clock returns event i's row.
func (x *Execution) Clock(i int) []uint32 { return x.clocks[i*x.Width : (i+1)*x.Width] }

// Before reports whether event i happened before an event with the clock c, or is it.
func (x *Execution) Before(i int, c []uint32) bool {
	e := &x.Keys[i]
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
	e.init(Transition{G: g, Label: x.Label(g, choice)}, x.Next(g), len(x.UndoLog))
	if e.Op.Kind.Channels() {
		if p, ok := x.Sys.Partner(g, choice); ok {
			e.PartnerOp, e.Partner = *x.Next(p), p
		}
	}
	if k := e.Op.Kind; k == trace.Select || k == trace.TrySelect {
		x.recordBufferChange(e, choice)
	}
	if e.Op.Kind == trace.WgAdd {
		e.change = x.Sys.Adds(g)
	}
	signals := e.Op.Kind == trace.Signal || e.Op.Kind == trace.Broadcast
	if signals {
		x.condWaiters()
	}
	x.Sys.Step(g, choice)
	x.Invalidate()
	if consumes(&e.Op) {
		x.received[e.Op.Access[0].Obj]++
	}
	x.Path = append(x.Path, trace.Step{G: g, Choice: choice})
	if x.Next(g).Alternatives == 0 && len(x.Enabled()) == 0 {
		switch x.Sys.Status() {
		case por.Cut:
			e.EndsExecution = true
		case por.Ended:
			e.EndsExecution = x.EndedInOtherOrder || len(x.Sys.Pending(x.condWaiting[:0])) > 0
			e.DependsOnOutput = !x.Dep.ignoreOutput && (e.EndsExecution || ends(e.Op.Kind))
		}
	}
	if e.EndsExecution && consumes(&e.Op) { // it will be undone
		x.received[e.Op.Access[0].Obj]--
	}
	x.advanced = x.Sys.Advanced(x.advanced[:0])
	moved := x.advanced
	for _, q := range moved {
		x.grow(int(q))
	}
	x.arrivals(e, g, moved)
	x.clocks = append(x.clocks, make([]uint32, x.Width)...)
	x.addParticipant(g, i)
	// Whoever can be met only where it stands is no matter of order: it must have
	// arrived. But a Signal finds or does not find who waits.
	if Blocks(e.Op.Kind) {
		for _, q := range moved {
			x.addParticipant(q, i)
		}
	}
	x.Count[g]++
	b := eventKey{G: g, N: x.Count[g], footprint: e.Op.footprint | e.PartnerOp.footprint, wgAdd: e.Op.Kind == trace.WgAdd && !e.Op.DependsOnAll && !x.rel.Pairwise}
	for _, a := range e.arrivals {
		b.footprint |= 1 << objectBit(a.Obj)
	}
	if e.DependsOnOutput {
		b.footprint |= outputBit
	} else if len(e.arrivals) == 0 && !(x.rel.Pairwise && e.Op.Kind == trace.WgAdd) {
		b.access = e.Op.singleAccess()
	}
	x.Keys = append(x.Keys, b)
	c := x.Clock(i)
	c[g] = b.N
	x.Races = x.Races[:0]
	x.someDependsOnAll = x.someDependsOnAll || e.Op.DependsOnAll || e.PartnerOp.DependsOnAll
	switch {
	case x.ReadsFrom:
		x.addReadsFrom(i)
	case x.someDependsOnAll || x.rel.SyncOnly || b.footprint&(b.footprint-1) != 0: // it is about several things
		for j := i - 1; j >= 0; j-- {
			x.addRace(e, c, j)
		}
	case b.footprint != 0:
		bit := bits.TrailingZeros64(b.footprint)
		list := x.withBit[bit]
		if b.wgAdd && x.nonAdds[bit] == 0 {
			list = nil // see regroups
		}
		for k := len(list) - 1; k >= 0; k-- {
			j := int(list[k])
			f := &x.Keys[j]
			if c[f.G] < f.N {
				x.addRace(e, c, j)
			}
			if f.access.Size > 0 && b.access.Size > 0 {
				if !f.wgAdd && f.access.Write && f.access.Contains(&b.access) {
					break
				}
			} else if x.Events[j].Op.overwrites(&e.Op) {
				break
			}
		}
	}
	for set := b.footprint; set != 0; set &= set - 1 {
		bit := bits.TrailingZeros64(set)
		x.withBit[bit] = append(x.withBit[bit], int32(i))
		if !b.wgAdd {
			x.nonAdds[bit]++
		}
	}
	if e.change.N > 0 {
		x.positiveAdds = append(x.positiveAdds, int32(i))
	}
	switch {
	case Blocks(e.Op.Kind):
	case signals:
		for _, q := range x.condWaiting {
			if x.Sys.Next(q).Kind != trace.CondWait {
				x.addParticipant(q, i)
			}
		}
		for _, q := range moved {
			if !x.Exists[q] {
				x.addParticipant(q, i)
			}
		}
	default:
		for _, q := range moved {
			// Who stands before Wait is told of the zero, which is only a matter of its being enabled.
			if e.Op.Kind != trace.WgAdd || !x.Exists[q] {
				x.addParticipant(q, i)
			}
		}
	}
	x.noteCommuting(&e.Op)
	x.CommutingRefuted = x.CommutingRefuted || !x.Dep.readersDepend && x.unbalancedUnlock(i)
	x.Unsupported = x.Unsupported || x.CommutingRefuted || !x.rel.Pairwise && x.wgOrderMatters(i)
}

// addRace adds event j to races and to the clock c of e, the newest event, if e depends on it and has no other reason
// to come later.
func (x *Execution) addRace(e *Event, c []uint32, j int) {
	f := &x.Keys[j]
	if c[f.G] >= f.N || x.rel.SyncOnly && unordered(&x.Events[j], e) {
		return
	}
	switch b := &x.Keys[len(x.Keys)-1]; {
	case f.wgAdd && b.wgAdd:
		return // see regroups
	case f.access.Size > 0 && b.access.Size > 0:
		if !f.access.Write && !b.access.Write || !f.access.Overlaps(b.access) {
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
	return x.DependentOp(f, &e.Op, e.DependsOnOutput) || e.PartnerOp.Kind != trace.None && x.DependentOp(f, &e.PartnerOp, false) ||
		len(e.arrivals) > 0 && (Overlap(e.arrivals, f.Op.Touches()) || f.PartnerOp.Kind != trace.None && Overlap(e.arrivals, f.PartnerOp.Touches()))
}

// DependentOp is dependent for op without whom it meets. printed is executed.printed of it.
func (x *Execution) DependentOp(f *Event, op *NextOp, printed bool) bool {
	return x.Dep.Dependent(&f.Op, op) ||
		f.DependsOnOutput && op.Kind == trace.Output || printed && f.Op.Kind == trace.Output ||
		f.PartnerOp.Kind != trace.None && x.Dep.Dependent(&f.PartnerOp, op) ||
		len(f.arrivals) > 0 && Overlap(f.arrivals, op.Touches())
}

// addParticipant makes g take part in event i.
func (x *Execution) addParticipant(g trace.GID, i int) {
	if x.Last[g] >= 0 {
		x.Join(x.Clock(i), int(x.Last[g]))
	}
	n := len(x.UndoLog)
	x.UndoLog = slices.Grow(x.UndoLog, 1)[:n+1]
	m := &x.UndoLog[n]
	m.G, m.Last, m.Exists, m.Pending = g, x.Last[g], x.Exists[g], x.Pending[g]
	x.Last[g] = int32(i)
	x.recordPending(g)
	x.Unsupported = x.Unsupported || x.ReadsFrom && !Supported(&x.Pending[g].Op)
	x.snapshotSelect(g, i)
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
	x.condWaiting = x.condWaiting[:0]
	for _, g := range x.Order {
		if x.Exists[g] && x.Pending[g].Kind == trace.CondWait {
			x.condWaiting = append(x.condWaiting, g)
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
		for i > 0 && x.Precedes(trace.GID(len(x.Last)), x.Order[i-1]) {
			i--
		}
		x.Order = slices.Insert(x.Order, i, trace.GID(len(x.Last)))
		x.Last = append(x.Last, -1)
		x.Exists = append(x.Exists, false)
		x.Pending = append(x.Pending, NextOp{})
		x.MayBlock = append(x.MayBlock, false)
		x.next, x.nextAt = append(x.next, NextOp{}), append(x.nextAt, 0)
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
	x.Invalidate()
	if n == len(x.Events) {
		return
	}
	for i := len(x.Events) - 1; i >= n; i-- {
		if e := &x.Events[i]; e.matched >= 0 {
			x.Events[e.matched].matchedUnits--
		}
		if e := &x.Events[i]; consumes(&e.Op) && !e.EndsExecution {
			x.received[e.Op.Access[0].Obj]--
		}
		b := &x.Keys[i]
		x.Count[b.G]--
		for set := b.footprint; set != 0; set &= set - 1 {
			bit := bits.TrailingZeros64(set)
			x.withBit[bit] = x.withBit[bit][:len(x.withBit[bit])-1]
			if !b.wgAdd {
				x.nonAdds[bit]--
			}
		}
	}
	for len(x.positiveAdds) > 0 && int(x.positiveAdds[len(x.positiveAdds)-1]) >= n {
		x.positiveAdds = x.positiveAdds[:len(x.positiveAdds)-1]
	}
	undo := x.Events[n].UndoStart
	for i := len(x.UndoLog) - 1; i >= undo; i-- {
		m := &x.UndoLog[i]
		x.Last[m.G], x.Exists[m.G], x.Pending[m.G] = m.Last, m.Exists, m.Pending
		x.MayBlock[m.G] = x.Pending[m.G].Blocks()
	}
	x.UndoLog = x.UndoLog[:undo]
	for len(x.Snapshots) > 0 && x.Snapshots[len(x.Snapshots)-1].At >= n {
		x.Snapshots = x.Snapshots[:len(x.Snapshots)-1]
	}
	x.Events, x.Keys = x.Events[:n], x.Keys[:n]
	x.Path = x.Path[:n]
	if x.ReadsFrom {
		x.Sources = x.Sources[:n]
	}
	x.clocks = x.clocks[:n*x.Width]
}

// Bytes returns the memory it holds.
func (x *Execution) Bytes() int64 {
	return int64(cap(x.Events))*int64(unsafe.Sizeof(Event{})+unsafe.Sizeof(eventKey{})) + int64(cap(x.clocks))*4 +
		int64(cap(x.UndoLog))*int64(unsafe.Sizeof(undoEntry{})) + int64(cap(x.Path))*int64(unsafe.Sizeof(trace.Step{}))
}

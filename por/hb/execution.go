// Package hb has the happens-before relation, on which the reductions are based: the events of an
// execution, their dependence, and their vector clocks.
//
// An Execution is the path from the initial state of a por.System to the current one. Event e happens before
// event f (Lamport 1978) if both are the same goroutine's and e comes first; if f depends on e and e comes
// first; if e started, woke or communicated with f's goroutine; and transitively. The clock of an event
// (Mattern 1988) represents the events that happen before it.
//
// Dependence is more than a property of accesses. Package hb implements the semantics of Go's
// synchronisation, in the vocabulary of package trace (trace.Row):
//
//	dependence.go   the dependence relation; RWMutex: readers commute as long as all unlocks are balanced
//	relation.go     its variants, for programs and clients that need other ones
//	chanbuf.go      channels with a buffer: which send and which receive access one element
//	receives.go     receives that change no channel
//	select.go       the cases of a select when its goroutine arrived
//	waitgroup.go    when additions to the counter of a WaitGroup commute
//	join.go         the end of an execution, in which there are no races
//	closing.go      when a close and a receive commute: one goroutine sends and closes
//	onlyreceived.go when receives are reads: no goroutine sends
//	rests.go        timers that certainly come after an event
//	looks.go        an assumption: no goroutine looks at all others
//	commuting.go    when additions and readers that a loop waits for do not commute
//	coenabled.go    races as Flanagan and Godefroid define them: may two operations be co-enabled
//	readsfrom.go    the relation of reads-from equivalence
//	operation.go    pending operations
//	participants.go the goroutines that take part in an event, and their state before it
//	execution.go    events; extending and truncating the execution
//	races.go        the earlier events on which a new one depends, and indices to find them
//	lanes.go        the indices of long executions
//	clock.go        vector clocks, and down-closed sets of events
//	duplicates.go   fingerprints of classes
//
// Guarantee: two executions with the same events and the same relation lead to the same
// state, unless Unsupported has been set in one. The relation need not be the least
// one: a select that may take or add an element depends on all operations of its channels, whichever case it
// takes.
package hb

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Transition is a step by its stable name (see por.Effects.Label).
type Transition struct {
	G     trace.GID
	Label uint64
}

// An Event is an operation that has been executed.
//
// Op is the operation while it was pending; the fields below it have the results of its execution.
type Event struct {
	Transition
	Choice    int       // the number of the event's alternative
	Op        NextOp    // the event's operation, as it was before
	PartnerOp NextOp    // the partner's operation, as it was before
	Partner   trace.GID // the goroutine with which it communicated, if any
	reach     int64     // later moments come after the event: see rests.go
	undoStart int       // len(Execution.undoLog) before the event

	// EndsExecution: it has ended the execution while other goroutines could continue. It
	// has been undone, and the path continues as if it had been executed and nothing depended
	// on it.
	EndsExecution bool
	// DependsOnOutput: it decides which output exists when the program ends.
	DependsOnOutput bool

	// For a WgAdd: its effect on the counter; for a Done: the event whose unit it has taken (see
	// waitgroup.go); for any other Add: how many of its units have been taken.
	change       por.Adding
	unit         int32
	matchedUnits int64

	// For a select: the channel from which its case takes an element (BufferChange is -1), or to which its
	// case adds one (BufferChange is 1).
	BufferChan   uint32
	BufferChange int

	// arrivals are the WaitGroups at whose Wait goroutines have arrived by it: see
	// Relation.Arrivals.
	arrivals []trace.Access
}

// Looked implements search.Executor.
func (x *Execution) Looked() int { return x.looked }

// Step returns e as a step of a schedule.
func (e *Event) Step() trace.Step { return trace.Step{G: e.G, Choice: e.Choice} }

// An eventKey is a part of an event. In most cases the key suffices to show that the event and a
// later one are independent, or ordered anyway. The execution of an event reads the key of every
// earlier one. A key is small and has no pointers, while an Event has several hundred bytes.
type eventKey struct {
	G         trace.GID
	N         uint32       // number among the events that G has executed, from 1
	footprint uint64       // footprint of all locations of the event
	access    trace.Access // NextOp.singleAccess
	wgAdd     bool         // the event is a WgAdd that commutes with others
	class     laneClass
}

// An Execution is the path from the initial state to the current one as a partial order.
//
//	Events, keys:         e0      e1      e2      e3        by number
//	clocks:               row 0   row 1   row 2   row 3     Width numbers each, by goroutine
//	undoLog:              g0      g0 g2   g2      g1 g0     goroutines that took part: see Participants
type Execution struct {
	sys por.Effects `saved:"-"`
	dep dependence
	rel Relation

	//mutant: saved: happens before without Events [resumed]: " []Event" -> " []Event `saved:\"-\"`"
	Events []Event
	//mutant: saved: happens before without keys [resumed]: "eventKey" -> "eventKey `saved:\"-\"`"
	keys []eventKey
	//mutant: saved: happens before without clocks [resumed]: "[]uint32" -> "[]uint32 `saved:\"-\"`"
	clocks  []uint32
	digests []Digest `saved:"-"` // of the first events, if they were computed
	Width   int

	// Invariants: Events, keys and the rows of clocks have the same length. keys[i].N is 1, 2, ...
	// for the events of each goroutine, so goroutine and number identify an event in every order of
	// a class (EventID). The index identifies it in this order only. By goroutine:
	//mutant: saved: happens before without Count [resumed]: "[]uint32" -> "[]uint32 `saved:\"-\"`"
	Count []uint32 // events that it has executed
	//mutant: saved: happens before without Last [resumed]: "Last     []int32" -> "Last     []int32 `saved:\"-\"`"
	Last []int32 // the last event it has taken part in, or -1
	//mutant: saved: happens before without Exists [resumed]: "  []bool" -> "  []bool `saved:\"-\"`"
	Exists []bool
	//mutant: saved: happens before without Pending [resumed]: "[]NextOp" -> "[]NextOp `saved:\"-\"`"
	Pending []NextOp // its pending operation, as it was when it arrived
	//mutant: saved: happens before without MayBlock [resumed]: "MayBlock []bool" -> "MayBlock []bool `saved:\"-\"`"
	MayBlock []bool // whether that can be disabled
	//mutant: saved: happens before without undoLog [resumed]: "Participant" -> "Participant `saved:\"-\"`"
	undoLog []Participant

	// Order has all goroutines in an order that does not depend on the search, and Precedes is that
	// order.
	//mutant: saved: happens before without Order [resumed]: "trace.GID" -> "trace.GID `saved:\"-\"`"
	Order    []trace.GID
	Precedes func(a, b trace.GID) bool `saved:"-"`

	// Races are the events of other goroutines with which the newest event e is in a race, latest first: e
	// depends on each of them, and none of them happens before another event of another goroutine on which e
	// depends.
	Races []int32
	// looked is the number of events inspected to find them.
	looked int
	// Snapshots are of the goroutines that have arrived at a select, in order.
	Snapshots []SelectSnapshot

	// With Relation.ReadsFrom: Sources has the source of each event. The client sets EndedInOtherOrder
	// if the event that is being executed has ended the execution in another order.
	EndedInOtherOrder bool
	Sources           []EventID

	repeater por.Repeater `saved:"-"` // the system, if it is a Repeater; otherwise nil

	// Findings. Each remains set when events are undone.
	Unsupported bool       // the relation cannot decide which operations can be executed in another order
	Wrong       Assumption // the assumptions without which the execution would not be Unsupported
	Awaits      bool       // an operation has been pending that awaits something

	// The same findings with Relation.Pairwise: see Refuted.
	reused   bool // the counter of a WaitGroup has grown while a goroutine could return from its Wait
	underrun bool // an operation has been pending that makes a counter negative

	// The answers of the system in the current state. state numbers the states; enabledAt and
	// nextAt have the numbers of those to which the answers belong.
	state     uint64
	enabled   []trace.GID
	enabledAt uint64
	next      []NextOp // by goroutine
	nextAt    []uint64

	// Indices of events, in order: withBit has them by the bits of their footprints, nonAdds has the events
	// that are not WgAdds, and positiveAdds the WgAdds that raise a counter.
	withBit      [64][]int32
	nonAdds      [64]int32
	positiveAdds []int32
	waitEnds     []int32           // see WaitEnds
	lanes        [65]lanes         // by bit; the last one has all events
	onAll        []int32           // events that depend on all
	everOnAll    bool              // whether an event of this path or another one has depended on all
	received     map[uint32]uint32 // by channel with a buffer: the number of elements received: see slotOf
	matching     matching
	waitArrival  bool      // a goroutine has arrived at Wait by the newest event
	seen         Commuting // see noteCommuting
	sent         channels  // see onlyreceived.go
	frozen       bool      // sent is complete: see Freeze

	// Scratch memory.
	condWaiters []trace.GID
	advanced    []trace.GID
	cases       []por.Case
	waits       []por.Case
	touched     []trace.Access
	none        []uint32 // see ClockAfter
	late        NextOp   `saved:"-"` // see TurnedOut
	again       bool     `saved:"-"` // see ExecuteAgain
	open        []suffix `saved:"-"` // see readLanes
	read        int      `saved:"-"` // for tests: number of events read in lanes
	linear      bool     `saved:"-"` // for tests: races are sought among all events
}

// NewExecution begins an execution in the current state of sys. Earlier steps of goroutines are not part
// of the execution.
func NewExecution(sys por.System, rel Relation) *Execution {
	x := &Execution{
		sys:      por.EffectsOf(sys),
		rel:      rel,
		dep:      dependence{rel.IgnoreOutput, rel.ReadersDepend, rel.Pairwise},
		Width:    4,
		Precedes: func(a, b trace.GID) bool { return a < b },
		state:    1,
		received: make(map[uint32]uint32),
	}
	x.sent = rel.Sent.set()
	can := por.CapabilitiesOf(sys)
	if e := can.Named; e != nil {
		x.Precedes = e.Precedes
	}
	x.repeater = can.Repeater
	for _, g := range x.sys.Pending(nil) {
		x.grow(int(g))
		x.recordPending(g)
		x.Unsupported = x.Unsupported || rel.aboutReads() && !supported(&x.Pending[g].Op)
		x.snapshotSelect(g, -1)
	}
	return x
}

// Invalidate is called when the state of the system has changed.
func (x *Execution) Invalidate() { x.state++ }

// Enabled returns the enabled goroutines. It is valid until a goroutine moves. The system is asked once
// in each state.
func (x *Execution) Enabled() []trace.GID {
	if x.enabledAt != x.state {
		x.enabledAt = x.state
		x.enabled = x.sys.Enabled(x.enabled[:0])
	}
	return x.enabled
}

// LastEvent returns the last event in which g has taken part, or -1.
func (x *Execution) LastEvent(g trace.GID) int {
	if int(g) < len(x.Last) {
		return int(x.Last[g])
	}
	return -1
}

// Label returns the stable name of an alternative of g's pending operation.
func (x *Execution) Label(g trace.GID, choice int) uint64 { return x.sys.Label(g, choice) }

// Partner returns the goroutine that would take part in an alternative of g's pending operation
// (see por.Effects).
func (x *Execution) Partner(g trace.GID, choice int) (partner trace.GID, ok bool) {
	return x.sys.Partner(g, choice)
}

// Cases appends the cases of g's pending operation on channels (see por.Effects).
func (x *Execution) Cases(g trace.GID, buf []por.Case) (cases []por.Case, parks bool) {
	return x.sys.Cases(g, buf)
}

// Retire is called when g's newest event has ended the execution and has been undone: g has no pending
// operation any more.
func (x *Execution) Retire(g trace.GID) { x.Pending[g] = NextOp{} }

// Execute executes an alternative of g's pending operation, in this order:
//
//  1. newEvent copies the pending operation, its partner's, and its effect on a counter, because the
//     step changes them.
//  2. The system makes the step, and names the goroutines that have advanced by it.
//  3. g takes part, and so does the partner of an operation that waits: the past of both
//     happens before the event.
//  4. findRaces completes the clock. A goroutine that the event has started or woken
//     does not take part before that: its past has no influence on the dependences of the event.
//  5. The woken goroutines take part (addWoken), and get the complete clock.
//  6. The execution as a whole shows whether the operations that the relation leaves unordered
//     commute.
func (x *Execution) Execute(g trace.GID, choice int) {
	i := len(x.Events)
	e := x.newEvent(g, choice)
	notifies := e.Op.Kind == trace.Signal || e.Op.Kind == trace.Broadcast
	if notifies {
		x.findCondWaiters()
	}
	x.step(e, choice)
	x.waitArrival = false
	x.advanced = x.sys.Advanced(x.advanced[:0])
	for _, q := range x.advanced {
		x.grow(int(q))
	}
	if x.rel.Arrivals {
		x.arrivals(e, g, x.advanced)
	}
	x.clocks = append(x.clocks, make([]uint32, x.Width)...)
	x.addParticipant(g, i)
	// A partner has to have arrived, so its arrival happens before e, and is part of the clock when
	// races are sought. Whether a Signal finds a waiter depends on the order of the two.
	blocks := Blocks(e.Op.Kind)
	//mutant: a partner does not take part [sending]
	if blocks {
		for _, q := range x.advanced {
			x.addParticipant(q, i)
		}
	}
	x.addKey(e)
	x.findRaces(i)
	x.Unsupported = x.Unsupported || x.rel.Synchronised && !x.synchronised(i)
	x.addToIndices(i)
	if !blocks && (notifies || len(x.advanced) > 0) {
		x.addWoken(i, notifies)
	}
	x.addWaitEnd(i)
	x.noteCommuting(&e.Op)
	x.noteReads(&e.Op)
	x.noteReads(&e.PartnerOp)
	if !x.dep.readersDepend && aboutLocks.Has(e.Op.Kind) && x.unbalancedUnlock(i) {
		x.refute(Commute)
	}
	aboutWaitGroups := x.waitArrival || e.Op.Kind == trace.WgAdd
	if aboutWaitGroups && !x.Unsupported && !x.rel.Pairwise {
		x.Unsupported = x.wgOrderMatters(i)
	}
}

// ExecuteAgain is Execute for an event that another worker has executed and counted.
func (x *Execution) ExecuteAgain(g trace.GID, choice int) {
	x.again = x.repeater != nil
	x.Execute(g, choice)
	x.again = false
}

// newEvent appends the event of an alternative that is about to be executed. Events are large, so it
// fills them in place. It sets all fields, because Events is reused after a Truncate, and clearing an
// event costs more than the rest. A new field has to be set here.
func (x *Execution) newEvent(g trace.GID, choice int) *Event {
	i := len(x.Events)
	x.Events = slices.Grow(x.Events, 1)[:i+1]
	e := &x.Events[i]
	e.G, e.Label, e.Choice, e.undoStart = g, x.Label(g, choice), choice, len(x.undoLog)
	e.Op = *x.Next(g)
	e.PartnerOp.Kind, e.PartnerOp.footprint, e.PartnerOp.DependsOnAll, e.Partner = trace.None, 0, false, 0
	e.reach = x.sys.Reach(g)
	e.EndsExecution, e.DependsOnOutput = false, false
	e.change, e.unit, e.matchedUnits = por.Adding{}, unmatched, 0
	e.BufferChan, e.BufferChange = 0, 0
	e.arrivals = e.arrivals[:0]
	switch k := e.Op.Kind; {
	case k == trace.WgAdd:
		e.change = x.sys.Adds(g)
		x.reused = x.reused || x.rel.Pairwise && !x.rel.Arrivals && x.reuses(g)
	case k.Channels():
		if p, ok := x.sys.Partner(g, choice); ok {
			e.PartnerOp, e.Partner = *x.Next(p), p
		}
		if k == trace.Select || k == trace.TrySelect {
			x.recordBufferChange(e, choice)
		}
	}
	return e
}

// step executes e in the system, and determines whether that has ended the execution.
//
// If a goroutine can still move, the execution has not ended. Otherwise the event has ended the
// execution in two cases: the status is Cut (an assumption of the program does not hold), or it is
// Ended and other goroutines have not ended (an exit or a crash).
func (x *Execution) step(e *Event, choice int) {
	if x.again {
		x.repeater.Repeat(e.G, choice)
	} else {
		x.sys.Step(e.G, choice)
	}
	x.Invalidate()
	if consumes(&e.Op) {
		x.received[e.Op.Access[0].Obj]++
	}
	if x.Next(e.G).Alternatives > 0 || len(x.Enabled()) > 0 {
		return
	}
	switch x.sys.Status() {
	case por.Cut:
		e.EndsExecution = true
	case por.Ended:
		e.EndsExecution = x.EndedInOtherOrder || len(x.sys.Pending(x.advanced[:0])) > 0
		//mutant: an end with a timer pending cuts off what others print [test ./internal/progen ^TestPassing$]: drop 2
		aborts := e.EndsExecution && x.sys.Aborted() || ends(e.Op.Kind)
		e.DependsOnOutput = !x.dep.ignoreOutput && aborts
	}
	if e.EndsExecution && consumes(&e.Op) { // the search will undo it
		x.received[e.Op.Access[0].Obj]--
	}
}

// addKey appends the key of e, the newest event.
//
// access is set only if it alone determines the dependences of the event. An event that has ended
// the execution depends on output, too; an event that has brought goroutines to a Wait depends on
// WaitGroups, too.
func (x *Execution) addKey(e *Event) {
	n := len(x.keys)
	x.keys = slices.Grow(x.keys, 1)[:n+1]
	k := &x.keys[n]
	x.Count[e.G]++
	k.G, k.N, k.footprint, k.access = e.G, x.Count[e.G], e.Op.footprint|e.PartnerOp.footprint, trace.Access{}
	for _, a := range e.arrivals {
		k.footprint |= 1 << objectNumber(a.Obj)
	}
	wgAdd := e.Op.Kind == trace.WgAdd
	k.wgAdd = wgAdd && !e.Op.DependsOnAll && !x.rel.Pairwise
	switch {
	case e.DependsOnOutput:
		k.footprint |= outputBit
	case len(e.arrivals) > 0, wgAdd && x.rel.Pairwise:
	default:
		k.access = e.Op.singleAccess()
	}
	k.class = x.classOf(e, k)
}

// ends reports whether operations of kind k end the program.
func ends(k trace.Kind) bool { return k.Row().Ends }

// grow makes room for goroutine g.
//
// The width of rows of clocks doubles: numbers of goroutines are dense, and few programs have
// many. Insertion keeps Order sorted by Precedes.
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

// Truncate undoes all events except the first n. The system must have been rewound to the state after
// them. Findings stay, because they belong to the search.
func (x *Execution) Truncate(n int) {
	x.Invalidate()
	if n == len(x.Events) {
		return
	}
	for i := len(x.Events) - 1; i >= n; i-- {
		x.removeFromIndices(i)
	}
	for len(x.onAll) > 0 && int(x.onAll[len(x.onAll)-1]) >= n {
		x.onAll = x.onAll[:len(x.onAll)-1]
	}
	for len(x.positiveAdds) > 0 && int(x.positiveAdds[len(x.positiveAdds)-1]) >= n {
		x.positiveAdds = x.positiveAdds[:len(x.positiveAdds)-1]
	}
	//mutant: undone events end waits [selecting]: false
	for len(x.waitEnds) > 0 && int(x.waitEnds[len(x.waitEnds)-1]) >= n {
		x.waitEnds = x.waitEnds[:len(x.waitEnds)-1]
	}
	undo := x.Events[n].undoStart
	for i := len(x.undoLog) - 1; i >= undo; i-- {
		u := &x.undoLog[i]
		x.Last[u.G], x.Exists[u.G], x.Pending[u.G] = u.Last, u.Exists, u.Pending
		x.MayBlock[u.G] = x.Pending[u.G].Blocks()
	}
	x.undoLog = x.undoLog[:undo]
	for len(x.Snapshots) > 0 && x.Snapshots[len(x.Snapshots)-1].At >= n {
		x.Snapshots = x.Snapshots[:len(x.Snapshots)-1]
	}
	x.Events, x.keys = x.Events[:n], x.keys[:n]
	if x.rel.ReadsFrom {
		x.Sources = x.Sources[:n]
	}
	//mutant: an event has the digest of another one that was executed before it [test ./por/hb TestDigests]: remove
	x.digests = x.digests[:min(n, len(x.digests))]
	x.clocks = x.clocks[:n*x.Width]
}

// Bytes returns the memory in use.
func (x *Execution) Bytes() int64 {
	const perEvent = int64(unsafe.Sizeof(Event{}) + unsafe.Sizeof(eventKey{}) + unsafe.Sizeof(Digest{}))
	const perEntry = int64(unsafe.Sizeof(Participant{}))
	return int64(cap(x.Events))*perEvent + int64(cap(x.clocks))*4 + int64(cap(x.undoLog))*perEntry
}

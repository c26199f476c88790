package search

import (
	"math/bits"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// ChainLimit is the number of steps without a choice after which a node is made anyway. It bounds how long
// a goroutine can continue while the others are not considered, and lets state matching see loops without
// choices.
const ChainLimit = 1000

// Driver steps and rewinds a system on behalf of a search, and keeps the current path: the schedule
// that leads from the initial state to the current one. A step that has ended the execution is
// undone (Undo) if the search continues without it. Then it is not on the path, but an Executor may
// still have its event.
//
//	executed:       p1  p2  x  e1         x has ended the execution, was reported and undone
//	Path:           p1  p2     e1         the argument of a visitor: it leads to the current state
//	hb.Execution:   p1  p2  x  e1         x keeps its number, because other events depend on it
//
// Invariant: whenever a visitor or the oracle is called, the system is in the state after Path. A
// watching oracle has been notified of every step and every rewinding since the search began, in
// order. The exception is Drop: after it there are no questions before the next Rewind.
type Driver struct {
	Control
	RaceReporter
	Sys      por.System `saved:"-"`
	Executor Executor   `saved:"-"` // nil: the system executes
	Size     Sizer      `saved:"-"` // nil: the system does not know its size
	Watcher  por.Oracle `saved:"-"` // the oracle, if it watches

	looked      uint64          `saved:"-"` // the oracle's count after the last question
	inspector   por.Inspector   `saved:"-"` // the visitor, if it is one
	inspected   bool            `saved:"-"` // see por.Global
	constrained por.Constrained `saved:"-"` // the system, if it is one
	peeker      por.Peeker      `saved:"-"` // the system, if it is one

	//mutant: saved: driver without Path [resumed]: "Schedule" -> "Schedule `saved:\"-\"`"
	Path    trace.Schedule
	Began   int         // length of Path where the search begins
	Enabled []trace.GID // in the current state, see Arrive

	// ByState is set if it is enough that the search reaches all states. Other searches have to execute a
	// class for each order of dependent events: see OracleAllows.
	ByState bool `saved:"-"`

	Cur trace.GID // the goroutine that moved last
	//mutant: saved: driver without Preempts [resumed]: "Preempts   int" -> "Preempts   int `saved:\"-\"`"
	Preempts int // preemptions on Path
	//mutant: saved: driver without PreemptCut [resumed]: "PreemptCut bool" -> "PreemptCut bool `saved:\"-\"`"
	PreemptCut bool // the bound on preemptions has excluded a schedule

	Estimate func(*por.Progress) `saved:"-"` // estimates the progress of the search; nil: no estimate

	// Carry is for a search that walks back along its path at each step: in a path of n steps, each
	// step counts as n/Carry further steps. 0: the length of the path costs nothing.
	Carry int `saved:"-"`

	//mutant: saved: driver without KnownRaces [resumed]: " RaceSet" -> " RaceSet `saved:\"-\"`"
	KnownRaces RaceSet
	pending    pendingAccesses
	next       trace.Op `saved:"-"` // see NextOp
	peeked     trace.Op `saved:"-"` // see peek
}

// NewDriver returns the driver of a search of sys that begins in its current state.
func NewDriver(sys por.System, v por.Visitor, cfg por.Config) Driver {
	s := Driver{Sys: sys, Control: Control{Visitor: v, Cfg: cfg}, KnownRaces: RaceSet{}, Cur: trace.NoGID}
	c := por.CapabilitiesOf(sys)
	s.constrained, s.peeker = c.Constrained, c.Peeker
	if c.Sized != nil {
		s.Size = c.Sized
	}
	s.RaceReporter = NewRaceReporter(sys, v)
	if cfg.Oracle != nil && cfg.Oracle.Watches() {
		s.Watcher = cfg.Oracle
	}
	if cfg.Oracle != nil {
		s.looked = cfg.Oracle.Looked()
	}
	s.inspector, _ = v.(por.Inspector)
	s.inspected = por.InspectsAll(sys)
	return s
}

// Resume continues a search after other searches have asked the same oracle.
func (s *Driver) Resume() {
	if s.Cfg.Oracle != nil {
		s.looked = s.Cfg.Oracle.Looked()
	}
}

// ReportTo makes v the visitor from now on.
func (s *Driver) ReportTo(v por.Visitor) {
	s.Visitor, s.RaceReporter = v, NewRaceReporter(s.Sys, v)
	s.inspector, _ = v.(por.Inspector)
}

// Arrive determines the enabled goroutines and the depth of the state after a step.
// A search that needs neither in most states (package optimal) does not call it.
func (s *Driver) Arrive() {
	s.Stats.MaxDepth = max(s.Stats.MaxDepth, len(s.Path))
	s.Enabled = s.Sys.Enabled(s.Enabled[:0])
}

// Preferred returns the enabled goroutine that continues by default: the one that moved last if it is
// enabled, otherwise the first. So the first execution has no preemption, the first bug has few preemptions,
// and a bug that needs an uninterrupted goroutine is found early.
func (s *Driver) Preferred() trace.GID {
	if slices.Contains(s.Enabled, s.Cur) {
		return s.Cur
	}
	return s.Enabled[0]
}

// NextOp returns the pending operation of g. It is valid until the next call. (A variable of the caller would
// be allocated each time, because its address is passed to an interface, the oracle.)
func (s *Driver) NextOp(g trace.GID) *trace.Op {
	s.next = *s.peek(g)
	return &s.next
}

// peek returns the pending operation of g. The result is valid until the system returns another operation.
func (s *Driver) peek(g trace.GID) *trace.Op {
	if s.peeker != nil {
		return s.peeker.Peek(g)
	}
	s.peeked = s.Sys.Next(g)
	return &s.peeked
}

// An Executor executes operations in the system: an hb.Execution, which keeps the events of the path.
// Invalidate is called when the system has been rewound.
type Executor interface {
	Execute(g trace.GID, choice int)
	Invalidate()
	// Looked returns the number of events inspected in the search for races of the newest one.
	Looked() int
}

// Step executes a, counts it, and polls. It reports whether the search continues.
func (s *Driver) Step(a trace.Step) bool {
	s.Execute(a)
	if s.Executed() && s.PollDue() {
		s.Poll(s.Account(), s.Progress())
	}
	return !s.Halted
}

// Again executes a, which has been executed and counted in another order.
func (s *Driver) Again(a trace.Step) {
	s.Execute(a)
	if s.show(); s.Cfg.Over != nil && s.Cfg.Over() && !s.Halted {
		s.Poll(s.Account(), s.Progress())
	}
}

// Execute executes a without counting or reporting: see Executed.
func (s *Driver) Execute(a trace.Step) {
	s.traceNext(a)
	s.Repeat(a)
}

// Repeat is Execute for a step that the transcript does not need: a step to a state in which the search has
// been, or which the search only inspects.
func (s *Driver) Repeat(a trace.Step) {
	s.Announce(a.G)
	if s.Executor != nil {
		s.Executor.Execute(a.G, a.Choice)
	} else {
		s.Sys.Step(a.G, a.Choice)
	}
	s.Path = append(s.Path, a)
	s.Cur = a.G
}

// traceNext writes a, the next step, to the transcript.
func (s *Driver) traceNext(a trace.Step) {
	if s.Tracing() {
		op := s.Sys.Next(a.G)
		s.TraceStep(len(s.Path), &op, a.Choice, s.Sys.Alternatives(a.G))
	}
}

// Announce notifies the oracle that g is about to execute its pending operation.
func (s *Driver) Announce(g trace.GID) {
	if s.Watcher != nil {
		s.Watcher.Stepping(g, s.NextOp(g))
	}
}

// Executed counts the last step and reports the race it completes, and bugs in an execution that
// has become long. It reports whether the search continues.
func (s *Driver) Executed() bool {
	s.Stats.Transitions++
	if s.Carry > 0 {
		s.Stats.Carried += uint64(len(s.Path) / s.Carry)
	}
	if s.Executor != nil {
		s.Stats.Looked += uint64(s.Executor.Looked())
	}
	s.show()
	return !s.Halted
}

// ExecutedSeveral is Executed for the last n steps, which were executed at once, and polls.
func (s *Driver) ExecutedSeveral(n int) {
	before := s.Stats.Transitions
	s.Stats.Transitions += uint64(n)
	s.Stats.Glided += uint64(n - 1)
	s.showSeveral(n)
	if s.Halted {
		return
	}
	if before/(PollMask+1) != s.Stats.Transitions/(PollMask+1) || s.Cfg.Over != nil && s.Cfg.Over() {
		s.Poll(s.Account(), s.Progress())
	}
}

// show reports the race that the last step completes, and bugs in an execution that has become long.
func (s *Driver) show() { s.showSeveral(1) }

// showSeveral is show for the last n steps, which were executed at once. Only the last one can complete a
// race.
func (s *Driver) showSeveral(n int) {
	if !s.RaceReporter.After(s.Path) {
		s.StopUnless(false)
	}
	length := len(s.Path)
	doubled := bits.Len(uint(length)) != bits.Len(uint(length-n)) // the length has reached a power of two
	if length >= por.InspectFrom && doubled && s.inspector != nil && !s.Halted {
		s.StopUnless(s.inspector.Inspect(s.Path))
	}
}

// OracleAllows reports whether, according to the oracle, {g} is a persistent set (Godefroid 1996), op being
// g's pending operation, and counts the saved choice. Then it is enough to execute op here: it commutes
// with everything that the others can do first, so every execution is equivalent to one that begins with
// op.
//
// Here executions are equivalent if they lead to the same state. That is coarser than the classes of package
// hb: two goroutines may park at a channel that no goroutine serves any more, in either order, and a receiver
// may arrive before or after the close. Then the events are dependent, but the states are equal. So a search
// for classes does not use the oracle for channels.
//
// Nor does it use the oracle while an operation that depends on all others can be enabled beside
// other goroutines, such as a clock read at which time may pass. Every operation happens before or
// after such an operation. So an omitted choice at an operation between two clock reads would hide
// their race:
//
//	g1: read the clock      g0: wg.Add(1); start g2      g2: read the clock
//
// g0's Add orders the reads. There is a race to reverse only in executions in which the Add comes first.
func (s *Driver) OracleAllows(g trace.GID, op *trace.Op) bool {
	//mutant: channels: classes are states [classes]: "|| !s.ByState && onChannels(op.Kind)" -> ""
	if s.Cfg.Oracle == nil || !s.ByState && onChannels(op.Kind) {
		return false
	}
	//mutant: oracles answer beside operations that depend on all [test ./internal/environment TestClockFacts]: false
	if !s.ByState && por.Overtakes(s.Sys) {
		return false
	}
	reason := s.Cfg.Oracle.Skip(g, op)
	if s.Cfg.Oracle != nil {
		n := s.Cfg.Oracle.Looked()
		s.Stats.Asked += n - s.looked
		s.looked = n
	}
	if reason == "" {
		return false
	}
	if s.Stats.Eliminated == nil {
		s.Stats.Eliminated = make(map[string]uint64)
	}
	s.Stats.Eliminated[reason]++
	return true
}

// onChannels reports whether operations of kind k are on channels.
func onChannels(k trace.Kind) bool { return k.Communicates() || k == trace.Close }

// MostAsked returns the number of goroutines, of n enabled ones, about which an oracle is asked in one
// state. A question inspects all other goroutines: with thousands of them that would be millions of
// inspections in each state. Making a choice without a query is always sound.
func MostAsked(n int) int {
	const looks = 1 << 12
	return min(n, max(1, looks/max(1, n)))
}

// OracleSingleton returns an enabled goroutine that is a persistent set by itself according to the oracle. It
// queries the oracle about first, if that is enabled, and about the others if askOthers is set. Any answer is
// right, because the sets are persistent independently of each other. But several questions cost an analysing
// oracle more time, and choosing another goroutine than the one that moved last is a preemption.
func (s *Driver) OracleSingleton(first trace.GID, askOthers bool) (g trace.GID, ok bool) {
	if s.Cfg.Oracle == nil {
		return trace.NoGID, false
	}
	allowed := func(g trace.GID) bool {
		return s.OracleAllows(g, s.NextOp(g))
	}
	if slices.Contains(s.Enabled, first) && allowed(first) {
		return first, true
	}
	if askOthers {
		for _, g := range s.Enabled[:MostAsked(len(s.Enabled))] {
			if g != first && allowed(g) {
				return g, true
			}
		}
	}
	return trace.NoGID, false
}

// Inspected reports whether an operation of another goroutine may observe where each goroutine is.
func (s *Driver) Inspected() bool { return s.inspected }

// Unobservable reports whether an operation of kind k without accesses commutes with all operations of
// other goroutines of the system, so that its goroutine is a persistent set by itself.
func (s *Driver) Unobservable(k trace.Kind) bool {
	//mutant: inspected: what accesses nothing is private [inspecting]: drop 1
	//mutant: yielding is private [models TestModels/stackYields]: drop 1
	return !s.inspected && Unobservable(k, s.Cfg.IgnoreOutput)
}

// Unobservable reports whether an operation of kind k without accesses commutes with all operations of
// other goroutines, if none observes all goroutines (por.Global).
func Unobservable(k trace.Kind, ignoreOutput bool) bool {
	switch k.Row().Commutes {
	case trace.Always, trace.UnlessCounted, trace.UnlessTimed: // timed operations depend on everything
		return true
	case trace.UnlessPrinted:
		return ignoreOutput
	}
	return false
}

// Leaf ends an execution.
func (s *Driver) Leaf(st por.Status) {
	if s.Tracing() {
		s.TraceEnd(len(s.Path), st)
	}
	if s.CountEnding(st) {
		s.StopUnless(s.Visitor.Leaf(s.Path, st))
	}
}

// CountEnding counts an execution that ends with st. It reports whether the visitor must be called.
func (s *Driver) CountEnding(st por.Status) bool {
	switch st {
	case por.Redundant:
		s.Stats.Blocked++
		return false
	case por.Cut:
		if s.constrained == nil || !s.constrained.Contradicted() {
			s.Stats.Blocked++
		}
	default:
		s.Stats.Executions++
	}
	return true
}

// TruncatedHere ends the execution if it has reached the bound on steps, and reports whether it
// has. It is called after the search has handled states in which nothing is enabled: an execution
// that ends with its last allowed step is complete.
func (s *Driver) TruncatedHere() bool {
	if !s.AtMaxSteps(len(s.Path)) {
		return false
	}
	s.EndTruncated(s.Path)
	return true
}

// Busiest returns the first goroutine of gs with the most steps on the path.
func (s *Driver) Busiest(gs []trace.GID) trace.GID {
	steps := make(map[trace.GID]int)
	for _, a := range s.Path {
		steps[a.G]++
	}
	busy := gs[0]
	for _, g := range gs {
		if steps[g] > steps[busy] {
			busy = g
		}
	}
	return busy
}

// CountState counts a new state, and halts the search instead if the bound is reached.
func (s *Driver) CountState() {
	if s.Cfg.MaxStates > 0 && s.Stats.States == s.Cfg.MaxStates {
		s.Halt(por.Reason{Bound: por.BoundStates, Limit: s.Cfg.MaxStates})
		return
	}
	s.Stats.States++
}

// Account measures the memory in use.
func (s *Driver) Account() int64 {
	n := int64(cap(s.Path)) * int64(unsafe.Sizeof(trace.Step{}))
	if s.Size != nil {
		n += s.Size.Bytes()
	}
	s.Stats.PeakBytes = max(s.Stats.PeakBytes, n)
	return n
}

// Result returns the counts, and the reasons why the search is incomplete.
func (s *Driver) Result() por.Result {
	r := s.Control.Result()
	switch {
	case s.PreemptCut && s.Cfg.WholeCalls:
		r.Whole = true
	case s.PreemptCut:
		r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundPreempt, Limit: uint64(s.Cfg.Preempt)})
	}
	return r
}

// A Sizer knows its size in bytes, like a por.Sized.
type Sizer interface{ Bytes() int64 }

// Sum adds the memory of a system, if it knows its size, and of further data.
type Sum struct {
	Sys  Sizer
	More func() int64
}

// Bytes implements Sizer.
func (b Sum) Bytes() int64 {
	n := b.More()
	if b.Sys != nil {
		n += b.Sys.Bytes()
	}
	return n
}

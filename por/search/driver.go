package search

import (
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Driver is what every search does the same way: it steps and rewinds the system, reports the
// ends of executions and the races that are next, asks the oracle, and heeds the bounds.
type Driver struct {
	Control
	Sys          por.System
	Size         por.Sized // nil if the system does not tell
	RaceReporter RaceReporter
	Watcher      por.Watcher // the oracle, if it is one

	Path       trace.Schedule
	Enabled    []trace.GID
	accesses   []trace.Op      // what races looks at: the accesses ahead,
	fresh      []int           // those of them that were not ahead when it last looked,
	previous   []pendingAccess // what was then, by goroutine,
	round      uint64          // and how often it has looked
	KnownRaces RaceSet

	Cur        trace.GID // the goroutine that moved last
	Preempts   int       // preemptions on path
	PreemptCut bool
}

// pendingAccess is what a goroutine stood before at the look-th call of races.
type pendingAccess struct {
	op    trace.Op
	round uint64
}

// ChainLimit is the number of steps without a choice after which a node is
// made all the same. It bounds how long a goroutine can go on without the
// others being considered, and lets state matching see loops in which there
// is nothing to choose.
const ChainLimit = 1000

func NewDriver(sys por.System, v por.Visitor, cfg por.Config) Driver {
	s := Driver{Sys: sys, Control: Control{Visitor: v, Cfg: cfg}, KnownRaces: RaceSet{}, Cur: trace.NoGID}
	s.Size = por.CapabilitiesOf(sys).Sized
	s.RaceReporter = NewRaceReporter(sys, v)
	s.Watcher, _ = cfg.Oracle.(por.Watcher)
	return s
}

// Rewind goes back to an earlier state.
func (s *Driver) Rewind(m por.Mark) {
	s.Sys.Rewind(m)
	if s.Watcher != nil {
		s.Watcher.Rewound()
	}
}

// Races reports the pairs of enabled goroutines that stand before accesses
// that race. A pair both of which stood before the same accesses when races was
// last called has been looked at then.
func (s *Driver) Races() {
	if len(s.Enabled) < 2 {
		return
	}
	s.accesses, s.fresh = s.accesses[:0], s.fresh[:0]
	s.round++
	plain := false
	for _, g := range s.Enabled {
		op := s.Sys.Next(g)
		if op.N == 0 {
			continue
		}
		plain = plain || op.Kind.Plain()
		for int(g) >= len(s.previous) {
			s.previous = append(s.previous, pendingAccess{})
		}
		if b := &s.previous[g]; b.round != s.round-1 || b.op != op {
			b.op = op
			s.fresh = append(s.fresh, len(s.accesses))
		}
		s.previous[g].round = s.round
		s.accesses = append(s.accesses, op)
	}
	if !plain {
		return
	}
	for _, i := range s.fresh {
		for j := range s.accesses {
			a, b := &s.accesses[min(i, j)], &s.accesses[max(i, j)]
			if i == j || !a.Races(b) {
				continue
			}
			if s.reportRace(a, b); s.Halted {
				return
			}
		}
	}
}

// reportRace reports that a and b race, unless that is known of their program points.
func (s *Driver) reportRace(a, b *trace.Op) {
	if s.KnownRaces.Add(a, b) {
		s.StopUnless(s.Visitor.Race(s.Path, *a, *b))
	}
}

// OracleAllows reports whether the oracle lets g execute op, its next operation, without the
// others being considered.
func (s *Driver) OracleAllows(g trace.GID, op *trace.Op) bool {
	if s.Cfg.Oracle == nil {
		return false
	}
	reason := s.Cfg.Oracle.Skip(g, op)
	if reason == "" {
		return false
	}
	if s.Stats.Eliminated == nil {
		s.Stats.Eliminated = make(map[string]uint64)
	}
	s.Stats.Eliminated[reason]++
	return true
}

// Step executes a and polls. It reports whether the search continues.
func (s *Driver) Step(a trace.Step) bool {
	s.Execute(a)
	if !s.Executed() {
		return false
	}
	if s.Stats.Transitions&PollMask == 0 {
		s.Poll(s.Account(), por.Progress{Depth: len(s.Path)})
	}
	return !s.Halted
}

// Execute executes a.
func (s *Driver) Execute(a trace.Step) {
	if s.Watcher != nil {
		op := s.Sys.Next(a.G)
		s.Watcher.Stepping(a.G, &op)
	}
	s.Sys.Step(a.G, a.Choice)
	s.Path = append(s.Path, a)
	s.Cur = a.G
}

// Executed counts the step executed last and reports the race it completes. It reports whether
// the search continues.
func (s *Driver) Executed() bool {
	s.Stats.Transitions++
	if !s.RaceReporter.After(s.Path) {
		s.StopUnless(false)
	}
	return !s.Halted
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

// CountEnding counts an execution that ends with st. It reports whether the visitor is to know of it.
func (s *Driver) CountEnding(st por.Status) bool {
	switch st {
	case por.Redundant:
		s.Stats.Blocked++
		return false
	case por.Cut:
		s.Stats.Blocked++
	default:
		s.Stats.Executions++
	}
	return true
}

// Leaf ends an execution.
func (s *Driver) Leaf(st por.Status) {
	if s.CountEnding(st) {
		s.StopUnless(s.Visitor.Leaf(s.Path, st))
	}
}

// TruncatedHere ends an execution that has as many steps as are allowed; it reports whether this one has.
func (s *Driver) TruncatedHere() bool {
	if s.Cfg.MaxSteps == 0 || len(s.Path) < s.Cfg.MaxSteps {
		return false
	}
	s.Stats.Truncated++
	s.StopUnless(s.Visitor.Leaf(s.Path, por.Running))
	return true
}

// Result collects statistics and the reasons why the search is incomplete.
func (s *Driver) Result() por.Result {
	r := s.Control.Result()
	if s.PreemptCut {
		r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundPreempt, Limit: uint64(s.Cfg.Preempt)})
	}
	return r
}

// CountState counts a new state.
func (s *Driver) CountState() {
	if s.Cfg.MaxStates > 0 && s.Stats.States == s.Cfg.MaxStates {
		s.Halt(por.Reason{Bound: por.BoundStates, Limit: s.Cfg.MaxStates})
		return
	}
	s.Stats.States++
}

// Sum is the memory of a system, if it tells, and of something else.
type Sum struct {
	Sys  por.Sized
	More func() int64
}

// Bytes implements Sized.
func (b Sum) Bytes() int64 {
	n := b.More()
	if b.Sys != nil {
		n += b.Sys.Bytes()
	}
	return n
}

package por

import (
	"fmt"

	"hbcheck.dev/hbcheck/trace"
)

// Stats are the counts of a search. Fields are only ever added.
type Stats struct {
	Executions  uint64 // complete executions: ended or stuck
	Blocked     uint64 // abandoned by the system (Cut, Redundant)
	Truncated   uint64 // cut at MaxSteps
	Choices     uint64 // nodes with more than one alternative
	States      uint64 // states stored; for ClockVector, which stores none, see there
	Matched     uint64 // arrivals at a stored state
	Exchanged   uint64 // arrivals at a stored state up to symmetry (Config.Symmetry)
	Equal       uint64 // alternatives left out because that of an equal goroutine is explored
	Transitions uint64 // steps executed
	MaxDepth    int    // steps of the longest path
	Replays     uint64 // for Graph: regions executed again
	Graphs      uint64 // of Graph: goroutines that ended, each with a state of the graph
	PeakBytes   int64  // largest memory of the explorer and the system
	// Eliminated counts the choices an Oracle made unnecessary, by reason.
	Eliminated map[string]uint64
	// Parts counts the states in which only a part of the goroutines was considered (Config.Parts).
	Parts uint64
	// PartExecutions counts, for Optimal, the executions of a part of the goroutines, up to where it
	// interacts with the others again.
	PartExecutions uint64
	// For SURW, Predicted counts the bugs that executions predict, and Confirmed counts those that
	// another execution has reached. Guessed counts guesses; each of them has an execution, too.
	Predicted, Confirmed, Guessed uint64

	// Work besides the steps: see Work.
	Repeated uint64 // uncounted steps that a search which stores states has executed again
	Looked   uint64 // events inspected in the search for races
	Hashed   uint64 // words of states covered by fingerprints
	Asked    uint64 // goroutines inspected by oracles
	Glided   uint64 // steps that were glided over, each of which costs a fourth of a step (Racer.Glide)
	Carried  uint64 // work that grows with the length of the path, in steps (search.Driver.Carry)
}

// Work returns an estimate of the time of a search, in steps of half a microsecond. It is
// computed from counts, so it is the same on every machine.
//
// The factors were fitted by hand to the longest searches of `hbcheck bench answers`.
func (s *Stats) Work() uint64 {
	return s.Transitions - s.Glided/4*3 + s.Repeated + s.Looked/128 + s.Hashed/128 + s.Asked/2 + s.Carried
}

// Progress is the progress of a running search.
type Progress struct {
	Stats
	Depth    int     // steps of the current path
	Fraction float64 // explored part of the search tree, assuming equal subtrees of a node; 0: unknown
	// Estimate is an estimate of the number of all executions, and Error its standard error; 0: unknown.
	// For explorers that sample, Estimate is the number of schedules to be drawn, and there is no error.
	Estimate, Error float64
	// Ordered has the counts that one worker would have at the position of the first of several
	// workers. The other workers may be at positions that one worker never reaches. nil: Stats has
	// them.
	Ordered *Stats
}

// Work returns the least work that one worker does to reach the position of the search.
func (p *Progress) Work() uint64 {
	if p.Ordered != nil {
		return p.Ordered.Work()
	}
	return p.Stats.Work()
}

// Bound names the reason why a search was not exhaustive: the name of the flag that sets the bound, if
// there is one.
type Bound string

// The bounds.
const (
	BoundExecutions Bound = "max-executions"
	BoundSteps      Bound = "max-steps"
	BoundStates     Bound = "max-states"
	BoundMemory     Bound = "max-memory"
	BoundPreempt    Bound = "preempt"
	BoundPoll       Bound = "stopped"   // Poll gave a reason
	BoundSampled    Bound = "seed"      // executions are a random sample: Count of them, from seed Limit
	BoundContext    Bound = "context"   // a variant of an explorer, Text, may have lost executions
	BoundLivelocks  Bound = "livelocks" // livelocks were not sought everywhere: not enough memory
)

// A Reason says why a search is not exhaustive.
type Reason struct {
	Bound Bound
	Limit uint64 // the bound's value
	Count uint64 // number of times that the bound was reached, for bounds that do not stop the search
	Text  string // the reason that Poll gave, or a variant of the explorer
}

// String returns the reason for logs. Package report has the sentence that users read.
func (r Reason) String() string {
	s := string(r.Bound)
	if r.Text == "" || r.Limit > 0 {
		s += fmt.Sprintf("=%d", r.Limit)
	}
	if r.Count > 0 {
		s += fmt.Sprintf(" ×%d", r.Count)
	}
	if r.Text != "" {
		s += ": " + r.Text
	}
	return s
}

// Result is the result of a search.
type Result struct {
	Stats
	Incomplete []Reason // empty: every execution is covered
	Stopped    bool     // a method of the Visitor stopped the search
	Whole      bool     // Config.WholeCalls has left out schedules

	// Aimed has the result for each of Config.Targets.
	Aimed []Aimed

	// FallbackTo is the explorer that has to explore the program instead (Visitor.Restart), because
	// this explorer cannot handle the program; "" if it can.
	FallbackTo string

	// Duplicate is, with Config.CheckDuplicates, the first class executed twice, which stopped the
	// search: a mistake of the explorer. nil: there was none.
	Duplicate *Duplicate
}

// A Duplicate is a pair of executions of one class, by an explorer that should execute each class once.
type Duplicate struct {
	First, Second uint64         // their numbers, in the order of execution, from 1
	Schedule      trace.Schedule // of the second
}

// String describes the pair.
func (d *Duplicate) String() string {
	return fmt.Sprintf("executions %d and %d are equivalent; the latter is %v", d.First, d.Second, d.Schedule)
}

// Done returns the number of executions.
func (s *Stats) Done() uint64 { return s.Executions + s.Blocked + s.Truncated }

// Add adds the counts of another piece of the same search.
func (s *Stats) Add(t *Stats) {
	s.Executions += t.Executions
	s.Blocked += t.Blocked
	s.Truncated += t.Truncated
	s.Choices += t.Choices
	s.Transitions += t.Transitions
	s.MaxDepth = max(s.MaxDepth, t.MaxDepth)
	s.Graphs += t.Graphs
	s.Parts += t.Parts
	s.PartExecutions += t.PartExecutions
	s.Predicted, s.Confirmed, s.Guessed = s.Predicted+t.Predicted, s.Confirmed+t.Confirmed, s.Guessed+t.Guessed
	s.Repeated += t.Repeated
	s.Looked, s.Carried, s.Glided = s.Looked+t.Looked, s.Carried+t.Carried, s.Glided+t.Glided
	s.Hashed += t.Hashed
	s.Asked += t.Asked
	for reason, n := range t.Eliminated {
		if s.Eliminated == nil {
			s.Eliminated = make(map[string]uint64)
		}
		s.Eliminated[reason] += n
	}
}

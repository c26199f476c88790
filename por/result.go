package por

import (
	"fmt"

	"hbcheck.dev/hbcheck/trace"
)

// Stats counts what a search did. Fields are only ever added.
type Stats struct {
	Executions  uint64 // complete ones: ended or stuck
	Blocked     uint64 // abandoned by the system (Cut, Redundant)
	Truncated   uint64 // cut at MaxSteps
	Choices     uint64 // nodes with more than one alternative
	States      uint64 // states stored; of ClockVector, which stores none, see there
	Matched     uint64 // arrivals at a stored state
	Exchanged   uint64 // of them those with goroutines exchanged (Config.Symmetry)
	Equal       uint64 // alternatives that are not explored, as one of an equal goroutine is
	Transitions uint64 // steps executed
	MaxDepth    int    // steps of the longest path
	Replays     uint64 // of Graph: regions executed again
	Graphs      uint64 // of Graph: goroutines that ended, each with a state of the graph
	PeakBytes   int64  // largest memory of the explorer and the system
	// Eliminated counts the choices an Oracle made unnecessary, by reason.
	Eliminated map[string]uint64
	// Parts counts the states in which only a part of the goroutines was considered (Config.Parts).
	Parts uint64
	// PartExecutions counts, of Optimal, the executions of a part of the goroutines, up to where it has to do
	// with the others again.
	PartExecutions uint64

	// What takes time besides the steps: see Work.
	Repeated uint64 // steps that a search which stores states has executed again, and not counted
	Looked   uint64 // events among which races were looked for
	Hashed   uint64 // words of states of which fingerprints were taken
	Asked    uint64 // goroutines that oracles have looked at
	Carried  uint64 // what a search has to do for the path that a step is on, in steps (search.Driver.Carry)
}

// Work returns about how long a search took, in steps, of which one takes half a microsecond. It is
// made of counts, so that it is the same on every machine.
//
// The factors were fitted by hand to the longest searches of `hbcheck bench answers`.
func (s *Stats) Work() uint64 {
	return s.Transitions + s.Repeated + s.Looked/128 + s.Hashed/128 + s.Asked/2 + s.Carried
}

// Progress is where a running search is.
type Progress struct {
	Stats
	Depth    int     // steps of the present path
	Fraction float64 // part of the search tree done, as if subtrees of a node were equal; 0 if that is not known
	// Estimate is of all executions there are, and Error its standard error; 0: there is none. See
	// Estimator. Of explorers that sample it is how many are drawn, and there is no error.
	Estimate, Error float64
	// Ordered, of a search by several workers, counts what one worker has done when it comes to where the
	// first of them is: the others may be where it never comes to. nil: Stats does.
	Ordered *Stats
}

// Work returns the work that one worker does to come to where the search is, at least.
func (p *Progress) Work() uint64 {
	if p.Ordered != nil {
		return p.Ordered.Work()
	}
	return p.Stats.Work()
}

// Bound names what kept a search from being exhaustive. Its name is that of
// the flag that sets it, if there is one.
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
	BoundContext    Bound = "context"   // a variant of an explorer, Text, may have lost something
	BoundLivelocks  Bound = "livelocks" // livelocks were not looked for everywhere: not enough memory
)

// A Reason says why a search is not exhaustive.
type Reason struct {
	Bound Bound
	Limit uint64 // the bound's value
	Count uint64 // how often it was hit, for bounds that do not stop the search
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

// Result is what a search returns.
type Result struct {
	Stats
	Incomplete []Reason // empty: every execution is covered
	Stopped    bool     // a method of the Visitor stopped the search

	// FallbackTo is the explorer that has to explore the program instead (Visitor.Restart), as it
	// does something that the one that was asked for cannot handle. Empty: there was no need.
	FallbackTo string

	// Duplicate is, with Config.CheckDuplicates, the first class executed twice, which stopped the
	// search: a mistake of the explorer. nil: there was none.
	Duplicate *Duplicate
}

// A Duplicate is two executions of one class, by an explorer that is to execute each class once.
type Duplicate struct {
	First, Second uint64         // their numbers, in the order they were executed in, from 1
	Schedule      trace.Schedule // of the second
}

// String says which they are.
func (d *Duplicate) String() string {
	return fmt.Sprintf("executions %d and %d are equivalent; the latter is %v", d.First, d.Second, d.Schedule)
}

// Done returns the number of executions.
func (s *Stats) Done() uint64 { return s.Executions + s.Blocked + s.Truncated }

// Add adds what another piece of the same search has counted.
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
	s.Repeated += t.Repeated
	s.Looked, s.Carried = s.Looked+t.Looked, s.Carried+t.Carried
	s.Hashed += t.Hashed
	s.Asked += t.Asked
	for reason, n := range t.Eliminated {
		if s.Eliminated == nil {
			s.Eliminated = make(map[string]uint64)
		}
		s.Eliminated[reason] += n
	}
}

package por

import (
	"fmt"

	"hbcheck.dev/hbcheck/trace"
)

// A Visitor receives the findings of an explorer. While a method runs, the system is in the state of the
// call, so the method can query it, but must not step it. path is the schedule from the initial state to that
// state; it is valid only during the call. A method that returns false stops the search.
type Visitor interface {
	// Leaf is called at the end of every execution. status is Ended, Stuck or
	// Cut, or Running when the bound on steps cut the execution.
	Leaf(path trace.Schedule, status Status) bool

	// Race is called in a state in which two operations that race (trace.Op.Races) are both pending:
	// once for each pair of program points. See also RaceVisitor.
	Race(path trace.Schedule, a, b trace.Op) bool

	// Livelock is called when path[loop:] leads from a state back to the same state and is fair:
	// every goroutine that is enabled in some state of the loop moves in it. The execution that
	// repeats it forever never ends.
	Livelock(path trace.Schedule, loop int) bool

	// Restart is called when the search restarts from the initial state because an assumption
	// of its reduction proved wrong. All earlier reports stay true, but executions will
	// be reported a second time.
	Restart()
}

// A RaceVisitor is a Visitor that receives the races that a Racer detects.
type RaceVisitor interface {
	// Raced is called after a step, the last of path, if Racer.Raced returns true. It
	// can be called more than once for the same race.
	Raced(path trace.Schedule) bool
}

// An Inspector is a Visitor that inspects executions before they end: a long or endless execution may
// already have a bug.
type Inspector interface {
	// Inspect is called after a step, the last of path, when the execution has InspectFrom
	// steps, twice as many, four times as many, and so on. Which states these are depends on the
	// execution alone.
	Inspect(path trace.Schedule) bool
}

// InspectFrom is the number of steps after which an Inspector is first called.
const InspectFrom = 512

// A Mergeable is a Visitor of a search in pieces.
type Mergeable interface {
	Visitor
	// Split returns a visitor for one piece of the search, explored on sys.
	Split(sys System) Subsearch
	// Merge adds the reports that p has received. Subsearches are merged one at a time, in the order
	// of a search by one worker. It returns false if the search is over.
	Merge(p Subsearch) bool
}

// A Subsearch is the visitor of one piece of a search. If it stops the search, later pieces are not
// explored, but earlier ones are.
type Subsearch interface {
	Visitor
	// Begin and End are called before and after the piece is explored, Begin with the system in the state
	// where it begins. Steps at other times are not part of the search.
	Begin()
	End()
}

// Restart calls v.Restart, and writes the reason into the transcript of the search, if there is one.
func Restart(v Visitor, cfg Config, why string) {
	v.Restart()
	if cfg.Trace != nil {
		fmt.Fprintf(cfg.Trace, "restart: %s\n", why)
	}
}

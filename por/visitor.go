package por

import (
	"fmt"

	"hbcheck.dev/hbcheck/trace"
)

// A Visitor is notified of what an explorer finds. While a method runs the system is in the state
// that the call is about, so that it can be asked for details; it must not be stepped. path is the
// schedule from the initial state to that state and is only valid during the call. A method that
// returns false stops the search.
type Visitor interface {
	// Leaf is called at the end of every execution. status is Ended, Stuck or
	// Cut, or Running when the bound on steps cut the execution.
	Leaf(path trace.Schedule, status Status) bool

	// Race is called in a state in which two operations that race (trace.Op.Races) are both next:
	// once for each pair of program points. See also RaceVisitor.
	Race(path trace.Schedule, a, b trace.Op) bool

	// Livelock is called when path[loop:] leads from a state back to the same state and is fair:
	// every goroutine that is enabled in some state of the loop moves in it. The execution that
	// repeats it forever never ends.
	Livelock(path trace.Schedule, loop int) bool

	// Restart is called when the search begins again from the initial state because an assumption
	// of its reduction proved wrong. Everything that was reported stays true, but executions will
	// be reported a second time.
	Restart()
}

// A RaceVisitor is a Visitor that wants to know what a Racer finds.
type RaceVisitor interface {
	// Raced is called after a step, the last of path, after which Raced of the system is true. It
	// can happen more than once for the same race.
	Raced(path trace.Schedule) bool
}

// An Inspector is a Visitor that wants to look at executions before they end: they may be long, or
// have no end, and something may be wrong already.
type Inspector interface {
	// Inspect is called after a step, the last of path, when the execution has had InspectFrom
	// steps, twice as many, four times as many, and so on. Which states these are depends on the
	// execution alone.
	Inspect(path trace.Schedule) bool
}

// InspectFrom is after how many steps an Inspector is first called.
const InspectFrom = 512

// A Mergeable is a Visitor of a search in pieces.
type Mergeable interface {
	Visitor
	// Split returns a visitor for one piece of the search, explored on sys.
	Split(sys System) Subsearch
	// Merge adds what was reported to p. Subsearches are merged in the order of a search that is
	// not in pieces, one at a time. It returns false if the search is over.
	Merge(p Subsearch) bool
}

// A Subsearch is the visitor of one piece of a search. If it stops the search, nothing after that
// is explored, but what comes before it is.
type Subsearch interface {
	Visitor
	// Begin and End are called before and after the piece is explored, Begin with the system in the state
	// where it begins. What is executed at other times is no part of the search.
	Begin()
	End()
}

// Restart lets v begin again, and writes why into the transcript of the search, if there is one.
func Restart(v Visitor, cfg Config, why string) {
	v.Restart()
	if cfg.Trace != nil {
		fmt.Fprintf(cfg.Trace, "restart: %s\n", why)
	}
}

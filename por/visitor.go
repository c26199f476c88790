package por

import (
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// A Visitor is told what an explorer meets. While a method runs the system
// stands in the state the call is about, so it can be asked for details; it
// must not be stepped. path is the schedule from the initial state to that
// state and is only valid during the call. A method that returns false stops
// the search.
type Visitor interface {
	// Leaf is called at the end of every execution. status is Ended, Stuck or
	// Cut, or Running when the bound on steps cut the execution.
	Leaf(path trace.Schedule, status Status) bool

	// Race is called in a state in which two operations that race (Op.Races) are
	// both the next one of their goroutine: once for each pair of program
	// points. See also RaceVisitor.
	Race(path trace.Schedule, a, b trace.Op) bool

	// Livelock is called when path[loop:] leads from a state back to the same
	// state and is fair: every goroutine that can move in some state of the
	// loop does move in it. The execution that repeats it for ever never ends.
	Livelock(path trace.Schedule, loop int) bool

	// Restart is called when the search begins again from the initial state
	// because an assumption of its reduction proved wrong. Everything
	// reported stays true, but executions will be met a second time.
	Restart()
}

// Config bounds a search. The zero value explores everything without
// storing states.
type Config struct {
	// Match stores the states met and does not explore a state twice.
	Match bool

	MaxExecutions uint64 // 0: no bound
	MaxSteps      int    // steps of one execution; 0: no bound
	MaxStates     uint64 // 0: no bound
	MaxMemory     int64  // bytes of the explorer and, if it tells them, of the system; 0: no bound

	// LimitPreempt explores only schedules that take the processor away from
	// a goroutine that could go on at most Preempt times.
	LimitPreempt bool
	Preempt      int

	// IgnoreOutput declares that nobody looks at the order of Output
	// operations, so that they commute with each other.
	IgnoreOutput bool

	// PastsMemory is how many bytes Optimal keeps of what it has found and not yet explored. It explores the rest as soon as it
	// finds it, which takes longer. 0: a default; less: none.
	PastsMemory int64

	rude bool // readers do not commute, see execution.rude

	// Oracle, if set, is asked whether a choice is needed where one would be made.
	Oracle Oracle

	// AnyGoroutine asks it not only of the goroutine that moved last but, if that
	// needs a choice or cannot go on, of every other one that can.
	AnyGoroutine bool

	// Seed begins the random numbers of explorers that sample, and Depth is the bug
	// depth PCT looks for; 0: DefaultDepth.
	Seed  uint64
	Depth int

	// ReadsFrom makes Optimal tell executions apart by what reads from what only: the order of writes
	// that nobody reads from makes no difference. It asks no Oracle
	// then, except about programs that are left to Optimal as it is otherwise: see readsFrom.
	ReadsFrom bool

	// CheckDuplicates makes an explorer that executes each class of equivalent executions at most
	// once (Explorer.Once) see whether it does: Result.Duplicate. What it leaves to another explorer
	// (Visitor.Restart) is not looked at.
	CheckDuplicates bool

	// Graph is what the explorer Graph is told; nil: its defaults.
	Graph *GraphConfig

	// Context chooses a variant of the explorer Context; nil: its defaults.
	Context *ContextConfig

	// Jobs is how many workers explore at the same time, if the explorer can (see Explorer.Jobs) and the visitor is a Joint
	// one; 0 is 1. Another returns a system in the state the first one is in, for one more of them, and an oracle on it if there
	// is one. It is called by several goroutines at once.
	Jobs    int
	Another func() (System, Oracle, error)
	Eager   bool // give away as much as possible, which takes longer; for tests

	// Poll, if set, is called every few hundred transitions. A reason other
	// than "" stops the search.
	Poll func(Progress) (reason string)

	_ struct{}
}

// An Oracle knows more of the future than an explorer.
type Oracle interface {
	// Skip returns a reason if {g} is a persistent set: if nothing that the
	// other goroutines can do while g waits in front of op, its next operation,
	// conflicts with op. Otherwise it returns "".
	Skip(g trace.GID, op *trace.Op) (reason string)
}

// A Watcher is an oracle that wants to know how the search came to the state in
// which it is asked.
type Watcher interface {
	Oracle
	// Stepping is called before g executes op, its next operation.
	Stepping(g trace.GID, op *trace.Op)
	// Rewound is called when the search has gone back to an earlier state.
	Rewound()
}

// Stats counts what a search did. Fields are only ever added.
type Stats struct {
	Executions  uint64 // complete ones: ended or stuck
	Blocked     uint64 // abandoned by the system (Cut, Redundant)
	Truncated   uint64 // cut at MaxSteps
	Choices     uint64 // nodes with more than one alternative
	States      uint64 // states stored; of ClockVector, which stores none, see there
	Matched     uint64 // arrivals at a stored state
	Transitions uint64 // steps executed
	MaxDepth    int    // steps of the longest path
	Replays     uint64 // of Graph: regions executed again
	Graphs      uint64 // of Graph: goroutines that ended, each with a state of the graph
	PeakBytes   int64  // largest memory of the explorer and the system
	// Eliminated counts the choices an Oracle made unnecessary, by reason.
	Eliminated map[string]uint64
}

// Progress is a look at a running search.
type Progress struct {
	Stats
	Depth    int     // steps of the present path
	Fraction float64 // part of the search tree done, as if subtrees of a node were equal; 0 if there is no telling
	// Estimate is of all executions there are, and Error its standard error; 0: there is none. See Estimator.
	Estimate, Error float64
}

// Bound names what kept a search from being exhaustive. Its name is that of
// the flag that sets it.
type Bound string

// The bounds.
const (
	BoundExecutions Bound = "max-executions"
	BoundSteps      Bound = "max-steps"
	BoundStates     Bound = "max-states"
	BoundMemory     Bound = "max-memory"
	BoundPreempt    Bound = "preempt"
	BoundPoll       Bound = "stopped" // Poll gave a reason
	BoundSampled    Bound = "seed"    // executions are a random sample
)

// A Reason says why a search is not exhaustive.
type Reason struct {
	Bound Bound
	Limit uint64 // the bound's value
	Count uint64 // how often it was hit, for bounds that do not stop the search
	Text  string // the reason Poll gave, or what was sampled
}

// String tells the reason in one clause.
func (r Reason) String() string {
	switch r.Bound {
	case BoundExecutions:
		return fmt.Sprintf("stopped after %s (--max-executions)", plural(r.Limit, "execution"))
	case BoundSteps:
		return fmt.Sprintf("%s cut after %s (--max-steps)", plural(r.Count, "execution"), plural(r.Limit, "step"))
	case BoundStates:
		return fmt.Sprintf("stopped at %s (--max-states)", plural(r.Limit, "state"))
	case BoundMemory:
		return fmt.Sprintf("stopped at the memory budget of %s (--max-memory)", size(r.Limit))
	case BoundPreempt:
		return fmt.Sprintf("only schedules with at most %s (--preempt)", plural(r.Limit, "preemption"))
	}
	return r.Text
}

func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// size tells a number of bytes.
func size(n uint64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// Result is what a search returns.
type Result struct {
	Stats
	Incomplete []Reason // empty: every execution is covered
	Stopped    bool     // a method of the Visitor stopped the search

	// FallbackTo is the explorer to which the program was left (Visitor.Restart), as it does something the one
	// that was asked for cannot handle. Empty: it was not.
	FallbackTo string

	// Duplicate is, with Config.CheckDuplicates, the first class executed twice, which stopped the
	// search: a mistake of the explorer. nil: there was none.
	Duplicate *Duplicate
}

// fallBack begins the search again with another explorer.
func fallBack(name string, run func(System, Visitor, Config) Result, sys System, v Visitor, cfg Config) Result {
	v.Restart()
	r := run(sys, v, cfg)
	if r.FallbackTo == "" {
		r.FallbackTo = name
	}
	return r
}

// Sized is implemented by systems that know how much memory they hold.
type Sized interface {
	Bytes() int64
}

// An Explorer is a search algorithm by name.
type Explorer struct {
	Name string
	Doc  string
	// Stateless and Stateful say whether it can run without and with Config.Match.
	Stateless, Stateful bool
	// Samples says that it executes some schedules and is never exhaustive.
	Samples bool
	// NoPreemptionBound says that it cannot honour Config.LimitPreempt: it leaves out schedules
	// that others stand for, which may have more preemptions.
	NoPreemptionBound bool
	// NoDuplicates says that it executes each class of equivalent executions at most once, and so can
	// honour Config.CheckDuplicates.
	NoDuplicates bool
	// OnePerClass says that it completes one execution of each class of equivalent ones, so that Estimator can tell about how many.
	OnePerClass bool
	// Parallel says that it can use several workers. The result does not depend on how many.
	Parallel bool
	Run      func(System, Visitor, Config) Result
}

// Explorers lists the explorers there are, in the order they are documented.
func Explorers() []Explorer {
	return []Explorer{
		{Name: "full", Doc: "every interleaving of visible operations", Stateless: true, Stateful: true, Run: Full},
		{Name: "jpf", Doc: "Java Pathfinder's reduction: choices at synchronisation and at shared accesses", Stateless: true, Stateful: true, Run: JPF},
		{Name: "optimal", Doc: "one execution of each class of equivalent ones (--equivalence says which are)", Stateless: true, NoPreemptionBound: true, OnePerClass: true, NoDuplicates: true, Parallel: true, Run: Optimal},
		{Name: "source", Doc: "dynamic partial order reduction with source sets and sleep sets (Abdulla et al. 2014)", Stateless: true, NoPreemptionBound: true, OnePerClass: true, NoDuplicates: true, Run: Source},
		{Name: "context", Doc: "source, where orders that lead to the same state are explored once (Albert et al. 2017)", Stateless: true, NoPreemptionBound: true, NoDuplicates: true, Run: Context},
		{Name: "clockvector", Doc: "dynamic partial order reduction with clock vectors (Flanagan and Godefroid 2005, Noonan et al. 2014)", Stateless: true, NoPreemptionBound: true, Run: ClockVector},
		{Name: "graph", Doc: "dynamic partial order reduction over the events a client marks: the DPOR graph (Storey et al. 2020)", Stateless: true, NoPreemptionBound: true, Run: Graph},
		{Name: "random", Doc: "a sample: a random walk", Stateless: true, Samples: true, Run: Random},
		{Name: "pct", Doc: "a sample: random priorities that change at a few random steps (Burckhardt et al. 2010)", Stateless: true, Samples: true, Run: PCT},
		{Name: "pos", Doc: "a sample: random priorities, new ones where operations conflict (Yuan et al. 2018)", Stateless: true, Samples: true, Run: POS},
	}
}

// Lookup returns the explorer called name.
func Lookup(name string) (Explorer, bool) {
	all := Explorers()
	i := slices.IndexFunc(all, func(e Explorer) bool { return e.Name == name })
	if i < 0 {
		return Explorer{}, false
	}
	return all[i], true
}

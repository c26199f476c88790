package explore

import (
	"fmt"
	"go/token"
	"runtime/debug"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Kind says what is wrong with a program.
type Kind uint8

// The kinds of bugs, in the order of their codes, which are public: a new kind comes last.
const (
	Deadlock Kind = 1 + iota
	Race
	Leak
	Panic
	Failure
	Livelock
	Misuse
	LeftRunning
	numKinds
)

var kindNames = [numKinds]string{
	Deadlock: "deadlock", Race: "race", Leak: "leak", Panic: "panic", Failure: "failure", Livelock: "livelock", Misuse: "misuse",
	LeftRunning: "running",
}

// String returns the kind's word in the machine-readable output.
func (k Kind) String() string {
	if k > 0 && k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Code returns the kind's code, which messages carry and users search for.
func (k Kind) Code() string { return fmt.Sprintf("HB%03d", uint8(k)) }

// Kinds returns all kinds.
func Kinds() []Kind {
	var list []Kind
	for k := Deadlock; k < numKinds; k++ {
		list = append(list, k)
	}
	return list
}

// KindOf returns the kind with the given code, or 0.
func KindOf(code string) Kind {
	for k := Deadlock; k < numKinds; k++ {
		if k.Code() == code {
			return k
		}
	}
	return 0
}

// Verdict is the answer for one entry.
type Verdict string

// The verdicts.
const (
	OK         Verdict = "ok"         // every execution is covered, but for accepted assumptions, and none shows a bug
	Fail       Verdict = "fail"       // there is a bug, with a schedule
	Incomplete Verdict = "incomplete" // no bug so far, but not every execution is covered
)

// A Result is everything that was found out about one entry.
type Result struct {
	Package string
	Entry   string
	Verdict Verdict
	POR     string
	// FallbackTo is the explorer that searched instead (por.Result.FallbackTo), if there was one.
	FallbackTo string
	// Auto is set if POR is the one of a Portfolio whose answer this is. Sampled is how many
	// executions had been drawn at random before, and Others, if no explorer has an answer, what
	// those did whose result this is not.
	Auto    bool
	Sampled uint64
	Others  []Share
	Work    uint64 // of a Portfolio until it had its answer: transitions, see there
	// Graded says, if no explorer of a Portfolio has an answer, how far the exploration came in
	// preemptions. Within is the bound on them under which the bug was found, if it was by that.
	Graded *Graded
	Within *int
	// Choices is what most choices of a long search were about, if it is incomplete, and Subtests are
	// the subtests that were executed.
	Choices  *Choice
	Subtests []string
	// Equivalence is por.Explorer.Equivalence, unless there was a fallback.
	Equivalence string
	Match       bool
	Hybrid      oracle.Kind
	Jobs        int // workers; 0: one

	Bugs     []*Bug // and warnings
	Stats    Stats
	Outcomes []Outcome // with Options.Outcomes
	// Finals are, with Options.Finals, the fingerprints of the states in which
	// executions end, each once, in order. They can be compared between searches
	// on one machine: the numbers of types and literals are part of them.
	Finals []por.Hash
	// Explained says, with Options.Explain, what was decided at a place.
	Explained []oracle.Explanation
	// Incomplete lists the reasons why not everything is covered. A failing
	// result can have some, too.
	Incomplete []Reason
	// Assumed is what of the environment has not been tried in all ways, by position. Those that
	// Options.Assume does not accept are among the reasons of Incomplete, too.
	Assumed []vm.Assumption
	// Modes are the restrictions of the environment that the user has asked for.
	Modes []vm.Mode
	Slack time.Duration // of ModeSlack
	// InputLen is that of ModeInputLen.
	InputLen int
	// Arming: starting a timer is a visible operation (see vm.Config.VisibleArming).
	Arming bool
	// AllOrders: those of maps are tried, as Options have not asked for (see vm.Machine.AllOrders).
	AllOrders bool
	again     refinement
	// LongLoops are where executions were when the bound on steps cut them: a few of them.
	LongLoops []LongLoop
	// NotRun is set if no execution has run the test: all have skipped it, or TestMain has not run it.
	NotRun *NotRun
	// Coverage is what was executed of the user's module; nil if it was not noted.
	Coverage *Coverage
	// SolverTrouble says why the program that was to be asked about inputs is not. The result is what it
	// would be without it.
	SolverTrouble string
	// FirstOnly is set if the search stopped because a bug was found.
	FirstOnly bool
	// Resumed is what the search had done that was gone on with; nil: it was not.
	Resumed *Resumed
	// Saved is set if the search has been stopped and can be gone on with.
	Saved bool
	// Known is the number of bugs that Options.Known has accepted.
	Known int
	// Cached: the result is that of an earlier run.
	Cached bool
	// Mistakes are hbcheck's own, made after the search: what it has found is right, and some of it is not
	// told.
	Mistakes []string
}

// mistake notes a mistake of hbcheck's own.
func (r *Result) mistake(what any) {
	r.Mistakes = append(r.Mistakes, fmt.Sprintf("%v\n\n%s", what, debug.Stack()))
}

// survive, deferred, notes a mistake with which the caller panics, and calls undo then.
func (r *Result) survive(undo func()) {
	if x := recover(); x != nil {
		r.mistake(x)
		undo()
	}
}

// Exported returns a copy of r without what other packages do not see.
func (r *Result) Exported() *Result {
	c := *r
	c.again = refinement{}
	exported := func(list []Event) []Event {
		list = slices.Clone(list)
		for i := range list {
			list[i].failures = 0
		}
		return list
	}
	c.Bugs = nil
	for _, b := range r.Bugs {
		x := *b
		x.Events = exported(b.Events)
		c.Bugs = append(c.Bugs, &x)
	}
	c.Outcomes = slices.Clone(r.Outcomes)
	for i := range c.Outcomes {
		c.Outcomes[i].Events = exported(c.Outcomes[i].Events)
	}
	return &c
}

// TimedOut reports whether the exploration has been stopped, by its time or from outside, and could go on.
func (r *Result) TimedOut() bool { return r.stopped() }

// stopped reports whether the exploration has been stopped, and could go on.
func (r *Result) stopped() bool {
	return slices.ContainsFunc(r.Incomplete, func(why Reason) bool {
		return why.Cause == CauseStopped || why.Cause == CauseBound && why.Bound.Bound == por.BoundPoll
	})
}

// Accept accepts what r assumes of the environment: if nothing else is open, the verdict is OK. That a value
// depends on inputs of the test itself is open.
func (r *Result) Accept() {
	r.Incomplete = slices.DeleteFunc(slices.Clone(r.Incomplete), func(why Reason) bool {
		return why.Cause == CauseAssumed && why.Assumption.What != vm.Concretised
	})
	if r.Verdict == Incomplete && len(r.Incomplete) == 0 {
		r.Verdict = OK
	}
}

// unfinished makes r, which says nothing for certain, the result of an exploration that was stopped as soon
// as it had begun again; s is what that has told.
func (r *Result) unfinished(s *Result) {
	r.Incomplete = append(r.Incomplete, s.Incomplete...)
	if r.Verdict == OK {
		r.Verdict = Incomplete
	}
	r.again = refinement{}
}

// Stats counts what a search did.
type Stats struct {
	por.Stats
	Counters
	Load    time.Duration // loading and building the program
	Static  time.Duration // analysing it
	Checked *check.Counts // with Options.CheckStatic
	Explore time.Duration
}

// A Bug is something wrong with the program and a schedule that shows it.
type Bug struct {
	Kind Kind
	// Warning is set if the program is right, but perhaps not what was meant: a result with
	// warnings only is no failure.
	Warning bool
	// Overtakes is what a bug needs that is a warning because it needs it; nil: none is.
	Overtakes *Overtaking
	// Delay is what an error needs of time where it is bounded, if it needs anything.
	Delay *Delay
	// Passes is the first goroutine waiting on a channel that the schedule overtakes; nil: none. A bug
	// that needs that is a warning.
	Passes *Passing
	// Order is the first loop over a map whose order the schedule chooses; nil: there is none. A bug that
	// needs an order which gc cannot have is a warning.
	Order *Ranging
	// Always: a Leak that is a warning, as the entry leaves the goroutine in every schedule.
	Always bool
	// Lacks is what was not there before it and is natively. The bug is a warning unless another execution
	// shows that the program can do without.
	Lacks vm.Lack
	// Undecided is set if it is an error that passes, or has an order, and whether it needs that
	// was not found out.
	Undecided bool
	Detail    Detail // which makes it the same bug wherever it shows
	Pos       token.Position
	Site      token.Position // where it is outside of Go's library: Pos, unless that is in another module than the reader's
	G         string         // name of the goroutine it happened in
	Related   []Related

	// Schedule leads to the bug from the initial state. Of a livelock,
	// Schedule[Loop:] repeats forever; otherwise Loop is -1.
	// Inputs are the values of hbtest.Nondet with which it does.
	Inputs      []Input
	Schedule    trace.Schedule
	Loop        int
	Preemptions int // of Schedule
	// Early is set if the bug is there though the execution goes on: a Leak, or a Deadlock, of
	// goroutines that no other one can wake.
	Early bool
	// Untold is set if there was no time to execute Schedule again: it is the one that was found, nothing is
	// known of its preemptions, and Events, all of them Brief, say who moves.
	Untold bool
	// Minimal is set if no schedule with fewer preemptions shows the bug.
	Minimal bool

	Events    []Event // Schedule in words
	LoopEvent int     // index into Events where the loop begins, if Loop >= 0
	// FailsAtStart: the test reports the failure before the first step.
	FailsAtStart bool
	Goroutines   []Goroutine // those that had not ended at the end
	Cycle        []Edge      // of a deadlock: a cycle of the wait-for graph; of a leak: who holds what it waits for, and so on
	Accesses     *[2]Access  // of a race, the earlier access first
	Stack        []Frame     // of a panic, failure or misuse
	Output       []byte      // stdout up to the end
	// Observation is of Schedule, with Options.Observe: it has a state more than steps.
	Observation *Observation

	// StepsApart is set if a race was noticed after the second access, because
	// nothing orders it and the first; otherwise both were pending at the same
	// time. AccessEvents are the events of the two, -1 for one that is no event
	// of its own.
	StepsApart   bool
	AccessEvents [2]int

	stays    bool // a Leak that the entry may have left: see left.go
	waiter   trace.GID
	movers   []mover // of Schedule, until it is told
	symbolic bool    // values depended on inputs where it was found
}

// Edge is one part of a wait-for cycle: From waits on On, which To holds.
type Edge struct {
	From, To trace.GID
	On       string
	Pos      token.Position
}

// Access is one side of a data race.
type Access struct {
	Event
	Writes  bool
	Addr    uint64 // made up from object and offset; the same for both sides
	Stack   []Frame
	Parent  trace.GID      // that started the goroutine
	Created []Frame        // where; empty for main
	Own     token.Position // in the reader's module, from where it is called; Pos, if there is none
	Ended   bool           // the goroutine has ended since
}

// key identifies a bug among those of an entry.
type key struct {
	kind      Kind
	pos, site token.Position
	detail    Detail
}

func (b *Bug) key() key { return key{b.Kind, b.Pos, b.Site, b.Detail} }

// An Outcome is one thing an execution can end in.
type Outcome struct {
	Output   string // what was printed on stdout
	Ending   string
	Count    uint64
	Schedule trace.Schedule // the first execution that ended so
	Events   []Event        // Schedule in words
}

// A Reason says why not everything is covered.
type Reason struct {
	Cause Cause
	// Bound is the explorer's reason, of CauseBound.
	Bound por.Reason
	// Ended says that the search ended with the first execution that the bound cut.
	Ended bool
	// Text is what the machine says about itself, or the cause of the context.
	Text string
	// Refused is what, of CauseUnsupported.
	Refused vm.Refusal
	// Pos is where the loop of CauseTime is.
	Pos token.Position
	// Assumption is the one of CauseAssumed.
	Assumption vm.Assumption
}

// A Cause is a kind of reason.
type Cause uint8

// The causes.
const (
	CauseBound       Cause = iota // of the explorer: Bound
	CauseStopped                  // the context was done: Text
	CauseUnsupported              // the machine refused to execute something: Text
	CauseMemory                   // the program needs more memory than it may: Text
	CauseTime                     // a loop ends when time has passed, which here it does only in a sleep
	CauseImpossible               // nothing that the program assumes is possible
	CauseAssumed                  // the environment was not tried in all ways: Assumption
)

// A LongLoop is where the busiest goroutine was when the bound on steps cut an execution.
type LongLoop struct {
	Goroutine string
	Func      string
	Pos       token.Position
	Loop      bool // Pos is that of the loop it was in; otherwise of its pending operation
}

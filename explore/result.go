package explore

import (
	"fmt"
	"go/token"
	"runtime/debug"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/strategy"
	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Verdict is the answer for one entry.
type Verdict string

// The verdicts.
const (
	OK         Verdict = "ok"         // every execution is covered, except for accepted assumptions, and none shows a bug
	Fail       Verdict = "fail"       // a schedule shows a bug
	Incomplete Verdict = "incomplete" // no bug so far, but not every execution is covered
)

// A Result is the result of exploring one entry.
type Result struct {
	Package string
	Entry   string
	Verdict Verdict
	POR     string
	// FallbackTo is the explorer that searched instead, if any (por.Result.FallbackTo).
	FallbackTo string
	// Auto is set if a Portfolio has chosen POR as the explorer with the answer. Sampled is the number of
	// executions drawn at random before that. If no explorer has an answer, Others has the work of the
	// explorers other than POR.
	Auto    bool
	Sampled uint64
	Others  []Share
	Work    uint64 // transitions of a Portfolio until its answer: see Portfolio
	// Graded says, if no explorer of a Portfolio has an answer, how far the exploration came in
	// preemptions. Within is the bound on preemptions under which the bug was found, if a bounded
	// search found it.
	Graded *Graded
	Within *int
	// Choices describes most choices of a long search, if the result is incomplete.
	Choices *strategy.Choice
	// Subtests are the executed subtests, sorted. Skipped are those subtests that every execution skipped, or
	// that no execution ended.
	Subtests []string
	Skipped  []string
	Alone    []Alone // subtests that were explored without the others, because the test is too big
	Divided  int     // number of subtests, if the verdict is theirs: see Divide
	// Equivalence is por.Explorer.Equivalence, unless there was a fallback.
	Equivalence string
	Match       bool
	Hybrid      oracle.Kind
	Jobs        int // workers; 0: one

	Bugs     []*bug.Bug // including warnings
	Stats    Stats
	Outcomes []Outcome // the outcomes, with Options.Outcomes
	// Finals has, with Options.Finals, the fingerprints of the final states of executions, each
	// once, in order. Searches on one machine have comparable fingerprints: they depend on the
	// numbers of types and literals.
	Finals []por.Hash
	// Explained has, with Options.Explain, the decisions at a place.
	Explained []oracle.Explanation
	// Incomplete lists the reasons why not everything is covered. A failing result can have
	// reasons, too.
	Incomplete []Reason
	// Assumed has the choices of the environment that were not tried in all ways, by position.
	// Those that Options.Assume does not accept are also among the reasons of Incomplete.
	Assumed []vm.Assumption
	// Modes are the restrictions of the environment that the user has asked for.
	Modes []vm.Mode
	Slack time.Duration // of ModeSlack
	// InputLen is that of ModeInputLen.
	InputLen int
	// Refinement is the refinement of the machine on which the search ended: schedules of bugs are executed
	// with it.
	Refinement vm.Refinement
	// Initialisers: schedules begin in initialisers of packages.
	Initialisers bool
	// AllOrders is set if all orders of maps were tried, although Options did not ask for them (see
	// vm.AllOrders).
	AllOrders bool
	again     refinement `saved:"-"`
	doubted   bool       // a bug may have been found only because two clock reads are equal: see left.go
	cutShort  bool       // time was up in a pass
	// LongLoops has the places of a few executions when the bound on steps cut them.
	LongLoops []LongLoop
	// NotRun is set if no execution has run the test: all have skipped it, or TestMain has not run
	// it.
	NotRun *describe.NotRun
	// Coverage says which parts of the user's module were executed; nil if not recorded.
	Coverage *Coverage
	// SolverTrouble says why the external solver was not used. The result is then the same as without an
	// external solver.
	SolverTrouble string
	// FirstOnly is set if the search stopped because a bug was found.
	FirstOnly bool
	// Resumed has the work of the search that this one continues; nil if it continues none.
	Resumed *Resumed
	// Saved is set if the search was stopped and can be continued.
	Saved bool
	// Known is the number of bugs that Options.Known has accepted.
	Known int
	// Cached is set if the result is that of an earlier run.
	Cached bool
	// Aimed has the results for Options.Targets, of explorers that sample.
	Aimed []AimedAt
	// Small is the exploration of a small version of the entry, which is too big itself; nil: there is none.
	Small *Small
	// Mistakes are hbcheck's own, made after the search. The findings are right, but their
	// description is incomplete.
	Mistakes []string
}

// mistake records a mistake of hbcheck itself.
func (r *Result) mistake(what any) {
	r.Mistakes = append(r.Mistakes, fmt.Sprintf("%v\n\n%s", what, debug.Stack()))
}

// survive, deferred, records a panic of the caller as a mistake and then calls undo.
func (r *Result) survive(undo func()) {
	if x := recover(); x != nil {
		r.mistake(x)
		undo()
	}
}

// Exported returns a copy of r without the data that other packages do not see.
func (r *Result) Exported() *Result {
	c := *r
	c.again = refinement{}
	exported := func(list []describe.Event) []describe.Event {
		list = slices.Clone(list)
		for i := range list {
			list[i].Noted = describe.Noted{}
		}
		return list
	}
	c.Bugs = nil
	for _, b := range r.Bugs {
		x := *b
		x.Events, x.Noted = exported(b.Events), bug.Noted{}
		if b.Observation != nil {
			o := *b.Observation
			o.States = slices.Clone(o.States)
			for i := range o.States {
				o.States[i].Arrived = exported(o.States[i].Arrived)
			}
			x.Observation = &o
		}
		c.Bugs = append(c.Bugs, &x)
	}
	c.Outcomes = slices.Clone(r.Outcomes)
	for i := range c.Outcomes {
		c.Outcomes[i].Events = exported(c.Outcomes[i].Events)
	}
	return &c
}

// TimedOut reports whether more time could change the result: the exploration or a pass after it was
// stopped, and not because the first bug was found, or there was no time to repeat the schedule of a bug.
func (r *Result) TimedOut() bool {
	//mutant: time has nothing to do with bugs [test ./explore TestTimedOut]: "|| slices.ContainsFunc(r.Bugs, func(b *bug.Bug) bool { return b.Untold })" -> ""
	//mutant: after the first bug there is no more time [test ./explore TestTimedOutAll]: "!r.FirstOnly" -> "r.Verdict != Fail"
	return !r.FirstOnly && r.stopped() || r.cutShort || slices.ContainsFunc(r.Bugs, func(b *bug.Bug) bool { return b.Untold })
}

// stopped reports whether the exploration was stopped and could continue.
func (r *Result) stopped() bool {
	return slices.ContainsFunc(r.Incomplete, func(why Reason) bool {
		return why.Cause == CauseStopped || why.Cause == CauseBound && why.Bound.Bound == por.BoundPoll
	})
}

// Accept accepts the assumptions about the environment in r: if nothing else is open, the verdict
// becomes OK. A value that depends on inputs of the test itself stays open.
func (r *Result) Accept() {
	r.Incomplete = slices.DeleteFunc(slices.Clone(r.Incomplete), func(why Reason) bool {
		return why.Cause == CauseAssumed && why.Assumption.What != vm.Concretised
	})
	if r.Verdict == Incomplete && len(r.Incomplete) == 0 {
		r.Verdict = OK
	}
}

// unfinished makes r, which is inconclusive, the result of an exploration that was stopped as soon
// as it had begun again. s is the result of that second exploration.
func (r *Result) unfinished(s *Result) {
	r.Incomplete = append(r.Incomplete, s.Incomplete...)
	if r.Verdict == OK {
		r.Verdict = Incomplete
	}
	r.again = refinement{}
}

// Ended returns the number of executions that have ended, in all searches and samples.
func (r *Result) Ended() uint64 {
	n := r.Stats.Executions + r.Sampled
	for _, o := range r.Others {
		n += o.Stats.Executions
	}
	return n
}

// searchedAs copies the explorers and the counts of an earlier exploration to r, because r was
// stopped before any execution ended. The earlier exploration has found only goroutines that may
// stay.
func (r *Result) searchedAs(earlier *Result) {
	r.POR, r.FallbackTo, r.Auto, r.Sampled, r.Others = earlier.POR, earlier.FallbackTo, earlier.Auto, earlier.Sampled, earlier.Others
	r.Stats.Stats, r.Stats.Counters = earlier.Stats.Stats, earlier.Stats.Counters
}

// SaysLessThan reports whether r, which was stopped before any execution ended, has less information than
// an earlier exploration of the entry that found no bug either.
func (r *Result) SaysLessThan(earlier *Result) bool {
	return r.Verdict == Incomplete && earlier.Verdict == Incomplete && r.stopped() && len(r.Bugs) == 0 && r.Ended() == 0 && earlier.Ended() > 0
}

// Stats has the counts of a search.
type Stats struct {
	por.Stats
	describe.Counters
	Load    time.Duration // loading and building the program
	Static  time.Duration // time for analysing the program
	Checked *check.Counts // what was checked, with Options.CheckStatic
	Explore time.Duration
}

// An Outcome is an ending of executions with its output.
type Outcome struct {
	Output   string // printed on stdout
	Ending   string
	Count    uint64
	Schedule trace.Schedule   // the first execution with this outcome
	Events   []describe.Event // Schedule in words
}

// A Reason is a reason why a search is incomplete.
type Reason struct {
	Cause Cause
	// Bound is the explorer's reason, for CauseBound.
	Bound por.Reason
	// Ended says that the search ended with the first execution that the bound cut.
	Ended bool
	// Text is the machine's own reason, or the cause of the context.
	Text string
	// Refused is the refused construct, for CauseUnsupported.
	Refused vm.Refusal
	// Pos is the position of the loop, for CauseTime.
	Pos token.Position
	// Passes says that time passes in that loop, which continues nevertheless.
	Passes bool
	// Assumption is the assumption, for CauseAssumed.
	Assumption vm.Assumption
}

// A Cause is a kind of reason.
type Cause uint8

// The causes.
const (
	CauseBound       Cause = iota // a bound of the explorer: Bound
	CauseStopped                  // the context was done: Text
	CauseUnsupported              // the machine refused to execute something: Text
	CauseMemory                   // the program needs more memory than allowed: Text
	CauseTime                     // a loop ends when time has passed, and here time passes only in a sleep
	CauseImpossible               // the program's assumptions exclude every execution
	CauseAssumed                  // the environment was not tried in all ways: Assumption
)

// A LongLoop is the place of the busiest goroutine when the bound on steps cut an execution.
type LongLoop struct {
	Goroutine string
	Func      string
	Pos       token.Position
	Loop      bool // Pos is the position of the goroutine's loop; otherwise that of its pending operation
}

// addAimed adds the results for targets.
func (r *Result) addAimed(targets []target.Target, aimed []por.Aimed) {
	for i, a := range aimed {
		k := slices.IndexFunc(r.Aimed, func(x AimedAt) bool { return x.Target.String() == targets[i].String() })
		if k < 0 {
			k = len(r.Aimed)
			r.Aimed = append(r.Aimed, AimedAt{Target: targets[i]})
		}
		r.Aimed[k].Executions += a.Executions
		r.Aimed[k].Met += a.Met
	}
}

// An Alone is the exploration of one subtest of a test that is too big, without the other subtests, as with
// --run Test/sub. A subtest may depend on earlier ones: see Divide.
type Alone struct {
	Name    string // full name, with that of the test; the subtest may have subtests of its own
	Verdict Verdict
	Stats   Stats
	Assumed []vm.Assumption
}

// A Small is the exploration of the small version of an entry that is too big. It says nothing about the
// entry itself: the small version is another program.
type Small struct {
	*bug.Smaller
	Result *Result
}

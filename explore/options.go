package explore

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// Options say how to explore. The zero value, with an explorer, explores everything, without
// reductions and without storing states. It stops at the first bug and has no other bound.
type Options struct {
	POR     *por.Explorer   // explorer, with its own options
	Seed    uint64          // seed, for explorers that sample
	Targets []target.Target // at which they aim executions
	// Aims, if set, returns the targets of half of the walks of a portfolio. It is called when the walks
	// begin, and may take time; over reports whether they have to end.
	Aims func(over func() bool) []target.Target
	half bool // half of the executions are aimed, not most
	// longer is por.Config.RaiseSteps.
	longer bool
	// Portfolio, if set, has the explorers to use instead of POR, each with options of its own. Of
	// these Options, the other explorers use only Ignores, Trace and Progress.
	Portfolio *Portfolio

	// Hybrid says how much the search uses static facts. A lazy analysis begins only when the search has
	// taken longer than the analysis will probably take.
	Hybrid       oracle.Kind // "": none
	LazyAnalysis bool
	CheckStatic  bool          // compare static facts with the machine's executions: see check.Machine
	Explain      *oracle.Place // collect Result.Explained for this place

	Match           bool // store states and explore none twice
	Symmetry        bool // treat states as equal that differ only by a permutation of identical goroutines
	Jobs            int  // workers, unless OneWorker forbids several; 0: one
	CheckDuplicates bool // see por.Config.CheckDuplicates

	// The bounds; 0 means no bound.
	MaxExecs      uint64
	MaxSteps      int
	RaiseSteps    bool // a portfolio raises MaxSteps, if random executions are that long
	StopTruncated bool // end the search with the first execution of more than MaxSteps
	MaxStates     uint64
	MaxMemory     int64
	MaxWork       uint64        // work after which an exploration has to end, the same on every machine: see por.Stats.Work
	Timeout       time.Duration // counted from the end of the build
	Share         bool          // Timeout is a share of the time of several entries
	Initialising  time.Duration // a shorter Share begins after initialising packages, which takes at most this
	spent         time.Duration // part of Timeout that earlier searches of the entry have used
	LimitPreempt  bool          // bound preemptions by Preempt
	Preempt       int
	WholeCalls    bool // see por.Config.WholeCalls
	Prompt        bool // see por.Config.Prompt
	Undelayed     bool // time passes only while all goroutines wait

	// Options of collecting and reporting.
	All        bool // continue after the first bug
	Outcomes   bool // collect Result.Outcomes
	Finals     bool // collect Result.Finals
	NoMinimise bool // keep the schedules as found
	Observe    bool // make an Observation of each bug's schedule, unless it is too long
	// AllowLeak, if set, accepts leaked goroutines with a matching function on their stack.
	AllowLeak *regexp.Regexp
	// Assume has the assumptions that a verdict OK may rest on.
	Assume [vm.NumAssumed]bool
	// Known, if set, reports whether to accept a bug: the search then continues past it.
	Known func(b *bug.Bug) bool
	// Leaks says which remaining goroutines are bugs. tolerated has the bugs that may stay, in the
	// exploration that counts them (left.go).
	Leaks     LeakRule
	tolerated map[bug.Key]bool
	// doubtsLeft is set if bugs that may stay are doubted like other bugs: see left.go.
	doubtsLeft bool
	// Ignores accept bugs; the exploration marks those that did.
	Ignores []*ignore.Comment

	// Keep, if set, says where to save searches.
	Keep  *Keep
	phase string // name under which this search is saved; "": the search is not saved

	// Elsewhere, if set, lets other processes explore pieces of the search, if it can be cut into such.
	Elsewhere Elsewhere

	// Trace, if set, gets a transcript of the search: see por.Config.Trace.
	Trace io.Writer
	// Progress, if set, is called now and then. ProgressDue reports whether Progress would show
	// anything; otherwise the search spends no time on an Estimate. nil: always.
	Progress    func(Progress)
	ProgressDue func() bool

	// awaitLoops omits zero-effect iterations even if states are stored.
	awaitLoops bool
	dive       int // por.Config.Dive
	_          struct{}
}

// Left returns the rest of the Timeout; 0 if there is no Timeout.
func (o Options) Left() time.Duration {
	if o.Timeout == 0 {
		return 0
	}
	return max(1, o.Timeout-o.spent)
}

// Within returns the options for another exploration, with a Timeout of its own.
func (o Options) Within(d time.Duration) Options {
	o.Timeout, o.spent = d, 0
	return o
}

// After returns the options for an entry on which d of the Timeout has been spent already.
func (o Options) After(d time.Duration) Options {
	if o.Timeout > 0 {
		o.spent += d
	}
	return o
}

// Progress is a snapshot of a running exploration.
type Progress struct {
	por.Progress
	Bugs   int
	Before por.Stats // done by earlier processes
}

// kind returns how much the search uses static facts.
func (o *Options) kind() oracle.Kind { return cmp.Or(o.Hybrid, oracle.None) }

// await returns the machine's treatment of loops that wait. State matching finds their iterations
// by itself.
func (o *Options) await() vm.Await {
	switch {
	case o.awaitLoops:
		return vm.AwaitOnce
	case o.Match:
		return vm.AwaitNever
	case o.POR.Samples:
		return vm.AwaitChange
	}
	return vm.AwaitOnce
}

// config returns the part of o that every explorer uses.
func (o *Options) config() por.Config {
	return por.Config{
		Match: o.Match, Symmetry: o.Symmetry, MaxExecutions: o.MaxExecs, MaxSteps: o.MaxSteps, MaxStates: o.MaxStates, MaxMemory: o.MaxMemory,
		LimitPreempt: o.LimitPreempt, Preempt: o.Preempt, WholeCalls: o.WholeCalls, Prompt: o.Prompt, Seed: o.Seed, IgnoreOutput: !o.Outcomes, CheckDuplicates: o.CheckDuplicates,
		Trace: o.Trace, Dive: o.dive, HalfAimed: o.half, RaiseSteps: o.longer,
	}
}

// bounds returns the part of o that a search for one bug uses.
func (o *Options) bounds() por.Config {
	return por.Config{Match: o.Match, MaxSteps: o.MaxSteps, MaxMemory: o.MaxMemory, IgnoreOutput: !o.Outcomes}
}

// A Rule is a combination of options that Check rejects. Package report says why.
type Rule uint8

// The rules.
const (
	MatchUnsupported   Rule = iota // states are matched, but the explorer cannot
	MatchRequired                  // states are not matched, but the explorer must
	PreemptUnsupported             // preemptions are bounded, but the explorer leaves out schedules
	WholeUnsupported               // calls are not interrupted, but the explorer stores no states or preemptions are bounded
	DuplicatesExpected             // the search reports duplicates, but the explorer has some by design
	ExplainNeedsFacts              // explanations need static facts
	NumRules
)

// Each of the rules reports whether options break it. Check evaluates them in this order.
var rules = [NumRules]func(o *Options) bool{
	MatchUnsupported:   func(o *Options) bool { return o.Match && !o.POR.Stateful },
	MatchRequired:      func(o *Options) bool { return !o.Match && !o.POR.Stateless },
	PreemptUnsupported: func(o *Options) bool { return o.LimitPreempt && o.POR.NoPreemptionBound },
	WholeUnsupported:   func(o *Options) bool { return o.WholeCalls && (!o.POR.Stateful || o.LimitPreempt) },
	DuplicatesExpected: func(o *Options) bool { return o.CheckDuplicates && !o.POR.NoDuplicates },
	ExplainNeedsFacts:  func(o *Options) bool { return o.Explain != nil && o.kind() == oracle.None },
}

// Illegal is the error for rejected options.
type Illegal struct {
	Rule    Rule
	Options *Options
}

func (e *Illegal) Error() string { return fmt.Sprintf("explore: options break rule %d", e.Rule) }

// Check returns an *Illegal for the first rule that the options break.
func (o *Options) Check() error {
	for r, broken := range rules {
		if broken(o) {
			return &Illegal{Rule: Rule(r), Options: o}
		}
	}
	return nil
}

// LeakRule says which remaining goroutines are bugs.
type LeakRule uint8

// A Portfolio explores an entry with several explorers, because no explorer is the best for all programs. A
// search that stores no states is fast where few operations conflict. An explorer that stores states is fast
// where many orders lead back to few states. Many bugs show in the first execution drawn at random.
//
//	1  the first search
//	2  as soon as it has worked aloneWork, or has given up: if its executions are long (see tooLong),
//	       it continues up to attemptWork; if they still are, it ends; then, on the same machine, the steps
//	       of portfolio_long.go, and line 1 again
//	   beside it all other searches, each on a machine of its own
//	3  as soon as one of them has worked enough to make the cost of random executions small:
//	       beside them the samples, each up to sampleWork, or without end if executions are long (see draws)
//	   as soon as one of them has worked so long that its end is not in sight:
//	       beside them one by increasing preemptions (see ladder)
//	4  the answer that took the least work
//
// An answer is a bug, or the fact that everything is explored; a search that gives up has no answer. The
// measure is work (por.Stats.Work) and not time, so that the answer is the same on every machine. No work
// is done twice: the first search continues its work beside the others.
//
// Claim 1: line 4 does not depend on the speed of the searches. (1) The work of each search after each of its
// transitions does not depend on the others. Nor does the work at which it begins: line 2 determines it by
// the work of the first search, which has one worker until then. (2) A search is stopped only when it has
// worked more than another search that has an answer. (3) So the search that needs the least work for an
// answer is never stopped, and every other search that is not stopped needs more work.
//
// Claim 2: an answer counts soon after it exists: when the other searches have worked one turn more
// (see strategy.Turns).
//
// With one processor for each search, line 4 takes about as long as the best search. With one processor it
// takes twice as long as the first search, if that is the best.
type Portfolio struct {
	First    *Options  // a sample for programs with long executions; nil: none
	Samples  []Options // searches of explorers that sample
	Searches []Options // searches that can be exhaustive; at least one
	Graded   *Options  // the search to repeat with at most 0, 1, 2, ... preemptions; nil: none
	Whole    *Options  // the search in which no call of a library is interrupted; nil: none
}

// An Elsewhere lets other processes explore pieces of a search. The methods are those of por.Elsewhere.
type Elsewhere interface {
	Workers() int
	Acquire(over <-chan struct{}) bool
	TryAcquire() bool
	Release()
	// Explore makes another process call Helper.Explore for p, and returns the result. ok is false if the
	// helper refused the piece, or if stop returned true.
	Explore(p Piece, stop func() bool) (result []byte, ok bool)
	// Publish keeps data for all pieces of the entry, and returns its number, 0 if that failed.
	Publish(data []byte) (number int)
}

// sends reports whether other processes may explore pieces of the search with options o.
func (o *Options) sends() bool {
	if o.Elsewhere == nil || o.phase == "" || o.POR.Piece == nil || o.Jobs > 1 {
		return false
	}
	if o.CheckDuplicates || o.Finals || o.Trace != nil || len(o.Targets) > 0 || o.countsLeft() {
		return false
	}
	if o.POR.Stateful {
		return o.Match && o.MaxExecs == 0 && o.MaxStates == 0 && o.kind() != oracle.Full && !o.CheckStatic && o.Explain == nil
	}
	return o.kind() == oracle.None
}

// A Piece is a piece of a search of an entry, for a Helper. Search and Known are the same for many pieces.
type Piece struct {
	Search []byte // identifies the search
	Known  []byte // the knowledge of its machine
	Data   []byte
}

// countsLeft reports whether the search counts the executions that leave a goroutine. Such a search
// needs one worker: the first execution that does not leave the goroutine shows a bug, and one worker
// may stop there. (In rounds the pieces do not depend on the number of workers.)
func (o *Options) countsLeft() bool { return len(o.tolerated) > 0 && !o.POR.Stateful }

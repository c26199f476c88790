package explore

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"time"

	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// Options say how to explore. The zero value, with an explorer, explores everything with no
// reduction and without storing states, stops at the first bug, and never gives up.
type Options struct {
	POR  *por.Explorer // with its own options
	Seed uint64        // of explorers that sample
	// Portfolio, if set, are the explorers that are used instead of POR, each with options of its
	// own. Of the others of these Options only Ignores, Trace and Progress count.
	Portfolio *Portfolio

	// How much is used of static facts. A lazy analysis begins only when the search has become
	// longer than it takes.
	Hybrid       oracle.Kind // "": none
	LazyAnalysis bool
	CheckStatic  bool          // compare static facts with what the machine does: see check.Machine
	Explain      *oracle.Place // collect Result.Explained for this place

	Match           bool // store states and explore none twice
	Symmetry        bool // and take those for equal that differ in exchanged goroutines only
	Jobs            int  // workers, unless the search has one: see OneWorker; 0: one
	CheckDuplicates bool // see por.Config.CheckDuplicates

	// The bounds; 0 is none.
	MaxExecs      uint64
	MaxSteps      int
	RaiseSteps    bool // a portfolio raises MaxSteps, if executions drawn at random are so long
	StopTruncated bool // end the search with the first execution of more than MaxSteps
	MaxStates     uint64
	MaxMemory     int64
	Timeout       time.Duration // from when the program has been built
	Share         bool          // Timeout is a share of the time of several entries
	spent         time.Duration // of it, by earlier searches of the entry
	LimitPreempt  bool          // to Preempt
	Preempt       int

	// What is collected and reported.
	All        bool // continue after the first bug
	Outcomes   bool // collect Result.Outcomes
	Finals     bool // collect Result.Finals
	NoMinimise bool // keep the schedules as they were found
	Observe    bool // make an Observation of each bug's schedule that is not too long
	// AllowLeak, if set, accepts leaked goroutines with a function on their stack that matches.
	AllowLeak *regexp.Regexp
	// Assume are the assumptions that leave a verdict OK.
	Assume [vm.NumAssumed]bool
	// Known, if set, accepts a bug, which it reports: the search goes on past it.
	Known func(b *Bug) bool
	// Leaks says which goroutines that are left are bugs; tolerated are those that may stay, in
	// the exploration that counts them (left.go).
	Leaks     LeakRule
	tolerated map[key]bool
	// Ignores accept bugs; those that did are marked.
	Ignores []*Ignore

	// Keep, if set, says where searches are saved.
	Keep  *Keep
	phase string // the one of them that is saved as; "": it is not

	// Trace, if set, gets a transcript of the search: see por.Config.Trace.
	Trace io.Writer
	// Progress, if set, is called now and then. ProgressDue reports whether it would show anything: only
	// then is there an Estimate, which takes time to make. nil: always.
	Progress    func(Progress)
	ProgressDue func() bool

	// awaitLoops: iterations with zero effect are not completed though states are stored.
	awaitLoops bool
	dive       int // por.Config.Dive
	_          struct{}
}

// Progress is a snapshot of a running exploration.
type Progress struct {
	por.Progress
	Bugs   int
	Before por.Stats // of it, what earlier processes have done
}

// kind returns how much is used of static facts.
func (o *Options) kind() oracle.Kind { return cmp.Or(o.Hybrid, oracle.None) }

// await returns how the machine treats loops that wait. Where states are matched they are
// found to lead back.
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

// config translates what concerns every explorer.
func (o *Options) config() por.Config {
	return por.Config{
		Match: o.Match, Symmetry: o.Symmetry, MaxExecutions: o.MaxExecs, MaxSteps: o.MaxSteps, MaxStates: o.MaxStates, MaxMemory: o.MaxMemory,
		LimitPreempt: o.LimitPreempt, Preempt: o.Preempt, Seed: o.Seed, IgnoreOutput: !o.Outcomes, CheckDuplicates: o.CheckDuplicates,
		Trace: o.Trace, Dive: o.dive,
	}
}

// A Rule is a combination of options that is refused. Package report says why.
type Rule uint8

// The rules.
const (
	MatchUnsupported   Rule = iota // states are matched, but the explorer cannot
	MatchRequired                  // states are not matched, but the explorer must
	PreemptUnsupported             // preemptions are bounded, but the explorer leaves out schedules
	DuplicatesExpected             // duplicates are looked for, but the explorer has some
	ExplainNeedsFacts              // explanations without static facts
	NumRules
)

// rules say when a rule is broken. They are checked in their order.
var rules = [NumRules]func(o *Options) bool{
	MatchUnsupported:   func(o *Options) bool { return o.Match && !o.POR.Stateful },
	MatchRequired:      func(o *Options) bool { return !o.Match && !o.POR.Stateless },
	PreemptUnsupported: func(o *Options) bool { return o.LimitPreempt && o.POR.NoPreemptionBound },
	DuplicatesExpected: func(o *Options) bool { return o.CheckDuplicates && !o.POR.NoDuplicates },
	ExplainNeedsFacts:  func(o *Options) bool { return o.Explain != nil && o.kind() == oracle.None },
}

// Illegal is the error of options that are refused.
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

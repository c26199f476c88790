package explore

import (
	"errors"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
)

// Entry is one program to explore.
type Entry struct {
	Package string // import path
	Name    string // function
	// New makes a machine in the entry's initial state. During a long step the machine calls
	// interrupted, which reports whether to cut the execution.
	New    func(interrupted func() bool) (describe.Machine, error)
	Source *load.Entry // the entry's source; nil if Select did not make the entry
	// Together has the names of the two parallel tests, if the entry consists of two.
	Together []string
}

// An exploration is the exploration of one entry.
type exploration struct {
	limit     *limit
	opts      Options
	m         describe.Machine
	collector *collector
	result    *Result
	begin     time.Time // when the machine was ready
	before    tally     // the counts of the machine before an earlier exploration on it

	// The system and the configuration of the explorer.
	sys por.System
	cfg por.Config

	coveredBefore []noted // coverage by other searches, which is added
	keeper        *keeper // nil: the search is not saved
	extra         any     // saved with the search
	failed        error   // a *NotResumed
	overtaking    bool    // the search has to determine Bug.Overtakes
	broken        bool    // the search has been abandoned, and the machine is in any state

	// The sources of facts that the search consults and its result reports; nil if not wanted.
	lazy     *oracle.Lazy
	parts    por.Parts // the partition; the search queries it less often after useless queries
	checked  *check.Machine
	explains *oracle.Explainer
}

// errBroken is the error for a machine in an unknown state, after a mistake of hbcheck.
var errBroken = errors.New("BUG: a search has failed on this machine")

// factsKind returns the kind of static facts that the search uses: none if exits depend on the end
// of the test (vm.Config.VisibleEnd), about which there are no facts.
func (s *exploration) factsKind() oracle.Kind {
	//mutant: static facts say nothing of exits [test ./cmd/hbcheck TestScripts/exits]: "s.m.Refinement().VisibleEnd" -> "false"
	if s.m.Refinement().VisibleEnd && s.opts.Explain == nil {
		return oracle.None
	}
	return s.opts.kind()
}

// hasError reports whether the search has found a bug that is not a warning.
func (s *exploration) hasError() bool {
	return slices.ContainsFunc(s.collector.found(), func(b *bug.Bug) bool { return !b.Warning })
}

// needsEqualTimes reports whether b may need two times that are equal only in a search without delays: a test
// may require a positive duration.
func (s *exploration) needsEqualTimes(b *bug.Bug) bool {
	//mutant: without delays times are equal as natively [test ./explore TestNoTime]: "s.opts.Undelayed &&" -> "false &&"
	return s.opts.Undelayed && (b.Kind == bug.Failure || b.Kind == bug.Panic) && s.m.StoodStill()
}

// answers reports whether found is an answer: it has a bug, or everything was explored.
func (s *exploration) answers(found *por.Result) bool {
	counts := func(b *bug.Bug) bool { return !b.Warning && !s.needsEqualTimes(b) }
	if found.Stopped && !s.opts.All && slices.ContainsFunc(s.collector.found(), counts) {
		return true
	}
	return len(found.Incomplete) == 0 && !found.Stopped && !s.limit.passed()
}

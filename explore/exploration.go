package explore

import (
	"errors"
	"time"

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
	before    tally     // of the machine before an earlier exploration on it

	// The system and the configuration of the explorer.
	sys por.System
	cfg por.Config

	coveredBefore []noted // coverage by other searches, which counts, too
	keeper        *keeper // nil: the search is not saved
	extra         any     // saved with the search
	failed        error   // a *NotResumed
	overtaking    bool    // Bug.Overtakes is wanted
	broken        bool    // the search has been abandoned, and the machine is in any state

	// The sources of facts that the search consults and its result reports; nil if not wanted.
	lazy     *oracle.Lazy
	parts    por.Parts // those that learn
	checked  *check.Machine
	explains *oracle.Explainer
}

// errBroken is the error for a machine in an unknown state, after a mistake of hbcheck.
var errBroken = errors.New("BUG: a search has failed on this machine")

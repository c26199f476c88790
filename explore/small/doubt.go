package small

import (
	"slices"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load/scale"
)

// A version that counts passes in the order of gc, so what fails in it depends on the schedule. But what a
// test asserts of many goroutines, "at least 50 of 100 were served", may hold in every schedule of the test
// and not of the small version. So a failure, or a panic in the test's own code, is an error only if all
// numbers that it is about are among those that were made smaller; otherwise it is a warning. Deadlocks,
// races and misuse of locks and channels are errors in any case: no program may have them.

// doubt makes such bugs of v warnings.
func (c *Config) doubt(v *Version, r *explore.Result) {
	for _, b := range r.Bugs {
		own := b.Kind == explore.Failure || b.Kind == explore.Panic && scale.Own(c.Prog, c.Entry.Source, b.Site)
		if !b.Warning && own && scale.Compares(c.Prog, c.Entry.Source, b.Pos, v.choice) {
			b.Warning, b.Doubtful = true, true
		}
	}
	if r.Verdict == explore.Fail && !slices.ContainsFunc(r.Bugs, func(b *explore.Bug) bool { return !b.Warning }) {
		r.Verdict = explore.Incomplete // the search may have ended with the bug
	}
}

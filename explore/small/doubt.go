package small

import (
	"slices"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/load/scale"
)

// A version that counts passes in the order of gc, so a failure in it depends on the schedule. But an
// assertion about many goroutines, such as "at least 50 of 100 were served", may hold in every schedule of
// the test, and fail in some schedule of the small version. So a failure is an error only under two
// conditions; otherwise it is a warning. First, all numbers in its condition were made smaller. Second, the
// version waits for the same durations as the test: a rate of one event in a second, instead of ten, makes it
// another test. The same holds for a panic or a misuse in the test's own code. A goroutine that waits forever
// in the test's own code is a warning, too, if a smaller number is a size: a channel that had room for all
// elements may no longer have it. Races are always errors, and so are bugs in other code, because no program
// may cause them.

// doubt makes such bugs of v warnings.
func (c *Config) doubt(v *Version, r *explore.Result) {
	for _, b := range r.Bugs {
		if !b.Warning && c.doubtful(v, b) {
			b.Warning, b.Doubtful = true, true
		}
	}
	if r.Verdict == explore.Fail && !slices.ContainsFunc(r.Bugs, func(b *bug.Bug) bool { return !b.Warning }) {
		r.Verdict = explore.Incomplete // the search may have ended with the bug
	}
}

// doubtful reports whether smaller numbers may be the cause of a bug.
func (c *Config) doubtful(v *Version, b *bug.Bug) bool {
	own := scale.Own(c.Prog, c.Entry.Source, b.Site)
	switch b.Kind {
	case bug.Failure:
		//mutant: a smaller number that was a rate fails the test [test ./explore/small TestValid]: "v.times" -> "false"
		return v.times || scale.Compares(c.Prog, c.Entry.Source, b.Pos, v.choice)
	case bug.Panic, bug.Misuse:
		return own && (v.times || scale.Compares(c.Prog, c.Entry.Source, b.Pos, v.choice))
	case bug.Deadlock, bug.Leak:
		//mutant: what waits because a channel was made smaller is an error [test ./explore/small TestValid]: "x.Role == scale.Size" -> "false"
		return own && slices.ContainsFunc(v.choice.Values, func(x scale.Value) bool { return x.Role == scale.Size })
	}
	return false
}

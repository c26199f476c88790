package explore

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
)

// A Subtest is a subtest with its verdict. Exploring a test explores its subtests, so the verdict follows
// from the test's. If the test is too big, the verdict is that of the subtest explored alone, if it was
// explored alone.
type Subtest struct {
	Name    string // full name, with that of the test: TestX/a
	Verdict Verdict
	Skipped bool // every execution skips the subtest
	Alone   bool // the verdict comes from its exploration alone
}

// SubtestVerdicts returns the executed subtests with their verdicts, in the order of their names. A bug fails
// the subtests that it happened in, and those around them. When the search has stopped at a bug, or is
// incomplete for another reason, nothing is known about the others.
func (r *Result) SubtestVerdicts() (list []Subtest) {
	rest := r.Verdict
	if r.Verdict == Fail {
		//mutant: subtests beside one that fails are ok [test ./cmd/hbcheck TestScripts/verdicts]: "Incomplete" -> "OK"
		rest = Incomplete
		if !r.FirstOnly && len(r.Incomplete) == 0 {
			rest = OK
		}
	}
	for _, name := range r.Subtests {
		s := Subtest{Name: name, Verdict: rest, Skipped: slices.Contains(r.Skipped, name)}
		//mutant: what is known of a subtest alone is not said [test ./cmd/hbcheck TestScripts/alone]: "; ok" -> "; ok && false"
		if v, ok := r.aloneAs(name); ok {
			s.Verdict, s.Alone = v, true
		}
		if slices.ContainsFunc(r.Bugs, func(b *bug.Bug) bool { return !b.Warning && b.In(name) }) {
			s.Verdict, s.Skipped = Fail, false
		}
		list = append(list, s)
	}
	return list
}

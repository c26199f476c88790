package explore

import (
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/vm"
)

// Parts returns the names of the subtests that may be explored alone: those of the first level, except
// those that every execution skipped. If there is only one, Parts returns none.
func (r *Result) Parts() (list []string) {
	for _, name := range r.Subtests {
		levels := strings.SplitN(name, "/", 3)
		if len(levels) < 2 || slices.Contains(r.Skipped, name) {
			continue
		}
		if part := levels[0] + "/" + levels[1]; !slices.Contains(list, part) {
			list = append(list, part)
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// AddAlone adds the exploration of a subtest alone to the result of its test. Its bugs are bugs of the test.
func (r *Result) AddAlone(name string, x *Result) {
	r.Alone = append(r.Alone, Alone{name, x.Verdict})
	for _, b := range x.Bugs {
		//mutant: the bug of a subtest alone is lost [test ./cmd/hbcheck TestScripts/alone]: "b.Warning ||" -> "true ||"
		if b.Warning || slices.ContainsFunc(r.Bugs, func(k *bug.Bug) bool { return k.Key() == b.Key() }) {
			continue
		}
		b.Alone = name
		r.Bugs = append(r.Bugs, b)
		r.Verdict = Fail
	}
	if x.Verdict == OK { // an incomplete exploration assumes nothing
		for _, a := range x.Assumed {
			if !slices.ContainsFunc(r.Assumed, func(k vm.Assumption) bool { return k == a }) {
				r.Assumed = append(r.Assumed, a)
			}
		}
	}
}

// aloneAs returns the verdict of the subtest of that name, or of the one around it, alone.
func (r *Result) aloneAs(name string) (v Verdict, ok bool) {
	for _, x := range r.Alone {
		if x.Name == name || strings.HasPrefix(name, x.Name+"/") {
			return x.Verdict, true
		}
	}
	return "", false
}

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
	r.keepAlone(Alone{name, x.Verdict, x.Stats, x.Assumed})
	for _, b := range x.Bugs {
		//mutant: the bug of a subtest alone is lost [test ./cmd/hbcheck TestScripts/alone]: "b.Warning ||" -> "true ||"
		if b.Warning || slices.ContainsFunc(r.Bugs, func(k *bug.Bug) bool { return k.Key() == b.Key() }) {
			continue
		}
		b.Alone = name
		r.Bugs = append(r.Bugs, b)
		r.Verdict = Fail
	}
}

// keepAlone adds a, or puts it in the place of the earlier exploration of its subtest.
func (r *Result) keepAlone(a Alone) {
	if i := slices.IndexFunc(r.Alone, func(x Alone) bool { return x.Name == a.Name }); i >= 0 {
		r.Alone[i] = a
	} else {
		r.Alone = append(r.Alone, a)
	}
	if a.Verdict != OK { // an incomplete exploration assumes nothing
		return
	}
	for _, x := range a.Assumed {
		if !slices.Contains(r.Assumed, x) {
			r.Assumed = append(r.Assumed, x)
		}
	}
}

// KnownAlone returns the exploration of the subtest of that name alone, if it was exhaustive.
func (r *Result) KnownAlone(name string) (a Alone, ok bool) {
	if r == nil {
		return a, false
	}
	i := slices.IndexFunc(r.Alone, func(x Alone) bool { return x.Name == name && x.Verdict == OK })
	if i < 0 {
		return a, false
	}
	return r.Alone[i], true
}

// KeepAlone adds an earlier exploration of a subtest alone that has found no bug.
func (r *Result) KeepAlone(a Alone) { r.keepAlone(a) }

// Divide gives r, the result of a test that is too big, the verdict of its subtests, if each of them
// was explored alone and exhaustively; it reports whether that is so. It assumes that subtests do not
// affect each other: the caller has checked that they do not run at the same time. At least one
// execution of the test has to have ended, because only executions show which subtests there are.
func (r *Result) Divide() bool {
	parts := r.Parts()
	//mutant: subtests that no execution has shown are no reason for doubt [test ./explore TestDivide]: " || r.Ended() == 0" -> ""
	if !r.TooBig() || len(parts) == 0 || r.Ended() == 0 {
		return false
	}
	var sum Stats
	for _, name := range parts {
		a, ok := r.KnownAlone(name)
		//mutant: subtests that are not exhaustive do not count [test ./explore TestDivide]: "!ok" -> "!ok && false"
		if !ok {
			return false
		}
		sum.Stats.Add(&a.Stats.Stats)
		sum.States += a.Stats.States
		sum.Goroutines = max(sum.Goroutines, a.Stats.Goroutines)
		sum.Instructions += a.Stats.Instructions
		sum.Explore += a.Stats.Explore
	}
	sum.Load, sum.Static = r.Stats.Load, r.Stats.Static
	r.Verdict, r.Incomplete, r.Divided, r.Stats = OK, nil, len(parts), sum
	r.Auto, r.FallbackTo, r.Sampled, r.Others, r.Graded = false, "", 0, nil, nil
	r.Assumed = append(slices.Clone(r.Assumed), vm.Assumption{What: vm.SubtestsApart})
	return true
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

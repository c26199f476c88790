package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
)

// mostConstants bounds the numbers of a small version that are named.
const mostConstants = 4

// constants names the numbers of a small version: "pool_test.go:132: 100 → 3, :135: 100 → 2".
func constants(x *bug.Smaller) string {
	all := slices.Clone(x.Constants)
	if bounds := slices.DeleteFunc(slices.Clone(all), func(c bug.Scaled) bool { return c.Follows }); len(bounds) > 0 {
		all = bounds
	}
	var list []string
	file := ""
	for i, c := range all {
		if i == mostConstants {
			list = append(list, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		at := line(c.Pos)
		if name := filepath.Base(c.Pos.Filename); name == file {
			at = strings.TrimPrefix(at, name)
		} else {
			file = name
		}
		list = append(list, fmt.Sprintf("%s: %d → %d", at, c.From, c.To))
	}
	return strings.Join(list, ", ")
}

// smallVerdict returns the text about the verdict of a small version.
func smallVerdict(s *explore.Small) string {
	x := s.Result
	is := "is exhaustive"
	switch {
	case x.Verdict == explore.Fail:
		is = "has a bug"
	case x.FirstOnly:
		is = "is incomplete (its search ended with a failure that smaller numbers may have caused)"
	case !s.Exhaustive():
		is = "is incomplete (" + strings.Join(unassumed(x), "; ") + ")"
	case len(x.Assumed) > 0:
		is = "is " + exhaustive(x, false)
	}
	text := fmt.Sprintf("its small version (%s) %s: %s", constants(s.Smaller), is, smallCovered(x))
	if x.Verdict != explore.Fail && !x.FirstOnly {
		text += ", no bug"
	}
	return text
}

// unassumed returns the reasons for incompleteness, with one clause for all assumptions.
func unassumed(r *explore.Result) []string {
	var others, assumed explore.Result
	for _, x := range r.Incomplete {
		if x.Cause == explore.CauseAssumed {
			assumed.Assumed = append(assumed.Assumed, x.Assumption)
		} else {
			others.Incomplete = append(others.Incomplete, x)
		}
	}
	others.LongLoops = r.LongLoops
	list := Incomplete(&others)
	//mutant: assumptions of an incomplete small version are not named [test ./report TestSmallAssumes]: false
	if words := Assumes(&assumed); len(words) > 0 {
		list = append(list, "assuming "+strings.Join(words, ", "))
	}
	return list
}

// smallCovered returns the text about the explored part of a small version.
func smallCovered(r *explore.Result) string {
	s := coveredBy(r)
	if i := strings.LastIndex(s, ", depth"); i >= 0 {
		s = s[:i]
	}
	return s
}

// tooBig returns the text about an entry with a small version: the size of the entry, and the results of
// both.
func tooBig(r *explore.Result) string {
	s := "too big: " + count(r.Stats.Goroutines, "goroutine") + ", "
	steps := r.Stats.MaxDepth
	for _, o := range r.Others {
		steps = max(steps, o.Stats.MaxDepth)
	}
	n := r.Stats.Executions + r.Sampled
	for _, o := range r.Others {
		n += o.Stats.Executions
	}
	if n == 0 {
		return s + "more than " + count(steps, "step") + " an execution; " + smallVerdict(r.Small) + "; no execution at full size has ended"
	}
	return s + count(steps, "step") + " an execution; " + smallVerdict(r.Small) + "; " + count(n, "execution") + " at full size, no bug"
}

// foundIn returns the text for a bug of a small version, or of a subtest alone; "" for a bug of the entry
// itself.
func foundIn(b *bug.Bug) string {
	if b.Alone != "" {
		return "found in " + b.Alone + " without the other subtests, as with --run"
	}
	if b.Small == nil {
		return ""
	}
	s := "found in its small version (" + constants(b.Small) + ")"
	if b.Doubtful {
		s += ", where smaller numbers may be the cause"
		if b.Kind == bug.Failure || b.Kind == bug.Panic || b.Kind == bug.Misuse {
			s += ": the test compares with a number that was not made smaller"
		}
	}
	switch b.Carried {
	case bug.Carried:
		s += "; the same order shows it at full size, too (" + count(b.CarriedSteps, "step") + ")"
	case bug.NotCarried:
		s += "; the same order does not show it at full size"
	}
	return s
}

// FoundIn names the program in which a bug was found, if it is not the entry itself, or "".
func FoundIn(b *bug.Bug) string { return foundIn(b) }

// allSmall reports whether all bugs of a result are those of its small version.
func allSmall(r *explore.Result) bool {
	if r.Small == nil {
		return false
	}
	for _, b := range r.Bugs {
		if !b.Warning && b.Small == nil {
			return false
		}
	}
	return true
}

// A jsonSmall is the exploration of a small version of an entry.
type jsonSmall struct {
	Constants []jsonConstant `json:"constants"`
	Verdict   string         `json:"verdict"` // ok: exhaustive, perhaps with assumptions
	Stats     JSONStats      `json:"stats"`
}

// A jsonConstant is a number that differs in the small version.
type jsonConstant struct {
	Pos  string `json:"pos"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

// newJSONSmall returns s in its written form; nil if there is none.
func newJSONSmall(s *explore.Small, paths Paths) *jsonSmall {
	if s == nil {
		return nil
	}
	x := &jsonSmall{Constants: []jsonConstant{}, Verdict: string(s.Result.Verdict), Stats: NewJSONStats(&s.Result.Stats)}
	if s.Exhaustive() {
		x.Verdict = string(explore.OK)
	}
	for _, c := range s.Constants {
		x.Constants = append(x.Constants, jsonConstant{paths.Pos(c.Pos), c.From, c.To})
	}
	return x
}

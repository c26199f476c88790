package explore

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
)

// SmallerBy returns how a small version with these edits differs; nil if there are none.
func SmallerBy(edits []load.Edit) *bug.Smaller {
	if len(edits) == 0 {
		return nil
	}
	x := &bug.Smaller{Edits: edits}
	for _, e := range edits {
		from, _ := load.Number(e.From)
		to, _ := load.Number(e.To)
		x.Constants = append(x.Constants, bug.Scaled{Pos: e.Pos, From: from, To: to})
	}
	return x
}

// Exhaustive reports whether every schedule of the small version is covered, and none has a bug.
// Assumptions about the environment do not prevent that.
func (s *Small) Exhaustive() bool {
	assumed := func(why Reason) bool { return why.Cause == CauseAssumed }
	return s.Result.Verdict != Fail && !s.Result.FirstOnly && !slices.ContainsFunc(s.Result.Incomplete, func(why Reason) bool { return !assumed(why) })
}

// TooBig reports whether an exploration without a bug has not ended because of the size of the
// program. Bounds that the user has to ask for do not count.
func (r *Result) TooBig() bool {
	return r.Verdict == Incomplete && slices.ContainsFunc(r.Incomplete, func(why Reason) bool {
		switch why.Cause {
		case CauseStopped, CauseMemory:
			return true
		case CauseBound:
			b := why.Bound.Bound
			return b == por.BoundPoll || b == por.BoundSteps || b == por.BoundMemory || b == por.BoundStates
		}
		return false
	})
}

// AddSmall adds the exploration of the small version to the result of an entry. Bugs of the small
// version become bugs of the entry, with Bug.Small set. A version without a complete execution has
// no result.
func (r *Result) AddSmall(s *Small) {
	if s.Result.Verdict == Incomplete && s.Result.Stats.Executions == 0 && !s.Exhaustive() {
		return
	}
	r.Small = s
	for _, b := range s.Result.Bugs {
		if b.Warning && !b.Doubtful {
			continue // the entry at its full size has these bugs, too, or needs other timing
		}
		b.Small = s.Smaller
		r.Bugs = append(r.Bugs, b)
		//mutant: a bug of a small version leaves the verdict open [test ./cmd/hbcheck TestScripts/small$]: "!b.Warning" -> "false"
		if !b.Warning {
			r.Verdict = Fail
		}
	}
}

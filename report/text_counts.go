package report

import (
	"fmt"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por"
)

// took returns the text about the time of the search for a result.
func took(r *explore.Result) string {
	if r.Cached {
		return "(cached)"
	}
	return seconds(timeOf(r))
}

// ended returns the number of executions of searches that have ended.
func ended(r *explore.Result) uint64 {
	n := r.Stats.Executions
	for _, o := range r.Others {
		n += o.Stats.Executions
	}
	return n
}

// seen returns the number of states that the searches have reached.
func seen(r *explore.Result) uint64 {
	n := r.Stats.States
	for _, o := range r.Others {
		n += o.Stats.States
	}
	return n
}

// executions returns the text about the number of executions.
func executions(s *por.Stats) string {
	text := count(s.Executions, "execution")
	if s.PartExecutions > 0 {
		text += fmt.Sprintf(" and %d of parts", s.PartExecutions)
	}
	return text
}

// states returns the text about the number of states.
func states(s *por.Stats) string {
	text := count(s.States, "state")
	if s.Exchanged+s.Equal > 0 {
		text += " up to symmetry"
	}
	return text
}

// search returns the text about the progress of a search that found a bug.
func search(r *explore.Result) string {
	if allSmall(r) {
		return "its small version: " + search(r.Small.Result)
	}
	how := "all schedules explored"
	switch {
	case r.FirstOnly:
		s := "stopped at the first bug, after " + count(r.Stats.Transitions, "step")
		if r.Auto {
			s += " of " + r.POR
		}
		if r.Within != nil {
			s += " with at most " + count(*r.Within, "preemption")
		}
		return s
	//mutant: a bug of auto's sample is told as an incomplete search [test ./report TestFoundInSample]: false
	case r.Auto && len(r.Incomplete) == 1 && r.Incomplete[0].Bound.Bound == por.BoundSampled:
		return "found in a sample of " + executions(&r.Stats.Stats) + " of " + r.POR
	case !onlyAssumed(r):
		how = "incomplete" + with(r) + ": " + strings.Join(Incomplete(r), "; ")
	case len(r.Assumed) > 0:
		how += strings.TrimPrefix(exhaustive(r, false), "exhaustive")
	}
	return how + ", " + executions(&r.Stats.Stats)
}

// covered returns the text about the coverage of a search.
func covered(r *explore.Result) string {
	s := coveredBy(r)
	if x := r.Resumed; x != nil {
		precision := time.Second
		if x.Spent < 10*time.Second {
			precision /= 10
		}
		s += fmt.Sprintf(", resumed after %v (%s", x.Spent.Round(precision), count(x.Stats.Executions, "execution"))
		if x.Stats.States > 0 {
			s += ", " + count(x.Stats.States, "state")
		}
		s += ")"
	}
	return s
}

func coveredBy(r *explore.Result) string {
	if r.Auto && r.Verdict == explore.Incomplete && r.Sampled > 0 && ended(r) == 0 {
		s := count(r.Sampled, "sampled execution")
		if n := seen(r); n > 0 {
			s += ", " + count(n, "state")
		}
		return s + fmt.Sprintf(", %s, depth %d", count(r.Stats.Goroutines, "goroutine"), r.Stats.MaxDepth)
	}
	s := executions(&r.Stats.Stats)
	if r.Divided > 0 {
		s += " of " + count(r.Divided, "subtest")
	}
	if r.Match || r.Stats.States > 0 {
		s += ", " + states(&r.Stats.Stats)
	}
	switch {
	case r.FallbackTo != "":
		s += " (of --por=" + r.FallbackTo + ")"
	case r.Auto:
		s += " (" + r.POR + ")"
	}
	for _, o := range r.Others {
		s += ", " + executions(&o.Stats)
		if o.Stats.States > 0 {
			s += ", " + states(&o.Stats)
		}
		s += " (" + o.POR + ")"
	}
	if r.Auto && r.Verdict == explore.Incomplete && r.Sampled > 0 {
		s += fmt.Sprintf(", %d sampled", r.Sampled)
	}
	if r.Known > 0 {
		s += ", " + count(r.Known, "known finding")
	}
	return s + fmt.Sprintf(", %s, depth %d", count(r.Stats.Goroutines, "goroutine"), r.Stats.MaxDepth)
}

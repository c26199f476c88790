package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/strategy"
	"hbcheck.dev/hbcheck/por"
)

// Weigh returns lines about an exploration that is not exhaustive: its value, the causes of its length, and
// advice.
func Weigh(r *explore.Result) []string {
	var list []string
	if s := graded(r.Graded); s != "" {
		list = append(list, s)
	}
	if unended(r) {
		list = append(list, "time was up before the first execution ended")
	}
	if c := named(r); c != nil {
		list = append(list, choice(c))
	}
	if a := advice(r); len(a) > 0 && (r.Small == nil || !r.Small.Exhaustive()) {
		list = append(list, "try "+strings.Join(a, "; or "))
	}
	return list
}

// graded returns the text about the progress of an exploration in preemptions.
func graded(g *explore.Graded) string {
	if g == nil {
		return ""
	}
	part := fmt.Sprintf("about %.0f%%", min(100*g.Next, 99))
	switch {
	case g.Next == 0:
		part = "a part"
	case g.Next < 0.01:
		part = "less than 1%"
	}
	if g.Preempt < 0 {
		return part + " of the schedules without preemption explored"
	}
	which := "with at most " + count(g.Preempt, "preemption")
	if g.Preempt == 0 {
		which = "without preemption"
	}
	return fmt.Sprintf("all schedules %s: %s, %s, no bug; and %s of those with %d", which,
		count(g.Stats.Executions, "execution"), count(g.Stats.States, "state"), part, g.Preempt+1)
}

// named returns the operations with most of the choices, unless the search ended for another reason than
// their number.
func named(r *explore.Result) *strategy.Choice {
	if !slices.ContainsFunc(r.Incomplete, outOfReach) {
		return nil
	}
	return r.Choices
}

// unended reports whether time was up before an execution ended, so that there is nothing to report.
func unended(r *explore.Result) bool {
	none := r.Stats.Executions+r.Stats.States+r.Sampled == 0 && r.Graded == nil && r.Choices == nil
	for _, x := range r.Others {
		none = none && x.Stats.Executions+x.Stats.States == 0
	}
	why := strings.Join(Incomplete(r), " ")
	return none && (strings.Contains(why, "--timeout") || strings.Contains(why, "--budget"))
}

// outOfReach reports whether x is a bound that a smaller program would not have reached, and that the user
// did not set.
func outOfReach(x explore.Reason) bool {
	ofHost := x.Bound.Bound == por.BoundPoll || x.Bound.Bound == por.BoundMemory
	return x.Cause == explore.CauseStopped || x.Cause == explore.CauseBound && ofHost
}

// choice returns the text about the operations with most of a search's choices.
func choice(c *strategy.Choice) string {
	s := fmt.Sprintf("%.0f%% of the choices are at %s", 100*c.Part, line(c.Pos))
	if c.What != "" {
		s += " (" + c.What + ")"
	}
	if c.Between[0] != "" {
		s += ", mostly between " + c.Between[0] + " and " + c.Between[1]
	}
	return s
}

// advice returns advice for a long exploration: flags with their values, and changes of the test.
func advice(r *explore.Result) []string {
	if r.Graded == nil && r.Choices == nil && !unended(r) || !slices.ContainsFunc(r.Incomplete, outOfReach) {
		return nil
	}
	var list []string
	if n := len(r.Subtests); n > 1 && len(r.Alone) == 0 {
		list = append(list, fmt.Sprintf("one of the %d subtests at a time: --run '%s'", n, runPattern(r.Subtests)))
	}
	if r.Stats.Goroutines > 3 {
		list = append(list, "fewer goroutines, or fewer operations of each")
	}
	why := strings.Join(Incomplete(r), " ")
	for _, x := range [][2]string{{"--max-memory", "more"}, {"--timeout", "a longer"}, {"--budget", "a larger"}} {
		if strings.Contains(why, x[0]) {
			list = append(list, x[1]+" "+x[0])
		}
	}
	divided := r.POR == "optimal" && r.FallbackTo == "" || (r.POR == "jpf" || r.POR == "full") && r.Match
	if divided && r.Jobs <= 1 && !unended(r) {
		list = append(list, "-j 8 on a machine with 8 processors")
	}
	return list
}

// runPattern returns a pattern of --run that selects the first of the subtests, and no other one.
func runPattern(names []string) string {
	levels := strings.Split(names[0], "/")
	for i, level := range levels {
		levels[i] = regexp.QuoteMeta(level)
		if re, err := regexp.Compile(levels[i]); err == nil && slices.ContainsFunc(names, func(name string) bool {
			other := strings.Split(name, "/")
			return i < len(other) && other[i] != level && re.MatchString(other[i])
		}) {
			levels[i] = "^" + levels[i] + "$"
		}
	}
	return strings.Join(levels, "/")
}

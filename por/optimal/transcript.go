package optimal

import (
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// The lines of a transcript of the search (por.Config.Trace) besides steps and ends of
// executions: scheduled candidates, with the number of steps before the operation of their frame, and
// explored candidates.

// traceScheduled writes that candidate c, with the set of events set, has been found for the
// operation of f.
func (s *searcher) traceScheduled(f *frame, c *candidate, set []hb.Transition) {
	s.Tracef(len(s.Path), "candidate for g%d after %d steps: %s", f.g, f.depth, describe(c, set))
}

// traceRefused writes that line 29 refuses a candidate for the operation of f because of event j, which is
// in a reversal.
func (s *searcher) traceRefused(f *frame, j int) {
	if s.Tracing() {
		s.Tracef(len(s.Path), "no candidate for g%d after %d steps: step %d is in a reversal and not needed",
			f.g, f.depth, j+1)
	}
}

// traceExplored writes that candidate c of f is explored.
func (s *searcher) traceExplored(f *frame, c *candidate) {
	if s.Tracing() {
		s.Tracef(f.depth, "reverse g%d: %s", f.g, describe(c, f.transitions[c.lo:c.hi]))
	}
}

// traceGivenUp writes the reason why a candidate is not explored further.
func (s *searcher) traceGivenUp(why string) {
	if s.Tracing() {
		s.Tracef(len(s.Path), "given up: %s", why)
	}
}

// describe returns the text for c: the goroutines whose operations are executed first.
func describe(c *candidate, set []hb.Transition) string {
	var b strings.Builder
	b.WriteString("S = {")
	for i, t := range set {
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "g%d", t.G)
	}
	b.WriteString("}")
	if c.q != trace.NoGID {
		fmt.Fprintf(&b, ", then g%d", c.q)
	}
	return b.String()
}

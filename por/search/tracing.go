package search

import (
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Tracing reports whether the search writes a transcript (por.Config.Trace). Its text is computed only
// then:
//
//	if s.Tracing() {
//		s.Tracef(depth, "sleep set %v", ...)
//	}
func (s *Control) Tracing() bool { return s.Cfg.Trace != nil }

// Tracef writes a line of the transcript about the state after depth steps. The depth is the
// indentation, so that the file shows the search tree.
func (s *Control) Tracef(depth int, format string, args ...any) {
	fmt.Fprintf(s.Cfg.Trace, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
}

// TraceStep writes that op is executed after depth steps, and with which of several alternatives.
func (s *Control) TraceStep(depth int, op *trace.Op, choice, alternatives int) {
	if alternatives > 1 {
		s.Tracef(depth, "%s (alternative %d of %d)", s.Describe(op), choice+1, alternatives)
		return
	}
	s.Tracef(depth, "%s", s.Describe(op))
}

// TraceEnd writes that an execution ends after depth steps.
func (s *Control) TraceEnd(depth int, st por.Status) {
	s.Tracef(depth, "= %v", st)
}

// Describe returns the text for an operation in a transcript.
func (s *Control) Describe(op *trace.Op) string {
	text := fmt.Sprintf("g%d: %v", op.G, op.Kind)
	if s.Cfg.Describe != nil {
		text += " " + s.Cfg.Describe(*op)
	}
	return strings.TrimRight(text, " ")
}

// Goroutines returns the text for a set of goroutines in a transcript.
func Goroutines(gs []trace.GID) string {
	names := make([]string, len(gs))
	for i, g := range gs {
		names[i] = fmt.Sprintf("g%d", g)
	}
	return "{" + strings.Join(names, " ") + "}"
}

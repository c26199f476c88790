package search

import (
	"fmt"
	"io"
	"strings"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Trace lets the search that is given what it returns write what it does, for people who look for
// an execution that it has lost:
//
//	v, cfg = search.Trace(os.Stderr, v, cfg)
//
// There is a line for each step, indented by its depth, and one for the end of each execution.
// Steps that an execution has in common with the one written before are left out, so the lines are
// the tree that is explored. What is executed and rewound without coming to an end is written as
// given up. The search is the same, except that one with an oracle executes again what it need not
// otherwise. (The explorer by reads-from classes, and those that sample, do not say which
// operations they execute: steps have numbers there.)
func Trace(w io.Writer, v por.Visitor, cfg por.Config) (por.Visitor, por.Config) {
	t := &tracer{Visitor: v, oracle: cfg.Oracle, w: w}
	t.watcher, _ = cfg.Oracle.(por.Watcher)
	cfg.Oracle = (*traceOracle)(t)
	return t, cfg
}

// tracer is the visitor and the oracle of a search that is traced.
type tracer struct {
	por.Visitor
	oracle  por.Oracle  // or nil
	watcher por.Watcher // the same, if it is one
	w       io.Writer

	last    trace.Schedule // written before
	run     []string       // the steps since the search was rewound,
	written bool           // and whether an execution has ended since
	leaves  int
}

// Leaf implements por.Visitor.
func (t *tracer) Leaf(path trace.Schedule, status por.Status) bool {
	same := 0
	for same < len(path) && same < len(t.last) && path[same] == t.last[same] {
		same++
	}
	known := max(0, len(path)-len(t.run)) // of the steps from here on it is known what they are
	for i := same; i < len(path); i++ {
		text := fmt.Sprintf("g%d", path[i].G)
		if i >= known {
			text = t.run[len(t.run)-(len(path)-i)]
		}
		if path[i].Choice > 0 {
			text += fmt.Sprintf(" #%d", path[i].Choice)
		}
		fmt.Fprintf(t.w, "%*s%s\n", 2*i, "", text)
	}
	t.leaves++
	fmt.Fprintf(t.w, "%*s= %d %s\n", 2*len(path), "", t.leaves, statusNames[status])
	t.last, t.written = append(t.last[:0], path...), true
	return t.Visitor.Leaf(path, status)
}

var statusNames = [...]string{por.Running: "cut at a bound", por.Ended: "ended", por.Stuck: "stuck", por.Cut: "cut", por.Redundant: "redundant"}

// Restart implements por.Visitor.
func (t *tracer) Restart() {
	fmt.Fprintln(t.w, "restart")
	t.last, t.leaves = t.last[:0], 0
	t.Visitor.Restart()
}

// Raced implements por.RaceVisitor.
func (t *tracer) Raced(path trace.Schedule) bool {
	if v, ok := t.Visitor.(por.RaceVisitor); ok {
		return v.Raced(path)
	}
	return true
}

// traceOracle is the oracle of a search that is traced. It has the answers of the one there was.
type traceOracle tracer

// Skip implements por.Oracle.
func (t *traceOracle) Skip(g trace.GID, op *trace.Op) string {
	if t.oracle == nil {
		return ""
	}
	return t.oracle.Skip(g, op)
}

// Stepping implements por.Watcher.
func (t *traceOracle) Stepping(g trace.GID, op *trace.Op) {
	if t.watcher != nil {
		t.watcher.Stepping(g, op)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "g%d %v", g, op.Kind)
	for _, a := range op.Access[:op.N] {
		fmt.Fprintf(&b, " %d+%d", a.Obj, a.Off)
	}
	t.run = append(t.run, b.String())
}

// Rewound implements por.Watcher.
func (t *traceOracle) Rewound() {
	if t.watcher != nil {
		t.watcher.Rewound()
	}
	if len(t.run) > 0 && !t.written {
		fmt.Fprintf(t.w, "given up: %s\n", strings.Join(t.run, ", "))
	}
	t.run, t.written = t.run[:0], false
}

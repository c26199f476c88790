package report

import (
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/trace"
)

// An out is a reason why a row of a schedule is not drawn.
type out uint8

// The reasons.
const (
	drawn      out = iota
	internal       // an internal operation of package testing or context
	uninvolved     // an operation of a goroutine that has nothing to do with the bug
	afterwards     // a step after a test has failed, until the test has ended
	folded         // the row of a call stands for it
	untold         // steps with nothing known but the goroutine
	numOuts
)

// failureKind is the kind of a row that is the failure of a test.
const failureKind = "fail"

// leaveOut decides which rows are not drawn because they are unrelated to the bug. Where the bug happens,
// and where a goroutine is at the end, is always drawn.
func leaveOut(rows []row, b *bug.Bug) {
	if b == nil {
		return
	}
	var in map[trace.GID]bool // nil: all
	switch b.Kind {
	case bug.Deadlock, bug.Leak, bug.Failure, bug.Panic, bug.Race:
		if !slices.ContainsFunc(rows, func(r row) bool { return r.out == untold }) {
			in = involved(rows, b)
		}
	}
	inside := "" // the package of the bug
	if len(b.Stack) > 0 && strings.HasPrefix(b.Stack[0].Func, "testing.") && b.Kind == bug.Panic {
		inside = "testing"
	}
	for _, r := range rows {
		if r.wrong && !r.Blocked && r.Internal != "" {
			inside = r.Internal
		}
	}
	failed := false
	for i := range rows {
		r := &rows[i]
		switch {
		case r.out == untold:
		case failed:
			r.out = afterwards
		case r.wrong || r.decides:
		case in != nil && !in[r.G]:
			r.out = uninvolved
		case r.Internal != "" && r.Internal != inside:
			r.out = internal
			if r.Internal == "context" && !r.Library {
				foldCall(rows, i)
			}
		}
		failed = failed || r.kind == failureKind
	}
}

// foldCall makes row i, an internal operation of package context, part of one row of the program's
// call.
func foldCall(rows []row, i int) {
	r := &rows[i]
	call := i
	for call > 0 && rows[call-1].out == folded {
		call--
	}
	if call--; call >= 0 && rows[call].calls > 0 && rows[call].G == r.G && rows[call].Pos == r.Pos {
		r.out = folded
		if r.step > 0 {
			rows[call].calls++
		}
		return
	}
	r.out, r.kind, r.calls = drawn, r.Internal, 1
}

// involved returns the goroutines that take part in the bug: the goroutine in which it happened;
// for a deadlock, all blocked goroutines; and goroutines that operate on an object of one of these,
// unless all of them only read the object.
func involved(rows []row, b *bug.Bug) map[trace.GID]bool {
	in := make(map[trace.GID]bool)
	stuck := b.Kind == bug.Deadlock
	for _, g := range b.Goroutines {
		if stuck || b.Strands() && stranded(b, g.ID) || g.Name == b.G {
			in[g.ID] = true
		}
	}
	type use struct {
		gs     []trace.GID
		writes bool
	}
	uses := make(map[uint64]*use)
	for _, r := range rows {
		if r.Name == b.G || r.wrong {
			in[r.G] = true
		}
		if r.Internal == "testing" {
			continue
		}
		for _, loc := range r.Touches {
			u := uses[loc]
			if u == nil {
				u = &use{}
				uses[loc] = u
			}
			if !slices.Contains(u.gs, r.G) {
				u.gs = append(u.gs, r.G)
			}
			if r.Paired && !slices.Contains(u.gs, r.Partner) {
				u.gs = append(u.gs, r.Partner)
			}
			u.writes = u.writes || r.Write || !r.Kind.Memory()
		}
	}
	for more := true; more; {
		more = false
		for _, u := range uses {
			if !u.writes || !slices.ContainsFunc(u.gs, func(g trace.GID) bool { return in[g] }) {
				continue
			}
			for _, g := range u.gs {
				more = more || !in[g]
				in[g] = true
			}
		}
	}
	parents := make(map[string]bool)
	for _, r := range rows {
		for name := r.Name; in[r.G] && name != "main"; {
			i := strings.LastIndexByte(name, '.')
			if name = "main"; i > 0 {
				name = r.Name[:i]
			}
			parents[name] = true
			if rest, ok := strings.CutPrefix(name, "finalizer"); ok {
				parents["collector"+rest] = true
			}
		}
	}
	for _, r := range rows {
		if parents[r.Name] {
			in[r.G] = true
		}
	}
	return in
}

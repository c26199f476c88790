package por

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// LookAhead is an oracle that, where another one sees no reason to do without
// a choice, looks: it explores what the others can do while a goroutine waits
// (see Parked), within a small budget. Of two goroutines the other one's future
// is one line of execution until it waits for the first.
//
// It looks in front of plain accesses and of locking: a mutex that nobody else
// can lock while g waits needs no choice either.
//
// What a look has found stays true for a while. Let E be the operations that
// others can execute while g does not move. If g then executes a plain access or
// a Lock that conflicts with nothing in E, the others can still execute
// exactly E: such an operation enables nothing. If others move, they can
// execute a part of E. So a critical section is looked at once.
type LookAhead struct {
	sys     System
	inner   Oracle
	futures []*future // by goroutine
	tired   map[point]*patience
}

// Seen is the reason LookAhead's own answers are counted under.
const Seen = "lookahead"

// The budget of one look.
const (
	lookStates      = 200
	lookTransitions = 512
)

// future is what the others can do while a goroutine waits.
type future struct {
	known    bool
	complete bool // the budget was enough to see everything
	stale    bool // somebody has moved since: there may be less now
	byObject map[uint32][]trace.Access
}

// point is a place in the program.
type point struct{ fn, pc uint32 }

// patience is how many questions at a point are not looked into, because looks
// there have been too short to tell: after each such look twice as many.
type patience struct{ pause, length int }

const maxPause = 256

// NewLookAhead returns an oracle that asks inner first.
func NewLookAhead(sys System, inner Oracle) *LookAhead {
	return &LookAhead{sys: sys, inner: inner, tired: make(map[point]*patience)}
}

// Inner returns the oracle that is asked first.
func (l *LookAhead) Inner() Oracle { return l.inner }

// Skip implements Oracle.
func (l *LookAhead) Skip(g trace.GID, op *trace.Op) string {
	if reason := l.inner.Skip(g, op); reason != "" {
		return reason
	}
	if !enablesNothing(op) {
		return ""
	}
	f := l.of(g)
	if f.known {
		switch conflict := f.conflicts(op); {
		case f.complete && !conflict:
			return Seen
		case conflict && !f.stale:
			return ""
		}
	}
	at := point{op.Func, op.PC}
	p := l.tired[at]
	if p != nil && p.pause > 0 {
		p.pause--
		return ""
	}
	l.look(g, op, f)
	switch {
	case f.conflicts(op):
		return ""
	case f.complete:
		delete(l.tired, at)
		return Seen
	}
	if p == nil {
		p = &patience{length: 1}
		l.tired[at] = p
	}
	p.length = min(2*p.length, maxPause)
	p.pause = p.length
	return ""
}

// enablesNothing reports whether op is one that is looked ahead for: it
// enables no other operation.
func enablesNothing(op *trace.Op) bool {
	return op.N > 0 && (op.Kind.Plain() || op.Kind == trace.Lock)
}

// Moving implements Watcher.
func (l *LookAhead) Moving(g trace.GID, op *trace.Op) {
	for i, f := range l.futures {
		if f == nil || !f.known {
			continue
		}
		f.stale = true
		if trace.GID(i) == g && (!enablesNothing(op) || f.conflicts(op)) {
			f.known = false
		}
	}
}

// Rewound implements Watcher.
func (l *LookAhead) Rewound() {
	for _, f := range l.futures {
		if f != nil {
			f.known = false
		}
	}
}

func (l *LookAhead) of(g trace.GID) *future {
	for int(g) >= len(l.futures) {
		l.futures = append(l.futures, nil)
	}
	if l.futures[g] == nil {
		l.futures[g] = &future{byObject: make(map[uint32][]trace.Access)}
	}
	return l.futures[g]
}

// look explores what the others can do while g waits in front of op, up to a
// conflict with op.
func (l *LookAhead) look(g trace.GID, op *trace.Op, f *future) {
	clear(f.byObject)
	s := &without{System: l.sys, g: g, op: op, f: f}
	// The inner oracle does not hide an operation: it only lets a goroutine
	// move alone whose operation conflicts with nothing.
	r := JPF(s, s, Config{Match: true, MaxStates: lookStates, IgnoreOutput: true, Oracle: l.inner, AnyGoroutine: true, Poll: func(p Progress) string {
		if p.Transitions > lookTransitions {
			return "enough"
		}
		return ""
	}})
	f.known, f.complete, f.stale = true, len(r.Incomplete) == 0 && !s.hit, false
}

// add notes the accesses of an operation.
func (f *future) add(op *trace.Op) {
	for _, a := range op.Access[:op.N] {
		if list := f.byObject[a.Obj]; !slices.Contains(list, a) {
			f.byObject[a.Obj] = append(list, a)
		}
	}
}

// conflicts reports whether op conflicts with something seen.
func (f *future) conflicts(op *trace.Op) bool {
	for _, a := range op.Access[:op.N] {
		for _, b := range f.byObject[a.Obj] {
			if (a.Write || b.Write) && a.Overlaps(b) {
				return true
			}
		}
	}
	return false
}

// without is a system in which one goroutine does not move, and the visitor of
// its search. What the others execute is noted.
type without struct {
	System
	g   trace.GID
	op  *trace.Op
	f   *future
	hit bool // a conflict with op
}

// Enabled implements System.
func (w *without) Enabled(buf []trace.GID) []trace.GID {
	if w.hit {
		return buf
	}
	n := len(buf)
	buf = w.System.Enabled(buf)
	if i := slices.Index(buf[n:], w.g); i >= 0 {
		buf = slices.Delete(buf, n+i, n+i+1)
	}
	return buf
}

// Step implements System.
func (w *without) Step(g trace.GID, choice int) {
	op := w.System.Next(g)
	w.f.add(&op)
	if w.hit = op.Conflicts(w.op); !w.hit {
		w.System.Step(g, choice)
	}
}

// Leaf implements Visitor.
func (w *without) Leaf(trace.Schedule, Status) bool { return !w.hit }

// Race implements Visitor.
func (w *without) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }

// Livelock implements Visitor.
func (w *without) Livelock(trace.Schedule, int) bool { return true }

// Restart implements Visitor.
func (w *without) Restart() {}

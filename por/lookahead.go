package por

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// LookAhead is an oracle that, where a quick one sees no reason to do without
// a choice, looks: it explores what the others can do while a goroutine waits
// (see Parked), within a small budget. Of two goroutines the other one's future
// is one line of execution until it waits for the first.
//
// It looks in front of plain accesses and of locking: a mutex that nobody else
// can lock while g waits needs no choice either.
//
// Looking is a search like any other, and asks a LookAhead of its own what the
// others need no choice for when one of them waits, too, and so on.
//
// What a look has found stays true for a while. Let E be the operations that
// others can execute while g does not move. If g then executes a plain access or
// a Lock that conflicts with nothing in E, the others can still execute
// exactly E: such an operation enables nothing. If others move, they can
// execute a part of E. So a critical section is looked at once. But goroutines
// that g has started since are others, too, and g has moved if somebody else's
// operation was one of two that meet.
type LookAhead struct {
	sys     System
	quick   Oracle
	last    Oracle    // nil: none
	futures []*future // by goroutine
	tired   map[point]*patience
	budget  *uint64 // transitions left for the present look; nil: none is under way
}

// Seen is the reason LookAhead's own answers are counted under.
const Seen = "lookahead"

// lookBudget is the number of transitions one look may execute, with those of
// the looks inside it. A short look costs most: it took time and saves nothing.
const lookBudget = 8192

// future is what the others can do while a goroutine waits.
type future struct {
	known    bool
	complete bool // the budget was enough to see everything
	stale    bool // somebody has moved since: there may be less now
	started  uint32
	byObject map[uint32][]trace.Access
}

// point is a place in the program.
type point struct{ fn, pc uint32 }

// patience is how many questions at a point are not looked into, because looks
// there have been too short to tell: after each such look twice as many.
type patience struct{ pause, length int }

const maxPause = 256

// NewLookAhead returns an oracle that asks quick first, in the states it looks
// at, too. If a look is too short to tell it asks last, if that is not nil.
func NewLookAhead(sys System, quick, last Oracle) *LookAhead {
	return &LookAhead{sys: sys, quick: quick, last: last, tired: make(map[point]*patience)}
}

// Last returns the oracle that is asked if a look was too short.
func (l *LookAhead) Last() Oracle { return l.last }

// Skip implements Oracle.
func (l *LookAhead) Skip(g trace.GID, op *trace.Op) string {
	if reason := l.quick.Skip(g, op); reason != "" {
		return reason
	}
	if enablesNothing(op) {
		switch free, certain := l.free(g, op); {
		case free:
			return Seen
		case certain:
			return ""
		}
	}
	if l.last != nil {
		return l.last.Skip(g, op)
	}
	return ""
}

// A Starter is a System in which goroutines can be started between two visible
// operations.
type Starter interface {
	// Started returns how many goroutines g has started.
	Started(g trace.GID) uint32
}

// startedBy is Starter's if there is one.
func startedBy(sys System, g trace.GID) uint32 {
	if s, ok := sys.(Starter); ok {
		return s.Started(g)
	}
	return 0
}

// free reports whether nothing the others can do while g waits conflicts with
// op, and whether it is certain if not.
func (l *LookAhead) free(g trace.GID, op *trace.Op) (free, certain bool) {
	f := l.of(g)
	n := startedBy(l.sys, g)
	if f.started != n {
		f.started, f.known = n, false
	}
	if f.known {
		switch conflict := f.conflicts(op); {
		case f.complete && !conflict:
			return true, true
		case conflict && !f.stale:
			return false, true
		}
	}
	at := point{op.Func, op.PC}
	p := l.tired[at]
	if p != nil && p.pause > 0 {
		p.pause--
		return false, false
	}
	l.look(g, op, f)
	switch {
	case f.conflicts(op):
		return false, true
	case f.complete:
		delete(l.tired, at)
		return true, true
	}
	if p == nil {
		p = &patience{length: 1}
		l.tired[at] = p
	}
	p.length = min(2*p.length, maxPause)
	p.pause = p.length
	return false, false
}

// enablesNothing reports whether op is one that is looked ahead for: it
// enables no other operation.
func enablesNothing(op *trace.Op) bool {
	return op.N > 0 && (op.Kind.Plain() || op.Kind == trace.Lock)
}

// meets reports whether an operation of kind k may end that of another
// goroutine, too, which then moves on from where it waits.
func meets(k trace.Kind) bool {
	switch k {
	case trace.Send, trace.Recv, trace.Select, trace.TrySelect, trace.Close, trace.Timer:
		return true
	}
	return false
}

// Moving implements Watcher.
func (l *LookAhead) Moving(g trace.GID, op *trace.Op) {
	for i, f := range l.futures {
		if f == nil || !f.known {
			continue
		}
		f.stale = true
		switch own := trace.GID(i) == g; {
		case own && (!enablesNothing(op) || f.conflicts(op)), !own && meets(op.Kind):
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
	inside := &LookAhead{sys: s, quick: l.quick, tired: make(map[point]*patience), budget: l.budget}
	if l.budget == nil {
		inside.budget = new(uint64)
		*inside.budget = lookBudget
	}
	s.budget = inside.budget
	// The oracle does not hide an operation: it only lets a goroutine move alone
	// whose operation conflicts with nothing.
	r := JPF(s, s, Config{Match: true, IgnoreOutput: true, Oracle: inside, AnyGoroutine: true})
	f.known, f.complete, f.stale = true, len(r.Incomplete) == 0 && !s.stopped, false
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
	g       trace.GID
	op      *trace.Op
	f       *future
	budget  *uint64
	stopped bool // by a conflict with op, or because the budget is spent
}

// Enabled implements System.
func (w *without) Enabled(buf []trace.GID) []trace.GID {
	if w.stopped = w.stopped || *w.budget == 0; w.stopped {
		return buf
	}
	n := len(buf)
	buf = w.System.Enabled(buf)
	if i := slices.Index(buf[n:], w.g); i >= 0 {
		buf = slices.Delete(buf, n+i, n+i+1)
	}
	return buf
}

// Started implements Starter.
func (w *without) Started(g trace.GID) uint32 { return startedBy(w.System, g) }

// Step implements System.
func (w *without) Step(g trace.GID, choice int) {
	op := w.System.Next(g)
	w.f.add(&op)
	if w.stopped = op.Conflicts(w.op); w.stopped {
		return
	}
	if *w.budget > 0 {
		*w.budget--
	}
	w.System.Step(g, choice)
}

// Leaf implements Visitor.
func (w *without) Leaf(trace.Schedule, Status) bool { return !w.stopped }

// Race implements Visitor.
func (w *without) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }

// Livelock implements Visitor.
func (w *without) Livelock(trace.Schedule, int) bool { return true }

// Restart implements Visitor.
func (w *without) Restart() {}

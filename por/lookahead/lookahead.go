package lookahead

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Oracle is an oracle that, where a quick one sees no reason to do without
// a choice, looks: it explores what the others can do while a goroutine waits
// (see PersistentSingleton), within a small budget. Of two goroutines the other one's future
// is one line of execution until it waits for the first.
//
// It looks in front of plain accesses and of locking: a mutex that nobody else
// can lock while g waits needs no choice either.
//
// Looking is a search (see scout), and asks a Oracle of its own what the
// others need no choice for when one of them waits, too, and so on.
//
// What a look has found stays true for a while. Let E be the operations that
// others can execute while g does not move. If g then executes a plain access or
// a Lock that conflicts with nothing in E, the others can still execute
// exactly E: such an operation enables nothing, unless it overwrites a lock that
// somebody waits for. If others move, they can execute a part of E. So a critical section is looked at once. But goroutines
// that g has started since are others, too, and g has moved if somebody else's
// operation was one of two that meet.
//
// Nor is anything enabled by an operation that releases something for which nobody
// can come to wait meanwhile. Who waits where a look's executions end waits for
// what g has or does: if it could be enabled by one of the others it would have been.
// So E stays true behind g's Unlock, too, of a lock that is none of what is waited
// for there.
type Oracle struct {
	sys      por.System
	cheap    por.Oracle
	fallback por.Oracle   // nil: none
	accesses []*reachable // by goroutine
	backoffs map[programPoint]*backoff
	search   *boundedSearch // for its looks, once there was one
	budget   *uint64        // transitions left for the present look; nil: none is under way
	enabled  []trace.GID
}

// ReasonLookahead is the reason Oracle's own answers are counted under.
const ReasonLookahead = "lookahead"

// transitionBudget is the number of transitions one look may execute, with those of
// the looks inside it. A short look costs most: it took time and saves nothing.
const transitionBudget = 8192

// reachable is what the others can do while a goroutine waits.
type reachable struct {
	known    bool
	complete bool // the budget was enough to see everything
	stale    bool // somebody has moved since: there may be less now
	started  uint32
	reached  []reachedAccess
	byObject map[uint32]int // 1 + index of the object's last entry in seen
	waits    bool           // it is known what goroutines wait for:
	awaited  []trace.Access // by operations that are disabled where everybody has stopped
}

// reachedAccess is an access, and where the one before it to the same object is: 1 + its index.
type reachedAccess struct {
	trace.Access
	previous int
}

// programPoint is a place in the program.
type programPoint struct{ fn, pc uint32 }

// backoff is how many questions at a point are not looked into, because looks
// there have been too short to tell: after each such look twice as many.
type backoff struct{ remaining, length int }

const maxBackoff = 256

// New returns an oracle that asks quick first, in the states it looks
// at, too. If a look is too short to tell it asks last, if that is not nil.
func New(sys por.System, quick, last por.Oracle) *Oracle {
	return &Oracle{sys: sys, cheap: quick, fallback: last, backoffs: make(map[programPoint]*backoff)}
}

// Fallback returns the oracle that is asked if a look was too short.
func (l *Oracle) Fallback() por.Oracle { return l.fallback }

// Skip implements Oracle.
func (l *Oracle) Skip(g trace.GID, op *trace.Op) string {
	if reason := l.cheap.Skip(g, op); reason != "" {
		return reason
	}
	if enablesNothing(op) {
		switch free, certain := l.needsNoChoice(g, op); {
		case free:
			return ReasonLookahead
		case certain:
			return ""
		}
	}
	if l.fallback != nil {
		return l.fallback.Skip(g, op)
	}
	return ""
}

// startedBy is Starter's if there is one.
func startedBy(sys por.System, g trace.GID) uint32 {
	if s := por.CapabilitiesOf(sys).Starter; s != nil {
		return s.Started(g)
	}
	return 0
}

// needsNoChoice reports whether nothing the others can do while g waits conflicts with
// op, and whether it is certain if not.
func (l *Oracle) needsNoChoice(g trace.GID, op *trace.Op) (free, certain bool) {
	f := l.accessesOf(g)
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
	at := programPoint{op.Func, op.PC}
	p := l.backoffs[at]
	if p != nil && p.remaining > 0 {
		p.remaining--
		return false, false
	}
	if l.conflictsNow(g, op) {
		return false, true
	}
	l.explore(g, op, f)
	switch {
	case f.conflicts(op):
		return false, true
	case f.complete:
		delete(l.backoffs, at)
		return true, true
	}
	if p == nil {
		p = &backoff{length: 1}
		l.backoffs[at] = p
	}
	p.length = min(2*p.length, maxBackoff)
	p.remaining = p.length
	return false, false
}

// conflictsNow reports whether another goroutine can execute what conflicts with op at once.
func (l *Oracle) conflictsNow(g trace.GID, op *trace.Op) bool {
	l.enabled = l.sys.Enabled(l.enabled[:0])
	for _, h := range l.enabled {
		if next := l.sys.Next(h); h != g && next.Conflicts(op) {
			return true
		}
	}
	return false
}

// enablesNothing reports whether op is one that is looked ahead for: it
// enables no other operation.
func enablesNothing(op *trace.Op) bool {
	return op.N > 0 && (op.Kind.Plain() || op.Kind == trace.Lock)
}

// movesAnother reports whether an operation of kind k may end that of another
// goroutine, too, which then moves on from where it waits; or, if time passes only
// while nobody can move, whether it shows that the other one could not.
func movesAnother(k trace.Kind) bool {
	switch k {
	case trace.Send, trace.Recv, trace.Select, trace.TrySelect, trace.Close, trace.Timer, trace.Sleep:
		return true
	}
	return false
}

// Stepping implements Watcher.
func (l *Oracle) Stepping(g trace.GID, op *trace.Op) {
	for i, f := range l.accesses {
		if f == nil || !f.known {
			continue
		}
		f.stale = true
		switch own := trace.GID(i) == g; {
		case own && (!enablesNothing(op) && !f.releasesUnawaited(op) || f.conflicts(op) || f.overwritesAwaited(op)), !own && movesAnother(op.Kind):
			f.known = false
		}
	}
}

// Rewound implements Watcher.
func (l *Oracle) Rewound() { l.forget() }

// forget drops what was seen of the future.
func (l *Oracle) forget() {
	for _, f := range l.accesses {
		if f != nil {
			f.known = false
		}
	}
}

func (l *Oracle) accessesOf(g trace.GID) *reachable {
	for int(g) >= len(l.accesses) {
		l.accesses = append(l.accesses, nil)
	}
	if l.accesses[g] == nil {
		l.accesses[g] = &reachable{byObject: make(map[uint32]int)}
	}
	return l.accesses[g]
}

// explore explores what the others can do while g waits in front of op, up to a
// conflict with op.
func (l *Oracle) explore(g trace.GID, op *trace.Op, f *reachable) {
	if l.search == nil {
		l.search = newBoundedSearch(l)
	}
	f.known, f.stale = true, false
	f.complete, f.waits = l.search.explore(g, op, f), l.search.live != nil
}

// add notes the accesses of an operation.
func (f *reachable) add(op *trace.Op) {
next:
	for _, a := range op.Access[:op.N] {
		last := f.byObject[a.Obj]
		for i := last; i > 0; i = f.reached[i-1].previous {
			if f.reached[i-1].Access == a {
				continue next
			}
		}
		f.reached = append(f.reached, reachedAccess{a, last})
		f.byObject[a.Obj] = len(f.reached)
	}
}

// releasesUnawaited reports whether op releases something, and nobody waits for it.
func (f *reachable) releasesUnawaited(op *trace.Op) bool {
	switch op.Kind {
	case trace.Unlock, trace.RUnlock, trace.WgAdd, trace.Signal, trace.Broadcast:
		return op.N > 0 && f.complete && f.waits && !slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool {
			return slices.ContainsFunc(f.awaited, a.Overlaps)
		})
	}
	return false
}

// overwritesAwaited reports whether op writes, as if it were ordinary memory, to what
// somebody waits for: it may unlock a mutex.
func (f *reachable) overwritesAwaited(op *trace.Op) bool {
	return op.Kind.Plain() && slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool {
		return a.Write && slices.ContainsFunc(f.awaited, a.Overlaps)
	})
}

// clear forgets all accesses.
func (f *reachable) clear() {
	f.awaited = f.awaited[:0]
	f.reached = f.reached[:0]
	clear(f.byObject)
}

// conflicts reports whether op conflicts with something seen.
func (f *reachable) conflicts(op *trace.Op) bool {
	for _, a := range op.Access[:op.N] {
		for i := f.byObject[a.Obj]; i > 0; i = f.reached[i-1].previous {
			if b := &f.reached[i-1]; (a.Write || b.Write) && a.Overlaps(b.Access) {
				return true
			}
		}
	}
	return false
}

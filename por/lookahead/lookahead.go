package lookahead

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Oracle is an oracle that, where a cheap one sees no reason to do without a choice, searches
// ahead: it explores what the other goroutines can do while one waits (see PersistentSet),
// within a small budget.
//
// It does so before plain accesses and before locking: a mutex that no other goroutine can lock
// while g waits needs no choice either.
//
// The search has an Oracle of its own, which is asked where the others need no choice while one of
// them waits, too, and so on. All share one budget.
//
// What a search has found stays true for a while, so that a critical section costs one search:
//
//  1. Let E be the operations that the others can execute while g does not move.
//
//  2. If g executes a plain access or a Lock that conflicts with nothing in E, then the others can
//     still execute exactly E: such an operation enables nothing, unless it overwrites a lock that
//     a goroutine waits for.
//
//  3. If others move, they can execute a part of E from then on.
//
//  4. Goroutines that g has started since are others, too; and g has moved if its operation was
//     executed along with another goroutine's.
//
//  5. An operation by which g releases something enables nothing either if no goroutine can come to
//     wait for that meanwhile. Goroutines that wait where the executions of the search end wait for
//     what g has or does: if one of the others could enable them, it would have. One that waits all
//     along an execution without an end waits where that comes back to a state. So E stays true
//     after g's Unlock, too, of a lock that is none of what is awaited in such states.
//
//     g1: mu.Lock() ◂ asked    x = 1          mu.Unlock()
//     g2: y = 2                z++            ...
//     └ one search from here: E = {y, z}  └ an Unlock ends what is known, unless nothing awaits it
//     no Lock of mu: no choice; neither at x = 1, which is in no conflict with E
//
// Invariant: in accesses[g], if known is set, reached contains every access that others can make
// before g moves again (complete), or some of them.
type Oracle struct {
	sys      por.System   `saved:"-"`
	cheap    por.Oracle   `saved:"-"`
	fallback por.Oracle   `saved:"-"` // nil: none
	accesses []*reachable // by goroutine
	backoffs map[programPoint]*backoff
	search   *boundedSearch `saved:"-"` // nil: there was none yet
	// One counter for all searches that are nested in one: otherwise a search of depth n could
	// cost the n-th power of the budget.
	unlocks []bool  // boundedSearch.unlockMatters of search, if that is nil: of it, of the one inside it, and so on
	budget  *uint64 // transitions left for the present search; nil: none is under way
	enabled []trace.GID
}

// ReasonLookahead is the reason under which the Oracle's own answers are counted.
const ReasonLookahead = "lookahead"

// transitionBudget is the number of transitions that one search may execute, with those of the
// searches inside it. A search that it cuts short costs most: it took time and saves nothing.
const transitionBudget = 8192

// reachable is what the others can access while a goroutine waits.
//
// reached is a list with a chain for each object, so that clearing it costs nothing but its
// length:
//
//	byObject[7] ─▶ reached[4] ─previous─▶ reached[1]
type reachable struct {
	known    bool
	complete bool // the budget was enough to see everything
	stale    bool // a goroutine has moved since: there may be less now
	started  uint32
	reached  []reachedAccess
	byObject map[uint32]int // 1 + index of the object's last entry in reached
	waits    bool           // awaited is known:
	awaited  []trace.Access // by operations that are disabled where an execution ends or comes back
}

// reachedAccess is an access, and where the one before it to the same object is: 1 + its index.
type reachedAccess struct {
	trace.Access
	previous int
}

// programPoint is a place in the program.
type programPoint struct{ fn, pc uint32 }

// backoff is how many questions at a program point are not answered by a search, because searches
// there were cut short by their budget: after each such one twice as many.
//
// Places in the program and not states: a loop comes to the same place in thousands of states,
// and what makes a search too large is mostly the same in all of them.
type backoff struct{ remaining, length int }

const maxBackoff = 256

// New returns an oracle that asks cheap first, also in the states that it searches. If its search
// is cut short it asks fallback, if that is not nil.
func New(sys por.System, cheap, fallback por.Oracle) *Oracle {
	return &Oracle{sys: sys, cheap: cheap, fallback: fallback, backoffs: make(map[programPoint]*backoff)}
}

// Fallback returns the oracle that is asked if a search was cut short.
func (l *Oracle) Fallback() por.Oracle { return l.fallback }

// Learned returns l with all that it has learnt in its own data, so that they can be saved.
func (l *Oracle) Learned() *Oracle {
	l.unlocks = l.unlocking()
	return l
}

// unlocking returns what unlocks is to be.
func (l *Oracle) unlocking() []bool {
	if l.search == nil {
		return l.unlocks
	}
	return append([]bool{l.search.unlockMatters}, l.search.nested.unlocking()...)
}

// Skip implements Oracle.
//
// Cheap first, then the search. The fallback is asked only if the search has not answered: a
// conflict that it has found is certain, whatever another oracle says.
func (l *Oracle) Skip(g trace.GID, op *trace.Op) string {
	if reason := l.cheap.Skip(g, op); reason != "" {
		return reason
	}
	if enablesNothing(op) {
		switch singleton, certain := l.needsNoChoice(g, op); {
		case singleton:
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

// startedBy returns how many goroutines g has started, if the system knows.
func startedBy(sys por.System, g trace.GID) uint32 {
	if s := por.CapabilitiesOf(sys).Starter; s != nil {
		return s.Started(g)
	}
	return 0
}

// needsNoChoice reports whether nothing that the others can do while g waits conflicts with op, and
// whether that is certain if not.
//
// What is known from an earlier search is enough in two cases, which are not symmetric: "no
// conflict" stays true as the others move on (claim 3), "conflict" only as long as no goroutine
// has moved (stale).
func (l *Oracle) needsNoChoice(g trace.GID, op *trace.Op) (singleton, certain bool) {
	f := l.accessesOf(g)
	n := startedBy(l.sys, g)
	//mutant: no goroutine is started [micro startedMeanwhile]: false
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
	// A conflict with what is next already is seen without a search.
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

// conflictsNow reports whether the next operation of another enabled goroutine conflicts with op.
func (l *Oracle) conflictsNow(g trace.GID, op *trace.Op) bool {
	l.enabled = l.sys.Enabled(l.enabled[:0])
	for _, h := range l.enabled {
		if next := l.sys.Next(h); h != g && (next.Conflicts(op) || next.InspectsAll()) {
			return true
		}
	}
	return false
}

// enablesNothing reports whether op is one that is searched ahead for: it enables no other
// operation.
//
// Claim 2 is about these two. After an Unlock, say, the others can do more, so what was found for
// the next operation of g would not be true any more.
func enablesNothing(op *trace.Op) bool {
	return op.N > 0 && (op.Kind.Plain() || op.Kind == trace.Lock)
}

// movesAnother reports whether an operation of kind k may be one of another goroutine, too, which
// then continues; or, if time passes or the collector acts only while no goroutine can move, whether it
// shows that the other one could not.
func movesAnother(k trace.Kind) bool {
	switch k {
	case trace.Send, trace.Recv, trace.Select, trace.TrySelect, trace.Close, trace.Timer, trace.Sleep, trace.Clock, trace.SemAcquire:
		return true
	}
	return false
}

// Stepping implements Watcher.
//
// A step of i itself: what is known of the others stays true if the operation enables nothing
// (claim 2 or 5), and conflicts with nothing they can do. A step of another goroutine: it stays
// true (claim 3), unless that was a step of i as well (claim 4).
func (l *Oracle) Stepping(g trace.GID, op *trace.Op) {
	for i, f := range l.accesses {
		if f == nil || !f.known {
			continue
		}
		f.stale = true
		switch {
		case trace.GID(i) != g:
			//mutant: no operation moves another goroutine [micro metByOther]
			f.known = !movesAnother(op.Kind)
		//mutant: overwriting a lock enables nothing [micro overwritten]: ", f.overwritesAwaited(op)" -> ""
		case !enablesNothing(op) && !f.releasesUnawaited(op), f.conflicts(op), f.overwritesAwaited(op):
			f.known = false
		}
	}
}

// Rewound implements Watcher.
func (l *Oracle) Rewound() { l.forget() }

// forget drops what is known of what the others can do.
//
// The memory of the lists stays.
func (l *Oracle) forget() {
	for _, f := range l.accesses {
		if f != nil {
			f.known = false
		}
	}
}

// accessesOf returns what is known of what the others can access while g waits.
func (l *Oracle) accessesOf(g trace.GID) *reachable {
	for int(g) >= len(l.accesses) {
		l.accesses = append(l.accesses, nil)
	}
	if l.accesses[g] == nil {
		l.accesses[g] = &reachable{byObject: make(map[uint32]int)}
	}
	return l.accesses[g]
}

// explore finds out what the others can do while g waits before op, up to a conflict with op.
func (l *Oracle) explore(g trace.GID, op *trace.Op, f *reachable) {
	if l.search == nil {
		l.search = newBoundedSearch(l)
	}
	f.known, f.stale = true, false
	f.complete, f.waits = l.search.explore(g, op, f), l.search.live != nil
}

// add notes the accesses of an operation.
//
// The chain is searched for the same access first: a loop would add it in each iteration.
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

// releasesUnawaited reports whether op releases something, and no goroutine waits for it.
//
// complete: otherwise there are executions at whose ends a goroutine may wait for it. waits:
// otherwise it is not known what is waited for.
func (f *reachable) releasesUnawaited(op *trace.Op) bool {
	switch op.Kind {
	case trace.Unlock, trace.RUnlock, trace.WgAdd, trace.Signal, trace.Broadcast:
		awaited := func(a trace.Access) bool { return slices.ContainsFunc(f.awaited, a.Overlaps) }
		return op.N > 0 && f.complete && f.waits && !slices.ContainsFunc(op.Access[:op.N], awaited)
	}
	return false
}

// overwritesAwaited reports whether op writes, as if it were ordinary memory, to what a goroutine
// waits for: it may unlock a mutex.
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

// conflicts reports whether op conflicts with one of the accesses.
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

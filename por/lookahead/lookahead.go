package lookahead

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Oracle searches ahead if a cheap oracle cannot exclude a choice: it explores the executions of the other
// goroutines while one waits (see PersistentSet), within a small budget.
//
// It does so before plain accesses and before locking: a mutex that no other goroutine can lock
// while g waits needs no choice either.
//
// The search has an Oracle of its own, which reduces the search: in the same way it decides where one of the
// others needs no choice, while g and that goroutine wait. The search of that Oracle has an Oracle, too, and
// so on. All share one budget.
//
// The result of a search stays valid for a while, so that a critical section costs one search:
//
//  1. Let E be the operations that the others can execute while g does not move.
//
//  2. If g executes a plain access or a Lock that conflicts with nothing in E, then the others can
//     still execute exactly E: such an operation enables nothing, unless it overwrites a lock
//     for which a goroutine waits.
//
//  3. If others move, they can execute a part of E from then on.
//
//  4. Goroutines that g has started since are others, too; and g has moved if its operation was
//     executed along with another goroutine's.
//
//  5. A release by g enables nothing either if no goroutine can come to wait for it meanwhile. A
//     goroutine that waits where an execution of the search ends waits for g: otherwise one of the
//     others would have enabled it. A goroutine that waits during a whole endless execution also
//     waits in the state to which this execution returns. So E stays valid after g's Unlock of a
//     lock if no goroutine waits for that lock where executions end or return to a state.
//
//     g1: mu.Lock() ◂ question x = 1          mu.Unlock()
//     g2: y = 2                z++            ...
//     └ one search from here: E = {y, z}  └ an Unlock ends the validity, unless nothing awaits it
//     no Lock of mu: no choice; neither at x = 1, which is in no conflict with E
//
// Invariant: in accesses[g], if known is set, reached contains every access that others can make
// before g moves again (complete), or some of them.
type Oracle struct {
	por.Passive              // the oracle's cost is not counted in goroutines
	sys         por.System   `saved:"-"`
	cheap       por.Oracle   `saved:"-"`
	fallback    por.Oracle   `saved:"-"` // nil: none
	accesses    []*reachable // by goroutine
	backoffs    map[programPoint]*backoff
	search      *boundedSearch `saved:"-"` // nil: no search yet
	unlocks     []bool         // while search is nil: the unlockMatters of the search, of the search inside it, and so on
	// One budget for a search and all searches nested in it: otherwise a search of depth n could
	// cost the n-th power of the budget.
	budget  *uint64 // transitions left for the current search; nil: no search is under way
	enabled []trace.GID
}

// ReasonLookahead is the reason of the Oracle's own answers.
const ReasonLookahead = "lookahead"

// transitionBudget is the number of transitions that one search may execute, with those of the searches
// inside it. A search that exceeds this budget costs most and saves nothing.
const transitionBudget = 8192

// reachable has the accesses of the others while a goroutine waits.
//
// reached is a list with a chain for each object, so that clearing it costs only its length:
//
//	byObject[7] ─▶ reached[4] ─previous─▶ reached[1]
type reachable struct {
	known    bool
	complete bool // the budget was enough for the whole search
	stale    bool // a goroutine has moved since: there may be fewer accesses
	started  uint32
	reached  []reachedAccess
	byObject map[uint32]int // 1 + index of the object's last entry in reached
	waits    bool           // awaited is known
	awaited  []trace.Access // accesses of operations that are disabled where an execution ends or returns to a state
}

// reachedAccess is an access, with 1 + the index of the previous one to the same object.
type reachedAccess struct {
	trace.Access
	previous int
}

// programPoint is a place in the program.
type programPoint struct{ fn, pc uint32 }

// backoff is the number of questions at a program point that are answered without a search, because searches
// there have exceeded their budget: each such search doubles the number.
//
// It belongs to program points, not states: a loop reaches the same point in thousands of states, and usually
// the same code makes the search too large in all of them.
type backoff struct{ remaining, length int }

const maxBackoff = 256

// New returns an oracle that asks cheap first, also in the states that it searches. If its search
// exceeds the budget it asks fallback, if that is not nil.
func New(sys por.System, cheap, fallback por.Oracle) *Oracle {
	return &Oracle{sys: sys, cheap: cheap, fallback: fallback, backoffs: make(map[programPoint]*backoff)}
}

// Fallback returns the oracle that is asked if a search exceeds its budget.
func (l *Oracle) Fallback() por.Oracle { return l.fallback }

// Learned returns l after storing the knowledge of its searches in its own fields, so that l can be saved.
func (l *Oracle) Learned() *Oracle {
	l.unlocks = l.unlocking()
	return l
}

// unlocking returns the new value of unlocks.
func (l *Oracle) unlocking() []bool {
	if l.search == nil {
		return l.unlocks
	}
	return append([]bool{l.search.unlockMatters}, l.search.nested.unlocking()...)
}

// Skip implements por.Oracle.
//
// The cheap oracle comes first, then the search. The fallback is asked only if the search has no answer: a
// conflict that it has found is certain.
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

// startedBy returns the number of goroutines that g has started, if the system has it.
func startedBy(sys por.System, g trace.GID) uint32 {
	if s := named(sys); s != nil {
		return s.Started(g)
	}
	return 0
}

// needsNoChoice reports whether {g} is a persistent set (singleton): no operation that the others can execute
// while g waits conflicts with op. If it is not, certain reports whether a conflict has been found.
//
// The result of an earlier search is enough in two cases, which are not symmetric: "no
// conflict" stays true as the others move (claim 3), "conflict" only as long as no goroutine
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
	// A conflict with a pending operation needs no search.
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

// conflictsNow reports whether the pending operation of another enabled goroutine conflicts with op.
func (l *Oracle) conflictsNow(g trace.GID, op *trace.Op) bool {
	l.enabled = l.sys.Enabled(l.enabled[:0])
	for _, h := range l.enabled {
		if next := l.sys.Next(h); h != g && (next.Conflicts(op) || next.InspectsAll()) {
			return true
		}
	}
	return false
}

// enablesNothing reports whether op enables no other operation, so that a search ahead pays.
//
// Claim 2 is about these operations. After an Unlock, for example, the others can execute more, so the
// result would not be valid any more for g's next operation.
func enablesNothing(op *trace.Op) bool {
	return op.N > 0 && (op.Kind.Plain() || op.Kind == trace.Lock)
}

// movesAnother reports whether an operation of kind k may move another goroutine. Either its step also
// executes the operation of that goroutine, which then continues; or it shows that no goroutine could move,
// because only then time passes and the collector acts.
func movesAnother(k trace.Kind) bool {
	switch k {
	case trace.Send, trace.Recv, trace.Select, trace.TrySelect, trace.Close, trace.Timer, trace.Sleep, trace.Clock, trace.SemAcquire:
		return true
	}
	return false
}

// Watches implements por.Oracle: the accesses that were found stay valid after some steps.
func (l *Oracle) Watches() bool { return true }

// Stepping implements por.Oracle.
//
// After a step of i itself, the accesses of the others stay valid if the operation enables nothing (claim 2
// or 5), and conflicts with none of them. After a step of another goroutine they stay valid (claim 3), unless
// it was a step of i as well (claim 4).
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

// Rewound implements por.Oracle.
func (l *Oracle) Rewound() { l.forget() }

// forget drops the accesses of all goroutines. The memory of the lists stays.
func (l *Oracle) forget() {
	for _, f := range l.accesses {
		if f != nil {
			f.known = false
		}
	}
}

// accessesOf returns the known accesses of the others while g waits.
func (l *Oracle) accessesOf(g trace.GID) *reachable {
	for int(g) >= len(l.accesses) {
		l.accesses = append(l.accesses, nil)
	}
	if l.accesses[g] == nil {
		l.accesses[g] = &reachable{byObject: make(map[uint32]int)}
	}
	return l.accesses[g]
}

// explore searches the executions of the others while g waits before op, up to a conflict with op.
func (l *Oracle) explore(g trace.GID, op *trace.Op, f *reachable) {
	if l.search == nil {
		l.search = newBoundedSearch(l)
	}
	f.known, f.stale = true, false
	f.complete, f.waits = l.search.explore(g, op, f), l.search.named != nil
}

// add notes the accesses of an operation.
//
// It searches the chain for the same access first: a loop would add it in each iteration.
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

// releasesUnawaited reports whether op is a release for which no goroutine waits. f must be complete, and
// awaited known: otherwise a goroutine may wait for it at the end of an execution.
func (f *reachable) releasesUnawaited(op *trace.Op) bool {
	switch op.Kind {
	case trace.Unlock, trace.RUnlock, trace.WgAdd, trace.Signal, trace.Broadcast:
		awaited := func(a trace.Access) bool { return slices.ContainsFunc(f.awaited, a.Overlaps) }
		return op.N > 0 && f.complete && f.waits && !slices.ContainsFunc(op.Access[:op.N], awaited)
	}
	return false
}

// overwritesAwaited reports whether op is a plain write to a location for which a goroutine
// waits: it may unlock a mutex.
func (f *reachable) overwritesAwaited(op *trace.Op) bool {
	return op.Kind.Plain() && slices.ContainsFunc(op.Access[:op.N], func(a trace.Access) bool {
		return a.Write && slices.ContainsFunc(f.awaited, a.Overlaps)
	})
}

// clear removes all accesses.
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

package check

import (
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// mustFacts compares the steps of goroutines with the operations that must come first, and the objects that
// they may allocate, according to the analyses.
//
// When a goroutine has arrived at an operation, the analyses are queried once, and their promises are kept
// until they are fulfilled: a promise is fulfilled by its operation, and broken by an access that should
// have come after it.
type mustFacts struct {
	c    *Machine
	base *static.Base

	locks, joins *static.FirstAccess
	waits        *static.MustWait
	allocs       *static.FutureAlloc

	onLocks, onJoins  *hybrid.Merger[static.Before]
	onWaits, onAllocs *hybrid.Merger[static.May]

	state      mustState
	stackTexts map[[2]uint64]string // by fingerprint: texts of all stacks so far

	// About the present step: the operations pending before it, the fingerprints of their stacks, the
	// alternative taken, and the allocations made.
	pending      map[trace.GID]trace.Op
	fingerprints map[trace.GID][2]uint64
	choice       int
	allocations  []allocation
}

// mustState has the promises on the present path. Slices in it are never changed but replaced.
type mustState struct {
	promises map[trace.GID][]promise
	sites    map[trace.GID]sites // allocations that all predictions allow
}

// promise says that before the goroutine's next access of one of the classes (if except is set: of
// any other class) there is an operation of a kind on the object at addr (0: on any object).
type promise struct {
	kind    static.EventKind
	addr    uint64
	classes static.Set
	except  bool
}

// sites are the places where goroutines may allocate. all is set if an unknown function may be called,
// which may allocate anywhere.
type sites struct {
	set static.Set
	all bool
}

// allocation is one that goroutine g has made.
type allocation struct {
	g    trace.GID
	site ssa.Instruction
}

// newMustFacts returns the comparison of c's machine with analyses on b.
func newMustFacts(c *Machine, b *static.Base) mustFacts {
	f := mustFacts{c: c, base: b,
		locks: static.NewMustLock(b), joins: static.NewMustJoin(b), waits: static.NewMustWait(b, nil), allocs: static.NewFutureAlloc(b),
		stackTexts: map[[2]uint64]string{}, pending: map[trace.GID]trace.Op{}, fingerprints: map[trace.GID][2]uint64{}}
	f.onLocks, f.onJoins = hybrid.NewMerger(b, f.locks.Engine), hybrid.NewMerger(b, f.joins.Engine)
	f.onWaits, f.onAllocs = hybrid.NewMerger(b, f.waits.Engine), hybrid.NewMerger(b, f.allocs.Engine)
	f.state = mustState{}.clone()
	return f
}

func (s mustState) clone() mustState {
	r := mustState{promises: map[trace.GID][]promise{}, sites: map[trace.GID]sites{}}
	maps.Copy(r.promises, s.promises)
	maps.Copy(r.sites, s.sites)
	return r
}

// observer notifies both of allocations.
type observer struct {
	*Pointers
	c *Machine
}

// Allocated implements vm.Observer.
func (o observer) Allocated(m *vm.Machine, g trace.GID, obj uint32) {
	o.Pointers.Allocated(m, g, obj)
	if top := m.StaticView().Innermost(g); top.Instr != nil {
		o.c.must.allocations = append(o.c.must.allocations, allocation{g, top.Instr})
	}
}

// before is called before goroutine g executes op.
func (f *mustFacts) before(g trace.GID, choice int, op *trace.Op) {
	clear(f.pending)
	clear(f.fingerprints)
	f.choice, f.allocations = choice, f.allocations[:0]
	f.c.Live(func(id trace.GID) {
		f.pending[id], f.fingerprints[id] = f.c.Next(id), f.c.StackFingerprint(id)
		if _, known := f.state.sites[id]; !known {
			f.ask(id)
		}
	})
	if op.Kind.Plain() {
		f.accesses(g, op)
	}
	if f.c.Parks(g, choice) {
		delete(f.pending, g) // g parks, and does not execute op yet
	}
}

// accesses checks that no promised event had to come before the access that g is about to make.
func (f *mustFacts) accesses(g trace.GID, op *trace.Op) {
	frame := f.c.o.Stack(g)[0]
	if frame.Instr == nil || !f.c.o.Futures().F.Known(frame.Instr.Parent()) {
		return
	}
	f.base.Acc.Direct(frame.Instr, f.c.o.Graph.Where, func(x static.Access) {
		n := f.base.Acc.Num(x)
		for _, p := range f.state.promises[g] {
			f.c.Counts.Musts++
			if f.base.Sets.Has(p.classes, n) != p.except {
				f.c.errorf("%s by g%d was to come only after %s", f.c.at(*op), g, p)
			}
		}
	})
}

func (p promise) String() string {
	what := map[static.EventKind]string{static.LockEvent: "locking", static.JoinEvent: "joining", static.RecvEvent: "receiving from",
		static.SendEvent: "sending to", static.OnceEvent: "the function of", static.WaitEvent: "waiting"}[p.kind]
	if p.addr == 0 {
		return what
	}
	return fmt.Sprintf("%s object %d+%d", what, p.addr>>32, uint32(p.addr))
}

// after is called when g's step is done.
func (f *mustFacts) after(g trace.GID) {
	op, executed := f.pending[g]
	for id, next := range f.pending { // the order makes no difference
		began := id == g && next.Kind == trace.WgWait && f.choice != 0 // g only begins to wait
		if !began && (id == g || executed && f.completes(&op, &next)) {
			f.fulfil(id, &next)
		}
	}
	for _, a := range f.allocations {
		f.allocated(a)
	}
	alive := 0
	f.c.Live(func(id trace.GID) { alive++ })
	f.c.Live(func(id trace.GID) {
		if alive < 2 {
			// Its operations are not visible any more.
			delete(f.state.promises, id)
			return
		}
		if where := f.c.StackFingerprint(id); f.fingerprints[id] != where || id == g {
			f.checkFingerprint(id, where)
			f.ask(id)
		}
	})
}

// completes reports whether op may have completed next, an operation that another goroutine was waiting at.
func (f *mustFacts) completes(op, next *trace.Op) bool {
	switch k := next.Kind; {
	case k == trace.Select, k == trace.TrySelect:
		return true
	case k.Communicates(), k == trace.Park:
		same := func(a trace.Access) bool { return a.Obj == next.Access[0].Obj }
		known := op.N > 0 && next.N > 0
		return !known || slices.ContainsFunc(op.Access[:op.N], same)
	}
	return false
}

// fulfil removes the promises of g that op fulfils; g has executed op.
func (f *mustFacts) fulfil(g trace.GID, op *trace.Op) {
	kinds, ofAny := fulfilledBy(op.Kind)
	f.state.promises[g] = slices.DeleteFunc(slices.Clone(f.state.promises[g]), func(p promise) bool {
		covers := func(a trace.Access) bool {
			q := uint64(a.Obj)<<32 | uint64(a.Off)
			return p.addr >= q && p.addr < q+uint64(max(a.Size, 1))
		}
		anyObject := ofAny || p.addr == 0
		return slices.Contains(kinds, p.kind) && (anyObject || slices.ContainsFunc(op.Access[:op.N], covers))
	})
}

// fulfilledBy returns the kinds of the promises that an operation of kind k fulfils. The promises are about
// the object of the operation or, if ofAny is set, about any object. A writer that announces itself counts
// as locking, because its LockPending comes next, without an access before it.
func fulfilledBy(k trace.Kind) (kinds []static.EventKind, ofAny bool) {
	switch row := k.Row(); {
	case row.Communicates, k == trace.Park: // a select does not show which channel it uses
		return []static.EventKind{static.SendEvent, static.RecvEvent, static.WaitEvent}, true
	case k == trace.WakeLock, k == trace.CondWait:
		return []static.EventKind{static.LockEvent, static.WaitEvent}, false
	case k == trace.LockPending, !row.Blocks:
	case row.On == trace.OnLock:
		return []static.EventKind{static.LockEvent}, false
	case row.On == trace.OnWaitGroup:
		return []static.EventKind{static.JoinEvent}, false
	case row.On == trace.OnOnce:
		return []static.EventKind{static.OnceEvent}, false
	}
	return nil, false
}

// ask queries the analyses for the events that g, which has just arrived at its place, must and may
// execute.
func (f *mustFacts) ask(g trace.GID) {
	l := &live{f: f, g: g, stack: slices.Clone(f.c.o.Stack(g))}
	now := sites{set: f.onAllocs.FutureOf(l).Set, all: f.anything(f.c.future(g), f.c.o.Futures().F.Sets)}
	switch was, known := f.state.sites[g]; {
	case !known || was.all:
		f.state.sites[g] = now
	case !now.all:
		f.state.sites[g] = sites{set: f.base.Sets.Inter(was.set, now.set)}
	}
	list := slices.Clone(f.state.promises[g])
	add := func(p promise) {
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	say := func(a *static.FirstAccess, v static.Before) {
		groups := a.Groups(v)
		if slices.ContainsFunc(groups, func(group static.Group) bool { return f.anything(group.Accesses, f.base.Sets) }) {
			return // a call of an unknown function may make any access
		}
		for _, group := range groups {
			for _, n := range f.base.Sets.Elems(group.Passed) {
				x := a.Objects().At(n)
				p, ok := f.base.Paths.Addr(x.Path)
				if ok && f.c.Exists(uint32(p>>32)) && f.c.Object(uint32(p>>32)).Shared {
					add(promise{kind: x.Kind, addr: p, classes: group.Accesses})
				}
			}
		}
	}
	say(f.locks, f.onLocks.FutureOf(l))
	say(f.joins, f.onJoins.FutureOf(l))
	if unwaited := f.onWaits.FutureOf(l).Set; !f.anything(unwaited, f.base.Sets) {
		add(promise{kind: static.WaitEvent, classes: unwaited, except: true})
	}
	f.state.promises[g] = list
}

// anything reports whether an access in set may be to memory of any type.
func (f *mustFacts) anything(set static.Set, sets *static.Sets) bool {
	return slices.ContainsFunc(f.base.Acc.OfKey(0), func(n int) bool { return sets.Has(set, n) })
}

// allocated checks that a was predicted.
func (f *mustFacts) allocated(a allocation) {
	said, known := f.state.sites[a.g]
	if !known {
		said, known = f.state.sites[f.c.Report().Parent(a.g)]
	}
	if !known || said.all {
		return
	}
	v, ok := a.site.(ssa.Value)
	if !ok || !static.IsSync(v.Type()) {
		return
	}
	f.c.Counts.Allocs++
	if !slices.Contains(f.allocs.Sites(static.May{Set: said.set}), a.site) {
		f.c.errorf("g%d allocates what was not predicted, in %s at %v", a.g, a.site.Parent(), f.c.Fset().Position(a.site.Pos()))
	}
}

// checkFingerprint checks that a fingerprint stands for only one place.
func (f *mustFacts) checkFingerprint(g trace.GID, where [2]uint64) {
	text := ""
	for _, a := range f.c.Activations(g, nil) {
		text += fmt.Sprintf("%d:%d:%t:%t:%t ", a.Func, a.PC, a.Unexecuted, a.Deferred, a.Recovered)
	}
	if was, known := f.stackTexts[where]; known && was != text {
		f.c.errorf("g%d is at %s, which has the fingerprint of %s", g, text, was)
	}
	f.stackTexts[where] = text
}

// live implements hybrid.Live.
type live struct {
	f     *mustFacts
	g     trace.GID
	stack []hybrid.Frame
}

func (l *live) Stack() []hybrid.Frame { return l.stack }

func (l *live) Register(i int, v ssa.Value) (uint64, bool) { return l.f.c.o.Register(l.g, i, v, 0) }

func (l *live) Deferred(i int, visit func(fn *ssa.Function, args, captured []uint64)) {
	for _, d := range l.f.c.o.Deferred(l.g, i) {
		visit(d.Fn, d.Args, d.Captured)
	}
}

func (l *live) ByValue(fn *ssa.Function, i int) bool { return l.f.c.ByValue(fn, i) }

// Word returns only words that no goroutine can change.
func (l *live) Word(p uint64) (uint64, bool) {
	c := l.f.c
	loc, ok := c.o.LocationAt(p, 8)
	if !ok {
		return 0, false
	}
	loc.Stored = true
	stable := true
	c.Live(func(g trace.GID) { stable = stable && !c.o.Accesses.Conflict(c.future(g), &loc) })
	if !stable {
		return 0, false
	}
	return c.Word(p)
}

func (l *live) Address(g *ssa.Global) uint64 { return l.f.c.o.Address(g) }

func (l *live) Operand() uint64 {
	op := l.f.c.Next(l.g)
	if op.N == 0 {
		return 0
	}
	return uint64(op.Access[0].Obj)<<32 | uint64(op.Access[0].Off)
}

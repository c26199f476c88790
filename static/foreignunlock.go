package static

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

// ForeignUnlock is the analysis of foreign unlocks. It has no counterpart in the paper:
// in Java only the owner of a monitor can leave it, in Go any goroutine can unlock a
// Mutex, and then patterns 2 and 3 prove nothing.
//
// It finds the mutexes that may be unlocked from a program point on, although the goroutine has not locked
// them before on the same path. So the goroutine either holds such a mutex at the point, or unlocks a mutex
// that another goroutine has locked. The goroutine unlocks any other mutex that it does not hold now only
// after it has locked it itself.
//
// Transfer: Lock adds to Held; Unlock removes from it, or adds to the set Unlocked if the mutex is not in
// Held. With b after a, b unlocks mutexes that a has not locked:
//
//	Unlocked = a.Unlocked ∪ (b.Unlocked \ a.Held)   Held = b.Held ∪ (a.Held \ b.Unlocked)
//
// A mutex that both a and b unlock without a Lock between is Foreign: one Lock before compensates for only
// one of them. Cond.Wait does not count here, as it locks again.
//
// Locks are distinguished by paths. Suppose that two paths name one mutex, and it is unlocked more often than
// locked. Then the path of one of these unlocks is in Unlocked, because every other unlock has a Lock of its
// own before it. A path through memory that may change is never Held. Instead, the analysis keeps its unlock
// with the set of mutexes held at the unlock, so that addresses can be compared in the live state. A mutex
// that a goroutine started on the way unlocks is Foreign: another goroutine holds it here. TryLock counts
// where it has succeeded. Read and write mode are not distinguished: a goroutine that locks in one mode and
// unlocks in the other crashes.
type ForeignUnlock struct {
	*Engine[Unlocks]
	d *foreignUnlockDomain
}

// Unlocks is a value of the analysis.
type Unlocks struct {
	Unlocked Set // set of numbers of unlocks
	Foreign  Set // unlocks by goroutines that the code starts
	Held     Set // objects locked and not unlocked at the exit, on all paths
	Exits    bool
}

// An unlock is of the mutex Path, while those in Held are held, too. Waits is set for the unlock in
// Cond.Wait, which locks again.
type unlock struct {
	Path  Path
	Held  Set
	Waits bool
}

// NewForeignUnlock returns the analysis.
func NewForeignUnlock(b *Base) *ForeignUnlock {
	d := &foreignUnlockDomain{sets: b.Sets, objs: newObjects(b), both: map[Path]Set{}, leasts: map[Set]Set{}}
	return &ForeignUnlock{NewEngine[Unlocks](b, d), d}
}

// Paths calls f for the mutexes v unlocks without having locked them; Unknown is
// any of them.
func (a *ForeignUnlock) Paths(v Unlocks, f func(p Path)) {
	for _, n := range a.base.Sets.Elems(a.base.Sets.Union(v.Unlocked, v.Foreign)) {
		f(a.d.unlocks.list[n].Path)
	}
}

func (*ForeignUnlock) Name() string { return "unheldunlock" }

func (*ForeignUnlock) Doc() string {
	return "mutexes that may be unlocked from here on before they are locked: they are held here, or by another goroutine"
}

// At implements Analysis.
func (a *ForeignUnlock) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	a.Paths(a.total(a.Before(instr)), func(p Path) {
		facts = append(facts, Fact{Text: fmt.Sprintf("unlock %s", a.base.Paths.String(p))})
	})
	return sortFacts(facts)
}

type foreignUnlockDomain struct {
	sets    *Sets
	objs    *Objects
	unlocks table[unlock]
	both    map[Path]Set // the path held in either mode
	leasts  map[Set]Set  // memo of least
}

func (d *foreignUnlockDomain) Skip() Unlocks { return Unlocks{Exits: true} }

func (d *foreignUnlockDomain) Never() Unlocks { return Unlocks{} }

// of returns the number of u. For a stable path, the analysis knows whether the mutex is held without the
// set u.Held.
func (d *foreignUnlockDomain) of(u unlock) int {
	if u.Path == Unknown || d.objs.base.Paths.Stable(u.Path) {
		u.Held = Empty
	}
	return d.unlocks.of(u)
}

// plus adds unlocks to s.
func (d *foreignUnlockDomain) plus(s Set, list []int) Set {
	if list != nil {
		s = d.sets.Union(s, d.sets.Of(list...))
	}
	return d.least(s)
}

// lock returns the set of p being held in mode m.
func (d *foreignUnlockDomain) lock(p Path, m Mode) Set {
	return d.sets.Of(d.objs.Num(Object{Kind: LockEvent, Mode: m, Path: p}))
}

// locks returns the set of p being held in both modes.
func (d *foreignUnlockDomain) locks(p Path) Set {
	s, ok := d.both[p]
	if !ok {
		s = d.sets.Union(d.lock(p, Write), d.lock(p, Read))
		d.both[p] = s
	}
	return s
}

// holds reports whether held contains p in any mode.
func (d *foreignUnlockDomain) holds(held Set, p Path) bool {
	return p != Unknown && held != Empty && d.sets.Intersects(held, d.locks(p))
}

// least returns s without the unlocks that others imply. An unlock implies the same unlock with
// more mutexes held: a mutex that is not in the larger set is not in the smaller one either.
// Without least, s would have an unlock for each set of locks on a path to it.
//
// For example, the unlock of a mutex with {a} held implies the one with {a, b} held.
func (d *foreignUnlockDomain) least(s Set) Set {
	if s == Empty {
		return s
	}
	r, ok := d.leasts[s]
	if ok {
		return r
	}
	same := map[Path][]int{}
	var more []int
	for _, n := range d.sets.Elems(s) {
		u := &d.unlocks.list[n]
		for _, m := range same[u.Path] {
			if w := &d.unlocks.list[m]; d.implied(u, w) {
				more = append(more, n)
			} else if d.implied(w, u) {
				more = append(more, m)
			}
		}
		same[u.Path] = append(same[u.Path], n)
	}
	r = s
	if more != nil {
		r = d.sets.Minus(s, d.sets.Of(more...))
	}
	d.leasts[s] = r
	return r
}

// implied reports whether w implies u, which has the same path.
func (d *foreignUnlockDomain) implied(u, w *unlock) bool {
	return (u.Waits || !w.Waits) && d.sets.Minus(w.Held, u.Held) == Empty
}

func (d *foreignUnlockDomain) Merge(a, b Unlocks) Unlocks {
	v := Unlocks{
		Unlocked: d.least(d.sets.Union(a.Unlocked, b.Unlocked)),
		Foreign:  d.least(d.sets.Union(a.Foreign, b.Foreign)),
		Exits:    a.Exits || b.Exits,
	}
	switch {
	case !a.Exits:
		v.Held = b.Held
	case !b.Exits:
		v.Held = a.Held
	default:
		v.Held = d.sets.Inter(a.Held, b.Held)
	}
	return v
}

func (d *foreignUnlockDomain) Seq(a, b Unlocks) Unlocks {
	if !a.Exits {
		return a
	}
	if b.Unlocked == Empty || a.Unlocked == Empty && a.Held == Empty {
		v := Unlocks{
			Unlocked: d.least(d.sets.Union(a.Unlocked, b.Unlocked)),
			Foreign:  d.least(d.sets.Union(a.Foreign, b.Foreign)),
			Exits:    b.Exits,
		}
		if b.Exits {
			v.Held = d.sets.Union(a.Held, b.Held)
		}
		return v
	}
	held := a.Held
	again := map[Path]bool{}
	for _, n := range d.sets.Elems(a.Unlocked) {
		if !d.unlocks.list[n].Waits {
			again[d.unlocks.list[n].Path] = true
		}
	}
	var unlocked, foreign []int
	for _, n := range d.sets.Elems(b.Unlocked) {
		u := d.unlocks.list[n]
		if u.Path == Unknown {
			held = Empty
		}
		if d.holds(a.Held, u.Path) {
			if !u.Waits {
				held = d.sets.Minus(held, d.locks(u.Path))
			}
			continue
		}
		if again[u.Path] {
			foreign = append(foreign, d.of(unlock{Path: u.Path}))
		}
		u.Held = d.sets.Union(u.Held, a.Held)
		unlocked = append(unlocked, d.of(u))
	}
	v := Unlocks{
		Unlocked: d.plus(a.Unlocked, unlocked),
		Foreign:  d.plus(d.sets.Union(a.Foreign, b.Foreign), foreign),
		Exits:    b.Exits,
	}
	if b.Exits {
		v.Held = d.sets.Union(held, b.Held)
	}
	return v
}

func (d *foreignUnlockDomain) Event(e *Event) Unlocks {
	v := d.Skip()
	switch e.Kind {
	case LockEvent, TryEvent, OnceEvent:
		if d.objs.base.Paths.Stable(e.Path) && e.Path != Unknown {
			v.Held = d.lock(e.Path, e.Mode)
		}
	//mutant: a lock may be unlocked by its holder only [patterns globalLockForeign]: "UnlockEvent, " -> ""
	//mutant: Wait does not unlock [micro condUnlocksForGood]: "ReleaseEvent, " -> ""
	//mutant: leaving a Once is of no concern to the others [micro onceOfThird]: ", OnceEndEvent" -> ""
	case UnlockEvent, ReleaseEvent, OnceEndEvent:
		v.Unlocked = d.sets.Of(d.of(unlock{Path: e.Path, Waits: e.Kind == ReleaseEvent}))
	case AnyEvent:
		v.Unlocked = d.sets.Of(d.of(unlock{}))
	}
	return v
}

func (d *foreignUnlockDomain) Spawn(v Unlocks) Unlocks {
	//mutant: goroutines that are started unlock nothing [patterns startedUnlocks]: "Unlocks{Foreign: d.least(d.sets.Union(v.Unlocked, v.Foreign)), Exits: true}" -> "d.Skip()"
	return Unlocks{Foreign: d.least(d.sets.Union(v.Unlocked, v.Foreign)), Exits: true}
}

func (d *foreignUnlockDomain) Rename(v Unlocks, r *Renaming) Unlocks {
	paths := d.objs.base.Paths
	var foreign []int
	all := func(s Set) (list []int) {
		was := map[Path]Path{}
		for _, n := range d.sets.Elems(s) {
			u := d.unlocks.list[n]
			old := u.Path
			u.Path, u.Held = r.Path(u.Path), d.objs.rename(u.Held, r, true)
			if paths.Fresh(u.Path) || d.holds(u.Held, u.Path) {
				continue // no other goroutine has the mutex, or this one holds it
			}
			list = append(list, d.of(u))
			if u.Waits {
				continue
			}
			if p, ok := was[u.Path]; ok && p != old {
				foreign = append(foreign, d.of(unlock{Path: u.Path}))
			}
			was[u.Path] = old
		}
		return list
	}
	foreign = append(foreign, all(v.Foreign)...)
	v.Unlocked = d.plus(Empty, all(v.Unlocked))
	v.Foreign = d.plus(Empty, foreign)
	held := Empty
	for _, n := range d.sets.Elems(v.Held) {
		o := d.objs.At(n)
		if p := r.Path(o.Path); p != Unknown && !paths.Fresh(p) && paths.Stable(p) {
			held = d.sets.Union(held, d.lock(p, o.Mode))
		}
	}
	v.Held = held
	return v
}

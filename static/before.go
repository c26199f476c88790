package static

import (
	"encoding/binary"
	"slices"
)

// Events before the first access. For each access that can be reached, and for the exit, a value of this
// domain has a set of objects: those that are passed on all paths to the first such access (in a may
// analysis, on any path).
//
// The paper computes this in two parts and joins them at run time by traversing
// a graph of accesses (SPIN 2014, section 4.2). Here both parts are in one value that can be composed, so
// no graph has to be traversed:
//
//	Seq:  First = a.First ⊓ (a.Exit ∪ b.First)   Exit = a.Exit ∪ b.Exit
//
// Exit does not depend on the access: it also covers paths that have passed the access, but for these First
// already has fewer objects. (In a may analysis that makes the answer larger, never smaller.)

//	mu.Lock(); x.f = 1; <-c; x.g = 2           First   f: {mu}   g: {mu, c}     Exit   {mu, c}
//	if p { mu.Lock() }; x.f = 1                First   f: {}                    Exit   {}
//
// in a must analysis that notes both. In a may analysis the second line has {mu} twice.

// Before is a value of the domain.
type Before struct {
	First firstID // objects passed before the first access of each class
	Exit  Set     // objects passed before the exit
	Exits bool    // whether any path gets to the exit
}

// firstID is the number of a partition of accesses, by the objects passed before them.
type firstID int32

// A Group is a set of accesses before which the same objects are passed.
type Group struct{ Passed, Accesses Set }

type beforeDomain struct {
	sets   *Sets
	objs   *Objects
	must   bool
	event  func(e *Event) (Set, bool) // objects that an event passes, except for the engine's Access events
	firsts [][]Group                  // sorted by Passed
	index  map[string]firstID
}

func newBefore(b *Base, must bool, event func(o *Objects, e *Event) (Object, bool)) *beforeDomain {
	d := &beforeDomain{sets: b.Sets, objs: newObjects(b), must: must, index: map[string]firstID{}}
	d.event = func(e *Event) (Set, bool) {
		o, ok := event(d.objs, e)
		if !ok || must && o.Path == Unknown {
			return Empty, false
		}
		return b.Sets.Of(d.objs.Num(o)), true
	}
	d.intern(nil)
	return d
}

// intern returns the number of the partition, after joining groups with equal sets.
func (d *beforeDomain) intern(list []Group) firstID {
	slices.SortFunc(list, func(a, b Group) int { return int(a.Passed) - int(b.Passed) })
	out := list[:0]
	for _, g := range list {
		switch n := len(out); {
		case g.Accesses == Empty:
		case n > 0 && out[n-1].Passed == g.Passed:
			out[n-1].Accesses = d.sets.Union(out[n-1].Accesses, g.Accesses)
		default:
			out = append(out, g)
		}
	}
	var key []byte
	for _, g := range out {
		key = binary.LittleEndian.AppendUint32(key, uint32(g.Passed))
		key = binary.LittleEndian.AppendUint32(key, uint32(g.Accesses))
	}
	id, ok := d.index[string(key)]
	if !ok {
		id = firstID(len(d.firsts))
		d.firsts = append(d.firsts, slices.Clone(out))
		d.index[string(key)] = id
	}
	return id
}

// meet combines the objects passed on alternative paths.
func (d *beforeDomain) meet(a, b Set) Set {
	if d.must {
		//mutant: what is passed on some paths is on all [micro conditionalLock]: "sets.Inter" -> "sets.Union"
		return d.sets.Inter(a, b)
	}
	return d.sets.Union(a, b)
}

// An access that only one of the two reaches keeps its objects, because the other side has no path to it.
func (d *beforeDomain) either(a, b firstID) firstID {
	if a == b {
		return a
	}
	var list []Group
	var inA, inB Set
	for _, g := range d.firsts[a] {
		inA = d.sets.Union(inA, g.Accesses)
	}
	for _, g := range d.firsts[b] {
		inB = d.sets.Union(inB, g.Accesses)
	}
	for _, g := range d.firsts[a] {
		list = append(list, Group{g.Passed, d.sets.Minus(g.Accesses, inB)})
		for _, h := range d.firsts[b] {
			list = append(list, Group{d.meet(g.Passed, h.Passed), d.sets.Inter(g.Accesses, h.Accesses)})
		}
	}
	for _, h := range d.firsts[b] {
		list = append(list, Group{h.Passed, d.sets.Minus(h.Accesses, inA)})
	}
	return d.intern(list)
}

func (d *beforeDomain) Skip() Before { return Before{Exits: true} }

func (d *beforeDomain) Never() Before { return Before{} }

func (d *beforeDomain) Merge(a, b Before) Before {
	v := Before{First: d.either(a.First, b.First), Exits: a.Exits || b.Exits}
	switch {
	case !a.Exits:
		v.Exit = b.Exit
	case !b.Exits:
		v.Exit = a.Exit
	default:
		v.Exit = d.meet(a.Exit, b.Exit)
	}
	return v
}

func (d *beforeDomain) Seq(a, b Before) Before {
	if !a.Exits {
		return a
	}
	var list []Group
	for _, g := range d.firsts[b.First] {
		list = append(list, Group{d.sets.Union(a.Exit, g.Passed), g.Accesses})
	}
	v := Before{First: d.either(a.First, d.intern(list)), Exits: b.Exits}
	if b.Exits {
		v.Exit = d.sets.Union(a.Exit, b.Exit)
	}
	return v
}

func (d *beforeDomain) Event(e *Event) Before {
	if e.Kind == AccessEvent {
		return Before{First: d.intern([]Group{{Empty, d.sets.Of(e.N)}}), Exits: true}
	}
	s, _ := d.event(e)
	return Before{Exit: s, Exits: true}
}

// Spawn: the accesses of the goroutine come after the objects that it passes itself.
//
// mutant: goroutines that are started access nothing [patterns startedAccesses]: "Before{First: v.First, Exits: true}" -> "d.Skip()"
func (d *beforeDomain) Spawn(v Before) Before { return Before{First: v.First, Exits: true} }

func (d *beforeDomain) Rename(v Before, r *Renaming) Before {
	var list []Group
	for _, g := range d.firsts[v.First] {
		list = append(list, Group{d.objs.rename(g.Passed, r, d.must), g.Accesses})
	}
	v.First = d.intern(list)
	v.Exit = d.objs.rename(v.Exit, r, d.must)
	return v
}

package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Reach says which goroutines can come to hold a pointer to an object by themselves.
//
// Claim. A goroutine h can obtain a pointer to an object that exists in the present state only if
// the object is reachable from what h has, or from the package variables; or if another goroutine
// from which it is reachable has made it so.
//
//  1. What a goroutine has is what the fingerprint of a state writes down of it (serialise): its
//     live registers, deferred calls, panics, and what it waits for. What else was there can make no
//     difference to what it does: states that differ in it only have the same fingerprint.
//  2. It obtains a pointer that it does not have by loading it from memory of which it has the
//     address. So take the first step in which a goroutine obtains one to an object that is
//     reachable neither from what it had nor from the variables: it loads it from memory that was
//     reachable from there, and where it was not; so another goroutine has stored it there since.
//  3. Objects of the base state that are as they were refer to the base state only. So the variables
//     reach what is newer through those that have changed (heap.dirty).
//
// So if none of some goroutines and no variable reaches an object, none of these goroutines ever
// accesses it while the others do not move.
//
// It is a set of at most MaxReach groups of goroutines for each object, as bits, found by propagating them
// along the references until nothing changes.
type Reach struct {
	m    *Machine
	gen  uint32
	at   []held // by object
	work []uint32
}

// MaxReach is how many groups of goroutines a Reach can tell apart.
const MaxReach = 64

// held is what is known of an object in propagation gen.
type held struct {
	gen    uint32
	queued bool
	by     uint64
}

// NewReach returns a Reach that knows nothing yet.
func (v StaticView) NewReach() *Reach { return &Reach{m: v.m} }

// Find finds out what gs, all goroutines that have not ended, can hold in the present state. The bit of
// the group of gs[i] is groups[i].
func (r *Reach) Find(gs []trace.GID, groups []uint64) {
	m := r.m
	r.gen++
	if n := len(m.heap.objs); n > len(r.at) {
		r.at = append(r.at, make([]held, n-len(r.at)+256)...)
	}
	for _, id := range m.heap.dirty {
		//mutant: parts: variables refer to nothing [partTexts]: " r.add(w, ^uint64(0)) " -> ""
		m.eachPtr(&m.heap.objs[id], func(w uint64) { r.add(w, ^uint64(0)) })
	}
	for i, id := range gs {
		g := m.gOf(id)
		t := &g.serial
		if !t.valid {
			m.serialise(t, g, nil)
		}
		for _, k := range t.refs {
			r.add(t.words[k], groups[i])
		}
	}
	for len(r.work) > 0 {
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		x := &r.at[id]
		//mutant: parts: an object is propagated once [partTexts]
		x.queued = false
		by := x.by
		//mutant: parts: references lead nowhere [partTexts]: "w uint64) { r.add(w, by)" -> "uint64) { _ = by"
		m.eachPtr(&m.heap.objs[id], func(w uint64) { r.add(w, by) })
	}
}

// add notes that the goroutines in by can hold w, which may be a pointer.
func (r *Reach) add(w, by uint64) {
	id := w >> 32
	if id < uint64(r.m.heap.baseLimit) || w&funcBit != 0 || id >= uint64(len(r.m.heap.objs)) {
		return
	}
	x := &r.at[id]
	if x.gen != r.gen {
		*x = held{gen: r.gen}
	}
	if x.by|by == x.by {
		return
	}
	x.by |= by
	if !x.queued {
		x.queued = true
		r.work = append(r.work, uint32(id))
	}
}

// By returns which of the groups can come to hold a pointer to object id: all of them if it is
// a variable, or was there when the program began; none if it was not there when Find was called.
func (r *Reach) By(id uint32) uint64 {
	switch {
	//mutant: parts: none can access a variable [partTexts]
	case id < r.m.heap.baseLimit:
		return ^uint64(0)
	case int(id) >= len(r.at) || r.at[id].gen != r.gen:
		return 0
	}
	return r.at[id].by
}

// InBubbles reports whether goroutines are in a bubble of testing/synctest.
func (m *Machine) InBubbles() bool {
	return slices.ContainsFunc(m.gs, func(g *goroutine) bool { return g.bubble != 0 && g.status != gEnded })
}

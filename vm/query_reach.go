package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/reach"
)

// Reach determines the goroutines that can obtain a pointer to an object by themselves.
//
// Claim. A goroutine h can obtain a pointer to an object that exists in the present state only if the
// object is reachable from pointers that h holds, or from the package variables; or if another
// goroutine, from which the object is reachable, has stored a pointer that makes it reachable from h
// or the variables.
//
//  1. A goroutine holds what the fingerprint of a state includes for it (serialise): its live
//     registers, deferred calls, panics, and the object it waits for. Nothing else on its stack
//     can influence it: states that differ only in the rest have the same fingerprint.
//  2. It obtains a pointer that it does not hold by loading it from memory whose address it has. So
//     take the first step in which a goroutine obtains a pointer to an object that is reachable
//     neither from what it held nor from the variables. It loads the pointer from memory that was
//     reachable from there and did not contain the pointer. So another goroutine has stored the
//     pointer in that memory since.
//  3. Unchanged objects of the base state refer only to the base state. So the variables reach
//     newer objects only through those that have changed (heap.Changed).
//
// So take some goroutines, and an object that neither they nor the variables reach. As long as the
// other goroutines do not move, none of these goroutines accesses the object.
//
// A Reach has, for each object, a set of at most MaxReach groups of goroutines, as bits.
type Reach struct {
	m      *Machine
	groups *reach.Groups
}

// MaxReach is the most groups of goroutines that a Reach distinguishes.
const MaxReach = reach.MaxGroups

// NewReach returns an empty Reach.
func (v StaticView) NewReach() *Reach { return &Reach{v.m, reach.NewGroups(v.m.heap)} }

// Find determines what gs, all goroutines that have not ended, can hold in the present state.
// groups[i] is the bit of the group of gs[i].
func (r *Reach) Find(gs []trace.GID, groups []uint64) {
	m := r.m
	r.groups.Begin()
	for i, id := range gs {
		g := m.gOf(id)
		t := &g.serial
		if !t.valid {
			m.serialise(t, g, nil)
		}
		for _, k := range t.Refs {
			r.groups.Add(t.Words[k], groups[i])
		}
	}
	r.groups.Spread()
}

// By returns the groups that can obtain a pointer to object id: all groups if the object is a variable, or
// existed when the program began; no group if it did not exist at the last Find.
func (r *Reach) By(id uint32) uint64 { return r.groups.By(id) }

// InBubbles reports whether goroutines are in a bubble of testing/synctest.
func (v StaticView) InBubbles() bool { return v.m.inBubbles() }

func (m *Machine) inBubbles() bool {
	return m.opened > 0 && slices.ContainsFunc(m.gs, func(g *goroutine) bool { return g.bubble != 0 && g.status != gEnded })
}

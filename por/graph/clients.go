package graph

import "hbcheck.dev/hbcheck/trace"

// DataRaceBehavior is the paper's client of that name: it "dynamically discovers sharing and enumerates over
// shared variables utilizing the Maybe and replay features". An access to ordinary memory is a scheduling
// point (Yes) if more than one goroutine has touched that memory in the search so far. Otherwise it may
// become one (Maybe). As in the paper, rewinding does not undo its knowledge of sharing. Synchronising
// operations are scheduling points.
//
// Example, x a variable of main:
//
//	main: x = 1; go g1        x = 1: only main has touched x, so Maybe
//	g1:   x = 2               touched by two now: Yes, and it depends on the Maybe node above
//	main: print(x)            Yes
//
// The Maybe node then gets a choice (see Explore), unless, as here, it happens before the start
// of g1.
type DataRaceBehavior struct {
	touched map[uint32][]sharing // by object
}

// sharing has the goroutine that has touched a part of an object.
//
// Accesses of different sizes may overlap, so an object has a list of them, with one entry for all accesses
// to the same bytes. An entry is shared if another goroutine has accessed memory that overlaps it.
type sharing struct {
	trace.Access
	g      trace.GID
	shared bool
}

// NewDataRaceBehavior returns a client without knowledge of sharing.
func NewDataRaceBehavior() *DataRaceBehavior {
	return &DataRaceBehavior{make(map[uint32][]sharing)}
}

// Mark implements Marker.
//
// It returns the answer of EveryAccess, except for plain accesses to memory that only one goroutine has
// touched. It records all locations, even if the first one decides.
func (c *DataRaceBehavior) Mark(op *Op) Marking {
	m := EveryAccess{}.Mark(op)
	if m != Yes || !op.Kind.Plain() {
		return m
	}
	m = Maybe
	for _, a := range op.Touches {
		if c.touch(a, op.G) {
			m = Yes
		}
	}
	return m
}

// touch notes that g touches a, and reports whether others do.
//
// A new entry inherits shared from overlapping entries, which other goroutines have touched.
func (c *DataRaceBehavior) touch(a trace.Access, g trace.GID) (shared bool) {
	known := false
	list := c.touched[a.Obj]
	for i := range list {
		if s := &list[i]; s.Overlaps(a) {
			s.shared = s.shared || s.g != g
			shared = shared || s.shared
			known = known || s.Off == a.Off && s.Size == a.Size
		}
	}
	if !known {
		c.touched[a.Obj] = append(list, sharing{a, g, shared})
	}
	return shared
}

// Dependent implements Dependence: the operations touch the same location, and one of them may
// change it.
//
// The cheap test comes first: most pairs of nodes have no common location.
func (c *DataRaceBehavior) Dependent(p, n *Node) bool {
	return p.Conflicts(n) && !p.Before(n) && p.CoEnabled(n)
}

// EveryAccess is the paper's client of that name: Yes "if the instruction is a field access. This
// is the naive approach of inserting a choice generator for every potential scheduling point".
// Accesses of all kinds to the same memory are dependent, which reproduces the paper's counts.
type EveryAccess struct{}

// Mark implements Marker.
func (EveryAccess) Mark(op *Op) Marking {
	if len(op.Touches) == 0 {
		return No
	}
	return Yes
}

// Dependent implements Dependence.
//
// Two reads commute, so the engine reverses more than necessary, which is sound.
func (EveryAccess) Dependent(p, n *Node) bool {
	if p.Op.Kind.Plain() && n.Op.Kind.Plain() {
		return !p.Before(n) && p.Share(n, func(trace.Access, trace.Access) bool { return true })
	}
	return p.Conflicts(n) && !p.Before(n) && p.CoEnabled(n)
}

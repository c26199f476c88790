package graph

import "hbcheck.dev/hbcheck/trace"

// DataRaceBehavior is the paper's client of that name: it "dynamically discovers sharing and
// enumerates over shared variables utilizing the Maybe and replay features". An access to ordinary
// memory is a scheduling point if more than one goroutine has touched that memory in the search so
// far, and otherwise may turn out to be one. What it knows of sharing does not go back with the
// search, as in the paper. Operations that synchronise are scheduling points.
type DataRaceBehavior struct {
	touched map[uint32][]sharing // by object
}

// sharing says which goroutine has touched a part of an object.
type sharing struct {
	trace.Access
	g      trace.GID
	shared bool
}

// NewDataRaceBehavior returns a client that knows of no sharing.
func NewDataRaceBehavior() *DataRaceBehavior {
	return &DataRaceBehavior{make(map[uint32][]sharing)}
}

// Mark implements Marker.
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
func (c *DataRaceBehavior) Dependent(p, n *Node) bool {
	return p.Conflicts(n) && !p.Before(n) && p.CoEnabled(n)
}

// EveryAccess is the paper's client of that name: Yes "if the instruction is a field access. This
// is the naive approach of inserting a choice generator for every potential scheduling point".
// Accesses to the same memory are dependent whatever their kinds: only so the paper's counts come
// out.
type EveryAccess struct{}

// Mark implements Marker.
func (EveryAccess) Mark(op *Op) Marking {
	if len(op.Touches) == 0 {
		return No
	}
	return Yes
}

// Dependent implements Dependence.
func (EveryAccess) Dependent(p, n *Node) bool {
	if p.Op.Kind.Plain() && n.Op.Kind.Plain() {
		return !p.Before(n) && p.Share(n, func(trace.Access, trace.Access) bool { return true })
	}
	return p.Conflicts(n) && !p.Before(n) && p.CoEnabled(n)
}

package hb

import "hbcheck.dev/hbcheck/trace"

// Additions to one location whose results are not used commute, and so do readers of a lock. That
// they do is not enough where a goroutine waits in a loop until the location has a certain value
// (trace.Op.Awaits): of two additions, or two readers, each can disable the loop's next iteration
// by itself, and only all of them together enable it. Then there is no least set of events after
// which the operation is disabled, which the reductions assume, and what a pending operation
// depends on need not have happened before its goroutine arrived there. Example: v.Add(1) beside
// v.Add(1) and `for v.Load() != 0 {}` beside v.Add(-1).
//
// So an Execution in which such operations commute notices when one of them and a loop that waits
// are on the same location, wherever in the search. It sets CommutingRefuted then, and the search
// starts again with a Relation that is Ordered.

// noteCommuting notes n, which is pending or has just been executed.
func (x *Execution) noteCommuting(n *NextOp) {
	if n.Commutes != 0 || n.Awaits != trace.NoAwait { // most are neither
		x.addCommuting(n)
	}
}

// addCommuting is noteCommuting for an operation that may commute with others, or waits in a loop.
//
// Write is cleared so that an access is one element of the set, however it is made; refuted gives
// it back.
func (x *Execution) addCommuting(n *NextOp) {
	commutes := n.CommutesWithPeers()
	if !commutes && n.Awaits == trace.NoAwait || x.rel.AdditionsDepend {
		return
	}
	for _, a := range n.Access[:n.N] {
		a.Write = false
		if commutes {
			x.seen.commuting.add(a)
		}
		if n.Awaits != trace.NoAwait {
			x.seen.awaited.add(a)
		}
	}
	if x.seen.refuted() {
		x.CommutingRefuted, x.Unsupported = true, true
	}
}

// Commuting are the locations of operations that commute, and of loops that wait.
//
// Invariant: a location is in a set once. Sets are of the whole search and never shrink: what may
// be on one location in one execution may be so in another order of another.
type Commuting struct {
	commuting, awaited locationSet
}

// TakeCommuting returns those that x has seen since it was called last.
//
// With each subtree that it has explored a worker hands over what it has seen there.
func (x *Execution) TakeCommuting() Commuting {
	c := x.seen
	x.seen = Commuting{}
	return c
}

// Add adds those that another worker of the same search has seen, and reports whether the
// operations do not commute. So it makes no difference which worker sees what.
func (c *Commuting) Add(d Commuting) (refuted bool) {
	for _, a := range d.commuting.list {
		c.commuting.add(a)
	}
	for _, a := range d.awaited.list {
		c.awaited.add(a)
	}
	return c.refuted()
}

// Sees adds what another worker of the same search has seen, unless that, with what x has, refutes that
// operations commute. It reports whether it does.
func (x *Execution) Sees(d Commuting) (refuted bool) {
	var both Commuting
	if both.Add(x.seen); both.Add(d) {
		return true
	}
	x.seen.Add(d)
	return false
}

// refuted reports whether both kinds are on one location, if there is a new one.
func (c *Commuting) refuted() bool {
	if !c.commuting.fresh && !c.awaited.fresh {
		return false
	}
	c.commuting.fresh, c.awaited.fresh = false, false
	//mutant: additions commute though a loop waits for their sum [agreeing]: false
	return Overlap(c.commuting.writes(), c.awaited.list)
}

// A locationSet is a set of locations.
type locationSet struct {
	known map[trace.Access]bool
	list  []trace.Access
	fresh bool // one has been added
}

func (s *locationSet) add(a trace.Access) {
	if s.known[a] {
		return
	}
	if s.known == nil {
		s.known = make(map[trace.Access]bool)
	}
	s.known[a], s.fresh = true, true
	s.list = append(s.list, a)
}

// writes returns the locations as those of writes.
func (s *locationSet) writes() []trace.Access {
	w := make([]trace.Access, len(s.list))
	for i, a := range s.list {
		a.Write = true
		w[i] = a
	}
	return w
}

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
func (x *Execution) addCommuting(n *NextOp) {
	commutes := n.CommutesWithPeers()
	if !commutes && n.Awaits == trace.NoAwait || x.rel.AdditionsDepend {
		return
	}
	for _, a := range n.Access[:n.N] {
		a.Write = false
		if commutes {
			x.commuting.add(a)
		}
		if n.Awaits != trace.NoAwait {
			x.awaited.add(a)
		}
	}
	if x.commuting.fresh || x.awaited.fresh {
		x.commuting.fresh, x.awaited.fresh = false, false
		x.CommutingRefuted = x.CommutingRefuted || Overlap(x.commuting.writes(), x.awaited.list)
		x.Unsupported = x.Unsupported || x.CommutingRefuted
	}
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

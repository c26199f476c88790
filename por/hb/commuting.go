package hb

import "hbcheck.dev/hbcheck/trace"

// Additions to one location with unused results commute, and so do readers of a lock. That is not enough for
// the reductions if a goroutine waits in a loop until the location has a certain value (trace.Op.Awaits):
// each of two additions, or two readers, can alone disable the loop's next iteration, and only all of them
// together enable it. The reductions assume that there is a least set of events after which the operation is
// disabled; here there is no least set. They also assume that the events on which a pending operation depends
// have happened before its goroutine arrives; here some may happen later. Example: v.Add(1) beside v.Add(1)
// and `for v.Load() != 0 {}` beside v.Add(-1).
//
// So an Execution in which such operations commute notices when one of them and a waiting loop use the same
// location, anywhere in the search. Then the assumption Commute is Wrong, and the search restarts without
// it.

// noteCommuting notes n, which is pending or has just been executed.
func (x *Execution) noteCommuting(n *NextOp) {
	if n.Commutes != 0 || n.Awaits != trace.NoAwait {
		x.addCommuting(n)
	}
}

// addCommuting is noteCommuting for an operation that may commute with others, or waits in a loop. Receives
// that commute change nothing (receives.go), so they can disable no loop.
//
// Write is cleared so that reads and writes of a location are one element of the set; refuted sets Write
// again.
func (x *Execution) addCommuting(n *NextOp) {
	commutes := n.CommutesWithPeers() && n.Commutes != trace.Receives
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
		x.refute(Commute)
	}
}

// Commuting are the locations of operations that commute, of loops that wait, and the channels to which
// goroutines send (closing.go).
//
// Invariant: a location is in a set once. Sets belong to the whole search and never shrink: operations
// that meet on a location in one execution may do so in another one.
type Commuting struct {
	commuting, awaited locationSet
	senders            senders
	sends, reads       channels // see onlyreceived.go; sends has those that are not in Execution.sent
}

// TakeCommuting returns the locations that x has seen since the last call. A worker passes them on with
// each explored subtree.
func (x *Execution) TakeCommuting() Commuting {
	c := x.seen
	x.seen = Commuting{}
	return c
}

// Add adds the locations that another worker of the same search has seen, and returns the assumptions that
// they refute. So it makes no difference which worker sees a location.
func (c *Commuting) Add(d Commuting) (wrong Assumption) {
	for _, a := range d.commuting.list {
		c.commuting.add(a)
	}
	for _, a := range d.awaited.list {
		c.awaited.add(a)
	}
	for at, s := range d.senders {
		if c.senders.note(at, s) {
			wrong |= OneCloses
		}
	}
	for id := range d.sends {
		c.sends.add(id)
	}
	for id := range d.reads {
		c.reads.add(id)
		//mutant: workers do not compare where they send and receive [test ./por/hb TestLateSends]: "c.sends[id]" -> "false"
		if c.sends[id] {
			wrong |= OnlyReceived
		}
	}
	for id := range d.sends {
		//mutant: workers do not compare where they receive and send [test ./por/hb TestLateSends]: "c.reads[id]" -> "false && c.reads[id]"
		if c.reads[id] {
			wrong |= OnlyReceived
		}
	}
	if c.refuted() {
		wrong |= Commute
	}
	return wrong
}

// refuted reports whether operations of both kinds use one location. It checks only if a location
// is new.
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
	fresh bool // a location has been added
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

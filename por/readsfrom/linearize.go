package readsfrom

import (
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Whether events can be executed in some order such that each read reads what it is to read is a search
// (Gibbons and Korach, "Testing shared memories", SIAM J. Comput. 1997: it is NP-complete if the number of
// goroutines is not bounded). This one goes through sets of events executed so far, from each of which
// it does not start twice; with k goroutines there are at most n^k of them, and mostly the first order tried is one.
//
// A write must not be executed between a write and one that reads from it. So it waits while some event that is
// still to read the location from another write can do so by now. Under this rule every read that is reached
// reads what it is to, and whether events can be executed depends on nothing but the set of those that have been. An event
// that makes none wait (a read, a write that nobody reads, or whose readers all other writes come behind anyway) can be executed at
// once if it can be executed at all: that takes nothing away from the others.

// node is an event to be put in order.
type node struct {
	hb.EventID
	clock  []uint32 // what comes before it, itself left out or not
	reads  bool
	from   trace.Access // where
	rf     hb.EventID
	writes [2]trace.Access
	nw     uint8

	source    int   // the node that src is, or -1
	contested bool  // see contest
	blockers  []int // nodes that read what it writes from others
	placed    bool
}

// linearizer is the memory of the search.
type linearizer struct {
	nodes  []node
	count  []uint32 // of nodes done, by goroutine
	order  []int
	failed map[string]bool
	key    []byte
}

// add takes an event that has been executed with operation op, or would be.
func (l *linearizer) add(at hb.EventID, clock []uint32, op *trace.Op, src hb.EventID) *node {
	if len(l.nodes) < cap(l.nodes) {
		l.nodes = l.nodes[:len(l.nodes)+1]
	} else {
		l.nodes = append(l.nodes, node{})
	}
	n := &l.nodes[len(l.nodes)-1]
	*n = node{EventID: at, clock: clock, rf: src, source: -1, blockers: n.blockers[:0]}
	if n.from, n.reads = hb.ReadFrom(op); !n.reads {
		n.rf = hb.EventID{}
	}
	if op.Kind.Memory() {
		for _, a := range op.Access[:op.N] {
			if a.Write {
				n.writes[n.nw] = a
				n.nw++
			}
		}
	}
	return n
}

func (l *linearizer) reset() { l.nodes = l.nodes[:0] }

// find looks for an order of the nodes, and prefers the one in which they were added. order holds it then.
func (l *linearizer) find() bool {
	l.order, l.failed = l.order[:0], nil
	clear(l.count)
	for i := range l.nodes {
		n := &l.nodes[i]
		for int(n.G) >= len(l.count) {
			l.count = append(l.count, 0)
		}
		n.placed = false
	}
	for i := range l.nodes {
		n := &l.nodes[i]
		if n.source = -1; n.reads && n.rf.N > 0 {
			n.source = slices.IndexFunc(l.nodes, func(m node) bool { return m.EventID == n.rf })
		}
	}
	for i := range l.nodes {
		n := &l.nodes[i]
		n.blockers = n.blockers[:0]
		for j := 0; n.nw > 0 && j < len(l.nodes); j++ {
			if r := &l.nodes[j]; r.reads && j != i && r.source != i && slices.ContainsFunc(n.writes[:n.nw], r.from.Overlaps) {
				n.blockers = append(n.blockers, j)
			}
		}
	}
	if l.greedy() {
		return true
	}
	l.markContested()
	return l.search()
}

// markContested marks the writes that it can be a mistake to execute early: another one need not come behind all that
// read from it.
func (l *linearizer) markContested() {
	for i := range l.nodes {
		l.nodes[i].contested = false
	}
	for i := range l.nodes {
		w := &l.nodes[i]
		for _, j := range w.blockers {
			// r reads what w writes from another write: w must not come between the two.
			if r := &l.nodes[j]; r.source >= 0 && (int(r.G) >= len(w.clock) || w.clock[r.G] < r.N) {
				l.nodes[r.source].contested = true
			}
		}
	}
}

// search completes the order. What is no mistake is done at once, so that it branches at contested writes only.
func (l *linearizer) search() bool {
	begin := len(l.order)
	for i := 0; i < len(l.nodes); i++ {
		if n := &l.nodes[i]; !n.placed && !n.contested && l.ready(n) {
			l.place(i)
			i = -1
		}
	}
	if len(l.order) == len(l.nodes) {
		return true
	}
	if !l.failed[string(l.placedSet())] {
		for i := range l.nodes {
			if n := &l.nodes[i]; !n.placed && l.ready(n) {
				l.place(i)
				if l.search() {
					return true
				}
				l.unplace(i)
			}
		}
		if l.failed == nil {
			l.failed = make(map[string]bool)
		}
		l.failed[string(l.placedSet())] = true
	}
	for len(l.order) > begin {
		l.unplace(l.order[len(l.order)-1])
	}
	return false
}

// greedy tries to do the first node that can be done, again and again: mostly that is an order.
func (l *linearizer) greedy() bool {
	for i := 0; i < len(l.nodes); i++ {
		if n := &l.nodes[i]; !n.placed && l.ready(n) {
			l.place(i)
			i = -1
		}
	}
	if len(l.order) == len(l.nodes) {
		return true
	}
	for len(l.order) > 0 {
		l.unplace(l.order[len(l.order)-1])
	}
	return false
}

func (l *linearizer) place(i int) {
	n := &l.nodes[i]
	n.placed = true
	l.count[n.G]++
	l.order = append(l.order, i)
}

func (l *linearizer) unplace(i int) {
	n := &l.nodes[i]
	n.placed = false
	l.count[n.G]--
	l.order = l.order[:len(l.order)-1]
}

// placedSet is the set of nodes done.
func (l *linearizer) placedSet() []byte {
	l.key = l.key[:0]
	for _, c := range l.count {
		l.key = append(l.key, byte(c), byte(c>>8), byte(c>>16))
	}
	return l.key
}

// ready reports whether n can be executed now.
func (l *linearizer) ready(n *node) bool {
	if l.count[n.G] != n.N-1 {
		return false
	}
	for g, c := range n.clock {
		if trace.GID(g) != n.G && c > 0 && (g >= len(l.count) || l.count[g] < c) {
			return false
		}
	}
	for _, j := range n.blockers {
		if r := &l.nodes[j]; !r.placed && (r.source < 0 || l.nodes[r.source].placed) {
			return false
		}
	}
	return true
}

package readsfrom

import (
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// A search for a linearization of the events of an execution graph in which each read reads from its write:
// verifying sequential consistency with a read mapping (VSC-read: Gibbons and Korach, "Testing shared
// memories", SIAM J. Comput. 1997), which is NP-complete if the number of goroutines is not bounded. This
// search visits each set of placed events once; with k goroutines and n events there are at most n^k of them,
// and usually the first order is a linearization.
//
// A write must not be placed between a write and an event that reads from it. So it is blocked
// while an unplaced event that reads the location from another write could already do so. Under
// this rule:
//
//  1. Every placed read reads from its write.
//  2. Whether an event can be placed depends only on the set of placed events.
//  3. An event that blocks none (a read; a write that no event reads, or whose readers precede all other
//     writes anyway) can be placed as soon as possible, without any effect on the
//     others. So the search branches at contested writes only.
//
//	w1 ──rf──▶ r       w2 writes the same location: not between w1 and r
//	orders:            w2 w1 r,  w1 r w2          not: w1 w2 r
//	blockers of w2:    r, which reads from another write than w2
//	contested:         w1, as placing it early keeps w2 waiting for r

// node is an event to be placed.
//
// It is an event of G, or an operation that becomes an event of G.
type node struct {
	hb.EventID
	clock  []uint32 // the events before it, with or without the node itself
	reads  bool
	from   trace.Access // the memory that the node reads
	rf     hb.EventID
	writes [2]trace.Access
	nw     uint8

	source    int   // the node that src is, or -1
	contested bool  // see markContested
	blockers  []int // nodes that read the location it writes, from other writes
	placed    bool
}

// linearizer is the search for a linearization. Its memory is used again.
//
// nodes are all events that are to be ordered; order has the numbers of those placed so far.
// Invariant: count[g] nodes of goroutine g are placed, the first ones by N; so count says which
// nodes are placed, and is the key of failed, the sets that cannot be completed.
//
//	nodes:   0: w1 of g0   1: r of g1   2: w2 of g2
//	count:   g0 1, g1 0, g2 0        {w1} is placed
//	order:   0
type linearizer struct {
	nodes  []node
	count  []uint32 // by goroutine: number of nodes done
	order  []int
	failed map[string]bool
	key    []byte
}

// add adds an event that has been executed, or would be executed, with operation op.
//
// The result is valid until the next call. Callers change the writes of operations that may or may not write.
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

// reset forgets all nodes, and keeps their memory.
func (l *linearizer) reset() { l.nodes = l.nodes[:0] }

// find looks for a linearization of the nodes, and tries the order in which they were added first.
// order holds it then.
//
// The nodes were added in the order of the path, which is a linearization except for the new nodes. So the
// greedy order mostly succeeds, and it needs only sources and blockers.
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
			r := &l.nodes[j]
			fromOther := r.reads && j != i && r.source != i
			if fromOther && slices.ContainsFunc(n.writes[:n.nw], r.from.Overlaps) {
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

// markContested marks the writes that it can be a mistake to place early: another write need not
// come after all that read from them.
//
// If w comes after r anyway, because w's clock contains r, the source of r can be placed at any time.
func (l *linearizer) markContested() {
	for i := range l.nodes {
		l.nodes[i].contested = false
	}
	for i := range l.nodes {
		w := &l.nodes[i]
		for _, j := range w.blockers {
			// r reads the location of w from another write: w must not come between that write and r.
			if r := &l.nodes[j]; r.source >= 0 && (int(r.G) >= len(w.clock) || w.clock[r.G] < r.N) {
				l.nodes[r.source].contested = true
			}
		}
	}
}

// search completes the order. Nodes that cannot be a mistake are placed at once, so that the search
// branches only at contested writes.
//
// A node that is not contested is placed as soon as it is ready: if there is a linearization, there is also
// one in which the node comes now. Only contested writes are tried and taken back. The sets in failed are
// compared after that, so there are few.
//
// If there is none, order is unchanged when it returns.
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

// greedy repeatedly places the first node that can be placed, which usually gives a linearization.
//
// After each placement it begins from the front again, because the placement may have made an earlier node
// ready, such as a write that had to wait for a read.
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

// place and unplace keep count in step with placed, which is the invariant of linearizer.
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

// placedSet returns the set of nodes placed, as a key.
//
// The key has three bytes for each goroutine, because no execution has 2^24 events of one goroutine.
func (l *linearizer) placedSet() []byte {
	l.key = l.key[:0]
	for _, c := range l.count {
		l.key = append(l.key, byte(c), byte(c>>8), byte(c>>16))
	}
	return l.key
}

// ready reports whether n can be placed now.
//
// A node is placed after the nodes in its clock. If it writes, it must not come between a read and its
// source: for each read of the location that is not placed yet, the source must not be placed either. (A
// read of the initial value has no source, and must be placed already.)
//
// Example: w1 is placed, r reads from w1 and is not placed yet; w2, of the same location, is not ready. If
// neither w1 nor r is placed, w2 is ready, because it can come before both.
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

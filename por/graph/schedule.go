package graph

import (
	"slices"

	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// executeDpor is the procedure of Algorithm 1. It walks up from n. If the goroutine of n could not
// continue at a node, the step of that node may have enabled n's operation, which may also depend
// on an earlier node. So the walk does not end there.
//
// POPL 2005 stops at the last node on which n depends, because earlier ones are found on the path on which
// n has been exchanged with that node. In its happens-before relation, all dependences count. Here accesses
// to memory order nothing (Before), so n may depend on a node that comes before it in each execution that
// has n:
//
//	g0: read y; x = 1      g1: read y      g2: if x == 1 { y = 1 }
//
// g2's write is compared with both reads of y. The write cannot come before the read of g0, because x is 0
// then, but it can come before the read of g1. So the walk continues to the root. It skips closed nodes:
// according to the oracle nothing has to come before them.
func (x *searcher) executeDpor(n *Node) {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Type != Replay && p.Op.G != n.Op.G && !p.at.closed && x.dependent(p, n) {
			//mutant: graph stops at the last node that an operation depends on [conditional]: "x.addScheduleFor(p, n.Op.G)" -> "if x.addScheduleFor(p, n.Op.G); slices.Contains(p.at.runnables, n.Op.G) {\nreturn\n}"
			x.addScheduleFor(p, n.Op.G)
		}
	}
}

// dependent reports whether the operations of p and n depend on each other.
func (x *searcher) dependent(p, n *Node) bool {
	if p.dependsOnAll || n.dependsOnAll {
		return !p.Before(n)
	}
	return x.Client.Dependence.Dependent(p, n)
}

// addScheduleFor is the procedure of Algorithm 1. Suppose that t could not continue at p, or that
// the program could not continue after t's operation there (see clockVector.add in package dpor).
// Then any goroutine may have to move first so that t's operation comes before p's, and all are
// scheduled.
func (x *searcher) addScheduleFor(p *Node, t trace.GID) {
	if slices.Contains(p.at.runnables, t) && !slices.Contains(p.at.ended, t) {
		x.addChoice(p, t)
	} else {
		x.addAll(p)
	}
}

// addAll adds every runnable goroutine.
func (x *searcher) addAll(p *Node) {
	for _, q := range p.at.runnables {
		x.addChoice(p, q)
	}
}

// addChoice schedules t at p.
//
// A Maybe node with two choices is a scheduling point.
func (x *searcher) addChoice(p *Node, t trace.GID) {
	if p.at.closed || slices.Contains(p.at.choices, t) {
		return
	}
	p.at.choices = append(p.at.choices, t)
	if len(p.at.choices) == 2 {
		x.Stats.Choices++
	}
	if x.Tracing() {
		x.Tracef(len(x.Path), "node %d: choices %s", p.ID, search.Goroutines(p.at.choices))
	}
	if p.Type != Maybe {
		return
	}
	if !x.Restart {
		p.Type = Yes // there is a way back
		return
	}
	x.arrangeReplay(p.Parent, p.at.prefix)
}

// disabledAtEnd considers the operations that are pending at the end of an execution: they may
// depend on earlier ones.
//
// Example: two goroutines lock a and b in different orders, and both wait for the other's lock at
// the end. Neither second Lock is ever executed, but each races with the Lock that has disabled
// it.
func (x *searcher) disabledAtEnd() {
	for _, q := range x.fx.Pending(nil) {
		if x.mark(q) == No {
			continue
		}
		n := &Node{Type: Yes, Parent: x.node, at: &choiceSet{}, x: x}
		x.setOp(n, x.exec.Next(q), x.exec.LastEvent(q))
		x.executeDpor(n)
	}
}

// ended is called when the step of n, of goroutine g, has been executed. If the program is over, other
// goroutines that can continue must do so first: see clockVector.turnedOut in package dpor.
func (x *searcher) ended(n *Node, g trace.GID, over bool) {
	at := n.at
	at.continues = at.continues || !over
	switch {
	case !over || len(at.runnables) < 2:
		return
	case len(at.choices) == 1:
		at.ended = append(at.ended[:0], g)
	default:
		x.addAll(n)
	}
	for _, q := range at.runnables {
		if !at.continues && at.choices[len(at.choices)-1] == g {
			x.addChoice(n, q)
		}
	}
}

// arrangeReplay is the procedure of Algorithm 2. It walks up from r, at most to the root, which is
// a Replay node.
func (x *searcher) arrangeReplay(r *Node, prefix uint64) {
	x.known[prefix] = true
	for r.Type != Replay {
		r = r.Parent
	}
	r.replay = true
}

// mustReplay is the procedure of Algorithm 2. It reports whether the replay begins at r. If a Replay node
// further up has to restart, its region includes that of r.
func mustReplay(r *Node) bool {
	if !r.replay {
		return false
	}
	for s := r.Parent; s != nil; s = s.Parent {
		if s.Type == Replay && s.replay {
			return false
		}
	}
	return true
}

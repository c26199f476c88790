package dpor

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Several workers (see search.Ahead), with the result that one worker has. Why nothing is different:
//
//  1. What is explored after a step depends on the path to it, on which nodes of the path are closed, and
//     on what the relation says; not on their backtrack sets. What is found for these is noted
//     (cvNote), and comes to them, in its order, when the search takes the piece.
//  2. What has been counted and shown depends on what was before in three ways: which races are known,
//     which goroutines have accessed an object, and how many executions and states there may be yet. A
//     piece for which one of these is not what it was begun with is explored again, by the search.
//  3. Likewise if the relation is refuted in it, or by all that has been seen together, as the search
//     begins again then at the step where one worker does.

// cvStep is a step of a node: backtrack[p], with alternative choice.
type cvStep struct{ p, choice int }

// cvPiece is a step of a node and what is after it. The first block is all that its exploration depends on,
// and serialisable.
type cvPiece struct {
	search.Piece

	path     trace.Schedule
	nodes    []cvNode // of the path; the last one is that of the step
	step     trace.Step
	accessed map[uint32]accessor

	// What was found.
	alternatives int                 // of the step's goroutine
	assumed, now map[uint32]accessor // of objects: as they were, and are
	seen         hb.Commuting
	noted        map[cvNote]bool
	notes        []cvNote
	open         []cvNode       // what is left, if it was stopped,
	openPath     trace.Schedule // with the path to the last of these
}

// cvNote is what a piece has found for the node of that depth.
type cvNote struct {
	depth int
	what  cvWhat
	g     trace.GID
}

type cvWhat uint8

const (
	cvAdd       cvWhat = iota // g is added to its backtrack set,
	cvAddAll                  // or all are
	cvCount                   // it counts
	cvEnded                   // g has ended the program by its step,
	cvContinues               // or not
)

// note notes something once: a second time it makes no difference.
func (p *cvPiece) note(n cvNote) {
	if !p.noted[n] {
		p.noted[n] = true
		//mutant: jobs: clockvector: what was added for a piece's path is lost [ahead]
		p.notes = append(p.notes, n)
	}
}

// assume notes by which goroutine an object had been accessed, when p comes to it first.
func (p *cvPiece) assume(obj uint32, who accessor) {
	if _, known := p.assumed[obj]; !known {
		p.assumed[obj] = who
	}
}

// offer offers a step of the oldest node that has one left to workers that have nothing to do: what is
// after it is likely to be the most.
func (x *clockVector) offer() {
	if !x.jobs || x.piece != nil || !x.ahead.Wanted(&x.Control) {
		return
	}
	for i := range x.nodes[:len(x.nodes)-1] {
		n := &x.nodes[i]
		s := cvStep{n.p, n.choice}
		if s.choice == n.choices {
			s = cvStep{s.p + 1, 0}
		}
		for s.p < len(n.backtrack) {
			if n.pieces[s] == nil {
				x.offerStep(i, s)
				return
			}
			if s.choice++; s.p > n.p || s.choice == n.choices {
				s = cvStep{s.p + 1, 0}
			}
		}
	}
}

// offerStep offers a step of node i.
func (x *clockVector) offerStep(i int, s cvStep) {
	n := &x.nodes[i]
	p := &cvPiece{
		path:  slices.Clone(x.Path[:n.Depth]),
		nodes: slices.Clone(x.nodes[:i+1]), step: trace.Step{G: n.backtrack[s.p], Choice: s.choice},
		accessed: maps.Clone(x.accessed),
		assumed:  make(map[uint32]accessor), noted: make(map[cvNote]bool),
	}
	for k := range p.nodes {
		p.nodes[k].foreign, p.nodes[k].pieces = true, nil
		p.nodes[k].backtrack, p.nodes[k].ended = nil, nil // which the search changes
	}
	if n.pieces == nil {
		n.pieces = make(map[cvStep]*cvPiece)
	}
	n.pieces[s] = p
	x.ahead.Offer(&p.Piece, &x.Driver, func(h *search.Helper) { p.explore(h, x) })
}

// explore explores p, which is part of whole.
func (p *cvPiece) explore(h *search.Helper, whole *clockVector) {
	cfg, v, leave := whole.ahead.Prepare(&p.Piece, h, whole.Cfg)
	defer leave()
	x := newClockVector(h.Sys, v, cfg, whole.rel)
	x.piece, x.accessed = p, p.accessed
	root := h.Sys.Mark()
	for _, s := range p.path {
		x.Repeat(s)
	}
	x.nodes = append(x.nodes, p.nodes...)
	first := len(x.nodes)
	p.Begin(&x.Driver)
	p.alternatives = h.Sys.Alternatives(p.step.G)
	forked := x.execute(&x.nodes[first-1], p.step)
	if !x.Halted {
		x.enter(forked)
	}
	x.explore(first)
	p.End(&x.Driver)
	if len(x.nodes) > first {
		p.open = slices.Clone(x.nodes[first:])
		p.openPath = slices.Clone(x.Path[:x.nodes[len(x.nodes)-1].Depth])
	}
	for i := len(x.nodes) - 1; i >= first; i-- {
		x.Drop(x.nodes[i].Mark)
	}
	x.Leave(root)
	p.seen, p.Refuted = x.exec.TakeCommuting(), x.exec.Refuted()
	p.now = make(map[uint32]accessor, len(p.assumed))
	for obj := range p.assumed {
		p.now[obj] = x.accessed[obj]
	}
}

// holds reports whether p is what the search would find now.
func (x *clockVector) holds(p *cvPiece) bool {
	for obj, who := range p.assumed {
		//mutant: jobs: clockvector: pieces know who has accessed what [ahead]: "obj] != who " -> "obj] != who && false "
		if x.accessed[obj] != who {
			return false
		}
	}
	return !x.exec.Sees(p.seen)
}

// take takes p, the next step of the node of that depth, from the worker that has explored it. It reports
// false if the search has to explore it.
func (x *clockVector) take(depth int, p *cvPiece) bool {
	n := &x.nodes[depth]
	delete(n.pieces, cvStep{n.p, n.choice})
	if !x.ahead.Claim(&p.Piece, &x.Driver) || !x.holds(p) {
		return false
	}
	if n.choices == 0 {
		n.choices = p.alternatives
	}
	n.choice++
	x.ahead.Take(&p.Piece, &x.Driver)
	maps.Copy(x.accessed, p.now)
	//mutant: jobs: clockvector: what a piece notes comes in another order [test ./por/dpor ^TestAhead$]: " p.notes" -> " slices.Backward(p.notes)"
	for _, c := range p.notes {
		m := &x.nodes[c.depth]
		switch c.what {
		case cvAdd:
			x.add(m, c.g)
		case cvAddAll:
			x.addAll(m)
		case cvCount:
			x.count(m)
		default:
			x.ended(m, c.g, c.what == cvEnded)
		}
	}
	//mutant: jobs: clockvector: what is left of a piece is dropped [ahead]: false
	if len(p.open) > 0 && !x.Halted {
		x.resume(depth, p)
	}
	return true
}

// resume puts what is left of p on the stack, and brings the system to the last node of it.
func (x *clockVector) resume(depth int, p *cvPiece) {
	n := &x.nodes[depth]
	x.ReturnTo(&n.Position)
	x.exec.Truncate(depth)
	for i := range p.open {
		a := p.openPath[len(x.Path)]
		x.Announce(a.G)
		x.exec.ExecuteAgain(a.G, a.Choice)
		x.Path, x.Cur = append(x.Path, a), a.G
		m := p.open[i]
		m.Position = x.Checkpoint()
		x.nodes = append(x.nodes, m)
	}
}

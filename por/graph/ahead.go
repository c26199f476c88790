package graph

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Several workers (see search.Ahead), with the result that one worker has. Why nothing is different:
//
//  1. What is explored after a step depends on the path to it: on the operations of its nodes, on which
//     goroutines are runnable there, and which generators are closed. It does not depend on the choices
//     that they have, nor on whether a node is Maybe or Yes. What is found for them is noted (note), and
//     comes to them, in its order, when the search takes the piece.
//  2. It depends on choiceSet.ended of the path, too: a goroutine whose step has ended the program at a node
//     is not scheduled there to be reversed with it. A generator decides that while it has one choice, of
//     that choice, and operations of its goroutine are not compared with its node until there is another
//     one. So what is decided after a piece was begun makes no difference to it.
//  3. What remains when the search goes back is compared: which races are known, whether an operation that
//     was executed depends on all, whether a replay is to stop where the step begins (known: the other
//     prefixes that are asked about are longer than that, and of this step only), and how many executions
//     there may be yet. A piece for which one of these is not what it was begun with is explored again, by
//     the search. So it is if the relation is refuted in it. (Of Commuting nothing is seen: in
//     hb.PairwiseRelation additions and readers do not commute.)
//  4. What a client knows of sharing remains, too, but it makes no difference: see divisible.

// step is a step of a generator: choices[next], with alternative alt.
type step struct{ next, alt int }

// piece is a step of a generator and what is after it. The first block is all that its exploration depends
// on, and serialisable.
type piece struct {
	search.Piece

	path   trace.Schedule
	points []generator // of the path; the last one is that of the step, which comes next in it
	known  map[uint64]bool
	all    bool // an operation that was executed depends on all

	// What was found.
	alts   int   // of the step's operation
	node   *Node // the step's; nil: its operation is marked No
	here   bool  // what was known of the state of the step
	nowAll bool
	noted  map[note]bool
	notes  []note

	// What is left, if it was stopped, with the path to the last of these.
	open     []generator
	openPath trace.Schedule
}

// note is what a piece has found for a generator of the path, which has that number on the stack.
type note struct {
	at     int
	what   what
	g      trace.GID
	prefix uint64
}

type what uint8

const (
	noteChoice    what = iota // g is to be scheduled there
	noteEnded                 // g has ended the program by its step,
	noteContinues             // or not
	noteReplay                // it is to be executed again, with a stop at prefix
)

// note notes something once: a second time it makes no difference.
func (p *piece) note(n note) {
	if !p.noted[n] {
		p.noted[n] = true
		//mutant: jobs: graph: what a piece notes is lost [graphAhead]
		p.notes = append(p.notes, n)
	}
}

// divisible reports whether several workers can explore.
//
// A Node of another worker is a copy, and so are its numbers: Emit draws those of the search. With Restart a
// Maybe node has no generator, and whether an operation is one depends on all that was explored before. Of a
// client that is not from here it is not known what its answers depend on. The types are compared, as one
// that embeds a client from here is another one.
//
// What DataRaceBehavior knows of sharing decides between Maybe and Yes only. Without Restart either has a
// generator, and everything else is the same for both. So EveryAccess, which has no state, can answer for
// it in a piece, and what would be known by that need not come back.
func (c *Config) divisible() bool {
	switch c.Client.Marker.(type) {
	case *DataRaceBehavior, EveryAccess:
	default:
		return false
	}
	switch c.Client.Dependence.(type) {
	case *DataRaceBehavior, EveryAccess:
	default:
		return false
	}
	return c.Client.Reset == nil && c.Emit == nil && !c.Restart
}

// offer offers a step of the oldest generator that has one left to workers that have nothing to do: what is
// after it is likely to be the most.
func (x *searcher) offer() {
	if !x.jobs || x.piece != nil || !x.ahead.Wanted(&x.Control) {
		return
	}
	for i := range x.points[:len(x.points)-1] {
		p := &x.points[i]
		s := step{p.next, p.alt}
		if s.alt == p.alts {
			s = step{s.next + 1, 0}
		}
		for s.next < len(p.choices) {
			if p.pieces[s] == nil {
				x.offerStep(i, s)
				return
			}
			if s.alt++; s.next > p.next || s.alt == p.alts {
				s = step{s.next + 1, 0}
			}
		}
	}
}

// offerStep offers step s of generator i.
func (x *searcher) offerStep(i int, s step) {
	p := &x.points[i]
	q := &piece{
		path: slices.Clone(x.Path[:p.Depth]), points: copies(x.points[:i+1]),
		//mutant: jobs: graph: a piece does not stop where a replay is to [graphAhead]: "(x.known" -> "(map[uint64]bool{}"
		known: maps.Clone(x.known), all: x.exec.SomeDependsOnAll(),
		noted: make(map[note]bool),
	}
	last := &q.points[i]
	//mutant: jobs: graph: another choice is the node of the one before [graphAhead]: false
	if last.next != s.next {
		last.node, last.alts = nil, 0
	}
	last.next, last.alt = s.next, s.alt
	if p.pieces == nil {
		p.pieces = make(map[step]*piece)
	}
	p.pieces[s] = q
	x.ahead.Offer(&q.Piece, &x.Driver, func(h *search.Helper) { q.explore(h, x) })
}

// copies returns copies of generators and their nodes, without what the search changes.
func copies(points []generator) []generator {
	list := make([]generator, len(points))
	var parent *Node
	for i := range points {
		p, q := &points[i], &list[i]
		at := *p.choiceSet
		//mutant: jobs: graph: a piece does not know who has ended the program [graphAhead]: "slices.Clone(at.ended)" -> "nil"
		at.choices, at.ended = slices.Clone(at.choices), slices.Clone(at.ended)
		at.foreign, at.number = true, i
		q.choiceSet, q.parent, q.next, q.alts = &at, parent, p.next, p.alts
		if p.node != nil {
			n := *p.node
			n.Op.Touches = slices.Clone(n.Op.Touches)
			n.Parent, n.at = parent, &at
			q.node, parent = &n, &n
		}
	}
	return list
}

// explore explores q, which is part of whole.
func (q *piece) explore(h *search.Helper, whole *searcher) {
	cfg, v, leave := whole.ahead.Prepare(&q.Piece, h, whole.Cfg)
	defer leave()
	client := Client{Marker: EveryAccess{}, Dependence: whole.Client.Dependence}
	x := newSearcher(h.Sys, v, cfg, Config{Client: client}, whole.rel)
	x.piece, x.known = q, q.known
	//mutant: jobs: graph: a piece does not know that an operation depends on all [graphAhead]: false
	if q.all {
		x.exec.FindDependsOnAll()
	}
	root := h.Sys.Mark()
	for _, s := range q.path {
		x.Repeat(s)
	}
	for i := range q.points {
		if n := q.points[i].node; n != nil {
			n.x = x
		}
	}
	x.points = q.points
	first := len(x.points)
	p := &x.points[first-1]
	x.node = p.parent
	q.Begin(&x.Driver)
	q.here = x.known[x.prefix()]
	x.take(p)
	q.alts, q.node = p.alts, p.node
	x.advance()
	x.explore(first)
	q.End(&x.Driver)
	if len(x.points) > first {
		q.open = slices.Clone(x.points[first:])
		q.openPath = slices.Clone(x.Path[:x.points[len(x.points)-1].Depth])
	}
	for i := len(x.points) - 1; i >= first; i-- {
		x.Drop(x.points[i].Mark)
	}
	x.Leave(root)
	q.nowAll, q.Refuted = x.exec.SomeDependsOnAll(), x.exec.Refuted()
}

// holds reports whether q, of a step of p, is what the search would find now.
func (x *searcher) holds(p *generator, q *piece) bool {
	//mutant: jobs: graph: a piece does not know that its step is to be a node [graphAhead]: drop 2
	//mutant: jobs: graph: a piece may have been begun before one did [graphAhead]: drop 1
	return x.exec.SomeDependsOnAll() == q.all && x.known[p.prefix] == q.here
}

// takePiece takes q, the next step of that generator, from the worker that has explored it. It reports false
// if the search has to explore it.
func (x *searcher) takePiece(at int, q *piece) bool {
	p := &x.points[at]
	delete(p.pieces, step{p.next, p.alt})
	if !x.ahead.Claim(&q.Piece, &x.Driver) || !x.holds(p, q) {
		return false
	}
	//mutant: jobs: graph: alternatives of a step that was taken are forgotten [graphAhead]: "= q.alts" -> "= p.alt+1"
	//mutant: jobs: graph: the node of a step that was taken is forgotten [graphAhead]: ", p.node = q.alts, p.alt+1, q.node" -> " = q.alts, p.alt+1"
	p.alts, p.alt, p.node = q.alts, p.alt+1, q.node
	if n := q.node; n != nil {
		//mutant: jobs: graph: the node of a step remains another worker's [graphAhead]: "Parent, n.at, n.x = p.parent," -> "at, n.x ="
		n.Parent, n.at, n.x = p.parent, p.choiceSet, x
	}
	x.ahead.Take(&q.Piece, &x.Driver)
	//mutant: jobs: graph: the search does not know that one of a piece does [graphAhead]: false
	if q.nowAll {
		x.exec.FindDependsOnAll()
	}
	//mutant: jobs: graph: what a piece notes comes in another order [graphAhead]: " q.notes" -> " slices.Backward(q.notes)"
	for _, c := range q.notes {
		switch n := x.points[c.at].node; c.what {
		case noteChoice:
			x.addChoice(n, c.g)
		case noteReplay:
			x.arrangeReplay(n, c.prefix)
		default:
			x.ended(n, c.g, c.what == noteEnded)
		}
	}
	//mutant: jobs: graph: what is left of a piece is dropped [graphAhead]: false
	if len(q.open) > 0 && !x.Halted {
		x.resume(p, q)
	}
	return true
}

// resume puts what is left of q, a step of p, on the stack, and brings the system to the last generator.
func (x *searcher) resume(p *generator, q *piece) {
	x.returnTo(p)
	//mutant: jobs: graph: what is left is not below the step [graphAhead]
	if p.node != nil {
		x.node = p.node
	}
	for i := range q.open {
		o := &q.open[i]
		for len(x.Path) < o.Depth {
			a := q.openPath[len(x.Path)]
			x.Announce(a.G)
			x.exec.ExecuteAgain(a.G, a.Choice)
			x.Path, x.Cur = append(x.Path, a), a.G
		}
		o.Position, o.parent = x.Checkpoint(), x.node
		if o.node != nil {
			//mutant: jobs: graph: what is left remains below another worker's nodes [graphAhead]: "Parent, o.node.x = x.node," -> "x ="
			//mutant: jobs: graph: nodes that are left ask another worker's execution [graphAhead]: ", o.node.x = x.node, x" -> " = x.node"
			o.node.Parent, o.node.x = x.node, x
			x.node = o.node
		}
		x.points = append(x.points, *o)
	}
}

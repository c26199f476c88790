package readsfrom

import (
	"slices"

	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Several workers (see search.Ahead), with the result that one worker has. Why nothing is different:
//
//  1. What is explored for an item of a frame, an alternative or a revisit, depends on the frame's G, its
//     linearization, the operation that was chosen in it and in the frames before it, and what their
//     alternatives have shown (ended, prints). A revisit comes after all alternatives, and of these only
//     the next one is given away: so all of that is known.
//  2. It does not depend on other items: each execution is found once without looking at others (see
//     Explore). Revisits that are found for the frames of the path are noted, and come to them, in
//     their order, when the search takes the piece.
//  3. Which linearization of G is executed last makes no difference to what comes next: each item begins
//     with one that it knows. Steps that lead from one to another are not counted (search.Driver.Again).
//  4. Which races are known, and how many executions there may be yet, depends on all that comes before.
//     A piece for which one of these is not what it was begun with is explored again, by the search. So
//     it is if the program turns out to be one that is left to package optimal.

// item is the next alternative of a frame, by its number, or a revisit.
type item struct {
	revisit bool
	n       int
}

// piece is an item and what is after it. The first block is all that its exploration depends on, and
// serialisable.
type piece struct {
	search.Piece

	graph   []graphEvent // G,
	frames  []frame      // with the frames of its prefixes; the last one is that of the item
	dropped []trace.GID

	notes []note // what was found

	// What is left, if it was stopped.
	open        []frame
	openGraph   []graphEvent // after G
	openDropped []trace.GID
}

// note is a revisit that a piece has found for the frame of that number.
type note struct {
	frame int
	revisit
}

// keep adds a revisit to frame i.
func (s *searcher) keep(i int, it revisit) {
	if s.piece != nil && i < len(s.piece.frames) {
		//mutant: jobs: rf: revisits that a piece finds are lost [readAhead]
		s.piece.notes = append(s.piece.notes, note{i, it})
		return
	}
	s.frames[i].revisits = append(s.frames[i].revisits, it)
}

// hasAlternative reports whether not all alternatives of f have been explored.
func (f *frame) hasAlternative() bool {
	return f.reads && f.next < len(f.writes) || f.next < f.alternatives
}

// nextItem returns what is explored next of f, if there is anything.
func (f *frame) nextItem() (it item, ok bool) {
	if f.hasAlternative() {
		return item{n: f.next}, true
	}
	return item{true, f.explored}, f.explored < len(f.revisits)
}

// offer offers an item of the oldest frame that has one left to workers that have nothing to do: what is
// after it is likely to be the most. Of alternatives that is the next one.
func (s *searcher) offer() {
	if !s.jobs || s.piece != nil || len(s.frames) == 0 || !s.ahead.Wanted(&s.Control) {
		return
	}
	for i := range s.frames[:len(s.frames)-1] {
		f := &s.frames[i]
		it, ok := f.nextItem()
		for ok && f.pieces[it] != nil {
			it.n++
			//mutant: jobs: rf: alternatives are given away before the ones that come first [readAhead]: "revisits)" -> "revisits) || !it.revisit && it.n < max(f.alternatives, len(f.writes))"
			ok = it.revisit && it.n < len(f.revisits)
		}
		if ok {
			s.offerItem(i, it)
			return
		}
	}
}

// offerItem offers an item of frame i, another one of which is being explored.
func (s *searcher) offerItem(i int, it item) {
	f := &s.frames[i]
	p := &piece{
		graph: slices.Clone(s.graph[:f.size]), frames: slices.Clone(s.frames[:i+1]),
		dropped: slices.Clone(s.dropped[:f.dropped]),
	}
	for k := range p.frames {
		p.frames[k].revisits, p.frames[k].pieces = nil, nil
	}
	if last := &p.frames[i]; it.revisit {
		last.revisits, last.explored = []revisit{f.revisits[it.n]}, 0
	}
	if f.pieces == nil {
		f.pieces = make(map[item]*piece)
	}
	f.pieces[it] = p
	s.ahead.Offer(&p.Piece, &s.Driver, func(h *search.Helper) { p.explore(h, s) })
}

// explore explores p, which is part of whole.
func (p *piece) explore(h *search.Helper, whole *searcher) {
	cfg, v, leave := whole.ahead.Prepare(&p.Piece, h, whole.Cfg)
	defer leave()
	cfg.Oracle = nil
	s := newSearcher(h.Sys, v, cfg)
	s.piece = p
	s.graph, s.dropped = append(s.graph, p.graph...), append(s.dropped, p.dropped...)
	for r := range s.graph {
		s.setStamp(r)
	}
	s.frames = append(s.frames, p.frames...)
	s.root = h.Sys.Mark()
	p.Begin(&s.Driver)
	s.backtrack()
	s.explore(len(p.frames))
	p.End(&s.Driver)
	copy(p.frames, s.frames)
	s.unwind(0)
	s.Leave(s.root)
	p.Refuted = s.refuted()
}

// handOver stops p, to which the search has come, in s.
func (p *piece) handOver(s *searcher) {
	p.open = slices.Clone(s.frames[len(p.frames):])
	p.openGraph = slices.Clone(s.graph[len(p.graph):])
	p.openDropped = slices.Clone(s.dropped)
}

// take takes what another worker has explored, if it is what comes next. It reports false if the search
// has to explore that itself.
func (s *searcher) take() bool {
	i := len(s.frames) - 1
	f := &s.frames[i]
	it, ok := f.nextItem()
	p := f.pieces[it]
	if !ok || p == nil {
		return false
	}
	delete(f.pieces, it)
	if !s.ahead.Claim(&p.Piece, &s.Driver) {
		return false
	}
	s.ahead.Take(&p.Piece, &s.Driver)
	//mutant: jobs: rf: they come in another order [readAhead]: " p.notes" -> " slices.Backward(p.notes)"
	for _, n := range p.notes {
		s.frames[n.frame].revisits = append(s.frames[n.frame].revisits, n.revisit)
	}
	if it.revisit {
		f.revisits[it.n] = revisit{}
		f.explored++
	}
	done := &p.frames[i]
	//mutant: jobs: rf: where a frame's operation is in the graph is not noted [readAhead]: "prints, done" -> "prints, f"
	f.next, f.ended, f.prints, f.stamp = done.next, done.ended, done.prints, done.stamp
	//mutant: jobs: rf: what is left of a piece is dropped [readAhead]: false
	if len(p.open) > 0 {
		s.shrinkGraph(f.size)
		for _, a := range p.openGraph {
			s.graph = append(s.graph, a)
			//mutant: jobs: rf: events that are left have no stamps [readAhead]
			s.setStamp(len(s.graph) - 1)
		}
		s.frames = append(s.frames, p.open...)
		//mutant: jobs: rf: goroutines that have ended the execution move again [readAhead]
		s.dropped = append(s.dropped[:0], p.openDropped...)
	}
	return true
}

package dpor

import (
	"encoding/binary"
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Several workers (see search.Ahead), with the result that one worker has. Why nothing is different:
//
//  1. Which step of a node f comes next, and what is explored after it, depends on E, on the sleep set of
//     f when the step comes, on which goroutines have been dropped, and on which nodes of E are
//     persistent. While a step of f is being explored the sleep set that the next one will have is known:
//     that step is added to it. What is added to f's backtrack set meanwhile comes after what is in it.
//  2. Other backtrack sets make no difference below f. What is found for nodes of E is noted (sourceNote),
//     and comes to them, in its order, when the search takes the piece.
//  3. Which races are known, and how many executions there may be yet, depends on all that comes before. A
//     piece for which one of them is not what it was begun with is explored again, by the search. So it is
//     if the relation is refuted in it, or by all that has been seen together.

// sourcePiece is the next step of a node and what is after it. The first block is all that its exploration
// depends on, and serialisable.
type sourcePiece struct {
	search.Piece

	events  []sourceEvent // E
	nodes   []sourceNode  // of its prefixes; the last one is that of the step
	dropped []trace.GID

	// What was found.
	step  trace.Step  // of trace.NoGID: there is none
	done  hb.Event    // which is this event
	sleep []sleepElem // what it has added to the sleep set of its node
	seen  hb.Commuting
	noted map[string]bool
	notes []sourceNote

	// What is left, if it was stopped: nodes, the event by which each was come to, and who is dropped in
	// the last one.
	open        []sourceNode
	openEvents  []sourceEvent
	openDropped []trace.GID
}

// sourceEvent is an event of E; a virtual one has ended the execution.
type sourceEvent struct {
	trace.Step
	virtual bool
}

// sourceNote is what a piece has found for a node of E: goroutines one of which is to be in its backtrack
// set, the first one if there is none; or a race.
type sourceNote struct {
	node int
	gs   []trace.GID
	race *raceCandidate
}

// note notes something for f. To add to a backtrack set a second time makes no difference.
func (p *sourcePiece) note(f *sourceNode, gs []trace.GID) {
	key := binary.AppendUvarint(nil, uint64(f.number))
	for _, g := range gs {
		key = binary.AppendUvarint(key, uint64(g))
	}
	if !p.noted[string(key)] {
		p.noted[string(key)] = true
		//mutant: jobs: source: what a piece notes is lost [ahead]
		p.notes = append(p.notes, sourceNote{node: f.number, gs: slices.Clone(gs)})
	}
}

// noteInitials is addOneInitial for a foreign node.
func (s *source) noteInitials(f *sourceNode) {
	s.candidates = s.candidates[:0]
	for _, i := range s.initials {
		s.candidates = append(s.candidates, s.exec.Events[i].G)
	}
	s.piece.note(f, s.candidates)
}

// addRaceCandidate notes a race that f is to report.
func (s *source) addRaceCandidate(f *sourceNode, r raceCandidate) {
	if f.foreign {
		s.piece.notes = append(s.piece.notes, sourceNote{node: f.number, race: &r})
		return
	}
	f.raceCandidates = append(f.raceCandidates, r)
}

// offer offers the next step of the oldest node that has one to workers that have nothing to do: what is
// after it is likely to be the most.
func (s *source) offer() {
	if !s.jobs || s.piece != nil || !s.ahead.Wanted(&s.Control) {
		return
	}
	for i, f := range s.nodes[:len(s.nodes)-1] {
		if f.piece == nil && f.hasMore() {
			s.offerNode(i)
			return
		}
	}
}

// hasMore reports whether a goroutine of the backtrack set has not moved in f yet, and does not sleep.
func (f *sourceNode) hasMore() bool {
	return slices.ContainsFunc(f.backtrack, func(g trace.GID) bool {
		sleeps := func(w sleepElem) bool { return w.steps[0].G == g }
		return g != f.done.G && !slices.ContainsFunc(f.sleep, sleeps)
	})
}

// offerNode offers the next step of node i, one of which is being explored.
func (s *source) offerNode(i int) {
	f := s.nodes[i]
	p := &sourcePiece{
		events: eventsOf(s.exec.Events[:i]), dropped: slices.Clone(s.dropped[:f.dropped]),
		noted: make(map[string]bool),
	}
	for k, n := range s.nodes[:i+1] {
		p.nodes = append(p.nodes, sourceNode{
			enabled: n.enabled, backtrack: slices.Clone(n.backtrack), persistent: n.persistent, dropped: n.dropped,
			foreign: true, number: k,
		})
	}
	//mutant: jobs: source: the step that is being explored does not sleep [ahead]: "append(slices.Clone(f.sleep), sleepElem{steps: []hb.Event{f.done}}" -> "slices.Clone(f.sleep"
	p.nodes[i].sleep = append(slices.Clone(f.sleep), sleepElem{steps: []hb.Event{f.done}})
	f.piece = p
	s.ahead.Offer(&p.Piece, &s.Driver, func(h *search.Helper) { p.explore(h, s) })
}

func eventsOf(list []hb.Event) (events []sourceEvent) {
	for i := range list {
		e := &list[i]
		events = append(events, sourceEvent{trace.Step{G: e.G, Choice: e.Choice}, e.EndsExecution})
	}
	return events
}

// explore explores p, which is part of whole.
func (p *sourcePiece) explore(h *search.Helper, whole *source) {
	cfg, v, leave := whole.ahead.Prepare(&p.Piece, h, whole.Cfg)
	defer leave()
	s := newSource(h.Sys, v, cfg, whole.rel)
	//mutant: jobs: context: a piece is one of source [ahead]: false
	if whole.ctx != nil {
		s.ctx = &contextSensitive{s: s, cfg: whole.ctx.cfg}
	}
	s.piece = p
	root := h.Sys.Mark()
	for _, e := range p.events {
		m := h.Sys.Mark()
		s.Repeat(e.Step)
		if e.virtual {
			s.Undo(m)
			s.exec.Retire(e.G)
		}
		h.Sys.Release(m)
	}
	s.dropped = append(s.dropped, p.dropped...)
	for i := range p.nodes {
		s.nodes = append(s.nodes, &p.nodes[i])
	}
	f := s.nodes[len(s.nodes)-1]
	f.Position = s.Checkpoint()
	before := len(f.sleep)
	p.Begin(&s.Driver)
	p.step.G = trace.NoGID
	if g, choice, ok := s.pickLine5(f); ok {
		p.step = trace.Step{G: g, Choice: choice}
		s.execute(f, g, choice)
	}
	p.End(&s.Driver)
	s.Drop(f.Mark)
	s.Leave(root)
	p.done, p.seen = f.done, s.exec.TakeCommuting()
	p.sleep = f.sleep[before:]
	p.Refuted = s.exec.Unsupported || s.exec.Refuted() || s.ctx != nil && s.exec.Awaits
}

// handOver stops a piece that the search has come to, in the last node.
func (s *source) handOver() {
	p := s.piece
	first := len(p.nodes)
	for _, f := range s.nodes[first:] {
		n := *f
		n.sleep = slices.Clip(n.sleep)
		p.open = append(p.open, n)
	}
	p.openEvents = eventsOf(s.exec.Events[first-1 : len(s.nodes)-1])
	p.openDropped = slices.Clone(s.dropped)
	s.Halted = true
}

// take is execute for a step of f, the last node, that another worker has explored: p, if it is that step.
// It reports false if it is not, or the search has to explore it.
func (s *source) take(f *sourceNode, p *sourcePiece, g trace.GID, choice int) bool {
	f.piece = nil
	base := len(p.nodes) - 1
	if !s.ahead.Claim(&p.Piece, &s.Driver) || p.step != (trace.Step{G: g, Choice: choice}) || s.exec.Sees(p.seen) {
		return false
	}
	s.ahead.Take(&p.Piece, &s.Driver)
	for _, n := range p.notes {
		s.takeNote(s.nodes[n.node], n)
	}
	f.done = p.done
	//mutant: jobs: source: what is left of a piece is dropped [ahead]: false
	if len(p.open) > 0 && !s.Halted {
		s.resume(p)
		s.goOn(base + 1)
	}
	//mutant: jobs: source: what was taken does not sleep [ahead]
	f.sleep = append(f.sleep, p.sleep...) // line 18, and what commutes
	return true
}

// takeNote is what reverseRace does for n's node, and addGoroutine.
func (s *source) takeNote(f *sourceNode, n sourceNote) {
	if n.race != nil {
		f.raceCandidates = append(f.raceCandidates, *n.race)
		return
	}
	if slices.ContainsFunc(n.gs, func(g trace.GID) bool { return slices.Contains(f.backtrack, g) }) {
		return
	}
	if i := slices.IndexFunc(n.gs, func(g trace.GID) bool { return slices.Contains(f.enabled, g) }); i >= 0 {
		s.addGoroutine(f, n.gs[i])
	}
}

// resume puts what is left of p on the stack, and brings the system to the last node of it.
func (s *source) resume(p *sourcePiece) {
	for i, e := range p.openEvents {
		before := s.nodes[len(s.nodes)-1]
		s.Announce(e.G)
		s.exec.ExecuteAgain(e.G, e.Choice)
		s.Path, s.Cur = append(s.Path, e.Step), e.G
		if e.virtual {
			s.Undo(before.Mark)
			s.exec.Retire(e.G)
		}
		f := &p.open[i]
		f.Position = s.Checkpoint()
		s.nodes = append(s.nodes, f)
	}
	s.dropped = append(s.dropped[:0], p.openDropped...)
}

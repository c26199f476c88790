package optimal

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// worker is one of several that explore.
type worker struct {
	*optimal
	helper
	crew      *crew
	first     bool // it begins, and
	started   bool // has brought in the others
	round     int
	piece     *piece
	node      *branching   // whose frame is the last one that is not the worker's own; nil: there is none
	nodes     []*branching // by frame, of those that are shared
	print     bool         // of the node
	beyondAll bool         // execution.beyond in the initial state
	live      por.Stats    // what the piece has counted so far, as others see it
	used      int64        // memory, likewise
	steps     uint64       // transitions of finished pieces,
	given     uint64       // and how many there were when something was given away
}

// work explores one piece after the other.
func (w *worker) work() {
	for p := w.piece; p != nil; p = w.crew.take(w) {
		w.explore(p)
		w.crew.finish(w, p)
	}
	w.exit()
	w.optimal.Sys.Release(w.root)
}

// explore explores a piece.
func (w *worker) explore(p *piece) {
	s := w.optimal
	w.piece = p
	s.Unsupported, s.ReadersUnbalanced = w.beyondAll, false // it may have been in a piece that comes behind this one
	w.enter(p.node)
	p.part = w.crew.v.Split(w.optimal.Sys)
	s.Visitor, s.racer, s.raced = p.part, search.NewRaceReporter(s.Sys, p.part), search.RaceSet{}
	s.Halted, s.StopReason, s.StoppedByVisitor = false, por.Reason{}, false
	s.Stats = por.Stats{Executions: p.begin}
	base := len(s.frames) - 1
	s.floor = base
	if base < 0 {
		s.rewindTo(&past{mark: s.root})
		p.part.Begin()
		s.extend(trace.NoGID, -1)
	} else {
		f := &s.frames[base]
		s.rewindTo(f)
		p.part.Begin()
		f.printed = w.print
		if p.choice >= 0 {
			s.alternative(base, p.choice)
		} else {
			f.moves = append(f.moves[:0], p.moves...)
			it := p.item
			it.lo, it.hi = 0, len(f.moves)
			s.past(base, it)
		}
	}
	for len(s.frames) > s.floor+1 && !s.Halted {
		w.share()
		s.backtrack()
	}
	p.part.End()
	w.steps += s.Stats.Transitions
	w.account()
	for i := len(s.frames) - 1; i > base; i-- {
		s.release(&s.frames[i])
	}
	s.frames, w.nodes = s.frames[:base+1], w.nodes[:base+1]
	s.Stats.Executions -= p.begin
	p.stats, p.stop, p.byVisitor, p.beyond, p.uncivil = s.Stats, s.StopReason, s.StoppedByVisitor, s.Unsupported, s.ReadersUnbalanced
}

// enter goes to the state of n's frame.
func (w *worker) enter(n *branching) {
	if n == w.node {
		return
	}
	w.exit()
	s := w.optimal
	w.node = n
	if n == nil {
		return
	}
	for i, a := range n.path {
		if !n.over[i] {
			s.Execute(a.G, a.Choice)
			continue
		}
		m := s.Sys.Mark()
		s.Execute(a.G, a.Choice)
		s.Sys.Rewind(m)
		s.Sys.Release(m)
		s.Invalidate()
		s.Pending[a.G] = hb.NextOp{}
	}
	s.planned, s.at, s.head = append(s.planned[:0], n.planned...), append(s.at[:0], n.at...), append(s.head[:0], n.head...)
	s.gone = append(s.gone[:0], n.gone...)
	s.frames = append(s.frames[:0], n.frames...)
	w.nodes = append(w.nodes[:0], n.nodes...)
	f := &s.frames[len(s.frames)-1]
	f.mark = s.Sys.Mark()
}

// exit goes back to the initial state.
func (w *worker) exit() {
	s := w.optimal
	if w.node != nil {
		s.Sys.Release(s.frames[len(s.frames)-1].mark)
	}
	clear(s.frames) // their slices are the node's
	s.frames, w.nodes, w.node = s.frames[:0], w.nodes[:0], nil
	s.rewindTo(&past{mark: s.root})
}

// share gives away what is left in the oldest frame in which there is something, if somebody has nothing to do.
func (w *worker) share() {
	c, s := w.crew, w.optimal
	steps := w.steps + s.Stats.Transitions
	if !c.set.eager && steps-w.given < shareAfter {
		return
	}
	if w.first && !w.started && (c.set.eager || steps >= startAfter) {
		w.started = true
		c.start()
	}
	if c.hungry.Load() == 0 && !c.set.eager {
		return
	}
	i := s.floor + 1
	for ; i < len(s.frames)-1; i++ {
		if f := &s.frames[i]; f.next < f.n || f.used < len(f.items) {
			break
		}
	}
	if i >= len(s.frames)-1 {
		return
	}
	w.given = steps
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.round != c.round || c.alone {
		return
	}
	for s.floor < i {
		w.give(s.floor + 1)
	}
}

// give makes frame i, which is above the present one, a node.
func (w *worker) give(i int) {
	c, s := w.crew, w.optimal
	f := &s.frames[i]
	n := &branching{path: slices.Clone(s.Path[:f.depth]), planned: slices.Clone(s.planned[:f.depth]), at: slices.Clone(s.at[:f.depth]),
		head: slices.Clone(s.head[:f.depth]), gone: slices.Clone(s.gone[:f.gone]), begun: f.n - f.next, print: f.printed}
	for j := range n.path {
		n.over = append(n.over, s.Events[j].EndsExecution)
	}
	if i > 0 {
		n.frames = append(n.frames, w.nodes[i-1].frames...)
	}
	bare := *f
	bare.mark = unmarked // on other machines
	bare.moves, bare.items, bare.used, bare.seen = nil, nil, 0, nil
	bare.labels, bare.cases, bare.next = slices.Clone(f.labels), slices.Clone(f.cases), f.n
	n.frames = append(n.frames, bare)
	n.nodes = append(append(n.nodes, w.nodes[:i]...), n)
	if f.dedupe {
		n.seen = make(map[uint64]*piece)
		for key := range f.seen {
			n.seen[key] = nil
		}
	}
	w.nodes = append(w.nodes, n)
	w.piece.inner = append(w.piece.inner, n)
	s.floor = i
	for ; f.next < f.n; f.next++ {
		p := &piece{node: n, choice: f.next}
		p.list()
		c.add(p)
	}
	for ; f.used < len(f.items); f.used++ {
		it := f.items[f.used]
		p := &piece{node: n, choice: -1, item: it, moves: slices.Clone(f.moves[it.lo:it.hi])}
		p.list()
		c.add(p)
	}
}

// offer is called when a past of shared frame i is found. key is its name if others may find it, too.
func (w *worker) offer(i int, it item, moves []hb.Transition, key uint64) {
	c := w.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.round != c.round {
		return
	}
	n := w.nodes[i]
	p := n.seen[key]
	if p == nil {
		if _, known := n.seen[key]; known {
			return
		}
		p = &piece{node: n, choice: -1, item: it, moves: slices.Clone(moves)}
		if key != 0 {
			n.seen[key] = p
		}
		if !c.alone {
			c.add(p)
		}
	}
	w.piece.found = append(w.piece.found, p)
}

// begun is called when an alternative of shared frame i has been executed. Pasts have to wait until all have.
func (w *worker) begun(i int) {
	c, n := w.crew, w.nodes[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	n.print = n.print || w.frames[i].printed
	if n.begun--; n.begun == 0 && w.round == c.round {
		late := n.late
		n.late = nil
		for _, p := range late {
			c.held -= p.bytes()
			c.add(p)
		}
	}
}

// poll looks at what concerns all workers.
func (w *worker) poll(por.Progress) string {
	const over = "over"
	c := w.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || w.round != c.round {
		return over
	}
	w.live, w.used = w.optimal.Stats, w.optimal.Stats.PeakBytes
	w.live.Executions -= w.piece.begin
	w.live.Eliminated = nil // it is w's
	sum, now := c.memory(), c.counted
	now.Eliminated = maps.Clone(now.Eliminated)
	for _, x := range c.workers {
		now.Add(&x.live)
	}
	now.PeakBytes = c.peak
	if c.cfg.MaxMemory > 0 && sum > c.cfg.MaxMemory {
		c.halt(por.Reason{Bound: por.BoundMemory, Limit: uint64(c.cfg.MaxMemory)})
		return over
	}
	if c.cfg.Poll != nil {
		if why := c.cfg.Poll(por.Progress{Stats: now, Depth: len(w.Events)}); why != "" {
			c.halt(por.Reason{Bound: por.BoundPoll, Text: why})
			return over
		}
	}
	return ""
}

package por

import (
	"maps"
	"slices"

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
	live      Stats        // what the piece has counted so far, as others see it
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
	w.optimal.sys.Release(w.root)
}

// explore explores a piece.
func (w *worker) explore(p *piece) {
	s := w.optimal
	w.piece = p
	s.beyond, s.uncivil = w.beyondAll, false // it may have been in a piece that comes behind this one
	w.enter(p.node)
	p.part = w.crew.v.Split(w.optimal.sys)
	s.v, s.racer, s.raced = p.part, newRacer(s.sys, p.part), raceSet{}
	s.halted, s.stop, s.byVisitor = false, Reason{}, false
	s.stats = Stats{Executions: p.begin}
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
	for len(s.frames) > s.floor+1 && !s.halted {
		w.share()
		s.backtrack()
	}
	p.part.End()
	w.steps += s.stats.Transitions
	w.account()
	for i := len(s.frames) - 1; i > base; i-- {
		s.release(&s.frames[i])
	}
	s.frames, w.nodes = s.frames[:base+1], w.nodes[:base+1]
	s.stats.Executions -= p.begin
	p.stats, p.stop, p.byVisitor, p.beyond, p.uncivil = s.stats, s.stop, s.byVisitor, s.beyond, s.uncivil
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
			s.execute(a.G, a.Choice)
			continue
		}
		m := s.sys.Mark()
		s.execute(a.G, a.Choice)
		s.sys.Rewind(m)
		s.sys.Release(m)
		s.elsewhere()
		s.pending[a.G] = intended{}
	}
	s.planned, s.at, s.head = append(s.planned[:0], n.planned...), append(s.at[:0], n.at...), append(s.head[:0], n.head...)
	s.gone = append(s.gone[:0], n.gone...)
	s.frames = append(s.frames[:0], n.frames...)
	w.nodes = append(w.nodes[:0], n.nodes...)
	f := &s.frames[len(s.frames)-1]
	f.mark = s.sys.Mark()
}

// exit goes back to the initial state.
func (w *worker) exit() {
	s := w.optimal
	if w.node != nil {
		s.sys.Release(s.frames[len(s.frames)-1].mark)
	}
	clear(s.frames) // their slices are the node's
	s.frames, w.nodes, w.node = s.frames[:0], w.nodes[:0], nil
	s.rewindTo(&past{mark: s.root})
}

// share gives away what is left in the oldest frame in which there is something, if somebody has nothing to do.
func (w *worker) share() {
	c, s := w.crew, w.optimal
	steps := w.steps + s.stats.Transitions
	if !c.cfg.Eager && steps-w.given < shareAfter {
		return
	}
	if w.first && !w.started && (c.cfg.Eager || steps >= startAfter) {
		w.started = true
		c.start()
	}
	if c.hungry.Load() == 0 && !c.cfg.Eager {
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
	n := &branching{path: slices.Clone(s.path[:f.depth]), planned: slices.Clone(s.planned[:f.depth]), at: slices.Clone(s.at[:f.depth]),
		head: slices.Clone(s.head[:f.depth]), gone: slices.Clone(s.gone[:f.gone]), begun: f.n - f.next, print: f.printed}
	for j := range n.path {
		n.over = append(n.over, s.events[j].over)
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
func (w *worker) offer(i int, it item, moves []move, key uint64) {
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
func (w *worker) poll(Progress) string {
	const over = "over"
	c := w.crew
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || w.round != c.round {
		return over
	}
	w.live, w.used = w.optimal.stats, w.optimal.stats.PeakBytes
	w.live.Executions -= w.piece.begin
	w.live.Eliminated = nil // it is w's
	sum, now := c.memory(), c.counted
	now.Eliminated = maps.Clone(now.Eliminated)
	for _, x := range c.workers {
		now.add(&x.live)
	}
	now.PeakBytes = c.peak
	if c.cfg.MaxMemory > 0 && sum > c.cfg.MaxMemory {
		c.halt(Reason{Bound: BoundMemory, Limit: uint64(c.cfg.MaxMemory)})
		return over
	}
	if c.cfg.Poll != nil {
		if why := c.cfg.Poll(Progress{Stats: now, Depth: len(w.events)}); why != "" {
			c.halt(Reason{Bound: BoundPoll, Text: why})
			return over
		}
	}
	return ""
}

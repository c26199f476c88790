package stateful

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// A depth-first search can follow an endless path: a loop that counts never returns to a state. Then the
// search would stay below one prefix until time is up, and not explore other goroutines. So after the first
// path that is too long, unfinished prefixes take turns:
//
//	stack:   ●──●──●──●──●──●──●──●──●──●    a dive: the unfinished part of the stack is put aside
//	         │  │     │        │        ╷
//	a turn:                                  the first unfinished alternative is explored, then the
//	         1  2     3        ·        ·    second one, and so on, until the turn is over
//
// When a turn is over, its unfinished part is put aside, too, and all stacks take turns. Turns
// become longer and longer, so that long executions reach their ends. Half of the work is done in
// turns that continue from the deepest unfinished node of all: where paths meet again, like those
// of a producer and a consumer, alternatives near the root soon lead to known states, and not to
// the end of an execution.
//
// Nothing is lost:
//
//  1. A state is stored when it is met, and its alternatives are on the stack then, or put aside, or
//     have been explored. So all are explored when nothing is unfinished, in any order.
//  2. The ignoring problem: if other goroutines might be ignored on a cycle through a node, the node lists
//     the alternatives of one goroutine only (frame.reduced). Only a complete component shows that a node
//     is on no cycle. So if states are stored, nodes that are put aside list all alternatives, and later
//     nodes are never reduced (mayListOnly, because there are no components).
//  3. Livelocks need the components, which need the order of a depth-first search. So if nothing is
//     unfinished, and nothing has been cut, the search restarts without turns: there are as many
//     states as before, and no path is endless. The counts are those of a search without turns.
type turns struct {
	begun bool // a stack has been put aside
	//mutant: saved: turns without dived [resumed]: "dived bool" -> "dived bool `saved:\"-\"`"
	dived bool // an execution has been cut: its prefix is too long
	never bool // the search has no turns

	//mutant: saved: turns without queue [resumed]: "[]*aside" -> "[]*aside `saved:\"-\"`"
	queue []*aside
	bytes int64 // bytes of all stacks that are put aside

	// The current turn.
	//mutant: saved: turns without deep [resumed]: "    bool" -> "    bool `saved:\"-\"`"
	deep bool // the turn begins with the deepest node of all, not with the first one of a stack
	//mutant: saved: turns without deepWork [resumed]: "deepWork uint64" -> "deepWork uint64 `saved:\"-\"`"
	deepWork uint64 // the effort of turns that began with the deepest node
	//mutant: saved: turns without began [resumed]: "  uint64" -> "  uint64 `saved:\"-\"`"
	began uint64 // the effort when the turn began
	//mutant: saved: turns without from [resumed]: "  *aside" -> "  *aside `saved:\"-\"`"
	from *aside          // the stack whose alternatives are explored
	at   search.Position // the node of the alternative that is being explored
	//mutant: saved: turns without ends [resumed]: "  uint64" -> "  uint64 `saved:\"-\"`"
	ends uint64 // the effort at which the turn ends
	//mutant: saved: turns without fresh [resumed]: "  uint64" -> "  uint64 `saved:\"-\"`"
	fresh uint64 // transitions when the turn reached at; at least one more follows
	//mutant: saved: turns without base [resumed]: "base     int" -> "base     int `saved:\"-\"`"
	base int // steps of the path when its length was last checked
}

// An aside is the unfinished part of a stack that was put aside.
type aside struct {
	path  trace.Schedule // schedule to the last node of nodes
	nodes []unfinished   // nodes by their depth; there is at least one
}

// unfinished is a node with its unexplored alternatives.
type unfinished struct {
	depth, preempts int
	freeSwitch      bool
	alts            []trace.Step
	num             uint32 // number of the node's state, in rounds
}

func (x *aside) last() *unfinished { return &x.nodes[len(x.nodes)-1] }

func (x *aside) bytes() int64 {
	n := int64(len(x.path)) * int64(unsafe.Sizeof(trace.Step{}))
	for i := range x.nodes {
		n += int64(unsafe.Sizeof(unfinished{})) + int64(len(x.nodes[i].alts))*int64(unsafe.Sizeof(trace.Step{}))
	}
	return n
}

const (
	// A turn takes at least Config.Dive/leastTurn steps.
	leastTurn = 10
	// A turn takes at least 1/turnShare of the work so far.
	turnShare = 32
	// At most 1/asideShare of Config.MaxMemory may be put aside: beyond that the search
	// remains depth-first below its current prefix.
	asideShare = 4
	// asideMost is the number of bytes that may be put aside without Config.MaxMemory.
	asideMost = 256 << 20
)

// effort returns the number of steps that the search has executed.
func (s *depthFirst) effort() uint64 { return s.Stats.Transitions + s.Stats.Repeated }

// dive returns Config.Dive, or its default.
func (s *depthFirst) dive() int {
	if s.Cfg.Dive > 0 {
		return s.Cfg.Dive
	}
	return por.LongPath
}

// turnOver reports whether the search has been below one prefix for the length of a turn.
func (s *depthFirst) turnOver() bool {
	t := &s.turns
	switch {
	//mutant: turns: there are none [test ./por/stateful Turns|NoDive|LongEnds]: " t.never" -> " true"
	case t.never, t.begun && s.Stats.Transitions == t.fresh:
		return false
	case t.begun && s.effort() >= t.ends:
		return true
	}
	return t.dived || len(s.Path)-t.base >= max(s.dive(), t.base)
}

// beginTurn begins a turn at a node that is cost steps away. The turn is longer than that, and takes a
// share of the work so far, which bounds the number of turns.
func (s *depthFirst) beginTurn(cost int) {
	s.turns.dived = false
	s.turns.ends = s.effort() + max(uint64(s.dive()/leastTurn), 2*uint64(cost), s.Stats.Transitions/turnShare)
}

// putAside ends the turn: it puts the unfinished part of the stack aside, and empties the stack. If nothing
// else is unfinished, or no more can be put aside, the turn continues, and putAside returns false.
func (s *depthFirst) putAside() bool {
	t := &s.turns
	others := len(t.queue) > 0 || t.from != nil
	for i := range s.frames[:len(s.frames)-1] {
		f := &s.frames[i]
		others = others || f.next < f.end || f.reduced && s.states != nil
	}
	if !others || t.bytes > s.mostAside() {
		t.base = len(s.Path)
		s.beginTurn(0)
		return false
	}
	x := &aside{}
	for i := len(s.frames) - 1; i >= 0; i-- {
		f := &s.frames[i]
		if f.reduced && s.states != nil {
			s.ReturnTo(&f.Position)
			s.Enabled = s.parking.putOff(s.Sys.Enabled(s.Enabled[:0]))
			//mutant: turns: a node that is put aside ignores the others [test ./por/stateful Turns|NoDive|LongEnds]
			s.addOthersAlternatives(f.alt)
			f.end = len(s.alts)
		}
		//mutant: turns: an alternative is lost [test ./por/stateful Turns|NoDive|LongEnds]: "if f.next" -> "if f.next+1"
		if f.next < f.end {
			if len(x.nodes) == 0 {
				x.path = slices.Clone(s.Path[:f.Depth])
			}
			x.nodes = append(x.nodes, unfinished{f.Depth, f.Preempts, f.freeSwitch, slices.Clone(s.alts[f.next:f.end]), 0})
		}
		s.Drop(f.Mark)
		s.Path, s.alts = s.Path[:f.Depth], s.alts[:f.alt]
	}
	if !t.begun {
		t.deepWork = s.effort() // the dive itself
	}
	//mutant: turns: components are looked for out of order [test ./por/stateful Turns|NoDive|LongEnds]: "s.components, t.begun = s.frames[:0], nil" -> "t.begun = s.frames[:0]"
	s.frames, s.components, t.begun = s.frames[:0], nil, true
	slices.Reverse(x.nodes)
	//mutant: turns: what is left of a stack is lost [test ./por/stateful Turns|NoDive|LongEnds]
	s.queueAside(t.from)
	s.queueAside(x)
	s.endTurn()
	return true
}

// unfinished returns the unfinished part of the stack, with the numbers of states.
func (s *depthFirst) unfinished() *aside {
	x := &aside{}
	for i := range s.frames {
		f := &s.frames[i]
		//mutant: rounds: the last alternative of a node is not put aside [inRounds]: "if f.next" -> "if f.next+1"
		if f.next < f.end {
			x.nodes = append(x.nodes, unfinished{f.Depth, f.Preempts, f.freeSwitch, slices.Clone(s.alts[f.next:f.end]), f.tarjan.num})
		}
	}
	if len(x.nodes) > 0 {
		x.path = slices.Clone(s.Path[:x.last().depth])
	}
	return x
}

// mostAside returns the number of bytes that may be put aside.
func (s *depthFirst) mostAside() int64 {
	if s.Cfg.MaxMemory > 0 {
		return s.Cfg.MaxMemory / asideShare
	}
	return asideMost
}

// queueAside puts x aside, unless it is empty.
func (s *depthFirst) queueAside(x *aside) {
	if x != nil && len(x.nodes) > 0 {
		s.turns.queue = append(s.turns.queue, x)
		s.turns.bytes += x.bytes()
	}
}

// endTurn ends a turn whose stack is empty.
func (s *depthFirst) endTurn() {
	t := &s.turns
	if t.deep {
		t.deepWork += s.effort() - t.began
	}
	t.began = s.effort()
	if t.from != nil {
		s.Drop(t.at.Mark)
		s.Path, t.from = s.Path[:t.at.Depth], nil
	}
}

// nextTurn puts an unfinished node on the empty stack. It reports whether there is such a node.
func (s *depthFirst) nextTurn(root *search.Position) bool {
	t := &s.turns
	if t.from != nil && !t.deep && len(t.from.nodes) > 0 && s.effort() < t.ends {
		s.ReturnTo(&t.at)
		s.Sys.Release(t.at.Mark)
		s.nextNode(0)
		return true
	}
	s.queueAside(t.from)
	s.endTurn()
	if len(t.queue) == 0 {
		return false
	}
	//mutant: turns: none begins at depth [test ./por/stateful MeetingPaths]: false
	//mutant: turns: all begin at depth [test ./por/stateful NoDive|LongEnds]: true
	t.deep = t.deepWork < s.effort()/2
	next, node := 0, 0
	if t.deep {
		for i, x := range t.queue {
			if x.last().depth > t.queue[next].last().depth {
				next = i
			}
		}
		node = len(t.queue[next].nodes) - 1
	}
	t.from = t.queue[next]
	t.queue = slices.Delete(t.queue, next, next+1)
	t.bytes -= t.from.bytes()
	s.ReturnTo(root)
	s.beginTurn(t.from.nodes[node].depth)
	s.nextNode(node)
	return true
}

// nextNode continues with node i of the stack whose turn it is.
func (s *depthFirst) nextNode(i int) {
	t := &s.turns
	n := t.from.nodes[i]
	t.from.nodes = slices.Delete(t.from.nodes, i, i+1)
	s.comeTo(n.depth, t.from.path)
	//mutant: turns: preemptions are forgotten [test ./por/stateful Turns|NoDive|LongEnds]
	s.Preempts = n.preempts
	t.at, t.base, t.fresh = s.Checkpoint(), n.depth, s.Stats.Transitions
	f := frame{Position: s.Checkpoint(), freeSwitch: n.freeSwitch}
	s.alts = append(s.alts, n.alts...)
	f.end = len(s.alts)
	s.frames = append(s.frames, f)
}

// comeTo executes the steps of path up to a depth. It stops when time is up; then the system may be in the
// middle of a step.
func (s *depthFirst) comeTo(depth int, path trace.Schedule) {
	for len(s.Path) < depth && !s.Halted {
		s.Stats.Repeated++
		a := path[len(s.Path)]
		if s.round != nil && s.policy != nil {
			s.policy.Before(s.Sys, a.G) // the policy has not seen the locks on the path
		}
		s.Repeat(a)
		if s.Cfg.Over != nil && s.Cfg.Over() {
			s.Poll(s.account(), s.progress())
		}
	}
}

// A stage lists the features that a restarted search leaves out.
type stage struct {
	never bool // no turns, because the search seeks livelocks
	named bool // no symmetry
	alone bool // no rounds, because the state graph has cycles
	bound bool // no bound on preemptions, because the search seeks livelocks
}

// explore searches sys, and restarts the search if the search for livelocks needs that.
func explore(sys por.System, v por.Visitor, cfg por.Config, policy *SyncPolicy) por.Result {
	var at stage
	_, leave := cfg.Enter(&at)
	defer leave()
	for {
		cfg.Symmetry = cfg.Symmetry && !at.named
		cfg.LimitPreempt = cfg.LimitPreempt && !at.bound
		s := newDepthFirst(sys, v, cfg, policy)
		s.turns.never, s.alone = at.never, at.alone || at.never
		r := s.run()
		switch {
		case s.cyclic:
			por.Restart(v, cfg, "paths return to earlier states, so the search needs a single worker")
			at.alone = true
		// The bound has left out no schedule, and a path may have come back to one of its states.
		//mutant: bounds: livelocks are not looked for [test ./por/explorers ^TestLivelockInBound$]: drop 1
		case cfg.LimitPreempt && cfg.Match && s.Stats.Matched > 0 && !s.Halted && len(r.Incomplete) == 0:
			por.Restart(v, cfg, "everything is explored, but for livelocks")
			at.bound = true
		//mutant: turns: livelocks are not looked for [test ./por/stateful Turns|NoDive|LongEnds]: drop 1
		case s.turns.begun && cfg.Match && !cfg.LimitPreempt && !s.Halted && len(r.Incomplete) == 0:
			por.Restart(v, cfg, "everything is explored, but for livelocks")
			at.never = true
		case s.symmetric.cycle:
			por.Restart(v, cfg, "a cycle of states exchanges goroutines")
			at = stage{named: true, bound: at.bound}
		default:
			return r
		}
	}
}

// reenter continues a saved search.
func (s *depthFirst) reenter() {
	var positions []*search.Position
	if s.turns.from != nil {
		positions = append(positions, &s.turns.at)
	}
	for i := range s.frames {
		positions = append(positions, &s.frames[i].Position)
	}
	s.Reenter(positions...)
}

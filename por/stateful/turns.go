package stateful

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// A depth-first search can go down a path without end: a loop that counts never comes back to a
// state. It would then stay below one prefix for as long as it is given, and know nothing of what
// other goroutines do. So from the first path on that becomes too long, unfinished prefixes take
// turns:
//
//	stack:   ●──●──●──●──●──●──●──●──●──●    a dive: what is unfinished on the stack is put aside
//	         │  │     │        │        ╷
//	a turn:                                  the first unfinished alternative is explored, then the
//	         1  2     3        ·        ·    second one, and so on, for as long as the turn takes
//
// When a turn is over what it has left unfinished is put aside, too, and all stacks take turns. Turns
// become longer with the search, so that long executions come to their ends. Half of the work is done
// in turns that go on from the deepest unfinished node of all: where paths meet again, as those of a
// producer and a consumer do, what begins near the root soon comes to states that are known, and not to
// the end of an execution.
//
// Nothing is lost:
//
//  1. A state is stored when it is met, and its alternatives are on the stack then, or put aside, or
//     have been explored. So all are explored when nothing is left. Which ones are met first makes
//     no difference for that.
//  2. As for the ignoring problem: a node on whose cycle the others might be ignored lists the
//     alternatives of one goroutine only (frame.reduced). It is known of a node that it is on none
//     when its component is complete. Those that are put aside are made to list all, if states are
//     stored at all, and from then
//     on no node is reduced (mayListOnly, as there are no components).
//  3. Livelocks need the components, which need the order of a depth-first search. So if nothing is
//     left, and nothing has been cut, the search begins again without turns: there are as many
//     states as there were, and no path is without end. What is counted is what it would have been.
type turns struct {
	begun bool // a stack has been put aside
	//mutant: saved: turns without dived [resumed]: "dived bool" -> "dived bool `saved:\"-\"`"
	dived bool // an execution has been cut: its prefix is too long
	never bool // there are none

	//mutant: saved: turns without queue [resumed]: "[]*aside" -> "[]*aside `saved:\"-\"`"
	queue []*aside
	bytes int64 // of all that is put aside

	// The present turn.
	//mutant: saved: turns without deep [resumed]: "    bool" -> "    bool `saved:\"-\"`"
	deep bool // it begins with the deepest node there is, not with the first one of a stack
	//mutant: saved: turns without deepWork [resumed]: "deepWork uint64" -> "deepWork uint64 `saved:\"-\"`"
	deepWork uint64 // the effort of such turns
	//mutant: saved: turns without began [resumed]: "  uint64" -> "  uint64 `saved:\"-\"`"
	began uint64 // the effort when it began
	//mutant: saved: turns without from [resumed]: "  *aside" -> "  *aside `saved:\"-\"`"
	from *aside          // the stack whose alternatives are explored
	at   search.Position // the node of the one that is
	//mutant: saved: turns without ends [resumed]: "  uint64" -> "  uint64 `saved:\"-\"`"
	ends uint64 // the effort at which it ends
	//mutant: saved: turns without fresh [resumed]: "  uint64" -> "  uint64 `saved:\"-\"`"
	fresh uint64 // transitions when it came to at: there is one at least
	//mutant: saved: turns without base [resumed]: "base     int" -> "base     int `saved:\"-\"`"
	base int // steps of the path when it was last asked whether it is too long
}

// An aside is what is unfinished of a stack that was put aside.
type aside struct {
	path  trace.Schedule // to the last of nodes
	nodes []unfinished   // by their depth; there is at least one
}

// unfinished is a node with the alternatives that are not explored.
type unfinished struct {
	depth, preempts int
	freeSwitch      bool
	alts            []trace.Step
	num             uint32 // of its state, in rounds
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
	// leastTurn is which part of that a turn takes at least.
	leastTurn = 10
	// turnShare is which part of the work so far a turn may take.
	turnShare = 32
	// asideShare is which part of Config.MaxMemory may be put aside: if that is exceeded the search
	// remains depth-first below what it is at.
	asideShare = 4
	// asideMost is that part if there is no such limit.
	asideMost = 256 << 20
)

// effort is how many steps the search has executed.
func (s *depthFirst) effort() uint64 { return s.Stats.Transitions + s.Stats.Repeated }

// dive is Config.Dive.
func (s *depthFirst) dive() int {
	if s.Cfg.Dive > 0 {
		return s.Cfg.Dive
	}
	return por.LongPath
}

// turnOver reports whether the search has been below one prefix for long enough.
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

// beginTurn begins a turn, to begin which takes so many steps: it is longer than that, and takes a
// share of all that was done so far, so that there are not too many turns.
func (s *depthFirst) beginTurn(cost int) {
	s.turns.dived = false
	s.turns.ends = s.effort() + max(uint64(s.dive()/leastTurn), 2*uint64(cost), s.Stats.Transitions/turnShare)
}

// putAside ends the turn: what is unfinished is put aside, and the stack is empty. It reports false,
// and the turn goes on, if there is nothing else to do, or no more can be put aside.
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

// unfinished returns what is unfinished on the stack, with the numbers of states.
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

// mostAside is how many bytes may be put aside.
func (s *depthFirst) mostAside() int64 {
	if s.Cfg.MaxMemory > 0 {
		return s.Cfg.MaxMemory / asideShare
	}
	return asideMost
}

// queueAside puts x aside, if something of it is unfinished.
func (s *depthFirst) queueAside(x *aside) {
	if x != nil && len(x.nodes) > 0 {
		s.turns.queue = append(s.turns.queue, x)
		s.turns.bytes += x.bytes()
	}
}

// endTurn ends a turn of which nothing is on the stack.
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

// nextTurn puts something unfinished on the stack, which is empty. It reports whether there is
// anything.
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

// nextNode goes on to node i of the stack whose turn it is, and puts it on the stack.
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

// comeTo executes the steps of path up to a depth. When time is up the system may have been left in the
// middle of a step: no other one follows.
func (s *depthFirst) comeTo(depth int, path trace.Schedule) {
	for len(s.Path) < depth && !s.Halted {
		s.Stats.Repeated++
		a := path[len(s.Path)]
		if s.round != nil && s.policy != nil {
			s.policy.Before(s.Sys, a.G) // it has not seen the locks on the path
		}
		s.Repeat(a)
		if s.Cfg.Over != nil && s.Cfg.Over() {
			s.Poll(s.account(), s.progress())
		}
	}
}

// A stage is what a search that begins again leaves out.
type stage struct {
	never bool // turns: it looks for livelocks
	named bool // symmetry
	alone bool // rounds: there are cycles
}

// explore searches sys, and again if that is needed to look for livelocks.
func explore(sys por.System, v por.Visitor, cfg por.Config, policy *SyncPolicy) por.Result {
	var at stage
	_, leave := cfg.Enter(&at)
	defer leave()
	for {
		cfg.Symmetry = cfg.Symmetry && !at.named
		s := newDepthFirst(sys, v, cfg, policy)
		s.turns.never, s.alone = at.never, at.alone || at.never
		r := s.run()
		switch {
		case s.cyclic:
			por.Restart(v, cfg, "paths come back to states, which one worker has to look at")
			at.alone = true
		//mutant: turns: livelocks are not looked for [test ./por/stateful Turns|NoDive|LongEnds]: drop 1
		case s.turns.begun && cfg.Match && !cfg.LimitPreempt && !s.Halted && len(r.Incomplete) == 0:
			por.Restart(v, cfg, "everything is explored, but for livelocks")
			at.never = true
		case s.symmetric.cycle:
			por.Restart(v, cfg, "a cycle of states exchanges goroutines")
			at = stage{named: true}
		default:
			return r
		}
	}
}

// reenter goes on with a search that was saved.
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

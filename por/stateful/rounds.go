package stateful

import (
	"slices"
	"time"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/pool"
	"hbcheck.dev/hbcheck/por/search"
)

// A long search by several workers proceeds in rounds. Walkers, each with a system, a stack and a path of its
// own, explore depth first for the work of a round. All of them look up states in the table of the search,
// which does not change during a round; each walker keeps its new states to itself until the round is over.
// Then the rounds are merged, in the order of the walkers:
//
//	1  while there is something to explore
//	2      give each idle walker a part of the stack of another one
//	3      each walker explores for one round                                      (at the same time)
//	4      for each walker, in their order
//	5          merge its findings
//	6          store each of its new states; if another walker of this round has stored it, remove
//	               its unfinished alternatives from the walker's stack
//	7  if there is a cycle among the states, restart with one worker
//
// The distribution among walkers depends on counts only, not on the number or speed of the workers that
// execute line 3: the result, with all its counts, is the same for any number above one. It may differ from
// that of one worker in counts, and in the choice of the first bug, because a depth-first search has another
// order.
//
// Nothing is lost:
//
//  1. A stored state is on the stack of the walker that stored it, until all its
//     alternatives are explored, or have been given to another one (line 2), or are put aside. An alternative
//     removed in line 6 belongs to a state that another walker has stored, for which this holds.
//  2. All edges between states are recorded. Without a cycle no goroutine is ignored forever. From
//     each state the search reaches an end of an execution, after at most as many states as there
//     are. Before this end each enabled operation has been executed, or disabled by a dependent
//     one.
//  3. There is no livelock then: an execution that never ends has beginnings of any length, each of
//     them equivalent to the beginning of an execution that the search walks through.
//  4. If there is a cycle, 2 and 3 do not apply. The search of one worker handles cycles.
//
// Two walkers can explore the same state in one round only, so the redundant work is a part of one round
// for each pair of walkers.
type rounds struct {
	*depthFirst // the search: its table, its visitor, its counts; its stack is empty
	visitor     por.Mergeable
	workers     *pool.Pool[struct{}]
	away        *away           // other processes explore, too; nil: none
	root        search.Position // then the initial state of the system, which is that of all walkers
	walkers     []*walker
	graph       stateGraph
	work        uint64 // work of a round, for each walker
	met, taken  int    // states that walkers have met, and met twice, since work was changed
	numbered    bool   // edges are recorded
	stopped     bool   // a walker has been stopped, without having stopped the search
	checked     int    // number of edges when they were last searched for cycles
	deepWork    uint64 // the effort of turns that began with the deepest node
	peak        int64
}

// RoundSizes are the parameters of a search in rounds. They make no difference to the findings of the search.
type RoundSizes struct {
	From  uint64 // transitions before the first round
	Work  uint64 // work of the first round, for each walker: see por.Stats.Work
	More  uint64 // transitions after which the number of walkers doubles
	Each  uint64 // factor from one such number of transitions to the next
	Way   uint64 // at most 1/Way of the steps may lead to the beginnings of walkers; 0: no limit
	Check int    // number of edges at the first search for cycles; the next ones are each time that the number has doubled
}

// Rounds are the parameters of all searches. Tests have smaller ones.
var Rounds = RoundSizes{From: 1 << 18, Work: 1 << 12, More: 1 << 24, Each: 1 << 3, Way: 8, Check: 1 << 12}

const (
	fewestWalkers = 4
	mostWalkers   = 64
)

// goesInRounds reports whether the search continues with several workers.
//
// Bounds on executions and states are exact, so they need one worker.
func (s *depthFirst) goesInRounds() bool {
	c := &s.Cfg
	if c.Jobs <= 1 && c.Elsewhere == nil || s.alone || s.cycles || s.turns.begun || s.states == nil || c.MaxExecutions > 0 || c.MaxStates > 0 {
		return false
	}
	return s.Stats.Transitions >= Rounds.From || s.turnOver()
}

// goInRounds explores the rest of the search, which began at root, in rounds. If that is impossible, it
// changes nothing and returns false.
func (s *depthFirst) goInRounds(root *search.Position) bool {
	v, ok := s.Visitor.(por.Mergeable)
	r := &rounds{depthFirst: s, visitor: v, numbered: s.components != nil, checked: Rounds.Check, work: Rounds.Work}
	s.alone = true
	sender, sends := s.Cfg.Sends(s.Visitor)
	if !ok || s.Cfg.Elsewhere != nil && !sends {
		return false
	}
	left := s.unfinished()
	if sends {
		r.away = newAway(r, sender)
		s.dropStack()
		s.ReturnTo(root)
		r.root = s.Checkpoint()
	}
	if !r.grow() {
		return false
	}
	if c := s.components; c != nil {
		for _, n := range c.nodes {
			r.graph.add(n.order)
		}
		for _, e := range c.edges {
			//mutant: rounds: edges between states that were open are forgotten [inRounds]
			r.graph.connect(e.from, e.to)
		}
	}
	r.walkers[0].given = left
	s.dropStack()
	s.components = nil
	r.workers = pool.New(max(0, s.Cfg.Jobs-1), func() (struct{}, error) { return struct{}{}, nil })
	for !s.Halted && r.distribute() {
		r.explore()
		r.merge()
		if !s.Halted && r.numbered && r.graph.n >= r.checked {
			r.look()
		}
		if r.poll(); !s.Halted {
			r.adapt()
			r.turnsOver()
			r.grow()
		}
	}
	//mutant: rounds: cycles are not looked for in the end [inRounds]
	if !s.Halted && r.numbered {
		r.look()
	}
	r.workers.Close()
	for _, w := range r.walkers {
		if w.leaveStack(); !w.shares {
			w.Leave(w.root.Mark)
		}
	}
	if r.away != nil {
		r.away.end()
	}
	s.Stats.PeakBytes = max(s.Stats.PeakBytes, r.peak)
	return true
}

// poll checks the bounds of the search. A walker that was stopped because time is up has left the state that
// it had reached. So the search has to end, but not while other searches are being saved.
func (r *rounds) poll() {
	for !r.Halted {
		r.Poll(r.account(), por.Progress{Depth: r.Stats.MaxDepth})
		if !r.stopped {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// look checks the graph of states, and ends the search if it has a cycle.
func (r *rounds) look() {
	r.checked = 2 * r.graph.n
	if r.graph.cyclic() {
		r.cyclic, r.Halted = true, true
	}
}

// adapt makes rounds shorter where walkers meet many states in the same round, and longer where they do not:
// short rounds have cold caches and more waiting.
func (r *rounds) adapt() {
	const enough, many, few = 256, 8, 32 // more than 1/many, fewer than 1/few
	if r.met < enough {
		return
	}
	switch {
	case r.taken*many > r.met:
		r.work = max(r.work/2, Rounds.Work/8, 1)
	case r.taken*few < r.met:
		r.work = min(r.work*2, 2*Rounds.Work)
	}
	r.met, r.taken = 0, 0
}

// grow makes more walkers if the search has become long enough. It reports whether there are any walkers.
func (r *rounds) grow() bool {
	want := fewestWalkers
	for from := Rounds.More; r.Stats.Transitions >= from && want < mostWalkers; from *= Rounds.Each {
		want *= 2
	}
	for len(r.walkers) < want {
		another, err := por.Replica{System: r.Sys, Oracle: r.Cfg.Oracle, Parts: r.Cfg.Parts}, error(nil)
		if r.away == nil {
			another, err = r.Cfg.Another()
		}
		if err != nil {
			break
		}
		r.walkers = append(r.walkers, newWalker(r, another))
	}
	return len(r.walkers) > 0
}

// distribute executes line 2. It reports whether a walker has something to explore.
func (r *rounds) distribute() bool {
	busy := false
	for _, w := range r.walkers {
		if w.idle() {
			w.deep = false
			if w.given = r.fromQueue(w); w.given == nil {
				w.given = r.split()
			}
			if w.given != nil {
				w.turn, w.most = 0, max(uint64(r.dive()/leastTurn), Rounds.Way*uint64(len(w.given.path)), r.Stats.Transitions/turnShare)
			}
		}
		busy = busy || !w.idle()
	}
	return busy
}

// split takes half of the alternatives of the walker that has the most. It takes no alternatives if too
// many steps already lead to the beginnings of walkers, because on long paths most of these alternatives
// may lead to known states.
func (r *rounds) split() *aside {
	var from *walker
	most := 1 // a walker with one alternative gives none away
	for _, w := range r.walkers {
		if n := w.alternatives(); n > most {
			from, most = w, n
		}
	}
	if from == nil || (r.Stats.Repeated+uint64(from.depth()))*Rounds.Way > r.Stats.Transitions {
		return nil
	}
	return from.giveAway(most / 2)
}

// explore executes line 3. The longest way to the beginning of a walker extends the round of all walkers,
// because the others would have to wait for that walker.
func (r *rounds) explore() {
	work := r.work
	for _, w := range r.walkers {
		if w.given != nil {
			work = max(work, r.work+uint64(len(w.given.path)))
		}
	}
	for _, w := range r.walkers {
		if w.active = !w.idle(); w.active {
			w.begin(r, work)
		}
	}
	if r.away != nil {
		r.away.explore()
		return
	}
	for _, w := range r.walkers {
		if w.active {
			r.workers.Offer(&w.task)
		}
	}
	for _, w := range r.walkers {
		if w.active {
			r.workers.Await(struct{}{}, &w.task)
		}
	}
}

// merge executes lines 4 to 6. If a walker has stopped the search, later ones do not count; if time is up,
// all count.
func (r *rounds) merge() {
	for _, w := range r.walkers {
		if !w.active {
			continue
		}
		r.Stats.Add(&w.Stats)
		r.Stats.Matched += w.Stats.Matched
		r.Stats.Exchanged += w.Stats.Exchanged
		r.Stats.Equal += w.Stats.Equal
		r.PreemptCut = r.PreemptCut || w.PreemptCut
		for pair := range w.KnownRaces {
			r.KnownRaces[pair] = struct{}{}
		}
		r.StopUnless(r.visitor.Merge(w.results) && !w.StoppedByVisitor)
		if p := r.policy; p != nil && (w.policy.Violated || w.policy.Miscounted) {
			//mutant: rounds: what a walker refutes is assumed by the others [inRounds]
			p.Violated, p.Miscounted = w.policy.Violated, w.policy.Miscounted
			r.Halted = true
		}
		r.mergeStates(w)
		if r.Halted {
			return
		}
		if w.deep {
			r.deepWork += w.effort()
		}
		w.turn += w.effort()
		r.stopped = r.stopped || w.Halted
	}
}

// mergeStates executes line 6.
func (r *rounds) mergeStates(w *walker) {
	own := w.round
	own.final, r.met = own.final[:0], r.met+len(own.met)
	for i := range own.met {
		x := &own.met[i]
		word := closedIn(x.order)
		if r.numbered && x.node {
			word = r.graph.next()
		}
		old, ok := r.states.insert(x.key, word)
		if !ok || word == ownFrom {
			r.Halt(por.Reason{Bound: por.BoundMemory, Limit: uint64(r.Cfg.MaxMemory)})
			return
		}
		if old == vacant {
			r.away.stored(x.key, word)
			r.CountState()
			if r.numbered && x.node {
				r.graph.add(x.order)
			}
		} else {
			r.Stats.Matched++
			r.taken++
			word, x.taken = old, true
		}
		own.final = append(own.final, word)
	}
	for _, e := range own.edges {
		r.graph.connect(own.number(e.from), own.number(e.to))
	}
	for i := range w.frames {
		f := &w.frames[i]
		if n := f.tarjan.num; n >= ownFrom {
			//mutant: rounds: what a walker has stored is taken from it, too [inRounds]: true
			if own.met[n-ownFrom].taken {
				f.end = f.next
			}
			if f.tarjan.num = 0; r.numbered {
				f.tarjan.num = own.number(n)
			}
		}
	}
}

// turnsOver puts aside the stacks of walkers whose turn is over: see turns.
func (r *rounds) turnsOver() {
	t := &r.turns
	for _, w := range r.walkers {
		over := w.dives() || w.turn >= w.most && len(t.queue) > 0
		if w.idle() || !over {
			continue
		}
		if w.turns.dived = false; len(t.queue) == 0 && w.alternatives() < 2 || t.bytes > r.mostAside() {
			w.turns.base = len(w.Path)
			continue
		}
		r.queueAside(w.unfinished())
		w.leaveStack()
	}
}

// fromQueue returns the stack with which w begins a turn, nil if none is put aside.
func (r *rounds) fromQueue(w *walker) *aside {
	t := &r.turns
	if len(t.queue) == 0 {
		return nil
	}
	at := 0
	if w.deep = r.deepWork < r.effort()/2; w.deep {
		for i, x := range t.queue {
			if x.last().depth > t.queue[at].last().depth {
				at = i
			}
		}
	}
	x := t.queue[at]
	t.queue = slices.Delete(t.queue, at, at+1)
	t.bytes -= x.bytes()
	n := max(1, len(x.nodes)/8) // nodes on one long path
	first, rest := x.nodes[:n], x.nodes[n:]
	if w.deep {
		rest, first = x.nodes[:len(x.nodes)-n], x.nodes[len(x.nodes)-n:]
	}
	given := &aside{nodes: slices.Clone(first)}
	given.path = slices.Clone(x.path[:given.last().depth])
	if x.nodes = rest; len(rest) > 0 {
		x.path = x.path[:x.last().depth]
		t.queue = slices.Insert(t.queue, at, x)
		t.bytes += x.bytes()
	}
	return given
}

// account measures the memory in use, between rounds. The table of states gets the part of MaxMemory that
// the rest leaves.
func (r *rounds) account() int64 {
	n := r.turns.bytes + r.graph.bytes()
	if r.Size != nil {
		n += r.Size.Bytes()
	}
	for _, w := range r.walkers {
		n += w.bytes()
	}
	if r.Cfg.MaxMemory > 0 {
		r.states.budget = max(1, r.Cfg.MaxMemory-n)
	}
	n += r.states.bytes
	r.peak = max(r.peak, n)
	return n
}

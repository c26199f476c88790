package stateful

import (
	"slices"
	"time"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/pool"
	"hbcheck.dev/hbcheck/trace"
)

// A search by several workers goes in rounds, as soon as it has become long. Walkers, each with a system, a
// stack and a path of its own, explore depth first for as much work as a round has. All look states up
// in the table of the search, which does not change while a round lasts; what each of them meets besides, it
// keeps to itself until the round is over. Then the rounds are merged, in the order of the walkers:
//
//	1  while there is something to explore
//	2      give part of what others have on their stacks to each walker that has nothing
//	3      each walker explores for one round                                      (at the same time)
//	4      for each walker, in their order
//	5          what it has found is merged
//	6          each state that it has met is stored; if another walker of this round has stored it, the
//	               walker takes what is unfinished of it off its stack
//	7  if there is a cycle among the states, begin again with one worker
//
// Which walker explores what depends on counts only, and not on how many workers there are to execute
// line 3 or on how fast they are: the result is the same for any number above one, to the last count. It
// may differ from that of one worker in counts, and in which bug is first, as the order of a depth-first
// search is another one.
//
// Nothing is lost:
//
//  1. A state that is stored is, from then on, on the stack of the walker that stored it, until all its
//     alternatives are explored, or have been given to another one (line 2), or are put aside. What
//     is taken off in line 6 belongs to a state that another walker has stored, for which this holds.
//  2. All edges between states are noted. If they are without a cycle, no goroutine is ignored forever:
//     from each state the search comes to an end of an execution, in at most as many states as there
//     are, and before that all that is enabled has moved or has been disabled by what it depends on.
//  3. There is no livelock then: an execution that never ends has beginnings of any length, each of
//     them equivalent to the beginning of an execution that the search walks through.
//  4. If there is a cycle, what 2 and 3 say is not known. One worker knows what to do on cycles.
//
// Two walkers can explore the same state in one round only, so what is explored twice is a part of one round
// for each pair of walkers.
type rounds struct {
	*depthFirst // the search: its table, its visitor, what it has counted; its stack is empty
	visitor     por.Mergeable
	workers     *pool.Pool[struct{}]
	walkers     []*walker
	graph       stateGraph
	numbered    bool   // edges are noted
	stopped     bool   // a walker has been, without having stopped the search
	checked     int    // so many when they were last looked at
	deepWork    uint64 // the effort of turns that began with the deepest node
	peak        int64
}

// RoundSizes say what a search in rounds is like. They make no difference to what is found.
type RoundSizes struct {
	From  uint64 // transitions before the first round
	Work  uint64 // of a round, for each walker: see por.Stats.Work
	More  uint64 // transitions from which on there are twice as many walkers,
	Each  uint64 // and so many times as many from which on there are twice as many again
	Check int    // edges when cycles are first looked for, and then each time they have doubled
}

// Rounds are those of all searches. Tests have smaller ones.
var Rounds = RoundSizes{From: 1 << 16, Work: 1 << 12, More: 1 << 24, Each: 1 << 3, Check: 1 << 12}

const (
	fewestWalkers = 4
	mostWalkers   = 64
)

// goesInRounds reports whether the search is one by several workers from now on.
//
// Bounds on executions and states are exact, and so they have one worker.
func (s *depthFirst) goesInRounds() bool {
	c := &s.Cfg
	if c.Jobs <= 1 || s.alone || s.cycles || s.turns.begun || s.states == nil || c.MaxExecutions > 0 || c.MaxStates > 0 {
		return false
	}
	return s.Stats.Transitions >= Rounds.From || s.turnOver()
}

// goInRounds explores all that is left in rounds. It reports false, and nothing has happened, if it cannot.
func (s *depthFirst) goInRounds() bool {
	v, ok := s.Visitor.(por.Mergeable)
	r := &rounds{depthFirst: s, visitor: v, numbered: s.components != nil, checked: Rounds.Check}
	s.alone = true
	if !ok || !r.grow() {
		return false
	}
	if c := s.components; c != nil {
		for _, n := range c.nodes {
			r.graph.add(n.order)
		}
		for _, e := range c.edges {
			r.graph.connect(e.from, e.to)
		}
	}
	r.walkers[0].given = s.unfinished()
	s.dropStack()
	s.components = nil
	r.workers = pool.New(s.Cfg.Jobs-1, func() (struct{}, error) { return struct{}{}, nil })
	for !s.Halted && r.distribute() {
		r.explore()
		r.merge()
		if !s.Halted && r.numbered && r.graph.n >= r.checked {
			r.look()
		}
		if r.poll(); !s.Halted {
			r.turnsOver()
			r.grow()
		}
	}
	if !s.Halted && r.numbered {
		r.look()
	}
	r.workers.Close()
	for _, w := range r.walkers {
		w.dropStack()
		w.Leave(w.root.Mark)
	}
	s.Stats.PeakBytes = max(s.Stats.PeakBytes, r.peak)
	return true
}

// poll compares the search with its bounds. A walker that has been stopped, as time is up, has left a state
// that it had come to: the search has to end. While others are being saved it is not told so yet.
func (r *rounds) poll() {
	for !r.Halted {
		r.Poll(r.account(), por.Progress{Depth: r.Stats.MaxDepth})
		if !r.stopped {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// look has the search end if there is a cycle among the states.
func (r *rounds) look() {
	r.checked = 2 * r.graph.n
	if r.graph.cyclic() {
		r.cyclic, r.Halted = true, true
	}
}

// grow makes more walkers if there are to be more. It reports whether there is any.
func (r *rounds) grow() bool {
	want := fewestWalkers
	for from := Rounds.More; r.Stats.Transitions >= from && want < mostWalkers; from *= Rounds.Each {
		want *= 2
	}
	for len(r.walkers) < want {
		another, err := r.Cfg.Another()
		if err != nil {
			break
		}
		r.walkers = append(r.walkers, newWalker(r, another))
	}
	return len(r.walkers) > 0
}

// distribute is line 2. It reports whether a walker has something to explore.
func (r *rounds) distribute() bool {
	busy := false
	for _, w := range r.walkers {
		if w.idle() {
			if x := r.fromQueue(w); x != nil {
				w.given = x
			} else {
				w.given = r.split()
			}
		}
		busy = busy || !w.idle()
	}
	return busy
}

// split takes half of what the walker has that has the most.
func (r *rounds) split() *aside {
	var from *walker
	most := 1 // of one alternative there is nothing to give
	for _, w := range r.walkers {
		if n := w.alternatives(); n > most {
			from, most = w, n
		}
	}
	if from == nil {
		return nil
	}
	return from.giveAway(most / 2)
}

// explore is line 3.
func (r *rounds) explore() {
	for _, w := range r.walkers {
		if w.active = !w.idle(); w.active {
			w.begin(r)
			r.workers.Offer(&w.task)
		}
	}
	for _, w := range r.walkers {
		if w.active {
			r.workers.Await(struct{}{}, &w.task)
		}
	}
}

// merge is lines 4 to 6. Where a walker has stopped the search, what comes after it does not count; but all
// counts where time has.
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

// mergeStates is line 6.
func (r *rounds) mergeStates(w *walker) {
	own := w.round
	own.final = own.final[:0]
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
			r.CountState()
			if r.numbered && x.node {
				r.graph.add(x.order)
			}
		} else {
			r.Stats.Matched++
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
			if own.met[n-ownFrom].taken {
				f.end = f.next
			}
			if f.tarjan.num = 0; r.numbered {
				f.tarjan.num = own.number(n)
			}
		}
	}
}

// turnsOver puts the stacks of walkers aside that have been below one prefix for long enough: see turns.
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
		w.dropStack()
	}
}

// fromQueue returns what w is to begin a turn with, nil if nothing is put aside.
func (r *rounds) fromQueue(w *walker) *aside {
	t := &r.turns
	w.most, w.turn, w.deep = 0, 0, false
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
	n := max(1, len(x.nodes)/mostWalkers)
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
	w.most = max(uint64(r.dive()/leastTurn), 2*uint64(len(given.path)), r.Stats.Transitions/turnShare)
	return given
}

// account measures the memory in use, between rounds. The table of states gets what the rest leaves.
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

// A round is what a walker has met in one.
type round struct {
	known    *visited // what all had met before: it does not change
	orders   []uint32 // by number, of the states that are in known with theirs
	numbered bool     // edges are noted

	own   map[por.Hash]uint32 // word by fingerprint, of what is not known
	met   []metState          // in their order
	edges []edge
	final []uint32 // the words in the table, by index in met, when they have been merged
}

// A metState is a state that a walker has met in a round.
type metState struct {
	key   por.Hash
	order uint64 // see symmetric
	node  bool   // it is no end of an execution
	taken bool   // another walker has stored it
}

// ownFrom is the number of the first state that a walker meets in a round, until these are merged.
const ownFrom = 1 << 30

func (x *round) begin() {
	clear(x.own)
	x.met, x.edges = x.met[:0], x.edges[:0]
}

// number is what a state has that was n in the round, when that is merged.
func (x *round) number(n uint32) uint32 {
	if n < ownFrom {
		return n
	}
	return x.final[n-ownFrom]
}

// store is depthFirst.store.
func (x *round) store(s *depthFirst, f *frame, key por.Hash) (known bool) {
	word := x.word(key)
	if known = word != vacant; known {
		x.match(s, word)
	} else {
		word = ownFrom + uint32(len(x.met))
		x.note(key, word, s.symmetric.digest, true)
		f.tarjan.num = word
	}
	if n := len(s.frames); n > 0 && x.numbered && word < closed {
		x.edges = append(x.edges, edge{s.frames[n-1].tarjan.num, word})
	}
	return known
}

// storeLast stores an end of an execution.
func (x *round) storeLast(s *depthFirst, key por.Hash) {
	if word := x.word(key); word != vacant {
		x.match(s, word)
	} else {
		x.note(key, closedIn(s.symmetric.digest), s.symmetric.digest, false)
	}
}

func (x *round) word(key por.Hash) uint32 {
	if w := x.known.get(key); w != vacant {
		return w
	}
	return x.own[key]
}

func (x *round) note(key por.Hash, word uint32, order uint64, node bool) {
	x.own[key] = word
	x.met = append(x.met, metState{key: key, order: order, node: node})
}

// match counts the arrival at a state of which that is the word.
func (x *round) match(s *depthFirst, word uint32) {
	now := closedIn(s.symmetric.digest)
	was := word
	switch {
	case word >= closed:
	case word >= ownFrom:
		was = closedIn(x.met[word-ownFrom].order)
	default:
		was = x.orders[word-firstOpen]
	}
	s.Stats.Matched++
	if was != now {
		s.Stats.Exchanged++
	}
}

// dropStack forgets what is on the stack.
func (s *depthFirst) dropStack() {
	for i := len(s.frames) - 1; i >= 0; i-- {
		f := &s.frames[i]
		s.Drop(f.Mark)
		s.Path, s.alts = s.Path[:f.Depth], s.alts[:f.alt]
	}
	s.frames = s.frames[:0]
}

// unfinished returns what is unfinished on the stack, with the numbers of states.
func (s *depthFirst) unfinished() *aside {
	x := &aside{}
	for i := range s.frames {
		f := &s.frames[i]
		if f.next < f.end {
			x.nodes = append(x.nodes, unfinished{f.Depth, f.Preempts, f.freeSwitch, slices.Clone(s.alts[f.next:f.end]), f.tarjan.num})
		}
	}
	if len(x.nodes) > 0 {
		x.path = slices.Clone(s.Path[:x.last().depth])
	}
	return x
}

// bytes is the memory of a stack.
func (s *depthFirst) stackBytes() int64 {
	return int64(cap(s.frames))*int64(unsafe.Sizeof(frame{})) + int64(cap(s.alts)+cap(s.Path))*int64(unsafe.Sizeof(trace.Step{}))
}

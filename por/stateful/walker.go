package stateful

import (
	"maps"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/pool"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// A walker explores in rounds: see rounds. It keeps its stack between two rounds.
type walker struct {
	*depthFirst
	root    search.Position // the initial state of its system
	given   *aside          // the stack with which it begins its turn; nil: it continues with its own
	results por.Subsearch   // results of the round
	task    pool.Task[struct{}]
	active  bool   // the walker takes part in the current round
	shares  bool   // other walkers use its system, too: see lend
	habits  habits // habits of its oracle and its parts between two rounds, if the walker shares these
	work    uint64 // work in the current round

	// Its turn, if it has one: see turns.
	turn uint64 // the effort of the turn so far
	most uint64 // the effort at the end of the turn
	deep bool   // the turn began with the deepest node
}

// newWalker returns a walker with a system of its own.
func newWalker(r *rounds, another por.Replica) *walker {
	cfg := r.Cfg
	over := cfg.Over
	cfg.Oracle, cfg.Parts, cfg.Jobs, cfg.Keeper, cfg.MaxMemory = another.Oracle, another.Parts, 1, nil, 0
	if cfg.Poll == nil { // nothing else can end the search
		cfg.Over = nil
	} else {
		cfg.Poll = func(por.Progress) string {
			if over != nil && over() {
				return "over"
			}
			return ""
		}
	}
	var policy *SyncPolicy
	if p := r.policy; p != nil {
		policy = &SyncPolicy{IgnoreOutput: p.IgnoreOutput, UnlockNeedsNoChoice: p.UnlockNeedsNoChoice, DoneNeedsNoChoice: p.DoneNeedsNoChoice}
		policy.effects = por.CapabilitiesOf(another.System).Effects
	}
	w := &walker{depthFirst: newDepthFirst(another.System, r.Visitor, cfg, policy)}
	w.components, w.states = nil, r.states
	w.round = &round{known: r.states, numbered: r.numbered, own: make(map[por.Hash]uint32)}
	if w.shares = another.System == r.Sys; w.shares {
		w.root = r.root
	} else {
		w.root = w.Checkpoint()
	}
	w.task.Do = func(struct{}) { w.walk() }
	return w
}

// idle reports whether w has nothing to explore.
func (w *walker) idle() bool { return len(w.frames) == 0 && w.given == nil }

// dives reports whether the path of w is too long.
func (w *walker) dives() bool {
	return w.turns.dived || len(w.Path)-w.turns.base >= max(w.dive(), w.turns.base)
}

// begin prepares a round with the given work.
func (w *walker) begin(r *rounds, work uint64) {
	w.Stats, w.work = por.Stats{}, work
	w.round.begin()
	w.round.orders = r.graph.orders
	if len(w.KnownRaces) != len(r.KnownRaces) {
		w.KnownRaces = maps.Clone(r.KnownRaces)
	}
	w.results = r.visitor.Split(w.Sys)
	w.ReportTo(w.results)
	w.task = pool.Task[struct{}]{Do: w.task.Do}
}

// walk explores for one round.
func (w *walker) walk() {
	if w.shares {
		w.comeBack()
		defer w.stepAside()
	}
	if x := w.given; x != nil {
		w.given = nil
		w.goTo(x)
	}
	w.results.Begin()
	for !w.Halted && len(w.frames) > 0 && w.Stats.Work() < w.work && !w.dives() {
		w.depthFirst.explore()
	}
	w.results.End()
}

// goTo puts the nodes of x on the empty stack.
func (w *walker) goTo(x *aside) {
	w.ReturnTo(&w.root)
	w.alts = w.alts[:0]
	for _, n := range x.nodes {
		if w.comeTo(n.depth, x.path); w.Halted {
			return
		}
		//mutant: rounds: preemptions are forgotten [inRounds]
		w.Preempts = n.preempts
		f := frame{Position: w.Checkpoint(), freeSwitch: n.freeSwitch, alt: len(w.alts), next: len(w.alts) + 1}
		f.tarjan.num = n.num
		w.alts = append(append(w.alts, trace.Step{}), n.alts...) // the first one was taken by another walker
		f.end = len(w.alts)
		w.frames = append(w.frames, f)
	}
	w.turns.base = len(w.Path)
}

// alternatives returns the number of unexplored alternatives of w.
func (w *walker) alternatives() (n int) {
	if w.given != nil {
		for i := range w.given.nodes {
			n += len(w.given.nodes[i].alts)
		}
		return n
	}
	for i := range w.frames {
		n += w.frames[i].end - w.frames[i].next
	}
	return n
}

// depth returns the number of steps to the nodes of w.
func (w *walker) depth() int {
	if w.given != nil {
		return len(w.given.path)
	}
	return len(w.Path)
}

// giveAway removes n alternatives from w, those of the first nodes, and returns them.
func (w *walker) giveAway(n int) *aside {
	x := &aside{}
	take := func(from unfinished) (took int) {
		took = min(n, len(from.alts))
		//mutant: rounds: half of what is given away is lost [inRounds]: "alts)-took" -> "alts)-(took+1)/2"
		from.alts = slices.Clone(from.alts[len(from.alts)-took:])
		x.nodes = append(x.nodes, from)
		n -= took
		return took
	}
	path := w.Path
	if w.given != nil {
		path = w.given.path
		for i := range w.given.nodes {
			if from := &w.given.nodes[i]; n > 0 {
				from.alts = from.alts[:len(from.alts)-take(*from)]
			}
		}
		w.given.nodes = slices.DeleteFunc(w.given.nodes, func(u unfinished) bool { return len(u.alts) == 0 })
	} else {
		for i := range w.frames {
			if f := &w.frames[i]; n > 0 && f.next < f.end {
				f.end -= take(unfinished{f.Depth, f.Preempts, f.freeSwitch, w.alts[f.next:f.end], f.tarjan.num})
			}
		}
	}
	x.path = slices.Clone(path[:x.last().depth])
	return x
}

// bytes returns the memory of w.
func (w *walker) bytes() int64 {
	n := w.stackBytes() + int64(len(w.habits[0])+len(w.habits[1])) + int64(cap(w.round.met))*int64(unsafe.Sizeof(metState{})) +
		int64(cap(w.round.edges))*int64(unsafe.Sizeof(edge{})) + int64(len(w.round.own))*32
	if w.Size != nil && !w.shares {
		n += w.Size.Bytes()
	}
	return n
}

// A round has the states that a walker has met in one round.
type round struct {
	known    *visited // the states of all earlier rounds; it does not change
	orders   []uint32 // by number: orders of the states that known has with their numbers
	numbered bool     // edges are noted

	own   map[por.Hash]uint32 // word by fingerprint, of the states that are not in known
	met   []metState          // states in the order in which they were met
	edges []edge
	final []uint32 // by index in met: the words in the table, when the states have been merged
}

// A metState is a state that a walker has met in a round.
type metState struct {
	key   por.Hash
	order uint64 // see symmetric
	node  bool   // the state is not the end of an execution
	taken bool   // another walker has stored the state
}

// ownFrom is the number of the first state that a walker meets in a round, until these are merged.
const ownFrom = 1 << 30

func (x *round) begin() {
	clear(x.own)
	x.met, x.edges = x.met[:0], x.edges[:0]
}

// number returns the merged number of the state that had number n in the round.
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
	//mutant: rounds: no edge leads to a state that is known [inRounds]: "frames); n > 0 && " -> "frames); n > 0 && !known && "
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

// match counts the arrival at a state with the given word.
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

package stateful

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// components finds the strongly connected components of the state graph during the depth-first
// search (Tarjan 1972) and keeps the edges of those that are not complete yet. A program without
// cycles in its state graph pays one entry per state on the search path.
//
// An execution that never ends stays, from some point on, in one component. It is a livelock if it is fair.
// Fairness here is strong: a goroutine that is enabled in infinitely many states moves infinitely often, and
// an operation with several alternatives that is next infinitely often takes each of them infinitely often.
// With weak fairness a loop around Lock or a select would count as a livelock. But Go's mutexes do not
// starve, its channels serve in order, and its select chooses at random. A spin loop that waits for another
// goroutine's store is no livelock while that goroutine is enabled.
//
// The lists belong to the open states, in the order in which those were opened. A component is the end of
// Tarjan's stack, and so it is the end of each list:
//
//	nodes:   s0   s1   s2 │ s3   s4        s3 is the first state of a component: low == num
//	edges:   01 12 21     │ 23 34 43       edges from s3 on belong to it, except 23, which led to it
//	         stays          is cut off by closeComponent
type components struct {
	nodes   []openState
	edges   []stateEdge
	gids    []trace.GID  // enabled goroutines of the open nodes
	choices []dataChoice // data choices of the open nodes
	steps   []trace.Step // steps of the edges
}

// An openState is a state whose component is not complete. Its number is its
// index plus firstOpen, which grows along the search as Tarjan's algorithm
// requires, and is used again once the state is closed.
type openState struct {
	key                por.Hash
	order              uint64 // see symmetric
	gidLo, gidHi       int
	choiceLo, choiceHi int
}

// A dataChoice is an enabled operation with n alternatives.
//
// The program point identifies the operation: fairness is about that operation, in every
// state in which it is pending.
type dataChoice struct {
	g      trace.GID
	fn, pc uint32
	n      int
}

// A stateEdge leads from one open state to another by steps[lo:hi].
//
// An edge may have several steps, because states between nodes are not stored.
type stateEdge struct {
	from, to uint32
	lo, hi   int
}

// tarjanFrame is the part of a frame for Tarjan's algorithm: its number, its low link, and
// the lengths of the lists before it.
type tarjanFrame struct {
	num, low                   uint32
	edges, gids, choices, step int
}

// nextNum returns the number of the next state to be opened. Numbers of closed states are used
// again, so 32 bits are enough for all that are open at once.
func (c *components) nextNum() uint32 { return firstOpen + uint32(len(c.nodes)) }

func (c *components) bytes() int64 {
	return int64(cap(c.nodes))*int64(unsafe.Sizeof(openState{})) +
		int64(cap(c.edges))*int64(unsafe.Sizeof(stateEdge{})) +
		int64(cap(c.gids))*int64(unsafe.Sizeof(trace.GID(0))) +
		int64(cap(c.choices))*int64(unsafe.Sizeof(dataChoice{})) +
		int64(cap(c.steps))*int64(unsafe.Sizeof(trace.Step{}))
}

// open adds a state. The edge that led to the state must be added next.
func (c *components) open(key por.Hash, order uint64) tarjanFrame {
	f := tarjanFrame{num: c.nextNum(), edges: len(c.edges), gids: len(c.gids), choices: len(c.choices), step: len(c.steps)}
	f.low = f.num
	c.nodes = append(c.nodes, openState{key: key, order: order, gidLo: f.gids, gidHi: f.gids, choiceLo: f.choices, choiceHi: f.choices})
	return f
}

// noteEnabled records that g is enabled in the state opened last, whose list is the end of gids.
func (c *components) noteEnabled(g trace.GID) {
	c.gids = append(c.gids, g)
	c.nodes[len(c.nodes)-1].gidHi = len(c.gids)
}

// noteDataChoice records that the pending operation of g, the argument of the last noteEnabled, has n
// alternatives.
func (c *components) noteDataChoice(g trace.GID, fn, pc uint32, n int) {
	c.choices = append(c.choices, dataChoice{g, fn, pc, n})
	c.nodes[len(c.nodes)-1].choiceHi = len(c.choices)
}

// edge adds an edge between open states.
//
// It copies the steps, because the path changes when the search backtracks.
func (c *components) edge(from, to uint32, steps []trace.Step) {
	lo := len(c.steps)
	c.steps = append(c.steps, steps...)
	c.edges = append(c.edges, stateEdge{from, to, lo, len(c.steps)})
}

// onCycle reports whether there is a cycle through the state of f, when everything from f on has been
// explored. The states of its component that were opened after it then have only their own edges.
func (c *components) onCycle(f *tarjanFrame) bool {
	n := len(c.edges)
	//mutant: symmetry: the first state of a component is on no cycle [quotients]: "return f.low < f.num || n > 0 && c.edges[n-1].from >=" -> "_ = n; return f.low <"
	return f.low < f.num || n > 0 && c.edges[n-1].from >= f.num
}

// truncate forgets everything since f's state was opened, including the edge that led to it.
//
// It pops Tarjan's stack at once; numbers are used again.
func (c *components) truncate(f *tarjanFrame) {
	c.nodes = c.nodes[:f.num-firstOpen]
	c.edges = c.edges[:f.edges]
	c.gids = c.gids[:f.gids]
	c.choices = c.choices[:f.choices]
	c.steps = c.steps[:f.step]
}

// closeComponent completes the component whose first state is f's, the current one, and reports it
// if a fair execution can stay in it forever.
//
// Usually a component is one state without an edge to itself, which costs nothing here. Edges from states
// that were open before have a number below first: they lead into the component and are not part of it.
func (s *depthFirst) closeComponent(f *frame) {
	c := s.components
	first := f.tarjan.num
	for i := first - firstOpen; i < uint32(len(c.nodes)); i++ {
		s.states.set(c.nodes[i].key, closedIn(c.nodes[i].order))
	}
	var g lassoGraph
	for _, e := range c.edges[f.tarjan.edges:] {
		if e.from >= first {
			g.edges = append(g.edges, lassoEdge{int32(e.from - first), int32(e.to - first), c.steps[e.lo:e.hi]})
		}
	}
	if len(g.edges) > 0 && !s.Halted {
		for _, n := range c.nodes[first-firstOpen:] {
			g.nodes = append(g.nodes, lassoNode{c.gids[n.gidLo:n.gidHi], c.choices[n.choiceLo:n.choiceHi]})
		}
		if prefix, loop := g.fairLasso(); loop != nil {
			s.reportLasso(prefix, loop)
		}
	}
	c.truncate(&f.tarjan)
}

// reportLasso executes the lasso from the current state and reports it if its loop is real: fingerprints
// identify states up to renaming, so the loop might lead to a state in which goroutines have changed
// places. The loop ends when it first returns to its state and is fair, because stretches without a choice
// between two nodes can have been repeated several times.
//
// The system executes it in the middle of the search, and is rewound afterwards. The oracle is not
// notified, because it gets no queries during that time.
func (s *depthFirst) reportLasso(prefix, loop []trace.Step) {
	base := len(s.Path)
	mark := s.Sys.Mark()
	if s.walk(prefix, nil, nil) {
		start, at := s.Sys.Hash(), len(s.Path)
		could, did := make(map[trace.GID]bool), make(map[trace.GID]bool)
		note := func() {
			for _, g := range s.parking.putOff(s.Enabled) {
				could[g] = true
				for _, x := range s.parking.meetings(g) {
					could[x.Park.G] = true
				}
			}
		}
		s.walk(loop, note, func(g trace.GID) bool {
			did[g] = true
			if containsAll(did, could) && s.Sys.Hash() == start {
				s.StopUnless(s.Visitor.Livelock(s.Path, at))
				return false
			}
			return true
		})
	}
	s.Sys.Rewind(mark)
	s.Sys.Release(mark)
	s.Path = s.Path[:base]
}

// containsAll reports whether did contains could.
func containsAll(did, could map[trace.GID]bool) bool {
	for g := range could {
		if !did[g] {
			return false
		}
	}
	return true
}

// walk executes steps as long as they are possible. It calls before, if not nil, before each step, with the
// enabled goroutines in Enabled, which before may change. It calls after with the goroutine that moved;
// after reports whether to continue. walk reports whether it reached the end.
//
// A step may be impossible if two states with one fingerprint are equal
// up to names only.
func (s *depthFirst) walk(steps []trace.Step, before func(), after func(trace.GID) bool) bool {
	for _, a := range steps {
		if s.Sys.Status() != por.Running {
			return false
		}
		s.Enabled = s.Sys.Enabled(s.Enabled[:0])
		if !slices.Contains(s.Enabled, a.G) || a.Choice >= s.Sys.Alternatives(a.G) {
			return false
		}
		if before != nil {
			before()
		}
		s.Sys.Step(a.G, a.Choice)
		s.Path = append(s.Path, a)
		if after != nil && !after(a.G) {
			return false
		}
	}
	return true
}

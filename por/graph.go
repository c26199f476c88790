package por

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// Graph is the DPOR engine of Storey, Mercer and Parizek ("A Sound Dynamic Partial
// Order Reduction Engine for Java Pathfinder", 2020): dynamic partial order reduction over
// any set of events, of which it need not be known beforehand where they are. A Marker
// says which operations are scheduling points (Yes), may turn out to be some (Maybe), or are
// places to start again from (Replay); a Dependence, which of them depend on each other.
// The nodes are kept as the DPOR graph of section 3.1 (DPORGraph).
//
// A Maybe node that turns out to be a scheduling point has had no choice generator. The paper
// executes a region of the search again then, from the Replay node above it, so that it gets one
// (section 3.4); that is GraphConfig.Restart. Without, we return to it, because
// every operation is a place that can be returned to, and it becomes a Yes node: the same
// schedules, and nothing is executed twice.
//
// What it guarantees is up to the client. With DataRaceBehavior and EveryAccess every deadlock, every
// end of the program and every race is met. As in the paper no states are
// stored: "the DPOR Engine is only sound if state matching is disabled".
//
// Beyond the paper:
//
//   - Choosing a thread at a node executes its operation there. (The paper's engine makes another node
//     for it in the same state, whose choices can only repeat those of the first one.)
//   - What goroutines stand before at the end of an execution and cannot execute is looked at like
//     what is executed: it may depend on something that made it wait for ever.
//   - A client that goes on to answer Maybe ("the search will never finish", section 6) is
//     overruled: the engine remembers where a Maybe node was a scheduling point.
func Graph(sys System, v Visitor, cfg Config) Result {
	var gc GraphConfig
	if cfg.Graph != nil {
		gc = *cfg.Graph
	}
	if gc.Client.Marker == nil {
		c := NewDataRaceBehavior()
		gc.Client = GraphClient{Marker: c, Dependence: c}
	}
	for a := (assumptions{true, true}); ; {
		x := newGraphSearch(sys, v, cfg, gc, a)
		r := x.run()
		was := a
		if a = a.without(x.reused, x.hist.underrun); a == was {
			return r
		}
		v.Restart()
	}
}

// GraphConfig is what Graph is told beyond Config.
type GraphConfig struct {
	Client GraphClient // the zero value: DataRaceBehavior
	// Restart executes regions again as the paper does.
	Restart bool
	// Emit, if set, gets the graph whenever a goroutine ends ("emit the DPOR Graph as a dot
	// file whenever a thread terminates"). It must not keep it. An error stops the search.
	Emit func(*DPORGraph) error
	_    struct{}
}

// A GraphClient is an analysis that uses the engine (section 3.2). Reset may be nil.
type GraphClient struct {
	Marker     Marker
	Dependence Dependence
	Reset      Resettable
}

// A Marking is a Marker's answer.
type Marking uint8

// The markings. Nodes are of the last three types.
const (
	No     Marking = iota // not a scheduling point
	Maybe                 // it may turn out to be one
	Yes                   // it is one
	Replay                // not one, but a place to start again from
)

// String returns the name of the paper.
func (m Marking) String() string { return [...]string{"No", "Maybe", "Yes", "Replay"}[m] }

// A Marker is the paper's DporInstructionMarker: "Before each instruction is executed, the DPOR
// Engine calls the mark method". Operations that have several alternatives are
// scheduling points in any case.
type Marker interface {
	Mark(op *GraphOp) Marking
}

// A Dependence is the paper's DporDependenceRelation. Dependent "should return true if and only if
// the two associated scheduling points are dependent as defined by the given analysis, they can be
// co-enabled, and they are concurrent". p is an ancestor of n, whose operation has not been
// executed; neither is a Replay node, and they are of different goroutines.
type Dependence interface {
	Dependent(p, n *GraphNode) bool
}

// Resettable is the paper's DporResettable: the state of an analysis that goes back when the
// search does. State returns what must not change any more; Reset returns to it.
type Resettable interface {
	State() any
	Reset(state any)
}

// A GraphOp is an operation as clients see it: with all the locations it touches.
type GraphOp struct {
	trace.Op
	Touches []trace.Access // valid only during the call, unless it belongs to a node
}

// A GraphNode is a node of the DPOR graph: a state, and the operation that a goroutine is about
// to execute in it.
type GraphNode struct {
	ID     int
	Type   Marking
	Op     GraphOp    // of a Replay node that is the root: none
	Parent *GraphNode // the node executed before it
	// Children are those executed behind it, and behind them those in which another goroutine is
	// scheduled in its state: as the paper draws them. There are some only if GraphConfig.Emit is set.
	Children []*GraphNode
	Info     any // the paper's DependenceInfo: whatever the client wants to find here

	at      *choiceSet
	x       *graphSearch
	step    uint32 // the operation's index in the history; 0: not executed
	replay  bool   // the paper's replayFlag
	tangled bool
}

// Runnables returns the goroutines that could go on in the node's state.
func (n *GraphNode) Runnables() []trace.GID { return n.at.runnables }

// Choices returns those that have been or will be scheduled there.
func (n *GraphNode) Choices() []trace.GID { return n.at.choices }

// Before reports whether the operation of n, an ancestor of m, happens before that of m, by the
// starts of goroutines and by synchronisation: accesses to ordinary memory order nothing.
func (n *GraphNode) Before(m *GraphNode) bool {
	return n.x.hist.clock(m.Op.G).at(n.Op.G) >= n.step
}

// CoEnabled reports whether the operations of n, an ancestor of m, and m can be next at the same time as far
// as the engine knows, see together.
func (n *GraphNode) CoEnabled(m *GraphNode) bool {
	op := intent{op: m.Op.Op, touches: m.Op.Touches, tangled: m.tangled}
	return together(n.x.hist, n.step, m.Op.G, &op, n.at.runnables)
}

// Conflicts reports whether the operations of n and m touch the same location, one of them may
// change it, and they do not commute.
func (n *GraphNode) Conflicts(m *GraphNode) bool {
	if n.Op.Commutes != 0 && n.Op.Commutes == m.Op.Commutes {
		return false
	}
	return n.Meets(m, func(a, b trace.Access) bool { return a.Write || b.Write })
}

// Meets reports whether the operations of n and m touch a common location for which
// f is true.
func (n *GraphNode) Meets(m *GraphNode, f func(a, b trace.Access) bool) bool {
	for _, a := range n.Op.Touches {
		for _, b := range m.Op.Touches {
			if a.Overlaps(b) && f(a, b) {
				return true
			}
		}
	}
	return false
}

// A DPORGraph is the paper's DPOR graph: the nodes of all paths so far.
type DPORGraph struct {
	Root  *GraphNode // a Replay node
	Last  *GraphNode // the newest node of the present path
	Ended []trace.GID
	Nodes int
}

// A choiceSet is the state of one or more nodes: those that are the first ones behind a common parent,
// with nothing executed in between, differ only in who moves.
type choiceSet struct {
	runnables []trace.GID
	choices   []trace.GID
	goesOn    bool   // the program goes on behind a step that has been made here
	closed    bool   // an oracle says that the first choice is enough
	prefix    uint64 // hash of the schedule that leads there
}

// generator is a choice generator: a place on the stack that can be returned to.
type generator struct {
	*choiceSet
	mark   Mark
	parent *GraphNode // the node before it
	first  *GraphNode // of its first choice
	node   *GraphNode // of the choice being explored; nil: its operation is marked No
	again  bool       // it has been explored once
	cur    trace.GID
	depth  int
	next   int // choices[next] is being explored, the ones before it are done
	alt    int // its next alternative
	alts   int
	state  any // the client's, before it was asked about the present choice
	marked any // and behind that
}

// graphSearch is the state of Graph.
type graphSearch struct {
	*search
	GraphConfig
	fx     Effects
	hist   *history
	graph  DPORGraph
	points []generator
	node   *GraphNode // the newest of the present path

	known map[uint64]bool // prefixes of schedules that lead to a Maybe node that was a scheduling point

	arrive bool // see arrivals
	reused bool

	standing, before []trace.GID
}

func newGraphSearch(sys System, v Visitor, cfg Config, gc GraphConfig, a assumptions) *graphSearch {
	cfg.Match = false
	x := &graphSearch{search: newSearch(sys, v, cfg, nil), GraphConfig: gc, fx: effects(sys), arrive: !a.noReuse, known: make(map[uint64]bool)}
	x.hist = newHistory(x.fx, !cfg.IgnoreOutput)
	x.hist.syncOnly = true
	x.hist.careful = !a.noUnderrun
	x.size = both{x.size, x.bytes}
	return x
}

// run explores from the present state of the system and leaves it there.
func (x *graphSearch) run() Result {
	mark := x.sys.Mark()
	x.enabled = x.sys.Enabled(x.enabled[:0])
	x.graph.Root = x.push(Replay, trace.NoGID, x.state())
	for len(x.points) > 0 && !x.halted {
		p := &x.points[len(x.points)-1]
		if !x.more(p) {
			x.sys.Rewind(p.mark)
			x.sys.Release(p.mark)
			x.points = x.points[:len(x.points)-1]
			continue
		}
		if x.cfg.MaxExecutions > 0 && x.stats.Executions+x.stats.Blocked+x.stats.Truncated >= x.cfg.MaxExecutions {
			x.halt(Reason{Bound: BoundExecutions, Limit: x.cfg.MaxExecutions})
			break
		}
		if p.again {
			x.back(p)
		}
		p.again = true
		if x.take(p) {
			x.advance()
		}
	}
	x.account()
	for i := len(x.points) - 1; i >= 0; i-- {
		x.sys.Rewind(x.points[i].mark)
		x.sys.Release(x.points[i].mark)
	}
	x.rewind(mark)
	x.sys.Release(mark)
	return x.result()
}

// more moves on to the next choice of p, and reports whether there is one.
func (x *graphSearch) more(p *generator) bool {
	switch {
	case p.alt < p.alts: // another alternative of the same operation
		return true
	case !p.again:
	case p.node != nil && p.node.Type == Replay && p.next == 0 && len(p.choices) == 1:
		if !mustReplay(p.node) {
			return false
		}
		p.node.replay = false
		x.stats.Replays++
	default:
		if p.next++; p.next == len(p.choices) {
			return false
		}
		p.node = nil
	}
	p.alt, p.alts = 0, 0
	return true
}

// back returns to p.
func (x *graphSearch) back(p *generator) {
	x.rewind(p.mark)
	x.hist.cut(p.depth)
	x.path, x.cur, x.node = x.path[:p.depth], p.cur, p.parent
	if x.Client.Reset != nil {
		if p.alt > 0 || p.first.Type == Replay {
			x.Client.Reset.Reset(p.marked)
		} else {
			x.Client.Reset.Reset(p.state)
		}
	}
}

// take executes p's present choice. It reports false if there is a generator on top of p now.
func (x *graphSearch) take(p *generator) bool {
	g := p.choices[p.next]
	switch {
	case p.alt > 0: // the same node
	case p.next > 0:
		// The state has a generator, so whatever is one now is a Yes node.
		m := x.mark(g)
		p.marked = x.state()
		switch m {
		case Replay:
			p.alts, p.alt = 1, 1
			x.enabled = append(x.enabled[:0], p.runnables...)
			x.push(Replay, g, p.state)
			return false
		case Maybe, Yes:
			p.node = x.newNode(Yes, g, p.choiceSet)
			x.link(p.first, p.node)
			x.executeDpor(p.node)
		}
	case p.node.Type != Replay:
		x.executeDpor(p.node)
	}
	if p.node != nil {
		x.node = p.node
	}
	if g == trace.NoGID {
		p.alts, p.alt = 1, 1
		return true
	}
	if p.alt == 0 {
		p.alts = x.sys.Choices(g)
	}
	p.alt++
	x.move(p.node, p.runnables, trace.Step{G: g, Choice: p.alt - 1})
	return true
}

// advance goes on from the present state to the next choice generator, or to the end of
// the execution: Algorithm 1, executeInstruction.
func (x *graphSearch) advance() {
	for !x.halted {
		x.stats.MaxDepth = max(x.stats.MaxDepth, len(x.path))
		x.enabled = x.sys.Enabled(x.enabled[:0])
		switch {
		case len(x.enabled) == 0:
			x.waiting()
			x.leaf(x.sys.Status())
			return
		case x.cfg.MaxSteps > 0 && len(x.path) >= x.cfg.MaxSteps:
			x.stats.Truncated++
			x.heed(x.v.Leaf(x.path, Running))
			return
		}
		if x.races(); x.halted {
			return
		}
		g := x.cur
		if !slices.Contains(x.enabled, g) {
			g = x.enabled[0]
		}
		state := x.state()
		switch m := x.mark(g); {
		case m == Yes, m == Maybe && !x.Restart, m == Replay:
			x.push(m, g, state)
			return
		case m == Maybe:
			n := x.newNode(Maybe, g, x.choiceSet(g))
			x.link(x.node, n)
			x.executeDpor(n)
			x.node = n
			x.move(n, x.enabled, trace.Step{G: g})
		default:
			x.move(nil, x.enabled, trace.Step{G: g})
		}
	}
}

// mark asks what g's next operation is.
func (x *graphSearch) mark(g trace.GID) Marking {
	in := x.hist.intent(g)
	op := GraphOp{in.op, in.touches}
	m := x.Client.Marker.Mark(&op)
	switch {
	case m == Yes:
	case x.sys.Choices(g) > 1, x.anyTangled(), len(x.known) > 0 && x.known[x.prefix()]:
		return Yes
	}
	return m
}

// anyTangled reports whether the operation of some goroutine depends on everything.
func (x *graphSearch) anyTangled() bool {
	x.before = x.fx.Standing(x.before[:0])
	return slices.ContainsFunc(x.before, x.fx.Entangled)
}

// prefix is a hash of the present path.
func (x *graphSearch) prefix() uint64 {
	h := uint64(len(x.path))
	for _, a := range x.path {
		h = mix(h ^ uint64(a.G)<<32 ^ uint64(a.Choice))
	}
	return h
}

// choiceSet returns that of the present state in which g goes on.
func (x *graphSearch) choiceSet(g trace.GID) *choiceSet {
	s := &choiceSet{runnables: slices.Clone(x.enabled), choices: []trace.GID{g}, prefix: x.prefix()}
	if g != trace.NoGID && len(x.enabled) > 1 && x.cfg.Oracle != nil {
		op := x.sys.Next(g)
		s.closed = x.quiet(g, &op)
	}
	return s
}

// newNode makes the node of g's next operation in the present state.
func (x *graphSearch) newNode(typ Marking, g trace.GID, at *choiceSet) *GraphNode {
	n := &GraphNode{ID: x.graph.Nodes, Type: typ, Parent: x.node, at: at, x: x}
	x.graph.Nodes++
	if g != trace.NoGID {
		op := x.hist.intent(g)
		n.Op, n.tangled = GraphOp{op.op, slices.Clone(op.touches)}, op.tangled
	}
	return n
}

// link makes n a child of p.
func (x *graphSearch) link(p, n *GraphNode) {
	if p != nil && x.Emit != nil {
		p.Children = append(p.Children, n)
	}
}

// state returns the client's state, if it goes back with the search.
func (x *graphSearch) state() any {
	if x.Client.Reset == nil {
		return nil
	}
	return x.Client.Reset.State()
}

// push inserts a choice generator in the present state. state was the client's before it was
// asked about g.
func (x *graphSearch) push(typ Marking, g trace.GID, state any) *GraphNode {
	p := generator{choiceSet: x.choiceSet(g), parent: x.node, cur: x.cur, depth: len(x.path)}
	p.node = x.newNode(typ, g, p.choiceSet)
	p.first = p.node
	x.link(x.node, p.node)
	p.state, p.marked = state, x.state()
	p.mark = x.sys.Mark()
	x.points = append(x.points, p)
	return p.node
}

// executeDpor is that of Algorithm 1. Where the goroutine could not go on, its operation may have become
// possible by that very step, and depend on an earlier one as well; so the way up goes on there.
func (x *graphSearch) executeDpor(n *GraphNode) {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Type != Replay && p.Op.G != n.Op.G && x.dependent(p, n) {
			if x.addScheduleFor(p, n.Op.G) {
				return
			}
		}
	}
}

func (x *graphSearch) dependent(p, n *GraphNode) bool {
	if p.tangled || n.tangled {
		return !p.Before(n)
	}
	return x.Client.Dependence.Dependent(p, n)
}

// addScheduleFor is that of Algorithm 1. It reports whether t could go on at p.
func (x *graphSearch) addScheduleFor(p *GraphNode, t trace.GID) bool {
	if slices.Contains(p.at.runnables, t) {
		x.addChoice(p, t)
		return true
	}
	x.addAll(p)
	return false
}

func (x *graphSearch) addAll(p *GraphNode) {
	for _, q := range p.at.runnables {
		x.addChoice(p, q)
	}
}

func (x *graphSearch) addChoice(p *GraphNode, t trace.GID) {
	if p.at.closed || slices.Contains(p.at.choices, t) {
		return
	}
	p.at.choices = append(p.at.choices, t)
	if len(p.at.choices) == 2 {
		x.stats.Choices++
	}
	if p.Type != Maybe {
		return
	}
	if !x.Restart {
		p.Type = Yes // there is a way back
		return
	}
	x.arrangeReplay(p.Parent, p.at.prefix)
}

// arrangeReplay is that of Algorithm 2. r is where the way up begins.
func (x *graphSearch) arrangeReplay(r *GraphNode, prefix uint64) {
	x.known[prefix] = true
	for r.Type != Replay {
		r = r.Parent
	}
	r.replay = true
}

// mustReplay is that of Algorithm 2.
func mustReplay(r *GraphNode) bool {
	if !r.replay {
		return false
	}
	for s := r.Parent; s != nil; s = s.Parent {
		if s.Type == Replay && s.replay {
			return false
		}
	}
	return true
}

// move makes step a, which is that of node n, if its operation is a node. enabled are the goroutines
// that could go on instead.
func (x *graphSearch) move(n *GraphNode, enabled []trace.GID, a trace.Step) {
	if !x.arrive && reused(x.fx, enabled, a.G) {
		x.reused, x.halted = true, true
	}
	others, prefix := len(enabled) > 1, x.prefix()
	h := x.hist
	x.before = x.fx.Standing(x.before[:0])
	h.before(a.G)
	x.step(a)
	x.standing = x.fx.Standing(x.standing[:0])
	st := x.sys.Status()
	others = others && (st == Cut || st == Ended)
	h.events[len(h.events)-1].over = st == Cut || st == Ended
	more := x.turnsOut(a.G, st)
	if n != nil && len(more) > 0 {
		later := *n
		later.Op.Touches, later.step = more, 0
		x.executeDpor(&later)
	}
	above := x.node
	if n != nil {
		above = n.Parent
	}
	for _, q := range x.fx.Moved(nil) {
		if r := h.met(q); r != nil {
			// The operation of who was met is executed, too.
			x.executeDpor(&GraphNode{Type: Yes, Parent: above, Op: GraphOp{r.op, r.what}, at: &choiceSet{}, x: x})
		}
	}
	for _, b := range more {
		h.also(b)
	}
	i := h.after()
	switch {
	case n != nil && n.Type != Replay:
		n.step = i
		n.Op.Touches = append(n.Op.Touches[:0], h.touches(&h.events[i-1])...)
		for _, m := range h.events[i-1].movers {
			if slices.Contains(n.at.runnables, m.g) {
				x.addChoice(n, m.g) // who was met could have done something else
			}
		}
		n.at.goesOn = n.at.goesOn || !h.events[i-1].over
		for _, q := range n.at.runnables {
			if others && !n.at.goesOn && n.at.choices[len(n.at.choices)-1] == a.G { // see clockVector.extra
				x.addChoice(n, q)
			}
		}
	case !others && len(more) == 0:
	case n != nil:
		x.arrangeReplay(n.Parent, prefix)
	default:
		x.arrangeReplay(x.node, prefix)
	}
	x.halted = x.halted || h.underrun && !h.careful
	x.ends()
}

// turnsOut returns what a step of g turns out to touch when it has been made, see clockVector.extra.
func (x *graphSearch) turnsOut(g trace.GID, st Status) (more []trace.Access) {
	if x.hist.output && (st == Cut || st == Ended && len(x.standing) > 0) {
		more = append(more, output)
	}
	if x.arrive {
		more = append(more, arrivals(x.fx, x.standing, g)...)
	}
	return more
}

// waiting looks at what goroutines stand before at the end of an execution and have not
// executed: it may depend on something that came first.
func (x *graphSearch) waiting() {
	for _, q := range x.fx.Standing(nil) {
		if x.mark(q) == No {
			continue
		}
		op := x.hist.intent(q)
		x.executeDpor(&GraphNode{Type: Yes, Parent: x.node, Op: GraphOp{op.op, slices.Clone(op.touches)}, tangled: op.tangled, at: &choiceSet{}, x: x})
	}
}

// ends emits the graph once for each goroutine that the last step has ended.
func (x *graphSearch) ends() {
	x.graph.Ended, x.graph.Last = x.graph.Ended[:0], x.node
	for _, q := range x.before {
		if !slices.Contains(x.standing, q) && x.sys.Next(q).Kind == trace.None {
			x.graph.Ended = append(x.graph.Ended, q)
			x.stats.Graphs++
		}
	}
	for range x.graph.Ended {
		if x.Emit == nil {
			break
		}
		if err := x.Emit(&x.graph); err != nil {
			x.halt(Reason{Bound: BoundPoll, Text: err.Error()})
		}
	}
}

// bytes is the memory of the stack and of the present path.
func (x *graphSearch) bytes() int64 {
	const each = 300 // a node with its sets
	n := int64(cap(x.points))*int64(unsafe.Sizeof(generator{})) + x.hist.bytes() + int64(len(x.path))*each
	if x.Emit != nil {
		n += int64(x.graph.Nodes) * each
	}
	return n
}

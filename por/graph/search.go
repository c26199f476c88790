package graph

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// A choiceSet has the choices in one state, which may have several nodes: the first nodes after a common
// parent, with no step in between, differ only in the goroutine that moves.
//
//	        ┌─ node 4: g1's operation ── ...
//	parent ─┤                                    one choiceSet, choices {g1, g3}
//	        └─ node 9: g3's operation ── ...
//
// Invariant: choices only grows, at its end, and only by elements of runnables. So the method more can
// iterate over choices while nodes further down add to them.
type choiceSet struct {
	runnables []trace.GID
	choices   []trace.GID
	continues bool        // the program continues after a step that has been executed here
	ended     []trace.GID // goroutines whose first steps have ended the program
	closed    bool        // the first choice is enough according to an oracle
	prefix    uint64      // hash of the schedule that leads there
}

// generator is a choice generator: a state on the stack that can be returned to.
//
// A choice is explored with all alternatives of its operation before the next choice is. The client
// is reset to state before it is asked about a choice, and to marked before another alternative of
// that choice is executed.
type generator struct {
	search.Position
	*choiceSet
	parent *Node // the node before it
	first  *Node // node of the first choice
	node   *Node // node of the choice being explored; nil: its operation is marked No
	again  bool  // the choice has been explored once
	next   int   // choices[next] is being explored, the ones before it are done
	alt    int   // next alternative of choices[next]
	alts   int
	state  any // state of the client before it was asked about the current choice
	marked any // state of the client after it was asked
}

// searcher is the state of Explore.
type searcher struct {
	search.Driver
	Config `saved:"-"`
	fx     por.Effects `saved:"-"`
	rel    hb.Relation `saved:"-"`
	exec   *hb.Execution
	graph  DPORGraph
	// The stack. Not every node of the current path has a generator: see Marking.
	//mutant: saved: graph without points [resumed]: "generator" -> "generator `saved:\"-\"`"
	points []generator
	node   *Node // the newest of the present path

	// known has hashes, not nodes, because executing a region again makes new nodes.
	known map[uint64]bool // prefixes of schedules that lead to a Maybe node that was a scheduling point

	pendingBefore, pending []trace.GID // before and after the newest event
	buf                    []trace.Access
}

func newSearcher(sys por.System, v por.Visitor, cfg por.Config, gc Config, rel hb.Relation) *searcher {
	cfg.Match = false
	x := &searcher{
		Driver: search.NewDriver(sys, v, cfg),
		Config: gc,
		fx:     por.EffectsOf(sys),
		rel:    rel,
		known:  make(map[uint64]bool),
	}
	x.exec = hb.NewExecution(sys, rel)
	x.Estimate = func(p *por.Progress) {
		p.Fraction = search.Done(len(x.points), func(i int) (explored, of int) { return x.points[i].next, len(x.points[i].choices) })
	}
	x.Executor = x.exec
	x.Size = search.Sum{Sys: x.Size, More: x.bytes}
	return x
}

// run explores from the current state of the system and leaves it there.
//
// The stack has a generator for each state to which the search can return. Between generators are operations
// marked No and, with Config.Restart, Maybe nodes. To schedule a goroutine at such a node, the search is
// repeated from a Replay node.
//
// It is a loop, not a recursion, because a choice may have to be scheduled at any state of the
// stack while a deeper one is being explored.
func (x *searcher) run() por.Result {
	return x.From(x, x.positions, func() {
		x.Enabled = x.Sys.Enabled(x.Enabled[:0])
		x.graph.Root = x.push(Replay, trace.NoGID, x.state())
	}, x.explore)
}

// explore explores the unfinished part of the generators.
func (x *searcher) explore() {
	for len(x.points) > 0 && !x.Halted {
		if x.Keep(); x.Halted {
			break
		}
		p := &x.points[len(x.points)-1]
		if !x.more(p) {
			x.Drop(p.Mark)
			x.Path, x.points = x.Path[:p.Depth], x.points[:len(x.points)-1]
			continue
		}
		if x.OutOfExecutions() {
			break
		}
		if p.again {
			x.returnTo(p)
		}
		p.again = true
		if x.take(p) {
			x.advance()
		}
	}
}

func (x *searcher) positions() (list []*search.Position) {
	for i := range x.points {
		list = append(list, &x.points[i].Position)
	}
	return list
}

// more moves on to the next choice of p, and reports whether there is one.
//
// The cases are, in this order: alternatives of the operation that is being explored; the first choice of a
// new generator; a Replay node, whose only choice is executed again if a node below requires it; the next
// choice.
func (x *searcher) more(p *generator) bool {
	switch {
	case p.alt < p.alts: // another alternative of the same operation
		return true
	case !p.again:
	case p.node != nil && p.node.Type == Replay && p.next == 0 && len(p.choices) == 1:
		if !mustReplay(p.node) {
			return false
		}
		p.node.replay = false
		x.Stats.Replays++
	default:
		if p.next++; p.next == len(p.choices) {
			return false
		}
		p.node = nil
	}
	p.alt, p.alts = 0, 0
	return true
}

// returnTo returns to p.
//
// All parts of the path go back together: the system, the execution of hb, the
// newest node and the client.
func (x *searcher) returnTo(p *generator) {
	x.ReturnTo(&p.Position)
	x.exec.Truncate(p.Depth)
	x.node = p.parent
	if x.Client.Reset != nil {
		if p.alt > 0 || p.first.Type == Replay {
			x.Client.Reset.Reset(p.marked)
		} else {
			x.Client.Reset.Reset(p.state)
		}
	}
}

// take executes p's current choice. It returns false if it has pushed a generator on top of p.
//
// It asks the client (mark) only about a goroutine that has not been scheduled here before. The client was
// asked about the first choice when the generator was pushed. NoGID is the choice of the root, which executes
// nothing.
func (x *searcher) take(p *generator) bool {
	g := p.choices[p.next]
	switch {
	case p.alt > 0: // stay at the same node
	case p.next > 0:
		// The state has a generator, so a scheduling point is a Yes node.
		m := x.mark(g)
		p.marked = x.state()
		switch m {
		case Replay:
			p.alts, p.alt = 1, 1
			x.Enabled = append(x.Enabled[:0], p.runnables...)
			x.push(Replay, g, p.state)
			return false
		case Maybe, Yes:
			p.node = x.newNode(Yes, g, p.choiceSet)
			x.link(p.first, p.node)
			x.executeDpor(p.node)
		}
	// The first choice of a new generator: its races with the path above are sought before it is
	// executed.
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
		p.alts = x.Sys.Alternatives(g)
	}
	p.alt++
	x.move(p.node, p.runnables, trace.Step{G: g, Choice: p.alt - 1})
	return true
}

// advance continues from the current state to the next choice generator, or to the end of
// the execution: Algorithm 1, executeInstruction.
//
// In a state without a generator exactly one goroutine continues, the one that moved last if it
// can: the others are scheduled when a node depends on them.
func (x *searcher) advance() {
	for !x.Halted {
		x.Arrive()
		switch {
		case len(x.Enabled) == 0:
			x.disabledAtEnd()
			x.Leaf(x.Sys.Status())
			return
		case x.TruncatedHere():
			return
		}
		if x.ReportRaces(); x.Halted {
			return
		}
		g := x.Preferred()
		state := x.state()
		switch m := x.mark(g); {
		// The goroutine stays at its operation: run takes the generator's first choice from here.
		case m == Yes, m == Maybe && !x.Restart, m == Replay:
			x.push(m, g, state)
			return
		case m == Maybe:
			n := x.newNode(Maybe, g, x.choiceSet(g))
			x.link(x.node, n)
			x.executeDpor(n)
			x.node = n
			x.move(n, x.Enabled, trace.Step{G: g})
		default:
			x.move(nil, x.Enabled, trace.Step{G: g})
		}
	}
}

// mark returns the marking of g's pending operation.
//
// It raises the client's answer to Yes where the engine needs a generator:
// several alternatives, an operation that depends on all, and a path at which a replay stops
// (known).
func (x *searcher) mark(g trace.GID) Marking {
	in := x.exec.Next(g)
	x.buf = x.exec.Locations(in, x.buf[:0])
	op := Op{in.Op, x.buf}
	m := x.Client.Marker.Mark(&op)
	switch {
	case m == Yes:
	//mutant: inspected: graph marks what its client does [inspecting]: "x.Inspected(), " -> ""
	case x.Inspected(), x.Sys.Alternatives(g) > 1, x.anyDependsOnAll(), len(x.known) > 0 && x.known[x.prefix()]:
		return Yes
	}
	return m
}

// anyDependsOnAll reports whether some pending or executed operation depends on everything: the next
// operation could have come before it.
func (x *searcher) anyDependsOnAll() bool {
	if x.exec.SomeDependsOnAll() {
		return true
	}
	x.pendingBefore = x.fx.Pending(x.pendingBefore[:0])
	return slices.ContainsFunc(x.pendingBefore, x.fx.DependsOnAll)
}

// prefix returns a hash of the current path. A collision only makes a search stop at an additional state.
func (x *searcher) prefix() uint64 {
	h := uint64(len(x.Path))
	for _, a := range x.Path {
		h = por.Mix(h ^ uint64(a.G)<<32 ^ uint64(a.Choice))
	}
	return h
}

// choiceSet returns the choiceSet of the current state in which g continues. It is closed if {g} is a
// persistent set according to the oracle, so that nothing is added to the choices later.
func (x *searcher) choiceSet(g trace.GID) *choiceSet {
	s := &choiceSet{runnables: slices.Clone(x.Enabled), choices: []trace.GID{g}, prefix: x.prefix()}
	if g != trace.NoGID && len(x.Enabled) > 1 && x.Cfg.Oracle != nil {
		op := x.Sys.Next(g)
		s.closed = x.OracleAllows(g, &op)
	}
	return s
}

// newNode makes the node of g's pending operation in the current state.
func (x *searcher) newNode(typ Marking, g trace.GID, at *choiceSet) *Node {
	n := &Node{ID: x.graph.Nodes, Type: typ, Parent: x.node, at: at, x: x}
	x.graph.Nodes++
	if g != trace.NoGID {
		x.setOp(n, x.exec.Next(g), x.exec.LastEvent(g))
	}
	return n
}

// setOp makes op the operation of n, pending since event since.
//
// It copies op: the result of hb.Execution.Next is valid until a goroutine moves, and a node
// stays.
func (x *searcher) setOp(n *Node, op *hb.NextOp, since int) {
	next := *op
	n.since, n.next, n.dependsOnAll = since, &next, op.DependsOnAll
	n.Op = Op{op.Op, x.exec.Locations(op, nil)}
}

// link makes n a child of p.
func (x *searcher) link(p, n *Node) {
	if p != nil && x.Emit != nil {
		p.Children = append(p.Children, n)
	}
}

// state returns the client's state, if the client is Resettable.
func (x *searcher) state() any {
	if x.Client.Reset == nil {
		return nil
	}
	return x.Client.Reset.State()
}

// push inserts a choice generator in the current state. The argument state is that of the client
// before it was asked about g.
func (x *searcher) push(typ Marking, g trace.GID, state any) *Node {
	p := generator{choiceSet: x.choiceSet(g), parent: x.node}
	p.node = x.newNode(typ, g, p.choiceSet)
	p.first = p.node
	x.link(x.node, p.node)
	p.state, p.marked = state, x.state()
	p.Position = x.Checkpoint()
	x.points = append(x.points, p)
	return p.node
}

// move executes step a, the step of node n if its operation has a node. enabled are the
// goroutines that could continue instead.
//
// Most of it handles effects that are known only after a step:
//
//  1. The operation of a partner has been executed with the step, and depends on nodes above like a node of
//     its own (m).
//  2. The step has had more effects than its operation (late): see hb.Execution.TurnedOut.
//  3. The step has removed an operation, by stopping the timer whose goroutine would execute it (gone).
//  4. It has ended the program while others could continue (over): these have to come first.
//
// A step without a node has no place for these. Then a replay is arranged, also without
// Config.Restart, in which the state has a generator (known).
func (x *searcher) move(n *Node, enabled []trace.GID, a trace.Step) {
	prefix := x.prefix()
	x.pendingBefore = x.fx.Pending(x.pendingBefore[:0])
	x.Step(a)
	x.pending = x.fx.Pending(x.pending[:0])
	st := x.Sys.Status()
	over := st == por.Cut || st == por.Ended
	i := len(x.exec.Events) - 1
	e := &x.exec.Events[i]
	late := x.exec.TurnedOut(i)
	if n != nil && late != nil {
		later := *n
		x.setOp(&later, late, x.exec.Previous(a.G))
		later.n = 0
		x.executeDpor(&later)
	}
	above := x.node
	if n != nil {
		above = n.Parent
	}
	if e.PartnerOp.Kind != trace.None {
		// The operation of the partner is executed, too.
		m := &Node{Type: Yes, Parent: above, at: &choiceSet{}, x: x}
		x.setOp(m, &e.PartnerOp, x.exec.Previous(e.Partner))
		x.executeDpor(m)
	}
	gone := false
	for _, q := range x.pendingBefore {
		if q == a.G || !hb.Ended(q, x.pending) {
			continue
		}
		if gone = true; n != nil && n.Type != Replay {
			//mutant: ended: graph does not look at a timer that is stopped [timing]
			x.addScheduleFor(n, q)
		}
	}
	switch {
	case n != nil && n.Type != Replay:
		// From here on the node has an event, so Before and CoEnabled can be called with it.
		n.event, n.n = i, x.exec.ID(i).N
		n.Op.Touches = x.exec.EventLocations(i, n.Op.Touches[:0])
		for _, p := range x.exec.Participants(i) {
			if slices.Contains(n.at.runnables, p.G) {
				x.addChoice(n, p.G) // the partner could have executed another operation
			}
		}
		x.ended(n, a.G, over)
	case !(over && len(enabled) > 1) && late == nil && !gone:
	case n != nil:
		x.arrangeReplay(n.Parent, prefix)
	default:
		x.arrangeReplay(x.node, prefix)
	}
	x.Halted = x.Halted || x.exec.Refuted()
	x.emitEnds()
}

// emitEnds emits the graph once for each goroutine that the last step has ended.
//
// A goroutine has ended if it had a pending operation before the step and has none now.
func (x *searcher) emitEnds() {
	x.graph.Ended, x.graph.Last = x.graph.Ended[:0], x.node
	for _, q := range x.pendingBefore {
		if !slices.Contains(x.pending, q) && x.Sys.Next(q).Kind == trace.None {
			x.graph.Ended = append(x.graph.Ended, q)
			x.Stats.Graphs++
		}
	}
	for range x.graph.Ended {
		if x.Emit == nil {
			break
		}
		if err := x.Emit(&x.graph); err != nil {
			x.Halt(por.Reason{Bound: por.BoundPoll, Text: err.Error()})
		}
	}
}

// bytes estimates the memory of the stack and of the current path.
func (x *searcher) bytes() int64 {
	const each = 300 // a node with its sets
	n := int64(cap(x.points))*int64(unsafe.Sizeof(generator{})) + x.exec.Bytes() + int64(len(x.Path))*each
	if x.Emit != nil {
		n += int64(x.graph.Nodes) * each
	}
	return n
}

package graph

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// A choiceSet is the state of one or more nodes: those that are the first ones behind a common parent,
// with nothing executed in between, differ only in who moves.
type choiceSet struct {
	runnables []trace.GID
	choices   []trace.GID
	goesOn    bool        // the program goes on behind a step that has been made here
	ended     []trace.GID // whose first steps have ended the program
	closed    bool        // an oracle says that the first choice is enough
	prefix    uint64      // hash of the schedule that leads there
}

// generator is a choice generator: a place on the stack that can be returned to.
type generator struct {
	*choiceSet
	mark   por.Mark
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
	search.Driver
	GraphConfig
	fx     por.Effects
	exec   *hb.Execution
	step   func(g trace.GID, choice int) // exec.Execute
	graph  DPORGraph
	points []generator
	node   *GraphNode // the newest of the present path

	known map[uint64]bool // prefixes of schedules that lead to a Maybe node that was a scheduling point

	assumed hb.Assumptions
	reused  bool // assumed.NoReuse is wrong

	standing, before []trace.GID
	buf              []trace.Access
}

func newGraphSearch(sys por.System, v por.Visitor, cfg por.Config, gc GraphConfig, a hb.Assumptions) *graphSearch {
	cfg.Match = false
	x := &graphSearch{Driver: search.NewDriver(sys, v, cfg), GraphConfig: gc, fx: por.EffectsOf(sys), assumed: a, known: make(map[uint64]bool)}
	rel := a.Relation(cfg.IgnoreOutput)
	rel.SyncOnly = true
	x.exec = hb.NewExecution(sys, rel)
	x.step = x.exec.Execute
	x.Size = search.Sum{Sys: x.Size, More: x.bytes}
	return x
}

// run explores from the present state of the system and leaves it there.
func (x *graphSearch) run() por.Result {
	mark := x.Sys.Mark()
	x.Enabled = x.Sys.Enabled(x.Enabled[:0])
	x.graph.Root = x.push(Replay, trace.NoGID, x.state())
	for len(x.points) > 0 && !x.Halted {
		p := &x.points[len(x.points)-1]
		if !x.more(p) {
			x.Sys.Rewind(p.mark)
			x.Sys.Release(p.mark)
			x.points = x.points[:len(x.points)-1]
			continue
		}
		if x.OutOfExecutions() {
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
	x.Account()
	for i := len(x.points) - 1; i >= 0; i-- {
		x.Sys.Rewind(x.points[i].mark)
		x.Sys.Release(x.points[i].mark)
	}
	x.Rewind(mark)
	x.Sys.Release(mark)
	return x.Result()
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

// back returns to p.
func (x *graphSearch) back(p *generator) {
	x.Rewind(p.mark)
	x.exec.Truncate(p.depth)
	x.Path, x.Cur, x.node = x.Path[:p.depth], p.cur, p.parent
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
			x.Enabled = append(x.Enabled[:0], p.runnables...)
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
		p.alts = x.Sys.Alternatives(g)
	}
	p.alt++
	x.move(p.node, p.runnables, trace.Step{G: g, Choice: p.alt - 1})
	return true
}

// advance goes on from the present state to the next choice generator, or to the end of
// the execution: Algorithm 1, executeInstruction.
func (x *graphSearch) advance() {
	for !x.Halted {
		x.Stats.MaxDepth = max(x.Stats.MaxDepth, len(x.Path))
		x.Enabled = x.Sys.Enabled(x.Enabled[:0])
		switch {
		case len(x.Enabled) == 0:
			x.waiting()
			x.Leaf(x.Sys.Status())
			return
		case x.Cfg.MaxSteps > 0 && len(x.Path) >= x.Cfg.MaxSteps:
			x.Stats.Truncated++
			x.StopUnless(x.Visitor.Leaf(x.Path, por.Running))
			return
		}
		if x.Races(); x.Halted {
			return
		}
		g := x.Cur
		if !slices.Contains(x.Enabled, g) {
			g = x.Enabled[0]
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
			x.move(n, x.Enabled, trace.Step{G: g})
		default:
			x.move(nil, x.Enabled, trace.Step{G: g})
		}
	}
}

// mark asks what g's next operation is.
func (x *graphSearch) mark(g trace.GID) Marking {
	in := x.exec.Next(g)
	x.buf = x.exec.Locations(in, x.buf[:0])
	op := GraphOp{in.Op, x.buf}
	m := x.Client.Marker.Mark(&op)
	switch {
	case m == Yes:
	case x.Sys.Alternatives(g) > 1, x.anyTangled(), len(x.known) > 0 && x.known[x.prefix()]:
		return Yes
	}
	return m
}

// anyTangled reports whether the operation of some goroutine depends on everything.
func (x *graphSearch) anyTangled() bool {
	x.before = x.fx.Pending(x.before[:0])
	return slices.ContainsFunc(x.before, x.fx.DependsOnAll)
}

// prefix is a hash of the present path.
func (x *graphSearch) prefix() uint64 {
	h := uint64(len(x.Path))
	for _, a := range x.Path {
		h = por.Mix(h ^ uint64(a.G)<<32 ^ uint64(a.Choice))
	}
	return h
}

// choiceSet returns that of the present state in which g goes on.
func (x *graphSearch) choiceSet(g trace.GID) *choiceSet {
	s := &choiceSet{runnables: slices.Clone(x.Enabled), choices: []trace.GID{g}, prefix: x.prefix()}
	if g != trace.NoGID && len(x.Enabled) > 1 && x.Cfg.Oracle != nil {
		op := x.Sys.Next(g)
		s.closed = x.OracleAllows(g, &op)
	}
	return s
}

// newNode makes the node of g's next operation in the present state.
func (x *graphSearch) newNode(typ Marking, g trace.GID, at *choiceSet) *GraphNode {
	n := &GraphNode{ID: x.graph.Nodes, Type: typ, Parent: x.node, at: at, x: x}
	x.graph.Nodes++
	if g != trace.NoGID {
		x.of(n, x.exec.Next(g), x.exec.LastEvent(g))
	}
	return n
}

// of makes op the operation of n, pending since event since.
func (x *graphSearch) of(n *GraphNode, op *hb.NextOp, since int) {
	next := *op
	n.since, n.next, n.tangled = since, &next, op.DependsOnAll
	n.Op = GraphOp{op.Op, x.exec.Locations(op, nil)}
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
	p := generator{choiceSet: x.choiceSet(g), parent: x.node, cur: x.Cur, depth: len(x.Path)}
	p.node = x.newNode(typ, g, p.choiceSet)
	p.first = p.node
	x.link(x.node, p.node)
	p.state, p.marked = state, x.state()
	p.mark = x.Sys.Mark()
	x.points = append(x.points, p)
	return p.node
}

// executeDpor is that of Algorithm 1. Where the goroutine could not go on, its operation may have become
// possible by that very step, and depend on an earlier one as well; so the way up goes on there.
func (x *graphSearch) executeDpor(n *GraphNode) {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Type != Replay && p.Op.G != n.Op.G && !p.at.closed && x.dependent(p, n) {
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

// addScheduleFor is that of Algorithm 1. It reports whether t could go on at p, and the program
// behind that: see clockVector.add.
func (x *graphSearch) addScheduleFor(p *GraphNode, t trace.GID) bool {
	if slices.Contains(p.at.runnables, t) && !slices.Contains(p.at.ended, t) {
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
		x.Stats.Choices++
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
	if x.assumed.NoReuse && x.exec.Reused(a.G) {
		x.reused, x.Halted = true, true
	}
	others, prefix := len(enabled) > 1, x.prefix()
	x.before = x.fx.Pending(x.before[:0])
	x.StepBy(a, x.step)
	x.standing = x.fx.Pending(x.standing[:0])
	st := x.Sys.Status()
	others = others && (st == por.Cut || st == por.Ended)
	i := len(x.exec.Events) - 1
	e := &x.exec.Events[i]
	late := x.exec.TurnedOut(i)
	if n != nil && late != nil {
		later := *n
		x.of(&later, late, x.exec.Previous(a.G))
		later.n = 0
		x.executeDpor(&later)
	}
	above := x.node
	if n != nil {
		above = n.Parent
	}
	if e.PartnerOp.Kind != trace.None {
		// The operation of the partner is executed, too.
		m := &GraphNode{Type: Yes, Parent: above, at: &choiceSet{}, x: x}
		x.of(m, &e.PartnerOp, x.exec.Previous(e.Partner))
		x.executeDpor(m)
	}
	gone := false
	for _, q := range x.before {
		if q == a.G || !hb.Ended(q, x.standing) {
			continue
		}
		if gone = true; n != nil && n.Type != Replay {
			x.addScheduleFor(n, q)
		}
	}
	switch {
	case n != nil && n.Type != Replay:
		n.event, n.n = i, x.exec.Keys[i].N
		n.Op.Touches = x.exec.EventLocations(i, n.Op.Touches[:0])
		x.exec.Participants(func(q trace.GID) {
			if slices.Contains(n.at.runnables, q) {
				x.addChoice(n, q) // the partner could have done something else
			}
		})
		n.at.goesOn = n.at.goesOn || st != por.Cut && st != por.Ended
		switch {
		case !others:
		case len(n.at.choices) == 1:
			n.at.ended = append(n.at.ended[:0], a.G)
		default:
			x.addAll(n)
		}
		for _, q := range n.at.runnables {
			if others && !n.at.goesOn && n.at.choices[len(n.at.choices)-1] == a.G { // see clockVector.extra
				x.addChoice(n, q)
			}
		}
	case !others && late == nil && !gone:
	case n != nil:
		x.arrangeReplay(n.Parent, prefix)
	default:
		x.arrangeReplay(x.node, prefix)
	}
	x.Halted = x.Halted || x.exec.Underrun && x.assumed.NoUnderrun
	x.ends()
}

// waiting looks at what goroutines stand before at the end of an execution and have not
// executed: it may depend on something that came first.
func (x *graphSearch) waiting() {
	for _, q := range x.fx.Pending(nil) {
		if x.mark(q) == No {
			continue
		}
		n := &GraphNode{Type: Yes, Parent: x.node, at: &choiceSet{}, x: x}
		x.of(n, x.exec.Next(q), x.exec.LastEvent(q))
		x.executeDpor(n)
	}
}

// ends emits the graph once for each goroutine that the last step has ended.
func (x *graphSearch) ends() {
	x.graph.Ended, x.graph.Last = x.graph.Ended[:0], x.node
	for _, q := range x.before {
		if !slices.Contains(x.standing, q) && x.Sys.Next(q).Kind == trace.None {
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

// bytes is the memory of the stack and of the present path.
func (x *graphSearch) bytes() int64 {
	const each = 300 // a node with its sets
	n := int64(cap(x.points))*int64(unsafe.Sizeof(generator{})) + x.exec.Bytes() + int64(len(x.Path))*each
	if x.Emit != nil {
		n += int64(x.graph.Nodes) * each
	}
	return n
}

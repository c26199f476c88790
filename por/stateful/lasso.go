package stateful

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// lassoGraph is one strongly connected component of the state graph. Node 0 is the state in which the search
// entered it. A set of nodes is a list. One set at a time is also marked, so that the method inside is fast.
//
// It is temporary, for a component that has an edge. Components of programs that
// end are single states.
type lassoGraph struct {
	nodes []lassoNode
	edges []lassoEdge

	out [][]int32 // outgoing edges of each node
	in  []int32   // number of the set that was marked last and has the node
	set int32
}

type lassoNode struct {
	enabled []trace.GID
	choices []dataChoice
}

type lassoEdge struct {
	from, to int32
	steps    []trace.Step
}

// A requirement of fairness on an infinite execution: a goroutine moves, or an operation takes one of its
// alternatives. Requirements are comparable, so that equal requirements of different states are the same one.
type requirement struct {
	g      trace.GID
	fn, pc uint32
	choice int // -1: any move of g
}

// fairLasso searches for a fair infinite execution inside the component (the emptiness check for Streett
// conditions: Emerson and Lei 1987). It returns the steps from node 0 to a state, and a loop from that state
// to itself. The loop satisfies every requirement of every state on it; it is nil if there is none.
//
// An infinite execution finally stays in one strongly connected part, and may take each edge of it again and
// again. So a component is fair if each requirement that arises in it is satisfied by one of its edges. If a
// requirement is not satisfied, a fair execution cannot stay at the nodes in which it arises: these nodes are
// removed, and the rest is split again. Each round removes a node, so the process ends.
//
//	node:         0 ──▶ 1 ──▶ 2        requirements of 1: g1 moves, g2 moves
//	                    ▲     │        edges 1 → 2 and 2 → 1 are both of g1:
//	                    └─────┘        {1, 2} does not satisfy that g2 moves, and 1 is removed
func (g *lassoGraph) fairLasso() (prefix, loop []trace.Step) {
	g.out = make([][]int32, len(g.nodes))
	for i, e := range g.edges {
		g.out[e.from] = append(g.out[e.from], int32(i))
	}
	g.in = make([]int32, len(g.nodes))
	all := make([]int32, len(g.nodes))
	for i := range all {
		all[i] = int32(i)
	}
	work := [][]int32{all}
	for len(work) > 0 {
		nodes := work[len(work)-1]
		work = work[:len(work)-1]
		for _, comp := range g.split(nodes) {
			required, satisfied := g.fairness(comp)
			if !slices.Contains(satisfied, -1) {
				return g.lasso(all, comp, satisfied)
			}
			// No fair execution stays at a node where an unsatisfied requirement arises.
			rest := slices.DeleteFunc(comp, func(n int32) bool { return required.unsatisfied(g.nodes[n], satisfied) })
			if len(rest) > 0 {
				work = append(work, rest)
			}
		}
	}
	return nil, nil
}

// mark makes nodes the set of inside.
func (g *lassoGraph) mark(nodes []int32) {
	g.set++
	for _, n := range nodes {
		g.in[n] = g.set
	}
}

// inside reports whether n is in the set that was marked last. Older marks have other numbers, so
// a set need not be unmarked.
func (g *lassoGraph) inside(n int32) bool { return g.in[n] == g.set }

// requirementSet numbers the requirements of a component.
//
// The number of a requirement is its index in list, and in the result of fairness.
type requirementSet struct {
	list  []requirement
	index map[requirement]int
}

func (s *requirementSet) add(n requirement) {
	if _, ok := s.index[n]; !ok {
		s.index[n] = len(s.list)
		s.list = append(s.list, n)
	}
}

// eachRequirement calls f for the requirements that arise in n until f returns false.
//
// There is one for each enabled goroutine, and one for each alternative of an operation.
func (n *lassoNode) eachRequirement(f func(requirement) bool) {
	for _, g := range n.enabled {
		if !f(requirement{g: g, choice: -1}) {
			return
		}
	}
	for _, o := range n.choices {
		for c := range o.n {
			if !f(requirement{o.g, o.fn, o.pc, c}) {
				return
			}
		}
	}
}

// unsatisfied reports whether a requirement arises in n that no edge satisfies; satisfied is the result
// of fairness.
func (s *requirementSet) unsatisfied(n lassoNode, satisfied []int) bool {
	found := false
	n.eachRequirement(func(x requirement) bool {
		found = satisfied[s.index[x]] < 0
		return !found
	})
	return found
}

// fairness collects the requirements that arise in comp and, for each, the first edge inside comp
// that satisfies it, or -1.
//
// Only edges inside comp count: an execution that stays in comp takes no others.
func (g *lassoGraph) fairness(comp []int32) (required requirementSet, satisfied []int) {
	required.index = make(map[requirement]int)
	for _, n := range comp {
		g.nodes[n].eachRequirement(func(x requirement) bool {
			required.add(x)
			return true
		})
	}
	satisfied = make([]int, len(required.list))
	for i := range satisfied {
		satisfied[i] = -1
	}
	satisfies := func(n requirement, edge int32) {
		if i, ok := required.index[n]; ok && satisfied[i] < 0 {
			satisfied[i] = int(edge)
		}
	}
	g.mark(comp)
	for _, n := range comp {
		for _, i := range g.out[n] {
			e := &g.edges[i]
			if !g.inside(e.to) {
				continue
			}
			for _, a := range e.steps {
				satisfies(requirement{g: a.G, choice: -1}, i)
			}
			// Only the first step of an edge can have had alternatives.
			for _, o := range g.nodes[n].choices {
				if o.g == e.steps[0].G {
					satisfies(requirement{o.g, o.fn, o.pc, e.steps[0].Choice}, i)
				}
			}
		}
	}
	return required, satisfied
}

// lasso builds a walk from node 0 to comp, through any nodes, and a loop inside comp that takes all edges.
// An edge that an earlier walk has taken satisfies its requirement already.
//
//	node 0 ──prefix──▶ start ──▶ e1 ──▶ e2 ──▶ ... ──▶ start
//	                   └──────────── loop ────────────┘
//
// The loop is not the shortest one: that would be a travelling salesman's problem. reportLasso cuts
// it where it is already fair.
func (g *lassoGraph) lasso(all, comp []int32, edges []int) (prefix, loop []trace.Step) {
	target := make(map[int32]bool, len(comp))
	for _, n := range comp {
		target[n] = true
	}
	g.mark(all)
	walk, start := g.shortest(0, func(n int32) bool { return target[n] })
	for _, e := range walk {
		prefix = append(prefix, g.edges[e].steps...)
	}
	g.mark(comp)
	taken := make(map[int32]bool)
	at := start
	take := func(edges ...int32) {
		for _, e := range edges {
			taken[e] = true
			loop = append(loop, g.edges[e].steps...)
			at = g.edges[e].to
		}
	}
	for _, e := range edges {
		if e := int32(e); !taken[e] {
			walk, _ := g.shortest(at, func(n int32) bool { return n == g.edges[e].from })
			take(walk...)
			take(e)
		}
	}
	walk, _ = g.shortest(at, func(n int32) bool { return n == start })
	take(walk...)
	return prefix, loop
}

// shortest returns the edges of a shortest walk inside the marked set from a node to a target, and that
// target. There must be one.
//
// It searches breadth first, by edges in the order in which the search found them: the same program always
// gives the same loop.
func (g *lassoGraph) shortest(from int32, target func(int32) bool) (walk []int32, to int32) {
	if target(from) {
		return nil, from
	}
	by := make(map[int32]int32) // node → edge by which it was reached
	queue := []int32{from}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, e := range g.out[n] {
			m := g.edges[e].to
			if _, seen := by[m]; seen || m == from || !g.inside(m) {
				continue
			}
			by[m] = e
			if !target(m) {
				queue = append(queue, m)
				continue
			}
			for at := m; at != from; at = g.edges[by[at]].from {
				walk = append(walk, by[at])
			}
			slices.Reverse(walk)
			return walk, m
		}
	}
	panic("BUG: por: a component is not strongly connected")
}

// split returns the strongly connected components of the subgraph of nodes
// that have an edge (Tarjan's algorithm without recursion).
//
// A component of one node counts only if it has an edge to itself: otherwise no execution stays
// there. low and num are Tarjan's; path is the stack of recursion, stack has the nodes whose
// component is not complete. The nodes of a subgraph need other numbers than in the search.
func (g *lassoGraph) split(nodes []int32) (comps [][]int32) {
	g.mark(nodes)
	type info struct {
		num, low int32 // num 0: not seen
		next     int   // outgoing edges followed
		open     bool
	}
	at := make(map[int32]*info, len(nodes))
	for _, n := range nodes {
		at[n] = &info{}
	}
	var stack, path []int32
	count := int32(0)
	for _, root := range nodes {
		if at[root].num != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			n := path[len(path)-1]
			x := at[n]
			if x.num == 0 {
				count++
				x.num, x.low, x.open = count, count, true
				stack = append(stack, n)
			}
			if x.next < len(g.out[n]) {
				m := g.edges[g.out[n][x.next]].to
				x.next++
				if !g.inside(m) {
					continue
				}
				if y := at[m]; y.num == 0 {
					path = append(path, m)
				} else if y.open {
					x.low = min(x.low, y.num)
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := at[path[len(path)-1]]
				p.low = min(p.low, x.low)
			}
			if x.low != x.num {
				continue
			}
			i := len(stack) - 1
			for stack[i] != n {
				i--
			}
			comp := slices.Clone(stack[i:])
			stack = stack[:i]
			for _, m := range comp {
				at[m].open = false
			}
			if len(comp) > 1 || g.selfLoop(n) {
				comps = append(comps, comp)
			}
		}
	}
	return comps
}

// selfLoop reports whether one of n's outgoing edges leads to n.
func (g *lassoGraph) selfLoop(n int32) bool {
	return slices.ContainsFunc(g.out[n], func(e int32) bool { return g.edges[e].to == n })
}

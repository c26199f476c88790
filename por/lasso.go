package por

import "hbcheck.dev/hbcheck/trace"

// lassoGraph is one strongly connected component of the state graph. Node 0
// is the state in which the search entered it.
type lassoGraph struct {
	nodes []lassoNode
	edges []lassoEdge
}

type lassoNode struct {
	enabled []trace.GID
	options []option
}

type lassoEdge struct {
	from, to int32
	steps    []trace.Step
}

// A need is something that fairness demands of an infinite execution: that a
// goroutine moves, or that an operation takes one of its alternatives.
type need struct {
	g      trace.GID
	fn, pc uint32
	choice int // -1: any move of g
}

// fairLasso looks for a fair infinite execution inside the component (the
// emptiness check for Streett conditions: Emerson and Lei 1987). It returns
// the steps from node 0 to a state and a loop from that state to itself that
// satisfies every need of every state on it, or a nil loop.
func (g *lassoGraph) fairLasso() (prefix, loop []trace.Step) {
	all := make([]bool, len(g.nodes))
	for i := range all {
		all[i] = true
	}
	work := [][]bool{all}
	for len(work) > 0 {
		in := work[len(work)-1]
		work = work[:len(work)-1]
		for _, comp := range g.split(in) {
			needs, met := g.fairness(comp)
			unmet := make([]bool, len(needs.list))
			fair := true
			for i := range unmet {
				unmet[i] = met[i] < 0
				fair = fair && !unmet[i]
			}
			if fair {
				return g.lasso(all, comp, met)
			}
			// No fair execution stays where an unmet need arises.
			rest, left := make([]bool, len(g.nodes)), false
			for n := range comp {
				if comp[n] && !needs.arises(g.nodes[n], unmet) {
					rest[n], left = true, true
				}
			}
			if left {
				work = append(work, rest)
			}
		}
	}
	return nil, nil
}

// needSet numbers the needs of a component.
type needSet struct {
	list  []need
	index map[need]int
}

func (s *needSet) add(n need) {
	if _, ok := s.index[n]; !ok {
		s.index[n] = len(s.list)
		s.list = append(s.list, n)
	}
}

// arises reports whether one of the needs marked in which arises in n.
func (s *needSet) arises(n lassoNode, which []bool) bool {
	for _, g := range n.enabled {
		if which[s.index[need{g: g, choice: -1}]] {
			return true
		}
	}
	for _, o := range n.options {
		for c := range o.n {
			if which[s.index[need{o.g, o.fn, o.pc, c}]] {
				return true
			}
		}
	}
	return false
}

// fairness collects the needs that arise in comp and, for each, the first
// edge inside comp that meets it, or -1.
func (g *lassoGraph) fairness(comp []bool) (needs needSet, met []int) {
	needs.index = make(map[need]int)
	for n, node := range g.nodes {
		if !comp[n] {
			continue
		}
		for _, gid := range node.enabled {
			needs.add(need{g: gid, choice: -1})
		}
		for _, o := range node.options {
			for c := range o.n {
				needs.add(need{o.g, o.fn, o.pc, c})
			}
		}
	}
	met = make([]int, len(needs.list))
	for i := range met {
		met[i] = -1
	}
	meet := func(n need, edge int) {
		if i, ok := needs.index[n]; ok && met[i] < 0 {
			met[i] = edge
		}
	}
	for i, e := range g.edges {
		if !comp[e.from] || !comp[e.to] {
			continue
		}
		for _, a := range e.steps {
			meet(need{g: a.G, choice: -1}, i)
		}
		// Only the first step of an edge can have had alternatives.
		for _, o := range g.nodes[e.from].options {
			if o.g == e.steps[0].G {
				meet(need{o.g, o.fn, o.pc, e.steps[0].Choice}, i)
			}
		}
	}
	return needs, met
}

// lasso builds a walk from node 0 through all nodes to comp, and a loop inside
// comp that takes every edge of must.
func (g *lassoGraph) lasso(all, comp []bool, must []int) (prefix, loop []trace.Step) {
	target := func(n int32) bool { return comp[n] }
	walk, start := g.shortest(all, 0, target)
	for _, e := range walk {
		prefix = append(prefix, g.edges[e].steps...)
	}
	taken := make(map[int]bool)
	at := start
	take := func(edges ...int) {
		for _, e := range edges {
			taken[e] = true
			loop = append(loop, g.edges[e].steps...)
			at = g.edges[e].to
		}
	}
	for _, e := range must {
		if !taken[e] {
			walk, _ := g.shortest(comp, at, func(n int32) bool { return n == g.edges[e].from })
			take(walk...)
			take(e)
		}
	}
	walk, _ = g.shortest(comp, at, func(n int32) bool { return n == start })
	take(walk...)
	return prefix, loop
}

// shortest returns the edges of a shortest walk inside in from a node to one
// that is a target, and that node. There must be one.
func (g *lassoGraph) shortest(in []bool, from int32, target func(int32) bool) (walk []int, to int32) {
	if target(from) {
		return nil, from
	}
	out := g.outgoing(in)
	by := make(map[int32]int) // node -> edge it was reached by
	queue := []int32{from}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, e := range out[n] {
			m := g.edges[e].to
			if _, seen := by[m]; seen || m == from {
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
			for i, j := 0, len(walk)-1; i < j; i, j = i+1, j-1 {
				walk[i], walk[j] = walk[j], walk[i]
			}
			return walk, m
		}
	}
	panic("BUG: por: a component is not strongly connected")
}

// outgoing lists the edges of each node that stay inside in.
func (g *lassoGraph) outgoing(in []bool) [][]int {
	out := make([][]int, len(g.nodes))
	for i, e := range g.edges {
		if in[e.from] && in[e.to] {
			out[e.from] = append(out[e.from], i)
		}
	}
	return out
}

// split returns the strongly connected components of the subgraph inside in
// that have an edge (Tarjan's algorithm without recursion).
func (g *lassoGraph) split(in []bool) (comps [][]bool) {
	out := g.outgoing(in)
	num := make([]int32, len(g.nodes)) // 0: not seen
	low := make([]int32, len(g.nodes))
	open := make([]bool, len(g.nodes))
	next := make([]int, len(g.nodes)) // outgoing edges followed
	var stack, path []int32
	count := int32(0)
	for root := range g.nodes {
		if !in[root] || num[root] != 0 {
			continue
		}
		path = append(path, int32(root))
		for len(path) > 0 {
			n := path[len(path)-1]
			if num[n] == 0 {
				count++
				num[n], low[n], open[n] = count, count, true
				stack = append(stack, n)
			}
			if next[n] < len(out[n]) {
				m := g.edges[out[n][next[n]]].to
				next[n]++
				if num[m] == 0 {
					path = append(path, m)
				} else if open[m] {
					low[n] = min(low[n], num[m])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := path[len(path)-1]
				low[p] = min(low[p], low[n])
			}
			if low[n] != num[n] {
				continue
			}
			comp, size, m := make([]bool, len(g.nodes)), 0, int32(-1)
			for m != n {
				m = stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				open[m], comp[m] = false, true
				size++
			}
			if size > 1 || g.selfLoop(out[n], n) {
				comps = append(comps, comp)
			}
		}
	}
	return comps
}

// selfLoop reports whether one of n's outgoing edges leads to n.
func (g *lassoGraph) selfLoop(out []int, n int32) bool {
	for _, e := range out {
		if g.edges[e].to == n {
			return true
		}
	}
	return false
}

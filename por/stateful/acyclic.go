package stateful

import "unsafe"

// stateGraph has the states that a search in rounds has met, by their numbers, and all edges between them.
type stateGraph struct {
	orders []uint32 // by state: the word of the state once it is closed: see closedIn
	edges  [][]edge // edges in pieces, so that growing copies no edge
	n      int      // number of edges
}

// largestPiece is the largest number of edges in a piece of a list.
const largestPiece = 1 << 15

// An edge leads from a state to one that the search has reached next.
type edge struct{ from, to uint32 }

// next returns the number of the next state.
func (g *stateGraph) next() uint32 { return firstOpen + uint32(len(g.orders)) }

// add adds a state.
func (g *stateGraph) add(order uint64) { g.orders = append(g.orders, closedIn(order)) }

// connect adds an edge.
func (g *stateGraph) connect(from, to uint32) {
	last := len(g.edges) - 1
	if last < 0 || len(g.edges[last]) == cap(g.edges[last]) {
		g.edges = append(g.edges, make([]edge, 0, min(max(64, g.n), largestPiece)))
		last++
	}
	g.edges[last] = append(g.edges[last], edge{from, to})
	g.n++
}

// bytes returns the size of the graph in memory, including that of cyclic.
func (g *stateGraph) bytes() int64 {
	return int64(len(g.orders))*(4+12) + int64(g.n)*(int64(unsafe.Sizeof(edge{}))+4)
}

// cyclic reports whether there is a cycle (Kahn 1962):
//
//	1  while a state remains to which no edge leads
//	2      remove it, and the edges that begin in it
//	3  report whether a state remains
func (g *stateGraph) cyclic() bool {
	n := len(g.orders)
	first := make([]uint32, n+1) // index in to of the edges that begin in each state
	leads := make([]uint32, n)   // number of edges that lead to each state
	for _, piece := range g.edges {
		for _, e := range piece {
			first[e.from-firstOpen+1]++
			leads[e.to-firstOpen]++
		}
	}
	for i := range n {
		first[i+1] += first[i]
	}
	to := make([]uint32, g.n)
	at := make([]uint32, n)
	copy(at, first)
	for _, piece := range g.edges {
		for _, e := range piece {
			i := &at[e.from-firstOpen]
			to[*i] = e.to - firstOpen
			*i++
		}
	}
	free := at[:0] // elements are overwritten only after their use, because each state becomes free once
	for i := range n {
		if leads[i] == 0 {
			free = append(free, uint32(i))
		}
	}
	for k := 0; k < len(free); k++ { // 1
		i := free[k]
		for _, j := range to[first[i]:first[i+1]] { // 2
			if leads[j]--; leads[j] == 0 {
				free = append(free, j)
			}
		}
	}
	//mutant: rounds: what comes after a cycle is on it [inRounds]: false
	return len(free) < n // 3
}

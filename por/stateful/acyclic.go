package stateful

import "unsafe"

// stateGraph are the states that a search in rounds has met, by their numbers, and all edges between them.
type stateGraph struct {
	orders []uint32 // of each state the word that it would have if it were closed: see closedIn
	edges  [][]edge // in pieces, so that none is copied when there are more
	n      int      // of edges
}

// largestPiece is how many edges a piece of a list has at most.
const largestPiece = 1 << 15

// An edge leads from a state to one that the search has come to next.
type edge struct{ from, to uint32 }

// next is the number of the next state.
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

// bytes is its memory, with what cyclic takes.
func (g *stateGraph) bytes() int64 {
	return int64(len(g.orders))*(4+12) + int64(g.n)*(int64(unsafe.Sizeof(edge{}))+4)
}

// cyclic reports whether there is a cycle (Kahn 1962):
//
//	1  while a state is left to which no edge leads
//	2      take it away, and the edges that begin in it
//	3  report whether a state is left
func (g *stateGraph) cyclic() bool {
	n := len(g.orders)
	first := make([]uint32, n+1) // where the edges that begin in each state are listed in to
	leads := make([]uint32, n)   // how many edges lead to each
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
	free := at[:0] // its elements have been used when they are overwritten: each state is free once
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

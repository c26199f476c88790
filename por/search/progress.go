package search

import "hbcheck.dev/hbcheck/por"

// Progress returns the progress of the search, for display only.
func (s *Driver) Progress() por.Progress {
	p := por.Progress{Depth: len(s.Path)}
	if s.Estimate != nil {
		s.Estimate(&p)
	}
	return p
}

// Done estimates the explored part of a search, assuming that all subtrees of a node are equal.
// node returns the number of explored alternatives of node i on the stack, before the current one,
// and the number of all its alternatives.
//
// For a node with k alternatives, of which n have been explored and one is being explored, it adds
// n/k of the node's share; the alternative being explored has 1/k of the share, which the nodes
// above divide among themselves. More alternatives may be found while the last one is explored, so
// the result may decrease.
func Done(nodes int, node func(i int) (explored, of int)) (part float64) {
	const least = 1e-16 // nodes with less weigh less than the rounding error
	share := 1.0
	for i := 0; i < nodes && share > least; i++ {
		explored, of := node(i)
		if of > 1 {
			share /= float64(of)
			part += share * float64(min(explored, of-1))
		}
	}
	return part
}

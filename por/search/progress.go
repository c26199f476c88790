package search

import "hbcheck.dev/hbcheck/por"

// Progress is where the search is. It is shown while a long search runs, and decides nothing.
func (s *Driver) Progress() por.Progress {
	p := por.Progress{Depth: len(s.Path)}
	if s.Estimate != nil {
		s.Estimate(&p)
	}
	return p
}

// Done estimates which part of a search is done, as if all subtrees of a node were equal. node returns of
// how many alternatives of node i on the stack so many have been explored before the present one.
//
// Of a node with k alternatives, of which n have been explored and one is being explored, it adds n/k of the
// node's share; the one being explored has 1/k of it, which the nodes above divide. More alternatives may
// be found while the last one is explored, so that what is done may become less.
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

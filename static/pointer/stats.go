package pointer

// Stats are the sizes of an analysis.
type Stats struct {
	Functions   int // that may be called
	Activations int // functions in contexts
	Calls       int // edges between activations
	Objects     int
	Variables   int    // registers and leaves that hold something
	Constraints int    // copies between variables, and reactions to their elements
	Facts       int    // elements of all points-to sets
	Work        uint64 // elements that were passed on, once for each receiver
}

// Stats returns the sizes of the analysis.
func (r *Result) Stats() Stats {
	a := r.a
	s := Stats{Functions: len(r.ctxs), Activations: len(a.insts), Calls: a.edges, Objects: len(a.objs) - 1, Variables: int(a.nvar) - 1, Work: a.work}
	for _, slab := range a.slabs {
		for i := range slab {
			s.Facts += len(slab[i].elems)
			s.Constraints += len(slab[i].copies) + len(slab[i].cons)
		}
	}
	return s
}

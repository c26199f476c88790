package pointer

import "go/types"

// Paths through memory, for queries that name expressions instead of SSA values.

// Load returns the addresses that the pointers at the addresses in s may point to.
func (r *Result) Load(s Set) Set {
	var nodes []nodeID
	for _, n := range s.nodes {
		nodes = append(nodes, r.a.value(n)...)
	}
	return r.a.setOf(nodes)
}

// Field returns the addresses of field i of the structs, of type t, at the
// addresses in s.
func (r *Result) Field(s Set, t types.Type, i int) Set {
	return r.moved(s, place{}.plus(&r.a.lays.of(t).parts[i]))
}

// Elem returns the addresses of the elements of the maps or channels in s, of type
// t. The elements of arrays and slices are at the address of the array.
func (r *Result) Elem(s Set, t types.Type) Set {
	switch t := t.Underlying().(type) {
	case *types.Map:
		return r.moved(s, r.a.in(r.a.lays.mapOf(t), 1))
	case *types.Chan:
		return r.moved(s, r.a.in(r.a.lays.chanOf(t), 0))
	}
	return s
}

// Boxes returns the addresses of the values of type t in the interfaces in s. If
// t is pointer-shaped, the pointer is the content there.
func (r *Result) Boxes(s Set, t types.Type) Set {
	t = r.a.lays.canonical(t)
	var nodes []nodeID
	for _, n := range s.nodes {
		if o := r.a.objectOf(n); o.isBox() && o.Type == t {
			nodes = append(nodes, n)
		}
	}
	return r.a.setOf(nodes)
}

// Union returns the union of sets.
func (r *Result) Union(sets ...Set) Set {
	var nodes []nodeID
	for _, s := range sets {
		nodes = append(nodes, s.nodes...)
	}
	return r.a.setOf(nodes)
}

func (r *Result) moved(s Set, pl place) Set {
	var nodes []nodeID
	for _, n := range s.nodes {
		nodes = append(nodes, r.a.at(n, pl))
	}
	return r.a.setOf(nodes)
}

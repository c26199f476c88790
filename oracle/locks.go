package oracle

import (
	"go/types"
	"slices"

	"hbcheck.dev/hbcheck/static"
)

// overwritesLocks reports whether code outside the models may write to a
// synchronisation object through an address whose type says nothing: one that has
// been an unsafe.Pointer. It then counts as copying locks. Reading by reflection does
// not: that unlocks nothing.
func overwritesLocks(g *static.CallGraph, n Natives) bool {
	acc := g.Accesses()
	for _, fn := range g.Pointers.Reachable() {
		if n.Trusted(fn) || g.Body(fn) != fn || g.Pointers.IsOpaque(fn) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				found := false
				acc.Direct(i, g.Where, func(x static.Access) {
					found = found || x.Key == 0 && x.Write && slices.ContainsFunc(acc.Objs.Elems(x.Objs), func(o int) bool {
						t := g.Object(o).Type
						return t != nil && IsSync(types.NewPointer(t))
					})
				})
				if found {
					return true
				}
			}
		}
	}
	return false
}

// IsSync reports whether a value of type t is a channel or a pointer to a
// synchronisation object of package sync, or to a struct that has one.
func IsSync(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Pointer:
		if n, ok := types.Unalias(u.Elem()).(*types.Named); ok {
			if p := n.Obj().Pkg(); p != nil && p.Path() == "sync" {
				return n.Obj().Exported() // an unexported type is the models' own
			}
		}
		if st, ok := u.Elem().Underlying().(*types.Struct); ok {
			for v := range st.Fields() {
				if IsSync(types.NewPointer(v.Type())) {
					return true
				}
			}
		}
	}
	return false
}

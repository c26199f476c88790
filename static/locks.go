package static

import (
	"go/types"
	"slices"
)

// HasLocks implements Program.
func (g *CallGraph) HasLocks(objs Set) bool {
	has, ok := g.locks[objs]
	if !ok {
		has = slices.ContainsFunc(g.acc.Objs.Elems(objs), func(o int) bool {
			t := g.Object(o).Type
			return t != nil && IsSync(types.NewPointer(t))
		})
		g.locks[objs] = has
	}
	return has
}

// IsSync reports whether a value of type t is a channel or a pointer to a
// synchronisation object of package sync, or to a struct or an array that has one.
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
		switch t := u.Elem().Underlying().(type) {
		case *types.Array:
			//mutant: locks in arrays are none [reflected unsafelyAtomic]: false
			return IsSync(types.NewPointer(t.Elem()))
		case *types.Struct:
			for v := range t.Fields() {
				if IsSync(types.NewPointer(v.Type())) {
					return true
				}
			}
		}
	}
	return false
}

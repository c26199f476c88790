package explore

import (
	"go/types"
	"slices"

	"hbcheck.dev/hbcheck/static"
)

// overwritesLocks reports whether code that is not of the models may write to what
// synchronises through an address whose type says nothing: one that has been an
// unsafe.Pointer. It then counts as copying locks, as reading by reflection does
// not: that unlocks nothing.
func overwritesLocks(g *static.CallGraph, n natives) bool {
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
						return t != nil && synchronises(types.NewPointer(t))
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

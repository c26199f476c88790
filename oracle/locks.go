package oracle

import "hbcheck.dev/hbcheck/static"

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
					found = found || x.Key == 0 && x.Write && g.HasLocks(x.Objs)
				})
				if found {
					return true
				}
			}
		}
	}
	return false
}

package observable

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// exits checks claim 2 of OrderMatters for a loop that may end early.
//
// The order does not decide whether an entry ends the loop early, but it decides which entry does. So neither
// effects nor variables that are passed on may depend on the entry, and all exits have the same target with
// the same values.
func (l *mapLoop) exits() bool {
	//mutant: what a loop reads that ends early does not count [order]: drop 4
	if len(l.effects) > 0 || l.private || l.nested() || l.varies {
		return false
	}
	for _, i := range l.head.Instrs {
		if _, ok := i.(*ssa.Phi); ok {
			return false
		}
	}
	to := l.early[0].to
	for _, e := range l.early {
		if e.to != to && !sameReturn(e.to, to) {
			return false
		}
	}
	// Values computed in the loop are not used after it, except by phis with the same value for each
	// of the exits.
	for _, b := range l.blocks() {
		for _, i := range b.Instrs {
			v, ok := i.(ssa.Value)
			if !ok || v.Referrers() == nil {
				continue
			}
			for _, u := range *v.Referrers() {
				if !l.in(u) {
					return false
				}
			}
		}
	}
	for _, i := range to.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		var one ssa.Value
		for k, p := range to.Preds {
			if !l.body[p] || p == l.head {
				continue
			}
			if one != nil && !sameValue(one, phi.Edges[k]) {
				return false
			}
			one = phi.Edges[k]
		}
	}
	return true
}

// sameReturn reports whether the blocks only return, with the same values.
func sameReturn(a, b *ssa.BasicBlock) bool {
	return slices.EqualFunc(a.Instrs, b.Instrs, func(i, j ssa.Instruction) bool {
		if _, ok := i.(*ssa.RunDefers); ok {
			_, ok = j.(*ssa.RunDefers)
			return ok
		}
		x, ok := i.(*ssa.Return)
		y, ok2 := j.(*ssa.Return)
		//mutant: returns return the same [order]: "slices.EqualFunc(x.Results, y.Results, sameValue" -> "len(x.Results) == len(y.Results"
		return ok && ok2 && slices.EqualFunc(x.Results, y.Results, sameValue)
	})
}

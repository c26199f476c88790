package observable

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Claim 3 of OrderMatters for a slice that the iterations fill by an index, and that is sorted right after
// the loop:
//
//	keys := make([]string, len(m))
//	for k := range m { keys[i] = k; i++ }
//	sort.Strings(keys)
//
//	head: i = phi(0, i')        body: a = &keys[i]; *a = k; i' = i + 1
//
// Claim: the order makes no difference. Each iteration writes one element, and i counts the iterations, so
// that after all of them the slice has the same elements in each order, and the same sorted ones. Nothing
// else refers to the slice before it is sorted, so no code sees the elements in between. That also holds if
// the index is out of range: this happens in the same iteration in each order, and the loop has no other
// effect that would show the entries before the panic.

// fills checks this for an index, and explains its instructions.
func (l *mapLoop) fills(p *ssa.Phi) bool {
	var next *ssa.BinOp
	for k, from := range l.head.Preds {
		if !l.body[from] {
			continue
		}
		x, ok := p.Edges[k].(*ssa.BinOp)
		if !ok || next != nil && x != next || x.Op != token.ADD || x.X != ssa.Value(p) || !isOne(x.Y) {
			return false
		}
		next = x
	}
	if next == nil || !l.onlyIn(next, p) {
		return false
	}
	var at *ssa.IndexAddr
	for _, u := range *p.Referrers() {
		x, ok := u.(*ssa.IndexAddr)
		switch {
		case u == ssa.Instruction(next), !l.in(u):
		case !ok || at != nil || x.Index != ssa.Value(p):
			return false
		default:
			at = x
		}
	}
	if at == nil || len(*at.Referrers()) != 1 {
		return false
	}
	st, ok := (*at.Referrers())[0].(*ssa.Store)
	if !ok || st.Addr != ssa.Value(at) || !l.always(st.Block()) {
		return false
	}
	keys, ok := at.X.(*ssa.MakeSlice)
	//mutant: slices that are filled need not be sorted [order]: "!l.sorted(keys)" -> "false"
	if !ok || l.in(keys) || !l.sorted(keys) {
		return false
	}
	for _, u := range *keys.Referrers() { // sorted has inspected those after the loop
		if u != ssa.Instruction(at) && !l.done.Dominates(u.Block()) {
			return false
		}
	}
	for _, i := range []ssa.Instruction{p, next, at, st} {
		l.taken[i] = true
	}
	l.filled = true
	return true
}

// onlyIn reports whether all uses of v are in p.
func (l *mapLoop) onlyIn(v ssa.Value, p *ssa.Phi) bool {
	for _, u := range *v.Referrers() {
		if u != ssa.Instruction(p) {
			return false
		}
	}
	return true
}

// always reports whether each iteration executes block b, once.
func (l *mapLoop) always(b *ssa.BasicBlock) bool {
	for _, from := range l.head.Preds {
		if l.body[from] && !b.Dominates(from) {
			return false
		}
	}
	return !l.repeats(b)
}

// repeats reports whether b is in a loop inside of the body.
func (l *mapLoop) repeats(b *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{l.head: true}
	var back func(x *ssa.BasicBlock) bool
	back = func(x *ssa.BasicBlock) bool {
		for _, s := range x.Succs {
			if s == b {
				return true
			}
			if l.body[s] && !seen[s] {
				seen[s] = true
				if back(s) {
					return true
				}
			}
		}
		return false
	}
	return back(b)
}

func isOne(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Int64() == 1
}

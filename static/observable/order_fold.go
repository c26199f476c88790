package observable

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Claim 3 of OrderMatters: iterations hand on a variable, and combine it with the entry in a way
// that does not depend on the order. Additions of floats depend on the order, because they are not
// associative.
//
//	sum = phi(0, sum')     sum' = sum + v            chain: sum, sum'
//	max = phi(0, max')     max' = phi(max, v)        if v > max { max = v }

// A fold is an operation that combines an accumulator with an entry.
type fold struct {
	op  string    // "+", "max", "set", "append", ...; empty: not at all
	set ssa.Value // the constant of "set"
}

// accumulates checks claim 3 for a variable that iterations hand on.
//
// The chain has all values between the phi and its value in the next iteration. If something else read one
// of them, it would see an intermediate value, which depends on the order.
func (l *mapLoop) accumulates(p *ssa.Phi) bool {
	a := &accumulator{l: l, p: p, chain: map[ssa.Value]bool{p: true}, used: map[ssa.Instruction]bool{}}
	for k, from := range l.head.Preds {
		if l.body[from] && !a.chosen(p, k) && !a.follow(p.Edges[k]) {
			return false
		}
	}
	if a.mixed {
		return false
	}
	// Nothing else in the loop uses the intermediate values.
	for v := range a.chain {
		for _, u := range *v.Referrers() {
			if l.in(u) && !a.used[u] {
				w, ok := u.(ssa.Value)
				if !ok || !a.chain[w] {
					return false
				}
			} else if !l.in(u) && v != ssa.Value(p) {
				return false // only an early exit leads there
			}
		}
	}
	if a.fold.op == "append" {
		//mutant: slices need not be sorted [order]
		if !l.sorted(p) {
			return false
		}
		l.appends = append(l.appends, p.Type().Underlying().(*types.Slice).Elem())
		for k, from := range l.head.Preds {
			if !l.body[from] && !ownArray(p.Edges[k]) {
				l.effects = append(l.effects, a.calls()...)
			}
		}
	}
	for v := range a.chain {
		l.taken[v.(ssa.Instruction)] = true
	}
	return true
}

// calls returns the calls of append.
func (a *accumulator) calls() []ssa.Instruction {
	var list []ssa.Instruction
	for _, b := range a.l.blocks() {
		for _, i := range b.Instrs {
			if x, ok := i.(*ssa.Call); ok && a.chain[x] {
				list = append(list, x)
			}
		}
	}
	return list
}

// ownArray reports whether the slice v has no array, or one to which nothing else refers.
func ownArray(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.MakeSlice:
		return len(*x.Referrers()) == 1
	case *ssa.Slice:
		a, ok := x.X.(*ssa.Alloc)
		return ok && len(*a.Referrers()) == 1 && len(*x.Referrers()) == 1
	}
	return false
}

// An accumulator is a variable that iterations hand on.
type accumulator struct {
	l     *mapLoop
	p     *ssa.Phi
	fold  fold
	chain map[ssa.Value]bool
	used  map[ssa.Instruction]bool // comparisons that choose a maximum
	mixed bool                     // the value combines several folds
}

// is records that the accumulator is folded by f, and reports whether f commutes with the other folds. A
// maximum and a sum of the same variable do not: (x max a) + b is not (x + b) max a.
func (a *accumulator) is(f fold) bool {
	if a.fold.op == "" {
		a.fold = f
		return true
	}
	//mutant: folds are mixed [order]: drop 1
	return a.fold.op == f.op && (f.set == nil || sameValue(a.fold.set, f.set))
}

// follow looks for the accumulator in the computation of v, a value that is assigned to it.
//
// It goes backwards, from the value that the next iteration gets. On each path it has to reach the
// accumulator itself (which this iteration then folds, or leaves unchanged), or a constant.
func (a *accumulator) follow(v ssa.Value) bool {
	if a.chain[v] {
		return true
	}
	if c, ok := v.(*ssa.Const); ok {
		return a.is(fold{op: "set", set: c})
	}
	i, ok := v.(ssa.Instruction)
	if !ok || !a.l.in(i) {
		return false
	}
	switch x := v.(type) {
	case *ssa.Phi:
		if x.Block() == a.l.head {
			return false
		}
		a.chain[x] = true
		for k, e := range x.Edges {
			if !a.chosen(x, k) && !a.follow(e) {
				return false
			}
		}
		return true
	case *ssa.BinOp:
		if !integer(x.Type()) {
			return false
		}
		op, left, right := x.Op.String(), x.X, x.Y
		switch x.Op {
		case token.ADD, token.MUL, token.AND, token.OR, token.XOR:
			if !a.leads(left) {
				left, right = right, left
			}
		case token.SUB:
			op = "+"
		default:
			return false
		}
		if !a.leads(left) || a.leads(right) {
			return false
		}
		a.chain[x] = true
		return a.is(fold{op: op}) && a.follow(left)
	case *ssa.Call:
		b, ok := x.Call.Value.(*ssa.Builtin)
		if !ok || len(x.Call.Args) != 2 {
			return false
		}
		left, right := x.Call.Args[0], x.Call.Args[1]
		switch b.Name() {
		case "max", "min":
			if !integer(x.Type()) {
				return false
			}
			if !a.leads(left) {
				left, right = right, left
			}
		case "append":
		default:
			return false
		}
		if !a.leads(left) || a.leads(right) {
			return false
		}
		a.chain[x] = true
		return a.is(fold{op: b.Name()}) && a.follow(left)
	}
	return false
}

// leads reports whether v is computed from the accumulator.
func (a *accumulator) leads(v ssa.Value) bool { return a.reaches(v, map[ssa.Value]bool{}) }

// reaches follows operands within the loop only: a value from outside is the same in each iteration.
func (a *accumulator) reaches(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == ssa.Value(a.p) || a.chain[v] {
		return true
	}
	i, ok := v.(ssa.Instruction)
	if !ok || seen[v] || !a.l.in(i) {
		return false
	}
	seen[v] = true
	for _, o := range i.Operands(nil) {
		if *o != nil && a.reaches(*o, seen) {
			return true
		}
	}
	return false
}

// chosen recognises edge k of x = phi(p, e), the edge of e, in "if e > p { p = e }", where nothing else
// depends on the comparison, and notes the fold.
//
//	test: c = e > p; if c ──▶ from: (empty) ──▶ x = phi(p, e)
//	                 └─────────── not ────────▶
func (a *accumulator) chosen(x *ssa.Phi, k int) bool {
	e, from := x.Edges[k], x.Block().Preds[k]
	if !integer(x.Type()) || !a.l.body[from] || len(from.Instrs) != 1 || len(from.Preds) != 1 || a.leads(e) {
		return false
	}
	test := from.Preds[0]
	not := slices.Index(x.Block().Preds, test)
	branch, ok := test.Instrs[len(test.Instrs)-1].(*ssa.If)
	if !ok || not < 0 || x.Edges[not] != ssa.Value(a.p) || test.Succs[0] != from || test.Succs[1] != x.Block() {
		return false
	}
	for _, i := range x.Block().Instrs {
		if phi, ok := i.(*ssa.Phi); ok && phi != x && phi.Edges[k] != phi.Edges[not] {
			return false
		}
	}
	c, ok := branch.Cond.(*ssa.BinOp)
	if !ok || len(*c.Referrers()) != 1 {
		return false
	}
	greater := c.Op == token.GTR || c.Op == token.GEQ
	switch {
	case !greater && c.Op != token.LSS && c.Op != token.LEQ:
		return false
	case c.X == e && c.Y == ssa.Value(a.p):
	case c.Y == e && c.X == ssa.Value(a.p):
		greater = !greater
	default:
		return false
	}
	a.used[c] = true
	op := "min"
	if greater {
		op = "max"
	}
	a.mixed = a.mixed || !a.is(fold{op: op})
	return true
}

// integer reports whether t is a type of integers.
func integer(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// plainOrder reports whether < orders all values of the type, and equal values are identical.
func plainOrder(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// sorted reports whether the slice p is sorted after the loop before it is used.
//
// Only strings and integers qualify: equal elements are identical, so the sorted slice does not
// depend on the order of the appends.
// The call must come first in the block in which the loop ends, as an instruction before it could
// read the slice.
func (l *mapLoop) sorted(p ssa.Value) bool {
	s, ok := p.Type().Underlying().(*types.Slice)
	if !ok || !plainOrder(s.Elem()) || len(l.early) > 0 || len(l.done.Preds) != 1 {
		return false
	}
	for _, i := range l.done.Instrs {
		switch x := i.(type) {
		case *ssa.MakeInterface, *ssa.ChangeType:
			continue
		case *ssa.Call:
			f := x.Call.StaticCallee()
			if f == nil || len(x.Call.Args) != 1 || x.Call.Args[0] != p {
				return false
			}
			if o := f.Origin(); o != nil {
				f = o
			}
			switch f.String() {
			case "sort.Strings", "sort.Ints", "slices.Sort":
				return l.only(p, x)
			}
		}
		return false
	}
	return false
}

// only reports whether the first use of p after the loop is call.
func (l *mapLoop) only(p ssa.Value, call *ssa.Call) bool {
	for _, u := range *p.Referrers() {
		b := u.Block()
		switch {
		case u == ssa.Instruction(call), l.body[b]:
		case b == l.done: // instructions before the call have been inspected already
			if _, ok := u.(*ssa.Phi); ok {
				return false
			}
		case !l.done.Dominates(b):
			return false
		}
	}
	return true
}

package observable

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Values that are the same in all iterations of a loop over a map.
//
// The loop of a method reads the map in each iteration, and the pointer before the map:
//
//	for k := range c.items { delete(c.items, k) }       t1 = &c.items; t2 = *t1; delete(t2, k)
//
// Claim: if the address of a load is the same in all iterations, so is the loaded value. For no
// iteration writes what another reads (claim 4 of OrderMatters, writesApart), except for sums of
// integers, and an address is not an integer.

// invariant reports whether v is the same in all iterations.
func (l *mapLoop) invariant(v ssa.Value) bool {
	if l.constant(v) {
		return true
	}
	switch x := v.(type) {
	case *ssa.UnOp:
		//mutant: the map of a loop is another one in each iteration [order]: "addressOrMap(x.Type()) && l.invariant(x.X)" -> "false"
		return x.Op == token.MUL && addressOrMap(x.Type()) && l.invariant(x.X)
	case *ssa.FieldAddr:
		//mutant: what is loaded from where another pointer leads is the same [order]: true
		return l.invariant(x.X)
	}
	return false
}

// constant reports whether v comes from outside of the loop.
func (l *mapLoop) constant(v ssa.Value) bool {
	i, ok := v.(ssa.Instruction)
	if !ok {
		_, parameter := v.(*ssa.Parameter)
		//mutant: callbacks store the same [env TestPrograms/syncmapinitlast]: "!parameter || l.params == nil" -> "true || !parameter"
		return !parameter || l.params == nil
	}
	//mutant: any value is one value [order]: "!l.in(i)" -> "!l.in(i) || i != nil"
	return !l.in(i)
}

// addressOrMap reports whether t is a type of addresses or maps; no sum has such a type.
func addressOrMap(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map:
		return true
	}
	return false
}

// same reports whether a and b are the same in each iteration.
func (l *mapLoop) same(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *ssa.UnOp:
		y, ok := b.(*ssa.UnOp)
		return ok && x.Op == token.MUL && y.Op == token.MUL && l.in(x) && l.in(y) &&
			l.invariant(x) && l.invariant(y) && l.same(x.X, y.X)
	case *ssa.FieldAddr:
		y, ok := b.(*ssa.FieldAddr)
		//mutant: fields of one kind of object are the same [order]: drop 4
		return ok && x.Field == y.Field && types.Identical(x.X.Type(), y.X.Type()) && l.same(x.X, y.X)
	}
	return false
}

// sameValue compares constants by value, as each use in the source is an object of its own.
func sameValue(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := a.(*ssa.Const)
	y, ok2 := b.(*ssa.Const)
	return ok && ok2 && types.Identical(x.Type(), y.Type()) && sameConst(x, y)
}

func sameConst(x, y *ssa.Const) bool {
	if x.Value == nil || y.Value == nil {
		return x.Value == nil && y.Value == nil
	}
	return constant.Compare(x.Value, token.EQL, y.Value)
}

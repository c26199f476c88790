package observable

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Claim 1 of OrderMatters, of variables that are made in the loop: each iteration has others, and each
// call that it makes.
//
//	for k, v := range m { p := point{v, 1}; n += p.sum(); ptrs[k] = &p }
//
// Claim: no iteration has the address of a variable that another one has made. For it would have
// read it from memory that the other one has written to (claim 4), or from what is handed on, and that is
// no address (claim 3). So no other one sees what an iteration does with its variables before it ends.

// made returns the variable that v is the address of, or of a part of, if that is known.
func made(v ssa.Value) *ssa.Alloc {
	for {
		switch x := v.(type) {
		case *ssa.Alloc:
			return x
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return nil
		}
	}
}

// owned: v is the address of a variable, or of a part of one, that each iteration has for itself, or each
// call.
func (l *mapLoop) owned(v ssa.Value, f *frame) bool {
	a := made(v)
	//mutant: variables are made in the loop [order]: " && (f != nil || l.in(a))" -> ""
	return a != nil && (f != nil || l.in(a))
}

// whole: the slice is all of a variable of the iteration, as in the arguments of a call and in a literal.
func (l *mapLoop) whole(x *ssa.Slice, f *frame) bool {
	_, array := x.X.Type().Underlying().(*types.Pointer)
	return array && x.Low == nil && x.High == nil && x.Max == nil && l.owned(x.X, f)
}

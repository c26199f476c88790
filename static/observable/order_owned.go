package observable

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Claim 1 of OrderMatters, for variables that are made in the loop: each iteration has its own, and so
// has each call in it.
//
//	for k, v := range m { p := point{v, 1}; n += p.sum(); ptrs[k] = &p }
//
// Claim: no iteration has the address of a variable that another one has made. Otherwise it would have read
// the address from memory that the other iteration has written (claim 4), or from a variable that is passed
// on, which is not an address (claim 3). So no other iteration sees the writes of an iteration to its
// variables before the loop ends.

// made returns the variable of which v is the address, or the address of a part; nil: unknown.
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

// owned reports whether v is the address of a variable, or of a part of a variable, of which each iteration,
// or each call, has its own.
func (l *mapLoop) owned(v ssa.Value, f *frame) bool {
	a := made(v)
	//mutant: variables are made in the loop [order]: " && (f != nil || l.in(a))" -> ""
	return a != nil && (f != nil || l.in(a))
}

// whole reports whether x is all of a variable of the iteration, as in the arguments of a call and in
// a literal.
func (l *mapLoop) whole(x *ssa.Slice, f *frame) bool {
	_, array := x.X.Type().Underlying().(*types.Pointer)
	return array && x.Low == nil && x.High == nil && x.Max == nil && l.owned(x.X, f)
}

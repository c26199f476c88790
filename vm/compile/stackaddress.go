package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// isNumberOfStack reports whether v makes a number of the address of a variable that has no other use:
//
//	var x byte
//	h := hash(uintptr(unsafe.Pointer(&x)))
//
// gc keeps such a variable on the stack. Programs use the place of the stack: it differs between goroutines,
// and is the same for calls of the same depth. In the machine each execution of the declaration makes a new
// object, so the variable would have another address each time.
//
// A variable that is read or written somewhere may be the argument of a system call.
func isNumberOfStack(v *ssa.Convert) bool {
	p, ok := v.X.(*ssa.Convert)
	if !ok || !usedOnlyBy(p, v) || becomesPointer(v) {
		return false
	}
	x, ok := p.X.(*ssa.Alloc)
	//mutant: the address of a stack is that of an object [test ./internal/native TestOutcomes]: "ok && " -> "ok && false && "
	return ok && usedOnlyBy(x, p)
}

// usedOnlyBy reports whether no other instruction than user uses v.
func usedOnlyBy(v ssa.Value, user ssa.Instruction) bool {
	for _, u := range *v.Referrers() {
		if _, debug := u.(*ssa.DebugRef); u != user && !debug {
			return false
		}
	}
	return true
}

// becomesPointer reports whether the function makes a pointer of v again, as it is or after arithmetic.
func becomesPointer(v ssa.Value) bool {
	for _, u := range *v.Referrers() {
		switch u := u.(type) {
		case *ssa.Convert:
			if b, ok := u.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
				return true
			}
		case *ssa.BinOp:
			if becomesPointer(u) {
				return true
			}
		case *ssa.Phi:
			return true
		}
	}
	return false
}

package static

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// mayPanic reports whether instr may panic by itself; callees are not counted.
func mayPanic(instr ssa.Instruction) bool {
	switch x := instr.(type) {
	case *ssa.UnOp:
		return x.Op == token.MUL && !nonNil(x.X)
	case *ssa.Store:
		return !nonNil(x.Addr)
	case *ssa.FieldAddr:
		return !nonNil(x.X)
	case *ssa.BinOp:
		switch x.Op {
		case token.QUO, token.REM:
			k, ok := x.Y.(*ssa.Const)
			return !ok || k.Value == nil || constant.Sign(k.Value) == 0
		case token.EQL, token.NEQ:
			_, basic := x.X.Type().Underlying().(*types.Basic)
			return !basic && !isPointer(x.X.Type())
		case token.SHL, token.SHR:
			_, ok := x.Y.(*ssa.Const)
			return !ok
		}
	case *ssa.IndexAddr, *ssa.Index, *ssa.Slice, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MapUpdate, *ssa.Lookup,
		*ssa.SliceToArrayPointer, *ssa.Send, *ssa.Select, *ssa.Panic:
		return true
	case *ssa.TypeAssert:
		return !x.CommaOk
	case *ssa.Defer:
		return false
	case ssa.CallInstruction:
		c := x.Common()
		b, ok := c.Value.(*ssa.Builtin)
		if !ok {
			fn := c.StaticCallee()
			if fn == nil {
				return true
			}
			onNil := len(c.Args) > 0 && syncOps[fn.String()] != nil && !nonNil(c.Args[0])
			return onNil || addsToGroup(fn)
		}
		switch b.Name() {
		case "append", "len", "cap", "copy", "print", "println", "recover", "min", "max", "complex", "real", "imag":
			return false
		}
		return true
	}
	return false
}

// addsToGroup reports whether fn panics when a WaitGroup's counter becomes negative.
func addsToGroup(fn *ssa.Function) bool {
	ops := syncOps[fn.String()]
	return len(ops) == 1 && ops[0].kind == AddEvent
}

// nonNil reports whether v, an address, is certainly not nil where it is used.
func nonNil(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.MakeClosure, *ssa.Function:
		return true
	case *ssa.FreeVar:
		return x.Parent().Synthetic == "" // a variable; that of a bound method is its receiver
	}
	return false
}

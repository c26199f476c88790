package compile

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Loops over functions. The states of a loop's variable jump are the same in package ssa and in gc, with
// different names, but two assignments come later in ssa:
//
//	body called   ssa:  v = jump; if v == ready { jump = busy; ... } else { panic }
//	              gc:   v = jump; jump = busy; if v == ready { ... } else { panic, by v }
//	over          ssa:  v = jump; if v == busy { panic }; if v == ready { jump = done } else { exits }
//	              gc:   v = jump; if v == busy { panic }; jump = done; if v != ready { exits }
//
// A program can notice that in two ways. If a body is called when it must not be, its panic names the
// reason. And if the iterator recovers that panic, the loop panics when the iterator returns. So the stores
// are moved to before the branch. Facts about the SSA code also hold for the emitted code,
// because the store is one of the next operations after the branch, and no operation in between can wait.

// RangeFuncBody is package ssa's mark of functions made from the bodies of loops over functions.
const RangeFuncBody = "range-over-func yield"

// Comments of blocks that package ssa makes for loops over functions.
const (
	rangeInvalid    = "yield-invalid"                // the body is called when it must not be
	rangeBody       = "yield-loop"                   // else
	rangeBusy       = "rangefunc.resume.busy"        // the iterator has returned though the body has not
	rangeReady      = "rangefunc.resume.ready"       // it has returned, and the body has not left the loop
	rangeReadyCheck = "rangefunc.resume.ready.check" // the block with the test for it
)

// rangeStore returns the store that comes before branch v.
func rangeStore(v *ssa.If) *ssa.Store {
	b := v.Block()
	switch to := b.Succs[0]; {
	case to.Comment == rangeBody && b.Succs[1].Comment == rangeInvalid, to.Comment == rangeReady && b.Comment == rangeReadyCheck:
		return to.Instrs[0].(*ssa.Store)
	}
	return nil
}

// storedEarlier reports whether v is the rangeStore of a branch.
func storedEarlier(v *ssa.Store) bool {
	b := v.Block()
	if b.Instrs[0] != v || len(b.Preds) != 1 {
		return false
	}
	p := b.Preds[0]
	from, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	return ok && rangeStore(from) == v
}

// rangeState returns the value that jump had when the body was called, if v panics because of that value.
func rangeState(v *ssa.Panic) ssa.Value {
	if v.Block().Comment != rangeInvalid {
		return nil
	}
	p := v.Block().Preds[0]
	return p.Instrs[len(p.Instrs)-1].(*ssa.If).Cond.(*ssa.BinOp).X
}

// rangeBodyOf returns the body of the loop whose function v calls; nil if there is none.
func rangeBodyOf(v *ssa.Call) *ssa.Function {
	if v.Pos().IsValid() || len(v.Call.Args) != 1 {
		return nil
	}
	if c, ok := v.Call.Args[0].(*ssa.MakeClosure); ok && c.Fn.(*ssa.Function).Synthetic == RangeFuncBody {
		return c.Fn.(*ssa.Function)
	}
	return nil
}

// rangePanic returns the position of the panic that v raises for a loop over a function: its beginning or
// its end.
func rangePanic(v *ssa.Panic) token.Pos {
	if rangeState(v) != nil {
		return v.Parent().Pos()
	}
	if v.Block().Comment == rangeBusy {
		for _, instr := range v.Block().Preds[0].Instrs {
			if call, ok := instr.(*ssa.Call); ok {
				if body := rangeBodyOf(call); body != nil {
					return body.Syntax().(*ast.RangeStmt).Body.Rbrace
				}
			}
		}
	}
	return token.NoPos
}

// panic emits v. The panics of loops over functions are run-time panics.
func (c *compiler) panic(v *ssa.Panic) {
	switch state := rangeState(v); {
	case state != nil:
		c.emit(bytecode.PanicRange, c.use(state), 0, 0)
	case v.Block().Comment == rangeBusy:
		t := c.temp(1)
		c.constant(t, 0)
		c.emit(bytecode.PanicRange, t, 0, 0)
	default:
		c.emit(bytecode.Panic, c.use(v.X), 0, 0)
	}
}

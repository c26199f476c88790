package compile

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// position returns the source position of instr. Deferred calls run where the
// function returns: at its return statement or its closing brace.
//
// Positions are for reports and stacks; programs see them by runtime.Caller, so they have to be
// gc's.
func position(instr ssa.Instruction) token.Pos {
	switch v := instr.(type) {
	case *ssa.RunDefers:
		b := v.Block()
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			return position(ret)
		}
	case *ssa.Jump:
		if b := v.Block(); len(b.Instrs) == 1 && b.Succs[0] == b {
			return emptyLoop(v.Parent().Syntax())
		}
	case *ssa.If: // the position of the condition, if it is computed here
		if cond, ok := v.Cond.(ssa.Instruction); ok && cond.Block() == v.Block() {
			return v.Cond.Pos()
		}
	case *ssa.Panic:
		if !v.Pos().IsValid() {
			return rangePanic(v)
		}
	case *ssa.Next: // the position of a loop, also if its iterator was made somewhere else
		return v.Iter.Pos()
	case *ssa.Call: // the position of the function over which a loop ranges
		if body := rangeBodyOf(v); body != nil {
			return body.Pos()
		}
	case *ssa.UnOp: // the load of the state of a loop over a function, with which its body begins
		fn := v.Parent()
		//mutant: bodies of loops over functions begin nowhere [test ./cmd/hbcheck TestScripts/rangebody]: "!v.Pos().IsValid()" -> "false"
		if !v.Pos().IsValid() && fn.Synthetic == RangeFuncBody && v.Block() == fn.Blocks[0] {
			return fn.Pos()
		}
	case *ssa.Return:
		if v.Pos().IsValid() {
			break
		}
		switch fn := v.Parent().Syntax().(type) {
		case *ast.FuncDecl:
			return fn.Body.Rbrace
		case *ast.FuncLit:
			return fn.Body.Rbrace
		}
	}
	return instr.Pos()
}

// emptyLoop returns the position of the "for {}" in a function; NoPos if there are several. SSA has only a
// jump without a position for it.
func emptyLoop(fn ast.Node) (pos token.Pos) {
	if fn == nil {
		return token.NoPos
	}
	several := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if f, ok := n.(*ast.ForStmt); ok && f.Cond == nil && f.Post == nil && len(f.Body.List) == 0 {
			several = several || pos.IsValid()
			pos = f.For
		}
		return true
	})
	if several {
		return token.NoPos
	}
	return pos
}

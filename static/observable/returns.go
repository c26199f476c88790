package observable

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Returns reports whether control can get from instruction at to a return. at may wait for
// channels: the dead cases are never ready, and a receive that can only be from a timer finds its
// channel open. A panic is not an intended way out, so it does not count.
func Returns(at ssa.Instruction, dead map[int]bool) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var walk func(b *ssa.BasicBlock) bool
	walk = func(b *ssa.BasicBlock) bool {
		if seen[b] {
			return false
		}
		seen[b] = true
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Return:
			return true
		case *ssa.If:
			if x, known := branchAfter(last.Cond, at, dead); known {
				return walk(b.Succs[successor(x)])
			}
		}
		for _, s := range b.Succs {
			if walk(s) {
				return true
			}
		}
		return false
	}
	return walk(at.Block())
}

// branchAfter returns the value of cond after instruction at, a channel operation, if it is known.
func branchAfter(cond ssa.Value, at ssa.Instruction, dead map[int]bool) (value, known bool) {
	switch x := cond.(type) {
	case *ssa.Extract: // v, ok := <-tick
		if recv, ok := x.Tuple.(*ssa.UnOp); ok && recv == at && recv.Op == token.ARROW && x.Index == 1 {
			return true, true
		}
	case *ssa.BinOp: // the case of a select is compared with its number
		sel, isSelect := at.(*ssa.Select)
		k, isConst := x.Y.(*ssa.Const)
		e, isExtract := x.X.(*ssa.Extract)
		if x.Op != token.EQL || !isSelect || !isConst || !isExtract || e.Tuple != ssa.Value(sel) || e.Index != 0 {
			return false, false
		}
		if i, exact := constant.Int64Val(k.Value); exact && dead[int(i)] {
			return false, true
		}
	}
	return false, false
}

// successor returns the index of the block that follows an If whose condition is x.
func successor(x bool) int {
	if x {
		return 0
	}
	return 1
}

package static

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// branches finds the edges on which it is known that a certain case of a select statement, or a
// TryLock, has succeeded.
//
// A branch on the result of a TryLock counts only if nothing happens between the two: later the lock may
// have been released.
//
//	ok := mu.TryLock()
//	if ok { mu.Unlock() } // counts
//	if ok { x = 1 }       // mu is not held
func (b *Base) branches(c *skeleton) {
	c.edges, c.dead, c.cases = map[edge][]Event{}, map[edge]bool{}, map[selCase]bool{}
	for _, blk := range c.fn.Blocks {
		if len(blk.Instrs) == 0 {
			continue
		}
		br, ok := blk.Instrs[len(blk.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		cond, yes := br.Cond, 0
		if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
			cond, yes = not.X, 1
		}
		switch x := cond.(type) {
		case *ssa.Call:
			fn := x.Call.StaticCallee()
			if fn == nil {
				break
			}
			if ops := tryOps[fn.String()]; ops != nil && len(x.Call.Args) == 1 && lastCall(blk) == x {
				e := edge{blk.Index, yes}
				c.edges[e] = append(c.edges[e], Event{Kind: TryEvent, Mode: ops[0].mode, Path: b.Paths.Of(x.Call.Args[0]), Instr: x})
			}
		case *ssa.BinOp:
			sel, i := selected(x)
			if sel == nil {
				break
			}
			e := edge{blk.Index, yes}
			c.cases[selCase{sel, i}] = true
			c.edges[e] = append(c.edges[e], b.selectCase(sel, sel.States[i]))
			if sel.Blocking && i == len(sel.States)-1 {
				c.dead[edge{blk.Index, 1 - yes}] = true
			}
		}
	}
}

// lastCall returns the last call in blk, nil if there is none.
func lastCall(blk *ssa.BasicBlock) *ssa.Call {
	for _, instr := range slices.Backward(blk.Instrs) {
		if c, ok := instr.(*ssa.Call); ok {
			return c
		}
	}
	return nil
}

// selected decodes "index == i" for a select statement.
func selected(x *ssa.BinOp) (*ssa.Select, int) {
	ext, ok := x.X.(*ssa.Extract)
	k, isConst := x.Y.(*ssa.Const)
	if !ok || !isConst || x.Op != token.EQL || ext.Index != 0 {
		return nil, 0
	}
	if k.Value == nil || k.Value.Kind() != constant.Int {
		return nil, 0
	}
	sel, ok := ext.Tuple.(*ssa.Select)
	if i := int(k.Int64()); ok && i >= 0 && i < len(sel.States) {
		return sel, i
	}
	return nil, 0
}

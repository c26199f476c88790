package observable

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// EndsByTime reports whether call, which reads the clock, is in a loop that ends by time: each exit of the
// largest such loop depends on a comparison of times, or on the result of the call.
func EndsByTime(call ssa.Instruction) (loop, ends bool) {
	blocks := cycleOf(call.Block())
	return blocks != nil, blocks != nil && endsByTime(blocks, call)
}

// cycleOf returns the blocks of the largest loop that contains b; nil if there is none.
func cycleOf(b *ssa.BasicBlock) map[*ssa.BasicBlock]bool {
	reach := func(next func(*ssa.BasicBlock) []*ssa.BasicBlock) map[*ssa.BasicBlock]bool {
		seen := make(map[*ssa.BasicBlock]bool)
		for work := next(b); len(work) > 0; {
			x := work[len(work)-1]
			work = work[:len(work)-1]
			if !seen[x] {
				seen[x] = true
				work = append(work[:len(work):len(work)], next(x)...)
			}
		}
		return seen
	}
	after := reach(func(x *ssa.BasicBlock) []*ssa.BasicBlock { return x.Succs })
	if !after[b] {
		return nil
	}
	before := reach(func(x *ssa.BasicBlock) []*ssa.BasicBlock { return x.Preds })
	maps.DeleteFunc(after, func(x *ssa.BasicBlock, _ bool) bool { return !before[x] })
	return after
}

// endsByTime reports whether each exit of a loop depends on a comparison of times, or on the result of
// the call in which the clock is read.
func endsByTime(loop map[*ssa.BasicBlock]bool, call ssa.Instruction) bool {
	exits := 0
	for b := range loop {
		for _, s := range b.Succs {
			if loop[s] {
				continue
			}
			exits++
			last, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if !ok || !comparesTime(last.Cond, call) {
				return false
			}
		}
	}
	return exits > 0
}

// comparesTime reports whether v is a comparison of times or durations, or the result of call.
func comparesTime(v ssa.Value, call ssa.Instruction) bool {
	ofTime := func(t types.Type) bool {
		n, ok := types.Unalias(t).(*types.Named)
		return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		return v.Op == token.NOT && comparesTime(v.X, call)
	case *ssa.BinOp:
		return ofTime(v.X.Type()) || fromTime(v.X) || fromTime(v.Y)
	case *ssa.Call:
		recv := v.Call.Signature().Recv()
		return ssa.Instruction(v) == call || recv != nil && ofTime(recv.Type())
	}
	return false
}

// fromTime reports whether v is a number that a method of package time has returned.
func fromTime(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil {
		return false
	}
	pkg := c.Call.StaticCallee().Pkg
	return pkg != nil && pkg.Pkg.Path() == "time"
}

package observable

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A counting loop is not an await loop: an iteration with zero effect leads back to the state in
// which it began, and the counter is part of that state. So no snapshots are taken in such loops
// (see awaitElimination.arrive), and a read there costs the same as elsewhere.
//
// Definition. Let S be a strongly connected component of a function's control-flow graph. Block h
// of S counts if it begins with P = phi(...), which on each edge from inside S is P + c, with c > 0
// on all of these edges (or c < 0 on all).
//
// Claim. If control goes from an instruction i of S through h back to i, g's own state has changed.
//
//  1. The path stays in S; otherwise it could not return.
//  2. P has become larger, because P is assigned only in h, and by less than 2^64, because each
//     addition costs an iteration.
//  3. P is in a register. If P is live at i, the two states differ in it, because live registers
//     are compared.
//  4. If P is not live at i, then every path from i to h uses a value P + c that was computed
//     after the last pass through h. That value is live at i and has become larger as well.
//
// So each counting block is removed from the graph. An instruction that is on no cycle without the block can
// only be reached again with another counter. The graph then has smaller components, the inner loops, in
// which other blocks count.

//	for i := 0; i < n; i++ { x.Load() }       i's block counts: no snapshots
//	for { for !x.Load() {}; n++ }             the outer one counts; the inner loop is a cycle

// UncountedBlocks reports, for each block of fn, whether control can return to it without passing a
// counting block. held reports whether a value is in a register.
func UncountedBlocks(fn *ssa.Function, held func(ssa.Value) bool) []bool {
	blocks := fn.Blocks
	var all []int
	for i := range blocks {
		all = append(all, i)
	}
	counts := make([]bool, len(blocks))
	for {
		in, part := Cycles(len(blocks), all, func(b, i int) (int, bool) {
			if counts[b] || i >= len(blocks[b].Succs) {
				return 0, false
			}
			return blocks[b].Succs[i].Index, true
		})
		more := false
		for i, b := range blocks {
			if in[i] && isCounter(b, part, held) {
				counts[i], more = true, true
			}
		}
		if !more {
			return in
		}
	}
}

// maxCount is the largest step of a counter. No execution iterates often enough for such a counter
// to overflow.
const maxCount = 1 << 16

// isCounter reports whether block h of a component counts. A counter outside of registers is not
// compared, and a narrow one may overflow.
func isCounter(h *ssa.BasicBlock, part []int, held func(ssa.Value) bool) bool {
	for _, instr := range h.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			return false
		}
		if !held(phi) || !isWord(phi.Type()) {
			continue
		}
		up, down := false, false
		for k, p := range h.Preds {
			if part[p.Index] != part[h.Index] {
				continue
			}
			c := difference(phi.Edges[k], phi)
			up, down = up || c >= 0, down || c <= 0
		}
		if up != down {
			return true
		}
	}
	return false
}

// isWord reports whether t is an integer type of 64 bits.
func isWord(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return false
	}
	switch b.Kind() {
	case types.Int, types.Int64, types.Uint, types.Uint64, types.Uintptr:
		return true
	}
	return false
}

// difference returns c if v is p + c, and otherwise 0.
func difference(v ssa.Value, p *ssa.Phi) int64 {
	sum, ok := v.(*ssa.BinOp)
	if !ok || sum.X != p || sum.Op != token.ADD && sum.Op != token.SUB {
		return 0
	}
	x, ok := sum.Y.(*ssa.Const)
	if !ok || x.Value == nil {
		return 0
	}
	c, exact := constant.Int64Val(x.Value)
	if !exact || c < -maxCount || c > maxCount {
		return 0
	}
	if sum.Op == token.SUB {
		return -c
	}
	return c
}

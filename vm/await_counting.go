package vm

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
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
//  1. The path stays in S, or it could not come back.
//  2. P has become larger, because P is assigned only in h, and by less than 2^64, because each
//     addition costs an iteration.
//  3. P is in a register. If P is live at i, the two states differ in it, because live registers
//     are compared.
//  4. If P is not live at i, then every path from i to h uses a value P + c that was computed
//     after the last pass through h. That value is live at i and has become larger as well.
//
// So each counting block is removed from the graph. An instruction that is then on no cycle can
// only be reached again with another counter. This leaves smaller components, the inner loops, in
// which other blocks count.

//	for i := 0; i < n; i++ { x.Load() }       i's block counts: no snapshots
//	for { for !x.Load() {}; n++ }             the outer one counts; the inner loop is a cycle

// uncountedBlocks returns, for each block of f, whether control can return to it without passing a
// counting block.
func uncountedBlocks(f *bytecode.Func) []bool {
	blocks := f.SSA.Blocks
	var all []int
	for i := range blocks {
		all = append(all, i)
	}
	counts := make([]bool, len(blocks))
	for {
		in, part := cycles(len(blocks), all, func(b, i int) (int, bool) {
			if counts[b] || i >= len(blocks[b].Succs) {
				return 0, false
			}
			return blocks[b].Succs[i].Index, true
		})
		more := false
		for i, b := range blocks {
			if in[i] && isCounter(b, part, f.Regs) {
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
func isCounter(h *ssa.BasicBlock, part []int, regs map[ssa.Value]int) bool {
	for _, instr := range h.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			return false
		}
		if _, held := regs[phi]; !held || !isWord(phi.Type()) {
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

// cycles returns, for each of n nodes of a graph, whether it is on a cycle, and the number of its
// strongly connected component (Tarjan 1972). Component numbers are only meant for comparison.
// roots are nodes from which all nodes can be reached; successor returns the i-th successor of a
// node, if it has that many. The function has a stack of its own: generated code has graphs that
// are thousands of nodes deep.
func cycles(n int, roots []int, successor func(v, i int) (int, bool)) (in []bool, part []int) {
	in, part = make([]bool, n), make([]int, n)
	type node struct {
		num, low int
		open     bool
		next     int // successors followed
	}
	at := make([]node, n)
	var stack, path []int
	count := 0
	for _, root := range roots {
		if at[root].num != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			x := &at[v]
			if x.num == 0 {
				count++
				x.num, x.low, x.open = count, count, true
				stack = append(stack, v)
			}
			if s, ok := successor(v, x.next); ok {
				x.next++
				switch t := &at[s]; {
				case s == v:
					in[v] = true
				case t.num == 0:
					path = append(path, s)
				case t.open:
					x.low = min(x.low, t.num)
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := &at[path[len(path)-1]]
				p.low = min(p.low, x.low)
			}
			if x.low != x.num {
				continue
			}
			for alone := stack[len(stack)-1] == v; ; {
				last := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				at[last].open, part[last] = false, x.num
				in[last] = in[last] || !alone
				if last == v {
					break
				}
			}
		}
	}
	return in, part
}

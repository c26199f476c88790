package compile

import (
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// patch sets the target of the branch at pc.
// Offsets count from the instruction after the branch. A jump backwards is a separate operation, because it
// uses up the budget of steps.
//
// Long branches have 32 bits for the offset, the fused ones 16, which emitted code respects
// (far).
func (c *compiler) patch(pc, to int) {
	in := &c.code[pc]
	rel := to - (pc + 1)
	switch in.Op {
	case bytecode.Jmp, bytecode.JmpBack, bytecode.JT, bytecode.JF:
		if in.Op == bytecode.Jmp && rel < 0 {
			in.Op = bytecode.JmpBack
		}
		*in = in.WithImm32(int32(rel))
	default:
		if rel < math.MinInt16 || rel > math.MaxInt16 {
			panic("BUG: short branch out of range")
		}
		in.C = uint16(int16(rel))
	}
}

// phiMoves emits the parallel assignment of to's phis on the edge from from. A move is emitted when
// no other move still reads its destination; if all destinations are still read, the moves form
// cycles, and one of their sources goes to a scratch register first. Constants come last, as they
// read no register.
//
//	a, b = b, a + 1   in a loop:   a ← b, b ← t      b is read by the first: it goes first
//	a, b = b, a                    a ← b, b ← a      a cycle: t ← b, b ← a, a ← t
//
// The cost is quadratic in the number of moves of one edge, which are few after coalescing.
func (c *compiler) phiMoves(from, to *ssa.BasicBlock) {
	for _, n := range c.l.Between(from, to) {
		c.emitImm(bytecode.Cover, 0, int32(n))
	}
	// The assignments of words: registers first, constants apart. Words that are in place need no move.
	type mv struct{ dst, src int }
	var moves []mv
	type cm struct {
		v ssa.Value
		r int
	}
	var consts []cm
	k := -1
	for i, p := range to.Preds {
		if p == from {
			k = i
			break
		}
	}
	for _, instr := range to.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		d, ok := c.reg[phi]
		if !ok {
			continue
		}
		e := phi.Edges[k]
		if a, ok := c.alias[e]; ok {
			e = a
		}
		if s, ok := c.reg[e]; ok {
			for i := 0; i < c.words(phi); i++ {
				if d+i != s+i {
					moves = append(moves, mv{d + i, s + i})
				}
			}
			continue
		}
		consts = append(consts, cm{e, d})
	}
	// Each round emits one move or breaks one cycle, so the loop ends.
	for len(moves) > 0 {
		done := false
		for i, m := range moves {
			blocked := false
			for j, n := range moves {
				if j != i && n.src == m.dst {
					blocked = true
					break
				}
			}
			if !blocked {
				c.emit(bytecode.Mov, m.dst, m.src, 0)
				moves = append(moves[:i], moves[i+1:]...)
				done = true
				break
			}
		}
		if !done { // a cycle: break it with a scratch register
			t := c.temp(1)
			c.emit(bytecode.Mov, t, moves[0].src, 0)
			moves[0].src = t
		}
	}
	for _, x := range consts {
		c.into(x.v, x.r)
	}
}

// needsMoves reports whether the edge from from to to changes any register.
//
// A phi that shares its register with the operand (coalescing) needs no move; this is the usual case.
func (c *compiler) needsMoves(from, to *ssa.BasicBlock) bool {
	if len(c.l.Between(from, to)) > 0 {
		return true
	}
	for k, p := range to.Preds {
		if p != from {
			continue
		}
		for _, instr := range to.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				return false
			}
			e := phi.Edges[k]
			if a, ok := c.alias[e]; ok {
				e = a
			}
			d, used := c.reg[phi]
			if s, ok := c.reg[e]; used && c.words(phi) > 0 && (!ok || s != d) {
				return true
			}
		}
		return false
	}
	return false
}

// jump emits a jump to b.
func (c *compiler) jump(b *ssa.BasicBlock) {
	c.fixups = append(c.fixups, fixup{pc: c.emitImm(bytecode.Jmp, 0, 0), target: b})
}

// branchTo registers the branch instruction at pc as going from b to to, through the edge's moves
// if to has phis.
//
//	b ──yes──▶ to          the moves of the edge can be neither in b, which has another
//	 └──no───▶ next        successor, nor in to, which may have other predecessors:
//	b ──yes──▶ moves ─▶ to      a trampoline at the end of the code
func (c *compiler) branchTo(pc int, b, to *ssa.BasicBlock) {
	x := fixup{pc: pc, target: to}
	if c.needsMoves(b, to) {
		x.edge = &edge{from: b, to: to}
	}
	c.fixups = append(c.fixups, x)
}

// rotatable reports whether b, a loop's head, is so short that its test is
// worth repeating at the loop's end: one jump fewer in every iteration.
//
//	head: i < n?  ─no─▶ done            instead of a jump to head at the end of the body:
//	      body ... i++; i < n? ─yes─▶ body
//
// The two copies are two places with the same live registers. Package loops determines where they have to
// count as one place in the program.
func rotatable(b *ssa.BasicBlock) bool {
	n := 0
	for _, instr := range b.Instrs {
		if !isPhi(instr) {
			n++
		}
	}
	_, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return ok && n <= 4
}

// branch emits the If that ends a block. If the block for true is next, the condition is negated,
// so that one of the successors needs no jump.
//
// If neither is next there is a branch and a jump.
func (c *compiler) branch(v *ssa.If, next *ssa.BasicBlock) {
	b := v.Block()
	yes, no := b.Succs[0], b.Succs[1]
	negate := false
	if yes == next && !c.needsMoves(b, yes) {
		yes, no, negate = no, yes, true
	}
	if cmp, ok := v.Cond.(*ssa.BinOp); ok && c.fused[cmp] {
		c.compareBranch(cmp, negate, b, yes)
	} else {
		op := bytecode.JT
		if negate {
			op = bytecode.JF
		}
		c.branchTo(c.emitImm(op, c.use(v.Cond), 0), b, yes)
	}
	c.phiMoves(b, no)
	if no != next {
		c.jump(no)
	}
}

// Comparisons: negated, with the operands swapped, and as branches on registers and on a small constant.
var (
	negated = map[token.Token]token.Token{
		token.EQL: token.NEQ, token.NEQ: token.EQL,
		token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
	}
	swapped = map[token.Token]token.Token{
		token.EQL: token.EQL, token.NEQ: token.NEQ,
		token.LSS: token.GTR, token.GEQ: token.LEQ, token.GTR: token.LSS, token.LEQ: token.GEQ,
	}
	branches = map[token.Token]bytecode.Op{
		token.EQL: bytecode.JEq, token.NEQ: bytecode.JNe, token.LSS: bytecode.JLtS, token.LEQ: bytecode.JLeS,
	}
	constBranches = map[token.Token]bytecode.Op{
		token.EQL: bytecode.JEqI, token.NEQ: bytecode.JNeI, token.LSS: bytecode.JLtSI,
		token.LEQ: bytecode.JLeSI, token.GTR: bytecode.JGtSI, token.GEQ: bytecode.JGeSI,
	}
)

// compareBranch emits a branch of b to to if cmp holds (does not hold, with negate). A constant goes to the
// right. With an immediate operand there are all six comparisons, but they are signed, so that unsigned
// comparisons can use only equality. For two registers there are four comparisons; the other two exchange
// their operands.
//
// Only fused comparisons come here: integers, pointers and booleans, whose comparison may be negated.
func (c *compiler) compareBranch(cmp *ssa.BinOp, negate bool, b, to *ssa.BasicBlock) {
	c.clockCompare(cmp)
	tok := cmp.Op
	if negate {
		tok = negated[tok]
	}
	unsigned := isUnsigned(cmp.X.Type())
	x, y := cmp.X, cmp.Y
	if _, ok := x.(*ssa.Const); ok {
		x, y = y, x
		tok = swapped[tok]
	}
	var pc int
	if k, ok := smallConst(y); ok && (!unsigned || tok == token.EQL || tok == token.NEQ) {
		pc = c.emit(constBranches[tok], c.use(x), int(uint16(k)), 0)
	} else {
		rx, ry := c.use(x), c.use(y)
		switch tok {
		case token.GTR:
			rx, ry, tok = ry, rx, token.LSS
		case token.GEQ:
			rx, ry, tok = ry, rx, token.LEQ
		}
		op := branches[tok]
		if unsigned && tok == token.LSS {
			op = bytecode.JLtU
		} else if unsigned && tok == token.LEQ {
			op = bytecode.JLeU
		}
		pc = c.emit(op, rx, ry, 0)
	}
	// Short branches reach 32767 instructions; in larger functions they jump over a long one.
	//
	//	Jxx +1       taken: over the next jump
	//	Jmp +1       not taken: over the long one
	//	Jmp target
	if c.far {
		c.code[pc].C = 1
		over := c.emitImm(bytecode.Jmp, 0, 1)
		c.code[over] = c.code[over].WithImm32(1)
		c.branchTo(c.emitImm(bytecode.Jmp, 0, 0), b, to)
		return
	}
	c.branchTo(pc, b, to)
}

// mayBeFar reports whether the function may be too large for short branches. An
// SSA instruction takes fewer than 8 words on average by a wide margin.
// A larger one pays a jump more for each branch.
func (c *compiler) mayBeFar() bool {
	n := 0
	for _, b := range c.blocks {
		n += len(b.Instrs)
	}
	return n > math.MaxInt16/8
}

func isUnsigned(t types.Type) bool {
	switch layout.ScalarOf(t) {
	case layout.U8, layout.U16, layout.U32:
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

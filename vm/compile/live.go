package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Live variables, over values of SSA: each is written once, so that its live range is between its
// definition and its uses.
//
//	b1: x = ...          liveOut(b1) = {x}
//	    if ... ─▶ b3
//	b2: print(x)         liveIn(b2) = {x}
//	b3: p = phi(b1: x, b2: 1)     the operand x is live at the end of b1, and not in b3
//
// A dead value that counts as live makes two states of one; a live value that counts as dead
// would make one state of two, and lose executions. So the rule is: when in doubt, live.

// bitset is a set of value numbers.
// Invariant: all bitsets of a function have the same length, so that they are combined word by
// word.
type bitset []uint64

func newBitset(n int) bitset       { return make(bitset, (n+63)/64) }
func (b bitset) has(i int) bool    { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i int)         { b[i/64] |= 1 << (i % 64) }
func (b bitset) remove(i int)      { b[i/64] &^= 1 << (i % 64) }
func (b bitset) copyFrom(c bitset) { copy(b, c) }

// liveness holds the register values of a function and where they are live.
//
// Values are numbered densely: parameters first, then captured variables, then the results of
// instructions in the order of the blocks. values is the inverse of num. A block's liveIn has the
// values that are read from there on before they are written. A phi is written in its own block,
// and its operands are read at the ends of the blocks they come from.
type liveness struct {
	num     map[ssa.Value]int // numbers of values that live in registers
	values  []ssa.Value
	liveIn  map[*ssa.BasicBlock]bitset
	liveOut map[*ssa.BasicBlock]bitset
	always  []int      // values the recover block reads: live everywhere
	effects [][]effect // effects of instructions, by index of the block and in it
}

// effect has the writes and reads of an instruction, by value numbers. All passes need it often, so it is
// computed once.
type effect struct {
	defs, uses []int32 // a phi's and a fused instruction's uses are left out
	idle       bool    // a phi or a fused instruction: nothing is emitted in its place
}

// inRegister reports whether v is held in registers (as opposed to constants,
// which are made where they are used, and fused instructions, which are not
// values at run time).
func (c *compiler) inRegister(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
		return false
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	}
	if u, ok := v.(*ssa.UnOp); ok && c.unusedLoads[u] {
		return false
	}
	if c.fused[v] {
		return false
	}
	_, tuple := v.Type().(*types.Tuple)
	return !tuple
}

// uses calls f for every register value that instr reads, including through fused operands.
func (c *compiler) uses(instr ssa.Instruction, f func(ssa.Value)) {
	var buf [12]*ssa.Value
	for _, p := range instr.Operands(buf[:0]) {
		if *p != nil {
			c.usesOf(*p, f)
		}
	}
	if p, ok := instr.(*ssa.Panic); ok {
		if v := rangeState(p); v != nil {
			c.usesOf(v, f)
		}
	}
}

// The uses of a fused instruction count as uses of the instruction that it is part of. So its operands stay
// live until that instruction is executed.
func (c *compiler) usesOf(v ssa.Value, f func(ssa.Value)) {
	if fv, ok := c.alias[v]; ok {
		v = fv
	}
	if c.fused[v] {
		c.uses(v.(ssa.Instruction), f)
		return
	}
	if c.inRegister(v) {
		f(v)
	}
}

// analyse computes liveness: liveIn = gen ∪ (liveOut − kill), and liveOut is the union of the successors'
// liveIn and of the phi operands on the edges to them, iterated to the least fixed point from the last
// block to the first. Values that the recover block reads are live everywhere, because a panic can lead
// there from any call.
//
// There is one round for code without loops. For code with loops there are as many rounds as the
// loops are deep, and one or two more (Kam and Ullman 1976). A round inspects one bit for each
// block and value, 64 at a time.
func (c *compiler) analyse() *liveness {
	lv := &liveness{num: map[ssa.Value]int{}, liveOut: map[*ssa.BasicBlock]bitset{}}
	add := func(v ssa.Value) {
		if c.inRegister(v) {
			lv.num[v] = len(lv.values)
			lv.values = append(lv.values, v)
		}
	}
	for _, p := range c.fn.Params {
		add(p)
	}
	for _, p := range c.fn.FreeVars {
		add(p)
	}
	for _, b := range c.blocks {
		for _, instr := range b.Instrs {
			if v, ok := instr.(ssa.Value); ok {
				if _, aliased := c.alias[v]; !aliased {
					add(v)
				}
			}
		}
	}
	lv.effects = c.effects(lv)
	n := len(lv.values)
	// gen: the values that a block reads before it writes them; kill: those that it writes.
	gen := map[*ssa.BasicBlock]bitset{}
	kill := map[*ssa.BasicBlock]bitset{}
	for _, b := range c.blocks {
		g, k := newBitset(n), newBitset(n)
		effects := lv.effects[b.Index]
		for i := len(effects) - 1; i >= 0; i-- {
			for _, id := range effects[i].defs {
				g.remove(int(id))
				k.add(int(id))
			}
			for _, id := range effects[i].uses {
				g.add(int(id))
			}
		}
		gen[b], kill[b] = g, k
		lv.liveOut[b] = newBitset(n)
	}
	// Start from gen, and add the values that the equations require until nothing changes. Sets only grow.
	// Backwards, as liveness flows against the edges: without loops the first round is enough.
	liveIn := map[*ssa.BasicBlock]bitset{}
	lv.liveIn = liveIn
	for _, b := range c.blocks {
		s := newBitset(n)
		s.copyFrom(gen[b])
		liveIn[b] = s
	}
	for changed := true; changed; {
		changed = false
		for i := len(c.blocks) - 1; i >= 0; i-- {
			b := c.blocks[i]
			out, in := lv.liveOut[b], liveIn[b]
			for _, s := range b.Succs {
				for w, x := range liveIn[s] {
					out[w] |= x
				}
				// A phi reads one operand on each edge: live at the end of the predecessor, not in
				// its own block.
				for _, instr := range s.Instrs {
					phi, ok := instr.(*ssa.Phi)
					if !ok {
						break
					}
					for k, p := range s.Preds {
						if p == b {
							c.usesOf(phi.Edges[k], func(v ssa.Value) { out.add(lv.num[v]) })
						}
					}
				}
			}
			k := kill[b]
			for w := range in {
				x := in[w] | out[w]&^k[w]
				if x != in[w] {
					in[w] = x
					changed = true
				}
			}
		}
	}
	if r := c.fn.Recover; r != nil {
		for id := range lv.values {
			if liveIn[r] != nil && liveIn[r].has(id) {
				lv.always = append(lv.always, id)
			}
		}
	}
	return lv
}

// effects returns the value of lv.effects.
func (c *compiler) effects(lv *liveness) [][]effect {
	all := make([][]effect, len(c.fn.Blocks))
	var ids []int32
	// All lists are parts of one array; each has no spare capacity, so that it cannot grow into the next one.
	since := func(n int) []int32 { return ids[n:len(ids):len(ids)] }
	for _, b := range c.blocks {
		effects := make([]effect, len(b.Instrs))
		for i, instr := range b.Instrs {
			e := &effects[i]
			e.idle = isPhi(instr) || c.isFused(instr)
			n := len(ids)
			c.defs(instr, func(v ssa.Value) {
				if id, ok := lv.num[v]; ok {
					ids = append(ids, int32(id))
				}
			})
			e.defs = since(n)
			if n = len(ids); !e.idle {
				c.uses(instr, func(v ssa.Value) { ids = append(ids, int32(lv.num[v])) })
			}
			e.uses = since(n)
		}
		all[b.Index] = effects
	}
	return all
}

// defs calls f for every value instr writes. The components of a tuple are
// written where the tuple is made; their Extract instructions do nothing.
func (c *compiler) defs(instr ssa.Instruction, f func(ssa.Value)) {
	v, ok := instr.(ssa.Value)
	if !ok {
		return
	}
	if xs, ok := c.extracts[v]; ok {
		for _, x := range xs {
			f(x)
		}
		return
	}
	if _, ok := v.(*ssa.Extract); !ok {
		f(v)
	}
}

// defBlock returns the block in which v is written, or nil for parameters.
func defBlock(v ssa.Value) *ssa.BasicBlock {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	if i, ok := v.(ssa.Instruction); ok {
		return i.Block()
	}
	return nil
}

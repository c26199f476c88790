package compile

import (
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// Register allocation: linear scan (Poletto and Sarkar, TOPLAS 1999) over one
// interval per value, in reverse postorder. Values of several words get
// consecutive registers. A phi prefers the registers of its operands, which
// makes most moves of loop variables disappear.

//	position   0     2     4     6     8
//	x          ├───────────┤                  r0
//	y                ├─────┤                  r1
//	z                      ├───────────┤      r0: x's interval has ended
//
// Why not a colouring of the interference graph? Functions are compiled when they are first called,
// in the middle of a search, and one more register costs only a word of the frame. The aim is that
// loops need no moves, which coalescing achieves.

// interval is the stretch of positions in which a value needs its registers.
//
// Invariant: the value is live only at positions from start to end. Within its interval the value may be dead
// for a while, because intervals have no holes.
type interval struct {
	v          ssa.Value
	start, end int
	words      int
	reg        int // -1: not assigned
}

// order returns fn's reachable blocks in reverse postorder, the recover block last.
func order(fn *ssa.Function) []*ssa.BasicBlock {
	seen := make([]bool, len(fn.Blocks))
	var post []*ssa.BasicBlock
	// An explicit stack: generated code has functions with thousands of blocks in a chain.
	type item struct {
		b *ssa.BasicBlock
		i int
	}
	walk := func(root *ssa.BasicBlock) {
		if seen[root.Index] {
			return
		}
		seen[root.Index] = true
		stack := []item{{root, 0}}
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			// The last successor first, so that the first one, a loop's body or
			// an if's then, comes next in the reversed order.
			if t.i < len(t.b.Succs) {
				s := t.b.Succs[len(t.b.Succs)-1-t.i]
				t.i++
				if !seen[s.Index] {
					seen[s.Index] = true
					stack = append(stack, item{s, 0})
				}
				continue
			}
			post = append(post, t.b)
			stack = stack[:len(stack)-1]
		}
	}
	walk(fn.Blocks[0])
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	// Where no edge leads to the recover block, only a recovered panic does.
	if fn.Recover != nil && !seen[fn.Recover.Index] {
		n := len(post)
		walk(fn.Recover)
		for i, j := n, len(post)-1; i < j; i, j = i+1, j-1 {
			post[i], post[j] = post[j], post[i]
		}
	}
	return post
}

func (c *compiler) isFused(instr ssa.Instruction) bool {
	v, ok := instr.(ssa.Value)
	return ok && c.fused[v]
}

// simple reports whether the code for instr reads all its operands before it
// writes its result, so that result and operand may share registers.
func simple(instr ssa.Instruction) bool {
	switch instr.(type) {
	case *ssa.BinOp, *ssa.UnOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.ChangeType:
		return true
	}
	return false
}

// allocate assigns registers and returns how many are used.
// Coalescing comes first: the scan hands out registers to classes of values, each with the hull of
// its members' intervals.
func (c *compiler) allocate(lv *liveness) int {
	ivs := c.intervals(lv)
	cls := c.coalesce(lv)
	high := c.scan(lv, ivs, cls)
	c.assign(ivs, cls)
	return high
}

// intervals returns the interval of each value. Positions count instructions by twos, so that a
// result may begin where the operands end (even) or while they are still needed (odd).
//
//	pos-1   results begin here that must not share registers with operands
//	pos     the operands of the instruction end here; results of a simple one begin here
//	pos+1   results are live until here at least, even if they are not used
//
// Blocks are walked once, also those of loops. That suffices: a value's definition dominates its
// uses, so it comes earlier in reverse postorder, and a value that is needed in the next iteration
// is live at the end of each block of the loop.
func (c *compiler) intervals(lv *liveness) []interval {
	ivs := make([]interval, len(lv.values))
	for i, v := range lv.values {
		ivs[i] = interval{v: v, start: 1 << 30, end: -1, words: c.words(v), reg: -1}
	}
	extend := func(id, pos int) {
		ivs[id].start = min(ivs[id].start, pos)
		ivs[id].end = max(ivs[id].end, pos)
	}
	// The caller has written the parameters and captured variables, so they are live before the first
	// instruction.
	for id := range c.nfixed() {
		extend(id, -1)
	}
	pos := 0
	for _, b := range c.blocks {
		first := pos
		for i, instr := range b.Instrs {
			e := &lv.effects[b.Index][i]
			for _, id := range e.defs {
				id := int(id)
				switch {
				case isPhi(instr):
					extend(id, first)
				case simple(instr):
					extend(id, pos)
				default:
					extend(id, pos-1) // where the operands are still needed
				}
				if !isPhi(instr) {
					extend(id, pos+1)
				}
			}
			for _, id := range e.uses {
				extend(int(id), pos)
			}
			pos += 2
		}
		out := lv.liveOut[b]
		for id := range ivs {
			if out.has(id) {
				// Live from its definition, or from the block's start if defined elsewhere.
				if defBlock(ivs[id].v) != b {
					extend(id, first)
				}
				extend(id, pos)
			}
		}
	}
	// A panic can lead from anywhere to the recover block.
	for _, id := range lv.always {
		extend(id, pos)
	}
	for _, v := range c.l.Kept(c.fn) {
		if id, ok := lv.num[v]; ok {
			extend(id, pos)
		}
	}
	return ivs
}

// nfixed returns the number of values, the first ones, that have fixed registers: parameters and
// captured variables.
// The calling convention puts them into registers from 0 on, in this order.
func (c *compiler) nfixed() int { return len(c.fn.Params) + len(c.fn.FreeVars) }

// registers says which registers are in use.
// A register above the end of used is free.
type registers struct {
	used []bool
	high int // one more than the highest register that was ever used
}

func (r *registers) take(reg, n int) {
	for len(r.used) < reg+n {
		r.used = append(r.used, false)
	}
	for i := reg; i < reg+n; i++ {
		r.used[i] = true
	}
	r.high = max(r.high, reg+n)
}

func (r *registers) release(reg, n int) {
	clear(r.used[reg : reg+n])
}

func (r *registers) isFree(reg, n int) bool {
	for i := reg; i < reg+n && i < len(r.used); i++ {
		if r.used[i] {
			return false
		}
	}
	return true
}

// scan is the linear scan. It sets the register of one interval for each class of coalesced
// values, the representative's, which it extends to the whole class.
//
// Registers are never spilled: there are as many as a function needs, up to the limit of 16 bits,
// which Compile checks. So the scan only has to find the lowest free run of the right length.
//
// Invariant: the registers of the intervals in active are in use, and no others; active is sorted
// by the ends of its intervals.
func (c *compiler) scan(lv *liveness, ivs []interval, cls *classes) (high int) {
	var sorted []int // by start
	for id := range ivs {
		rep := cls.find(id)
		if rep == id {
			sorted = append(sorted, id)
			continue
		}
		ivs[rep].start = min(ivs[rep].start, ivs[id].start)
		ivs[rep].end = max(ivs[rep].end, ivs[id].end)
	}
	// The sort is stable because the fixed values, which have the lowest numbers, have to come first: a
	// result of the first instruction may begin at -1, too.
	sort.SliceStable(sorted, func(i, j int) bool { return ivs[sorted[i]].start < ivs[sorted[j]].start })

	var regs registers
	var active []int // by end
	for _, id := range sorted {
		iv := &ivs[id]
		k := 0
		for ; k < len(active) && ivs[active[k]].end <= iv.start; k++ {
			e := &ivs[active[k]]
			regs.release(e.reg, e.words)
		}
		active = active[k:]
		if iv.words == 0 {
			iv.reg = 0
			continue
		}
		iv.reg = -1
		if id >= c.nfixed() {
			if h := c.hint(iv, ivs, lv); h >= 0 && regs.isFree(h, iv.words) {
				iv.reg = h
			}
		}
		if iv.reg < 0 {
			iv.reg = 0
			if id < c.nfixed() {
				// This is not the first free register, because the register of an unused parameter has been
				// released already.
				iv.reg = regs.high // in the order of the parameters
			}
			for !regs.isFree(iv.reg, iv.words) {
				iv.reg++
			}
		}
		regs.take(iv.reg, iv.words)
		at := sort.Search(len(active), func(i int) bool { return ivs[active[i]].end > iv.end })
		active = slices.Insert(active, at, id)
	}
	return regs.high
}

// assign records the registers of all values, with pointer marks.
func (c *compiler) assign(ivs []interval, cls *classes) {
	c.reg = make(map[ssa.Value]int, len(ivs))
	c.regWords = make([][]uint16, len(ivs))
	var words []uint16
	for i := range ivs {
		v, reg := ivs[i].v, ivs[cls.find(i)].reg
		c.reg[v] = reg
		n := len(words)
		words = c.appendRegs(words, v, reg)
		c.regWords[i] = words[n:len(words):len(words)]
	}
}

func isPhi(i ssa.Instruction) bool { _, ok := i.(*ssa.Phi); return ok }

// hint returns the preferred register of iv: that of a phi it feeds, or of an operand that feeds it;
// -1 if no such interval has ended. Coalescing has handled most phis; a hint serves the others.
func (c *compiler) hint(iv *interval, ivs []interval, lv *liveness) int {
	if phi, ok := iv.v.(*ssa.Phi); ok {
		for _, e := range phi.Edges {
			if id, ok := lv.num[e]; ok && ivs[id].reg >= 0 && ivs[id].end <= iv.start {
				return ivs[id].reg
			}
		}
	}
	if refs := iv.v.Referrers(); refs != nil {
		for _, r := range *refs {
			if phi, ok := r.(*ssa.Phi); ok {
				if id, ok := lv.num[phi]; ok && ivs[id].reg >= 0 && ivs[id].end <= iv.start {
					return ivs[id].reg
				}
			}
		}
	}
	return -1
}

package compile

import (
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// Register allocation: linear scan (Poletto and Sarkar, TOPLAS 1999) over one
// interval per value, in reverse postorder. Values of several words get
// consecutive registers. A phi prefers the registers of its operands, which
// makes most moves of loop variables disappear.

// interval is the stretch of positions in which a value needs its registers.
type interval struct {
	v          ssa.Value
	start, end int
	words      int
	reg        int // -1: not assigned
}

// bitset is a set of value numbers.
type bitset []uint64

func newBitset(n int) bitset       { return make(bitset, (n+63)/64) }
func (b bitset) has(i int) bool    { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i int)         { b[i/64] |= 1 << (i % 64) }
func (b bitset) remove(i int)      { b[i/64] &^= 1 << (i % 64) }
func (b bitset) copyFrom(c bitset) { copy(b, c) }

// liveness holds what a function's values need of registers.
type liveness struct {
	num     map[ssa.Value]int // numbers of values that live in registers
	values  []ssa.Value
	liveIn  map[*ssa.BasicBlock]bitset
	liveOut map[*ssa.BasicBlock]bitset
	always  []int      // values the recover block reads: live everywhere
	effects [][]effect // of instructions, by index of the block and in it
}

// effect is what an instruction writes and reads, by value numbers. It is asked
// for so often, by all passes, that it is found out once.
type effect struct {
	defs, uses []int32 // a phi's and a fused instruction's uses are left out
	idle       bool    // a phi or fused: nothing is emitted where it stands
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
	if fn.Recover != nil && !seen[fn.Recover.Index] {
		n := len(post)
		walk(fn.Recover)
		for i, j := n, len(post)-1; i < j; i, j = i+1, j-1 {
			post[i], post[j] = post[j], post[i]
		}
	}
	return post
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
	if u, ok := v.(*ssa.UnOp); ok && c.forgotten[u] {
		return false
	}
	if c.fused[v] {
		return false
	}
	_, tuple := v.Type().(*types.Tuple)
	return !tuple
}

// uses calls f for every register value that instr reads, looking through fused operands.
func (c *compiler) uses(instr ssa.Instruction, f func(ssa.Value)) {
	var buf [12]*ssa.Value
	for _, p := range instr.Operands(buf[:0]) {
		if *p != nil {
			c.usesOf(*p, f)
		}
	}
}

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

// effects returns what lv.effects is to be.
func (c *compiler) effects(lv *liveness) [][]effect {
	all := make([][]effect, len(c.fn.Blocks))
	var ids []int32
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
func (c *compiler) allocate(lv *liveness) int {
	ivs := make([]interval, len(lv.values))
	for i, v := range lv.values {
		ivs[i] = interval{v: v, start: 1 << 30, end: -1, words: c.words(v), reg: -1}
	}
	extend := func(id, pos int) {
		ivs[id].start = min(ivs[id].start, pos)
		ivs[id].end = max(ivs[id].end, pos)
	}
	nfix := len(c.fn.Params) + len(c.fn.FreeVars)
	for id := 0; id < nfix; id++ {
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
	for _, id := range lv.always {
		extend(id, pos)
	}
	// One interval for each class of coalesced values.
	cls := c.coalesce(lv)
	var sorted []int
	for id := range ivs {
		rep := cls.find(id)
		if rep == id {
			sorted = append(sorted, id)
			continue
		}
		ivs[rep].start = min(ivs[rep].start, ivs[id].start)
		ivs[rep].end = max(ivs[rep].end, ivs[id].end)
	}
	sort.SliceStable(sorted, func(i, j int) bool { return ivs[sorted[i]].start < ivs[sorted[j]].start })

	var used []bool
	high := 0
	take := func(reg, n int) {
		for len(used) < reg+n {
			used = append(used, false)
		}
		for i := reg; i < reg+n; i++ {
			used[i] = true
		}
		high = max(high, reg+n)
	}
	isFree := func(reg, n int) bool {
		for i := reg; i < reg+n; i++ {
			if i < len(used) && used[i] {
				return false
			}
		}
		return true
	}
	var active []int // by end
	for _, id := range sorted {
		iv := &ivs[id]
		k := 0
		for ; k < len(active) && ivs[active[k]].end <= iv.start; k++ {
			e := &ivs[active[k]]
			for i := e.reg; i < e.reg+e.words; i++ {
				used[i] = false
			}
		}
		active = active[k:]
		if iv.words == 0 {
			iv.reg = 0
			continue
		}
		reg := -1
		if id >= nfix {
			if h := c.hint(iv, ivs, lv); h >= 0 && isFree(h, iv.words) {
				reg = h
			}
		}
		if reg < 0 {
			reg = 0
			if id < nfix {
				reg = high
			}
			for !isFree(reg, iv.words) {
				reg++
			}
		}
		iv.reg = reg
		take(reg, iv.words)
		at := sort.Search(len(active), func(i int) bool { return ivs[active[i]].end > iv.end })
		active = append(active, 0)
		copy(active[at+1:], active[at:])
		active[at] = id
	}
	c.reg = make(map[ssa.Value]int, len(ivs))
	c.regWords = make([][]uint16, len(ivs))
	var words []uint16
	for i := range ivs {
		v, reg := ivs[i].v, ivs[cls.find(i)].reg
		c.reg[v] = reg
		n := len(words)
		for k := range ivs[i].words {
			words = append(words, uint16(reg+k)<<1)
		}
		c.regWords[i] = words[n:len(words):len(words)]
		for _, p := range c.ptrWords(v) {
			c.regWords[i][p/8] |= 1
		}
	}
	return high
}

func isPhi(i ssa.Instruction) bool { _, ok := i.(*ssa.Phi); return ok }

// hint returns the register iv would like: that of a phi it feeds, or of an operand that feeds it.
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

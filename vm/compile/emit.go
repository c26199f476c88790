package compile

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 operations are written by their bare names
	"hbcheck.dev/hbcheck/vm/layout"
)

// emitAll emits the whole function into c.code.
//
//	pins │ block 1 │ block 2 │ ... │ trampolines of edges │ Ret0 │ Nop
//
// Branches between blocks are patched at the end, when all targets are known.
func (c *compiler) emitAll() {
	c.code = nil
	c.f.Unsigned = nil
	c.blockPC = map[*ssa.BasicBlock]int{}
	c.fixups = nil
	c.far = c.mayBeFar()
	c.f.Pos, c.f.Origins, c.f.Methods, c.f.Texts = nil, nil, nil, nil
	c.f.ResetLive()
	c.methods = map[*types.Func]uint16{}
	c.texts = map[string]int{}
	c.lastLive = nil
	for _, w := range c.pins {
		c.constant(c.pinned[w], w)
	}
	for i, b := range c.blocks {
		c.blockPC[b] = len(c.code)
		if b == c.fn.Recover {
			c.f.RecoverPC = int32(len(c.code))
		}
		var next *ssa.BasicBlock
		if i+1 < len(c.blocks) {
			next = c.blocks[i+1]
		}
		c.instrs(b, next)
	}
	// Edges whose moves belong in neither block.
	for i := 0; i < len(c.fixups); i++ {
		if e := c.fixups[i].edge; e != nil {
			e.pc = len(c.code)
			c.scratch = 0
			c.phiMoves(e.from, e.to)
			c.jump(e.to)
		}
	}
	c.emit(Ret0, 0, 0, 0)
	c.emit(Nop, 0, 0, 0) // so that the address after the last instruction is inside the code
	for _, x := range c.fixups {
		to := c.blockPC[x.target]
		if x.edge != nil {
			to = x.edge.pc
		}
		c.patch(x.pc, to)
	}
}

// patch sets the target of the branch at pc.
// Offsets count from the instruction after the branch. A jump backwards gets an operation of its
// own, as it uses up the budget of steps.
func (c *compiler) patch(pc, to int) {
	in := &c.code[pc]
	rel := to - (pc + 1)
	switch in.Op {
	case Jmp, JmpBack, JT, JF:
		if in.Op == Jmp && rel < 0 {
			in.Op = JmpBack
		}
		*in = in.WithImm32(int32(rel))
	default:
		if rel < math.MinInt16 || rel > math.MaxInt16 {
			panic("BUG: short branch out of range")
		}
		in.C = uint16(int16(rel))
	}
}

// instrs emits b's instructions; next is the block that will follow.
func (c *compiler) instrs(b, next *ssa.BasicBlock) {
	lists := c.liveLists(b)
	for i, instr := range b.Instrs {
		c.scratch = 0
		if c.lv.effects[b.Index][i].idle {
			continue
		}
		if pos := position(instr); pos.IsValid() {
			if n := len(c.f.Pos); n == 0 || c.f.Pos[n-1].Pos != pos {
				c.f.Pos = append(c.f.Pos, PosEntry{PC: int32(len(c.code)), Pos: pos})
			}
		}
		c.f.Origins = append(c.f.Origins, Origin{PC: int32(len(c.code)), Instr: instr})
		c.before, c.after = lists[i].before, lists[i].after
		c.looping = c.inLoop[b]
		if c.huge && c.usesHuge(instr) {
			c.unsupported(HugeObject)
			continue
		}
		c.instr(instr, next)
	}
}

// position is the source position of instr. Deferred calls run where the
// function returns: at its return statement or its closing brace.
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

// emptyLoop returns the position of the "for {}" in a function, of which SSA
// has only a jump without a position; none if there are several.
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

// liveList holds the registers live before and after an instruction (results excluded).
type liveList struct{ before, after []uint16 }

// liveLists computes, backwards, the live registers around b's instructions.
// The first pass, which has no registers for its window yet, gets empty lists: its code is dropped.
func (c *compiler) liveLists(b *ssa.BasicBlock) []liveList {
	lists := make([]liveList, len(b.Instrs))
	if c.window == math.MaxInt16 {
		return lists
	}
	live := newBitset(len(c.lv.values))
	live.copyFrom(c.lv.liveOut[b])
	for _, id := range c.lv.always {
		live.add(id)
	}
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		e := &c.lv.effects[b.Index][i]
		for _, id := range e.defs {
			live.remove(int(id))
		}
		if e.idle {
			continue
		}
		// Lists are made only where they may be asked for.
		pending := c.mayBePending(b.Instrs[i])
		if pending {
			lists[i].after = c.regList(live)
		}
		for _, id := range e.uses {
			live.add(int(id))
		}
		if pending {
			lists[i].before = c.regList(live)
		}
	}
	return lists
}

// mayBePending reports whether instr can be a goroutine's next instruction between two steps.
func (c *compiler) mayBePending(instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.Jump, *ssa.Field, *ssa.Extract, *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface:
		return false
	case *ssa.Return:
		return c.lateDefers
	case *ssa.If:
		return c.isFusedValue(v.Cond)
	}
	return true
}

func (c *compiler) isFusedValue(v ssa.Value) bool { return c.fused[v] }

// regList turns a live set into register numbers with pointer marks.
// Lists that follow each other are often the same, and then they share their memory.
func (c *compiler) regList(live bitset) []uint16 {
	list := c.listing[:0]
	for w, x := range live {
		for ; x != 0; x &= x - 1 {
			list = append(list, c.regWords[w*64+trailingZeros(x)]...)
		}
	}
	c.listing = list
	if !slices.Equal(list, c.lastLive) {
		c.lastLive = slices.Clone(list)
	}
	return c.lastLive
}

// recordPending records what is live if an operation is pending at the next instruction emitted.
func (c *compiler) recordPending(extra ...uint16) {
	l := c.before
	if len(extra) > 0 {
		l = append(append([]uint16(nil), l...), extra...)
	}
	c.f.AddLive(len(c.code), l)
}

// recordReturn records what is live when a call returns to the next instruction emitted.
func (c *compiler) recordReturn() { c.f.AddLive(len(c.code), c.after) }

// phiMoves emits the parallel assignment of to's phis on the edge from from. A move is emitted when
// no other move still reads its destination; if all destinations are still read, the moves form
// cycles, and one of their sources goes to a scratch register first. Constants come last, as they
// read no register.
func (c *compiler) phiMoves(from, to *ssa.BasicBlock) {
	// Which words go where: registers first, constants apart. Words that are in place need no move.
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
				c.emit(Mov, m.dst, m.src, 0)
				moves = append(moves[:i], moves[i+1:]...)
				done = true
				break
			}
		}
		if !done { // a cycle: break it with a scratch register
			t := c.temp(1)
			c.emit(Mov, t, moves[0].src, 0)
			moves[0].src = t
		}
	}
	for _, x := range consts {
		c.into(x.v, x.r)
	}
}

// needsMoves reports whether the edge from from to to changes any register.
func (c *compiler) needsMoves(from, to *ssa.BasicBlock) bool {
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
	c.fixups = append(c.fixups, fixup{pc: c.emitImm(Jmp, 0, 0), target: b})
}

// branchTo registers the branch instruction at pc as going from b to to, through the edge's moves
// if to has phis.
func (c *compiler) branchTo(pc int, b, to *ssa.BasicBlock) {
	x := fixup{pc: pc, target: to}
	if c.needsMoves(b, to) {
		x.edge = &edge{from: b, to: to}
	}
	c.fixups = append(c.fixups, x)
}

// instr emits one instruction. Operands go to registers first (use), which may emit code that makes
// constants and fused values. Then, if the instruction can be a visible operation, what is live is
// recorded: an operation that is not scheduled yet is executed again from here, so nothing may have
// been written between recordPending and the operation.
func (c *compiler) instr(instr ssa.Instruction, next *ssa.BasicBlock) {
	switch v := instr.(type) {
	case *ssa.DebugRef, *ssa.Extract:
	case *ssa.Alloc:
		l := c.l.Layout(v.Type().Underlying().(*types.Pointer).Elem())
		switch {
		case l.Size == 0:
			c.constant(c.dst(v), c.l.ZeroBase()) // all of them are one, as with gc
			return
		case l.Huge:
			c.unsupported(HugeObject)
			return
		}
		c.emitImm(NewObj, c.dst(v), int32(l.ID))
	case *ssa.UnOp:
		c.unop(v)
	case *ssa.BinOp:
		c.binop(v, c.dst(v))
	case *ssa.FieldAddr:
		c.addPtr(c.dst(v), c.use(v.X), c.offsetOf(v))
	case *ssa.IndexAddr:
		c.indexAddr(v, c.dst(v))
	case *ssa.Field:
		c.field(v)
	case *ssa.Index:
		c.index(v)
	case *ssa.Store:
		c.store(v)
	case *ssa.ChangeType:
		c.into(v.X, c.dst(v))
	case *ssa.ChangeInterface:
		c.into(v.X, c.dst(v))
	case *ssa.Convert:
		c.convert(v)
	case *ssa.MultiConvert:
		c.unsupported("conversion of a type parameter")
	case *ssa.SliceToArrayPointer:
		n := v.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		x := c.use(v.X)
		c.emit(SliceToArr, c.dst(v), x, 0)
		c.word(uint64(n))
	case *ssa.MakeInterface:
		c.makeInterface(v)
	case *ssa.TypeAssert:
		c.typeAssert(v)
	case *ssa.MakeClosure:
		c.makeClosure(v)
	case *ssa.MakeMap:
		h := NoReg
		if v.Reserve != nil {
			h = c.use(v.Reserve)
		}
		c.emit(MkMap, c.dst(v), h, 0)
		c.word(uint64(c.l.MapType(v.Type().Underlying())))
	case *ssa.MakeChan:
		n := c.use(v.Size)
		c.emit(MkChan, c.dst(v), n, 0)
		c.word(uint64(c.l.Layout(v.Type().Underlying().(*types.Chan).Elem()).ID))
	case *ssa.MakeSlice:
		n, k := c.use(v.Len), c.use(v.Cap)
		c.emit(MkSlice, c.dst(v), n, k)
		c.word(uint64(c.l.Layout(v.Type().Underlying().(*types.Slice).Elem()).ID))
	case *ssa.Slice:
		c.slice(v)
	case *ssa.Lookup:
		c.lookup(v)
	case *ssa.MapUpdate:
		m, k, e := c.use(v.Map), c.use(v.Key), c.use(v.Value)
		c.recordPending()
		c.emit(MapSet, m, k, e)
		c.word(uint64(c.l.MapType(v.Map.Type().Underlying())))
	case *ssa.Range:
		x := c.use(v.X)
		if _, ok := v.X.Type().Underlying().(*types.Map); ok {
			c.emit(MapIter, c.dst(v), x, 0)
		} else {
			c.emit(StrIter, c.dst(v), x, 0)
		}
	case *ssa.Next:
		c.next(v)
	case *ssa.Send:
		ch, x := c.use(v.Chan), c.use(v.X)
		c.recordPending()
		c.emit(Send, ch, x, 0)
	case *ssa.Select:
		c.selectOp(v)
	case *ssa.Call:
		c.call(v)
	case *ssa.Go:
		fv, w, n, _ := c.prepareCall(&v.Call)
		c.emit(Go, w, fv, n)
	case *ssa.Defer:
		tok := NoReg
		if v.DeferStack != nil {
			tok = c.use(v.DeferStack)
		}
		fv, w, n, lay := c.prepareCall(&v.Call)
		c.emit(Defer, w, fv, n)
		c.word(uint64(lay) | uint64(tok)<<32)
	case *ssa.RunDefers:
		c.recordPending()
		c.emit(RunDefers, 0, 0, 0)
	case *ssa.Panic:
		c.emit(Panic, c.use(v.X), 0, 0)
	case *ssa.Return:
		c.ret(v)
	case *ssa.Jump:
		to := v.Block().Succs[0]
		c.phiMoves(v.Block(), to)
		if to == next {
			break
		}
		// The head's instructions once more, with the same live lists. Other jumps still lead to
		// the first copy (blockPC).
		if _, back := c.blockPC[to]; back && rotatable(to) {
			c.instrs(to, next)
			break
		}
		c.jump(to)
	case *ssa.If:
		c.branch(v, next)
	default:
		c.unsupported("SSA instruction " + instr.String())
	}
}

// rotatable reports whether b, a loop's head, is so short that its test is
// worth repeating at the loop's end: one jump fewer in every iteration.
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

// ret emits a return. Several results are collected in scratch registers, from where Ret moves them
// to the frame's first ones: a result may be a value that is there.
func (c *compiler) ret(v *ssa.Return) {
	if c.lateDefers {
		c.recordPending()
		c.emit(RunDefers, 0, 0, 0)
	}
	n := 0
	for _, x := range v.Results {
		n += c.words(x)
	}
	switch {
	case n == 0:
		c.emit(Ret0, 0, 0, 0)
		return
	case len(v.Results) == 1:
		r := c.use(v.Results[0])
		if n == 1 {
			c.emit(Ret1, r, 0, 0)
		} else {
			c.emit(Ret, r, n, 0)
		}
		return
	}
	t := c.temp(n)
	k := t
	for _, x := range v.Results {
		c.into(x, k)
		k += c.words(x)
	}
	c.emit(Ret, t, n, 0)
}

// addPtr emits dst = base + off with a nil check.
func (c *compiler) addPtr(dst, base int, off int64) {
	if off <= math.MaxUint16 {
		c.emit(AddPtr, dst, base, int(off))
		return
	}
	c.emit(AddPtrL, dst, base, 0)
	c.word(uint64(off))
}

// address resolves the address operand of a load or store: a register and an offset.
// Fused field addresses add up to one offset; if it is too large for an operand, it is computed.
func (c *compiler) address(v ssa.Value) (base int, off int) {
	if f, ok := v.(*ssa.FieldAddr); ok && c.fused[f] {
		o := c.offsetOf(f)
		b, k := c.address(f.X)
		if o+int64(k) <= math.MaxUint16 {
			return b, k + int(o)
		}
		t := c.temp(1)
		c.addPtr(t, b, o+int64(k))
		return t, 0
	}
	return c.use(v), 0
}

// loadOp returns the load operation for type t, in its plain, slice-indexed
// and register-image forms, and whether there is one register to load.
func loadOp(t types.Type) (plain, indexed, image Op, ok bool) {
	switch layout.ScalarOf(t) {
	case layout.S8:
		return LdS8, LdXS8, RLdS8, true
	case layout.U8:
		return LdU8, LdXU8, RLdU8, true
	case layout.S16:
		return LdS16, LdXS16, RLdS16, true
	case layout.U16:
		return LdU16, LdXU16, RLdU16, true
	case layout.S32:
		return LdS32, LdXS32, RLdS32, true
	case layout.U32, layout.F32:
		return LdU32, LdXU32, RLdU32, true
	case layout.W64, layout.F64:
		return Ld64, LdX64, RLd64, true
	}
	return 0, 0, 0, false
}

// load emits dst = *(base+off) for a value of type t.
// A struct or an array of a size that one load has is loaded like an unsigned integer: the bytes of
// the last register after its image are zero.
func (c *compiler) load(dst, base, off int, t types.Type) {
	op, _, _, ok := loadOp(t)
	l := c.l.Layout(t)
	switch {
	case ok:
	case l.Size == 0:
		c.emit(NilChk, base, 0, 0)
		return
	case l.Size == 1:
		op = LdU8
	case l.Size == 2:
		op = LdU16
	case l.Size == 4:
		op = LdU32
	case l.Size == 8:
		op = Ld64
	case l.Size == 16:
		op = Ld2
	case l.Size == 24:
		op = Ld3
	default:
		c.emit(LdN, dst, base, off)
		c.word(uint64(l.Size))
		return
	}
	c.emit(op, dst, base, off)
}

// store emits *(addr) = val, in the shortest form that the address and the size allow.
func (c *compiler) store(v *ssa.Store) {
	if blankField(v.Addr) {
		return // of a composite literal; gc does not store it
	}
	if selfStore(v) {
		return
	}
	t := v.Val.Type()
	l := c.l.Layout(t)
	if x, ok := v.Addr.(*ssa.IndexAddr); ok && c.fused[x] {
		s, i, val := c.use(x.X), c.use(x.Index), c.use(v.Val)
		c.indexing(x.Index)
		c.recordPending()
		c.emit(map[uint32]Op{1: StX8, 2: StX16, 4: StX32, 8: StX64}[l.Size], s, i, val)
		return
	}
	if src, ok := c.source(v.Val); ok {
		dst := c.pointer(v.Addr)
		c.recordPending()
		c.emit(CopyMem, dst, src, 0)
		c.word(uint64(l.Size))
		return
	}
	val := 0
	if l.Size > 0 {
		val = c.use(v.Val)
	}
	base, off := c.address(v.Addr)
	if l.Size == 0 {
		c.emit(NilChk, base, 0, 0)
		return
	}
	c.recordPending()
	op := map[uint32]Op{1: St8, 2: St16, 4: St32, 8: St64, 16: St2, 24: St3}[l.Size]
	if op != 0 {
		c.emit(op, base, val, off)
		return
	}
	c.emit(StN, base, val, off)
	c.word(uint64(l.Size))
}

// selfStore reports whether v is the return of a named result by its name, which gives it its own
// value back. gc does not store it, which matters if a goroutine reads the variable. An assignment
// of what has been read before is not such a return: another goroutine may have written in between.
func selfStore(v *ssa.Store) bool {
	ld, ok := v.Val.(*ssa.UnOp)
	if _, local := v.Addr.(*ssa.Alloc); !ok || !local || ld.Op != token.MUL || ld.X != v.Addr || ld.Block() != v.Block() {
		return false
	}
	if !ofReturn(v) {
		return false
	}
	// From the load to the store nothing may write the variable or synchronise with others.
	between := false
	for _, in := range v.Block().Instrs {
		switch in := in.(type) {
		case *ssa.UnOp:
			if in == ld {
				between = true
			} else if in.Op == token.ARROW && between {
				return false
			}
		case *ssa.Store:
			if in == v {
				return true
			}
			if between && in.Addr == v.Addr {
				return false
			}
		case ssa.CallInstruction, *ssa.Select, *ssa.Send:
			if between {
				return false
			}
		}
	}
	return false
}

// ofReturn reports whether v is how a return statement stores a result.
func ofReturn(v *ssa.Store) (found bool) {
	body := v.Parent().Syntax()
	if body == nil || !v.Pos().IsValid() {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && r.Pos() == v.Pos() {
			found = true
		}
		return !found && n != nil && n.Pos() <= v.Pos() && v.Pos() < n.End()
	})
	return found
}

// blankField reports whether addr is that of a field called _.
func blankField(addr ssa.Value) bool {
	f, ok := addr.(*ssa.FieldAddr)
	return ok && f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(f.Field).Name() == "_"
}

// indexAddr emits dst = &x[i].
func (c *compiler) indexAddr(v *ssa.IndexAddr, dst int) {
	x, i := c.use(v.X), c.use(v.Index)
	c.indexing(v.Index)
	switch t := v.X.Type().Underlying().(type) {
	case *types.Slice:
		c.emit(IdxS, dst, x, i)
		c.word(uint64(c.l.Layout(t.Elem()).Size))
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		c.countable(a)
		c.emit(IdxA, dst, x, i)
		c.word(uint64(a.Len())<<32 | uint64(c.l.Layout(a.Elem()).Size))
	}
}

// fusedInto computes a fused value into register r.
// It is called where a use of the value is none that could take it in.
func (c *compiler) fusedInto(i ssa.Instruction, r int) {
	switch v := i.(type) {
	case *ssa.FieldAddr:
		b, off := c.address(v)
		c.addPtr(r, b, int64(off))
	case *ssa.IndexAddr:
		c.indexAddr(v, r)
	case *ssa.BinOp:
		c.binop(v, r)
	}
}

// image emits dst = the part of type t at byte off of the register image at src.
// It is whole registers, which are moved; or a scalar within one register, which is extended; or
// anything else (RLdN).
func (c *compiler) image(dst, src int, off uint32, t types.Type) {
	l := c.l.Layout(t)
	_, _, op, ok := loadOp(t)
	switch {
	case l.Size == 0:
	case off%8 == 0 && l.Size%8 == 0:
		c.move(dst, src+int(off/8), l.Words())
	case ok:
		c.emit(op, dst, src+int(off/8), int(off%8))
	default:
		c.emit(RLdN, dst, src+int(off/8), int(off%8))
		c.word(uint64(l.Size))
	}
}

// field emits the selection of a field from a struct that is in registers.
func (c *compiler) field(v *ssa.Field) {
	st := v.X.Type().Underlying().(*types.Struct)
	fields := make([]*types.Var, v.Field+1)
	for i := range fields {
		fields[i] = st.Field(i)
	}
	if c.words(v) == 0 {
		return
	}
	c.image(c.dst(v), c.use(v.X), uint32(layout.Sizes.Offsetsof(fields)[v.Field]), v.Type())
}

// indexing notes that the next instruction uses i as an index: a panic must
// know whether it can be negative.
func (c *compiler) indexing(i ssa.Value) {
	if isUnsigned(i.Type()) && layout.ScalarOf(i.Type()) == layout.W64 {
		c.f.Unsigned = append(c.f.Unsigned, int32(len(c.code)))
	}
}

// index emits indexing of an array or string value.
func (c *compiler) index(v *ssa.Index) {
	x := c.use(v.X)
	a, ok := v.X.Type().Underlying().(*types.Array)
	if !ok {
		i, d := c.use(v.Index), c.dst(v)
		c.indexing(v.Index)
		c.emit(LdStr, d, x, i)
		return
	}
	l := c.l.Layout(a.Elem())
	if k, ok := v.Index.(*ssa.Const); ok {
		if i := constWords(k)[0]; i < uint64(a.Len()) {
			c.image(c.dst(v), x, uint32(i)*l.Size, a.Elem())
			return
		}
	}
	i, d := c.use(v.Index), c.dst(v)
	c.indexing(v.Index)
	c.countable(a)
	c.emit(RIdx, d, x, i)
	c.word(uint64(a.Len())<<32 | uint64(l.Size))
	// RIdx has copied the element's bytes: a narrow scalar is extended now.
	if _, _, op, ok := loadOp(a.Elem()); ok && l.Size < 8 {
		c.emit(op, d, d, 0)
	}
}

// slice emits x[low:high:max]. The word after the operation names the registers of the three
// bounds, NoReg for those left out, and says in its upper bits which have a signed type.
//
//	bits  0     16     32    48
//	      │ low │ high │ max │ signed: bit 48 low, 49 high, 50 max │
func (c *compiler) slice(v *ssa.Slice) {
	if a, ok := v.X.(*ssa.Alloc); ok && c.fused[a] { // make([]T, n, constant)
		t := a.Type().Underlying().(*types.Pointer).Elem().(*types.Array)
		k := c.temp(1)
		c.constant(k, uint64(t.Len()))
		c.emit(MkSlice, c.dst(v), c.use(v.High), k)
		c.word(uint64(c.l.Layout(t.Elem()).ID))
		return
	}
	x := c.use(v.X)
	regs, signed := uint64(0), uint64(0)
	for i, b := range []ssa.Value{v.Low, v.High, v.Max} {
		r := uint64(NoReg)
		if b != nil {
			r = uint64(c.use(b))
			if t, ok := b.Type().Underlying().(*types.Basic); ok && t.Info()&types.IsUnsigned == 0 {
				signed |= 1 << i
			}
		}
		regs |= r << (16 * i)
	}
	regs |= signed << 48
	switch t := v.X.Type().Underlying().(type) {
	case *types.Slice:
		c.emit(SliceS, c.dst(v), x, 0)
		c.word(regs)
		c.word(uint64(c.l.Layout(t.Elem()).Size))
	case *types.Basic:
		c.emit(SliceStr, c.dst(v), x, 0)
		c.word(regs)
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		c.countable(a)
		c.emit(SliceA, c.dst(v), x, 0)
		c.word(regs)
		c.word(uint64(a.Len())<<32 | uint64(c.l.Layout(a.Elem()).Size))
	}
}

// branch emits the If that ends a block. If the block for true is next, the condition is negated,
// so that one of the successors needs no jump.
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
		op := JT
		if negate {
			op = JF
		}
		c.branchTo(c.emitImm(op, c.use(v.Cond), 0), b, yes)
	}
	c.phiMoves(b, no)
	if no != next {
		c.jump(no)
	}
}

// Comparisons: negated, with the operands swapped, and as a branch on a small constant.
var (
	negated = map[token.Token]token.Token{
		token.EQL: token.NEQ, token.NEQ: token.EQL,
		token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
	}
	swapped = map[token.Token]token.Token{
		token.EQL: token.EQL, token.NEQ: token.NEQ,
		token.LSS: token.GTR, token.GEQ: token.LEQ, token.GTR: token.LSS, token.LEQ: token.GEQ,
	}
	constBranches = map[token.Token]Op{
		token.EQL: JEqI, token.NEQ: JNeI, token.LSS: JLtSI, token.LEQ: JLeSI, token.GTR: JGtSI, token.GEQ: JGeSI,
	}
)

// compareBranch emits a branch of b to to if cmp holds (does not hold, with negate).
// A constant goes to the right. With an immediate operand there are all six comparisons, but they
// are signed, so that unsigned ones can use equality only. Of two registers there are four, and the
// others have their operands exchanged.
func (c *compiler) compareBranch(cmp *ssa.BinOp, negate bool, b, to *ssa.BasicBlock) {
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
		op := map[token.Token]Op{token.EQL: JEq, token.NEQ: JNe, token.LSS: JLtS, token.LEQ: JLeS}[tok]
		if unsigned {
			switch tok {
			case token.LSS:
				op = JLtU
			case token.LEQ:
				op = JLeU
			}
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
		over := c.emitImm(Jmp, 0, 1)
		c.code[over] = c.code[over].WithImm32(1)
		c.branchTo(c.emitImm(Jmp, 0, 0), b, to)
		return
	}
	c.branchTo(pc, b, to)
}

// mayBeFar reports whether the function may be too large for short branches. An
// SSA instruction takes fewer than 8 words on average by a wide margin.
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

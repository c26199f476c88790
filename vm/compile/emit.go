package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 operations are written by their bare names
)

// emitAll emits the whole function into c.code.
//
//	pins │ block 1 │ block 2 │ ... │ trampolines of edges │ Ret0 │ Nop
//
// Branches between blocks are patched at the end, when all targets are known.
//
// It is called twice, so it begins by resetting all results of the first call.
//
// Both passes emit the same instructions except for constants: those that the first pass has requested
// as pinned are registers in the second. Branch distances are patched in each.
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
	c.entered = c.f.Own && !c.l.OnlyCalled(c.fn) // other code may call it
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
	c.f.Edges = int32(len(c.code))
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

// instrs emits b's instructions; next is the block that will follow.
//
// Origins and Pos have an entry where the instruction or position changes, ordered by PC: which
// SSA instruction a pc belongs to is found by binary search.
func (c *compiler) instrs(b, next *ssa.BasicBlock) {
	lists := c.liveLists(b)
	for i, instr := range b.Instrs {
		c.scratch = 0
		for _, n := range c.l.Begins(b, i) {
			c.emitImm(Cover, 0, int32(n))
		}
		if c.lv.effects[b.Index][i].idle {
			continue
		}
		if pos := position(instr); pos.IsValid() {
			if n := len(c.f.Pos); n == 0 || c.f.Pos[n-1].Pos != pos {
				c.f.Pos = append(c.f.Pos, PosEntry{PC: int32(len(c.code)), Pos: pos})
			}
		}
		c.f.Origins = append(c.f.Origins, Origin{PC: int32(len(c.code)), Instr: instr})
		//mutant: whole calls: a callback is part of the call of its caller [test ./internal/progen TestWholeCallsByHand]: "c.entered" -> "false"
		if c.entered { // other code may jump here, too
			c.emit(Own, 0, 0, 0)
			c.entered = false
		}
		c.before, c.after = lists[i].before, lists[i].after
		c.looping = c.inLoop[b]
		if c.huge && c.usesHuge(instr) {
			c.unsupported(HugeObject)
			continue
		}
		c.instr(instr, next)
	}
}

// instr emits one instruction. First, operands are brought into registers (use), which may emit code that
// makes constants and fused values. Then, if the instruction can be a visible operation, the live registers
// are recorded: an operation that is not scheduled yet is executed again from here, so nothing may have been
// written between recordPending and the operation.
//
//	v := <-c      use(c); recordPending; Recv v, c, -      live: c, and what is needed later
func (c *compiler) instr(instr ssa.Instruction, next *ssa.BasicBlock) {
	switch v := instr.(type) {
	case *ssa.DebugRef, *ssa.Extract:
	// In the machine each variable is an object of its own, even if it does not escape. (ssa has turned
	// variables whose address is not taken into registers.)
	case *ssa.Alloc:
		l := c.l.Layout(v.Type().Underlying().(*types.Pointer).Elem())
		switch {
		case l.Size == 0:
			c.constant(c.dst(v), c.l.ZeroBase()) // all objects without bytes are the same object, as with gc
			return
		case l.Huge:
			c.unsupported(HugeObject)
			return
		}
		d := c.dst(v)
		c.emitImm(NewObj, d, int32(l.ID))
		if from := c.l.Table(v); from != 0 {
			t := c.temp(1)
			c.constant(t, from)
			c.emit(CopyMem, d, t, 0)
			c.word(uint64(l.Size))
		}
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
		if !storedEarlier(v) {
			c.store(v)
		}
	case *ssa.ChangeType:
		//mutant: a conversion to int64 makes no number [env TestPrograms/spanconverted]: "clocked(v, func() { c.into(v.X, c.dst(v)) }" -> "into(v.X, c.dst(v))\n\t\tc.clockSpan(v"
		c.clocked(v, func() { c.into(v.X, c.dst(v)) })
	case *ssa.ChangeInterface:
		c.into(v.X, c.dst(v))
	case *ssa.Convert:
		c.clocked(v, func() { c.convert(v) })
	case *ssa.MultiConvert:
		c.unsupported("conversion of a type parameter")
	case *ssa.SliceToArrayPointer:
		n := v.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		x := c.use(v.X)
		c.emit(SliceToArr, c.dst(v), x, 0)
		c.word(uint64(n))
	case *ssa.MakeInterface:
		//mutant: what fmt makes of a duration is not looked at [env TestPrograms/spanformat]
		c.clockFormatted(v)
		c.makeInterface(v)
	case *ssa.TypeAssert:
		c.typeAssert(v)
	case *ssa.MakeClosure:
		c.makeClosure(v)
	// A negative size is ignored: it is a hint.
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
		word := uint64(c.l.Layout(v.Type().Underlying().(*types.Chan).Elem()).ID)
		if c.l.Untried(v) {
			word |= Untried
		}
		c.word(word)
	case *ssa.MakeSlice:
		n, k := c.use(v.Len), c.use(v.Cap)
		c.emit(MkSlice, c.dst(v), n, k)
		c.word(uint64(c.l.Layout(v.Type().Underlying().(*types.Slice).Elem()).ID))
	case *ssa.Slice:
		c.slice(v)
	case *ssa.Lookup:
		//mutant: durations are no keys [env TestPrograms/spankey]
		c.clockKey(v.Index)
		c.lookup(v)
	case *ssa.MapUpdate:
		c.clockKey(v.Key)
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
		c.clocked(v, func() { c.call(v) })
		c.continues(&v.Call)
	case *ssa.Go:
		fv, w, n, _ := c.prepareCall(&v.Call)
		// It is pending in programs that count goroutines. The words in the window are copies of live values.
		//mutant: what is live at a go statement is not known [test ./vm TestInvariants]
		c.recordPending()
		c.emit(Go, w, fv, n)
	case *ssa.Defer:
		tok := NoReg
		if v.DeferStack != nil {
			tok = c.use(v.DeferStack)
		}
		fv, w, n, lay := c.prepareCall(&v.Call)
		c.emit(Defer, w, fv, n)
		c.word(uint64(lay) | uint64(tok)<<32)
	// While a deferred call runs, its caller is at this instruction, to which it returns.
	case *ssa.RunDefers:
		c.recordPending()
		c.emit(RunDefers, 0, 0, 0)
	case *ssa.Panic:
		c.panic(v)
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
		if s := rangeStore(v); s != nil {
			c.store(s)
		}
		c.branch(v, next)
	default:
		c.unsupported("SSA instruction " + instr.String())
	}
}

// continues emits the mark that follows a call, in functions of the reader's own packages, if the call may
// have reached other packages. Deferred calls are marked when they begin (Machine.popDefer).
func (c *compiler) continues(call *ssa.CallCommon) {
	if !c.f.Own {
		return
	}
	if _, builtin := call.Value.(*ssa.Builtin); builtin {
		return
	}
	if fn := call.StaticCallee(); fn != nil {
		if _, native := c.l.Native(fn); native || c.l.IsOwn(fn) {
			return // a native works for its caller's code, and a function of the user's own code has marks itself
		}
	}
	c.emit(Own, 0, 0, 0)
}

// ret emits a return. Several results are collected in scratch registers, and Ret moves them to the frame's
// first registers. They are not written there at once, because one of these registers may still hold another
// result.
//
// lateDefers: ssa has left out RunDefers where it should be (package documentation).
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

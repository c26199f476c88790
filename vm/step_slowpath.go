package vm

import (
	"math"
	"math/bits"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// slowOp executes the operations that have no place in exec's loop: they are rarer than a call, or
// take so long that a call does not matter. g.pc is the instruction; it advances when the operation
// is complete. An operation that can be visible first checks whether it may execute (accessesMayExecute,
// mayExecute), and returns Stop if not: then the instruction is pending.
//
// A case that stops or throws returns before g.pc advances: the instruction is executed again, or is the
// place of the panic. Checks that need only registers come before the question whether the operation may
// execute, so that they panic at once. Checks of shared memory come after the question.
func (m *Machine) slowOp(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer) Ctl {
	h := m.heap
	// The words after the instruction, which have the operands that do not fit in the instruction.
	word := func(i int) uint64 { return f.Code[int(g.PC)+1+i].Word() }
	a, b, c := rg(r, in.A), rg(r, in.B), rg(r, in.C)
	switch in.Op {
	case bytecode.Go:
		fv := *b
		if fv == 0 {
			m.throw(g, rtPanicText, m.literal("go of nil func value"), uint64(len("go of nil func value")))
			return Called
		}
		if m.startsNames(g) {
			m.track()
			m.sym.Drawn = true
			return Stop
		}
		// Starting a goroutine is visible only if the program counts goroutines (runtime.NumGoroutine).
		//mutant: starting touches nothing [points]: "!m.mayCount(g, trace.Go)" -> "trace.Go == trace.None"
		if !m.mayCount(g, trace.Go) {
			return Stop
		}
		m.startG(g, fv, unsafe.Slice(a, int(in.C)), false)
		g.PC++
		if m.forks() {
			return Stop
		}
	case bytecode.Defer:
		x := word(0)
		list := ptr(0)
		if t := uint16(x >> 32); t != bytecode.NoReg {
			list = *rg(r, t)
		}
		m.pushDefer(g, list, *b, unsafe.Slice(a, int(in.C)), uint32(x))
		g.PC += 2
	case bytecode.DeferStack:
		*a = m.deferList(g)
		g.PC++
	case bytecode.RunDefers:
		if m.popDefer(g, frRunDefer) {
			return Called
		}
		g.PC++
	case bytecode.Panic:
		//mutant: panic(nil) is always an error [env TestPrograms/panicnil]: drop 2
		if *a == 0 && m.setting("panicnil") != "1" {
			m.throw(g, rtPanicNil)
			return Called
		}
		m.raise(g, *a, *rg(r, in.A+1), 0)
		return Unwind
	case bytecode.PanicRange:
		m.throw(g, rtPanicRange, *a)
		return Called
	case bytecode.Recover:
		*a, *rg(r, in.A+1) = m.recovered(g, in.C != 0)
		g.PC++
	case bytecode.MkSlice:
		l := m.layouts.At(uint32(word(0)))
		n, k := *b, *c
		// In the order of gc: the length first, then the capacity. There is no panic for a size that gc
		// could allocate and the machine cannot.
		limit := uint64(heap.MaxObject)
		if l.Size > 0 {
			limit /= uint64(l.Size)
		} else {
			limit = math.MaxInt64
		}
		if max(n, k) > limit && n <= k && l.Size > 0 && k <= heap.MaxAlloc/uint64(l.Size) {
			m.unsupported(g, RefusedSize, hugeObject)
			return Stop
		}
		if n > limit || int64(n) < 0 {
			m.throw(g, rtPanicMakeSlice, 0)
			return Called
		}
		if k > limit || k < n {
			m.throw(g, rtPanicMakeSlice, 1)
			return Called
		}
		id := m.alloc(g, uint32(k)*l.Size, l.ID)
		*a, *rg(r, in.A+1), *rg(r, in.A+2) = uint64(id)<<32, n, k
		g.PC += 2
	case bytecode.MkChan:
		return m.makeChan(g, a, *b, word(0))
	case bytecode.Send, bytecode.Recv, bytecode.Select:
		return m.chanOp(g)
	case bytecode.Close:
		return m.closeChan(g, *a)
	case bytecode.ChanLen, bytecode.ChanCap:
		return m.chanLen(g, in.Op, a, *b)
	case bytecode.Impl:
		*a = b2u(*b != 0 && m.link.Implements(*b, uint32(word(0))))
		g.PC += 2
	case bytecode.PanicTA:
		x := word(0)
		m.throw(g, rtPanicTypeAssert, *a, m.link.WordOf(uint32(x)), m.link.WordOf(uint32(x>>32)))
		return Called
	case bytecode.SliceS, bytecode.SliceStr, bytecode.SliceA:
		return m.slice(g, f, in, r)
	case bytecode.SliceToArr:
		if n := word(0); *rg(r, in.B+1) < n {
			m.throw(g, rtPanicArrayConv, *rg(r, in.B+1), n)
			return Called
		}
		*a = *b
		g.PC += 2
	// unsafe.Slice and unsafe.String: the product must not overflow, nor reach past the end of
	// the address space (spec: Conversions of package unsafe).
	case bytecode.UnsafeChk:
		x := word(0)
		size, text := x&^(1<<63), x>>63
		n := *b
		hi, lo := bits.Mul64(n, size)
		switch {
		case int64(n) < 0 || hi != 0 || lo > -*a && *a != 0:
			m.throw(g, rtPanicUnsafe, text, 0)
			return Called
		case *a == 0 && n != 0:
			m.throw(g, rtPanicUnsafe, text, 1)
			return Called
		}
		g.PC += 2
	// A wrapper that the compiler makes for a method of a value panics if it is called through a
	// nil pointer.
	case bytecode.WrapChk:
		if *a>>32 == 0 {
			s := f.Texts[word(0)]
			m.throw(g, rtPanicWrap, m.literal(s), uint64(len(s)))
			return Called
		}
		g.PC += 2
	case bytecode.Append:
		return m.appendOp(g, f, in, r)
	// An operation that moves pointers into a shared object publishes the objects to which they point
	// (publishBytes), before it writes.
	case bytecode.Copy:
		es := word(0)
		n := min(*rg(r, in.B+1), *rg(r, in.C+1))
		src, dst := *c, *b
		if !m.accessesMayExecute(g, f, accessOf(src, n*es, false), accessOf(dst, n*es, true)) {
			return Stop
		}
		if n*es > 0 {
			from, to := h.Bytes(src, uint32(n*es)), h.Writable(dst, uint32(n*es))
			m.publishBytes(dst, from)
			copy(to, from)
			m.sym.Moved(dst, src, n*es)
		}
		*a = n
		g.PC += 2
	case bytecode.CopyMem:
		return m.copyBig(g, f, in, r)
	case bytecode.ClearS:
		n := *rg(r, in.A+1) * word(0)
		if !m.accessesMayExecute(g, f, accessOf(*a, n, true)) {
			return Stop
		}
		clear(h.Writable(*a, uint32(n)))
		m.sym.Cleared(*a, n)
		g.PC += 2
	case bytecode.Print:
		m.print(a, in.B)
		g.PC++
	case bytecode.Clock:
		if in.C&bytecode.ClockPun != 0 {
			m.observePun(*a, word(0))
		} else if ctl := m.noteClock(g, in, a, *b, int64(word(0))); ctl != Next {
			return ctl
		}
		g.PC += 2
	case bytecode.Counted:
		m.labelCounted(g, in.A, 1/float64(bytecode.CountedUnits[in.C]))
		g.PC++
	case bytecode.Unsupported:
		m.unsupported(g, refusalCode(f, f.Texts[word(0)]), f.Texts[word(0)])
		return Stop
	case bytecode.MapGet, bytecode.MapSet, bytecode.MapDel, bytecode.MapLen, bytecode.MapClear,
		bytecode.MapIter, bytecode.MapNext, bytecode.MkMap:
		return m.mapOp(g, f, in, r)
	default:
		return m.strOp(g, f, in, r)
	}
	return Next
}

// copyBig executes CopyMem, which moves values that are too large for registers, or clears them.
//
// A nil check comes first, because it always panics.
func (m *Machine) copyBig(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer) Ctl {
	n := f.Code[g.PC+1].Word()
	dst, src := *rg(r, in.A), uint64(0)
	if in.B != bytecode.NoReg {
		src = *rg(r, in.B)
	}
	if m.heap.Load(dst, n, 0) == nil || in.B != bytecode.NoReg && m.heap.Load(src, n, 0) == nil {
		m.throw(g, rtPanicMem)
		return Called
	}
	if in.B == bytecode.NoReg {
		if !m.accessesMayExecute(g, f, accessOf(dst, n, true)) {
			return Stop
		}
		clear(m.heap.Writable(dst, uint32(n)))
		m.sym.Cleared(dst, n)
	} else {
		if !m.accessesMayExecute(g, f, accessOf(src, n, false), accessOf(dst, n, true)) {
			return Stop
		}
		from, to := m.heap.Bytes(src, uint32(n)), m.heap.Writable(dst, uint32(n))
		m.publishBytes(dst, from)
		copy(to, from)
		m.sym.Moved(dst, src, n)
	}
	g.PC += 2
	return Next
}

// The rest of this file has the instructions that exec executes by a call of their own. g.PC is at the
// instruction, and after it when it is complete.

// slowLoad executes a load from addr for which the fast path has failed. It reports false if the load is
// pending or has panicked.
func (m *Machine) slowLoad(g *goroutine, in *bytecode.Instr, pc int32, addr uint64) bool {
	row := in.Op.Row()
	size := uint64(row.Bytes)
	if size == 0 {
		size = g.Fn.Code[pc+1].Word()
	}
	p := m.access(g, g.Fn, pc+1, addr, size, false)
	if p == nil {
		return false
	}
	a := rg(g.regs(), in.A)
	switch {
	case size == 1 && row.Signed:
		*a = uint64(*(*int8)(p))
	case size == 2 && row.Signed:
		*a = uint64(*(*int16)(p))
	case size == 4 && row.Signed:
		*a = uint64(*(*int32)(p))
	default:
		layout.LoadImage(a, p, size)
	}
	g.PC = pc + 1 + int32(row.Words)
	return true
}

// slowStore executes a store to addr for which the fast path has failed. It reports false if the store is
// pending or has panicked. A store of a pointer to a shared object publishes the object to which it
// points. Only the slow path does such stores, as shared objects stop the fast one.
func (m *Machine) slowStore(g *goroutine, in *bytecode.Instr, pc int32, addr uint64) bool {
	row := in.Op.Row()
	size := uint64(row.Bytes)
	if size == 0 {
		size = g.Fn.Code[pc+1].Word()
	}
	p := m.access(g, g.Fn, pc+1, addr, size, true)
	if p == nil {
		return false
	}
	val := rg(g.regs(), in.B)
	if row.Class == bytecode.StoresElem {
		val = rg(g.regs(), in.C)
	}
	if size == 8 {
		m.publishStore(addr, *val)
	} else if size > 8 {
		m.publishWords(addr, val, int(size/8))
	}
	layout.StoreImage(p, val, size)
	g.PC = pc + 1 + int32(row.Words)
	return true
}

// callNative calls a native. g.PC is after the instruction while a native runs that certainly executes.
func (m *Machine) callNative(g *goroutine, nat *Native, r Regs) Ctl {
	if nat.Peek != nil && !m.nativeMayExecute(g, nat, r) {
		return Stop
	}
	g.PC++
	g.inNative = true
	ctl := nat.Fn(m, g, r)
	g.inNative = false
	return ctl
}

// bindMethod executes IMeth. It reports false if the interface is nil.
func (m *Machine) bindMethod(g *goroutine, in *bytecode.Instr, r unsafe.Pointer) bool {
	fv := m.link.Method(*rg(r, in.B), g.Fn.Methods[in.C])
	if fv == 0 {
		return false
	}
	x := *rg(r, in.B+1)
	*rg(r, in.A), *rg(r, in.A+1) = fv, x
	g.PC++
	return true
}

// newObject executes NewObj.
func (m *Machine) newObject(g *goroutine, in *bytecode.Instr, r unsafe.Pointer) {
	l := m.layouts.At(uint32(in.Imm32()))
	*rg(r, in.A) = uint64(m.alloc(g, l.Size, l.ID)) << 32
	g.PC++
}

// makeClosure executes MkClos. A closure is its function and the captured words, in one object: see
// pushFrame. A new object is of this epoch and no other goroutine has seen it, so it is filled without
// checks.
func (m *Machine) makeClosure(g *goroutine, in *bytecode.Instr, r unsafe.Pointer) {
	x := g.Fn.Code[g.PC+1].Word()
	id := m.alloc(g, 8+uint32(in.C)*8, uint32(x>>32))
	dst := unsafe.Slice((*uint64)(m.heap.Objs[id].Mem), int(in.C)+1)
	dst[0] = uint64(uint32(x)) | funcBit
	copy(dst[1:], unsafe.Slice(rg(r, in.B), int(in.C)))
	*rg(r, in.A) = uint64(id) << 32
	g.PC += 2
}

// box executes Box. A value in an interface never changes: reading it is not a visible operation
// (heap.Frozen).
func (m *Machine) box(g *goroutine, in *bytecode.Instr, r unsafe.Pointer) {
	l := m.layouts.At(uint32(g.Fn.Code[g.PC+1].Word()))
	id := m.alloc(g, l.Size, l.ID)
	o := &m.heap.Objs[id]
	o.Flags |= heap.Frozen
	layout.StoreImage(o.Mem, rg(r, in.B), uint64(l.Size))
	*rg(r, in.A) = uint64(id) << 32
	g.PC += 2
}

// stackAt executes StackAt.
func (m *Machine) stackAt(g *goroutine, in *bytecode.Instr, r unsafe.Pointer) {
	*rg(r, in.A) = m.stackAddress(g)
	g.PC++
}

// equalStrings executes EqStr. The views of guest memory (m.str) do not outlive it.
func (m *Machine) equalStrings(in *bytecode.Instr, r unsafe.Pointer) {
	x, n := *rg(r, in.B), *rg(r, in.B+1)
	y := *rg(r, in.C)
	*rg(r, in.A) = b2u(n == *rg(r, in.C+1) && (x == y || m.str(x, n) == m.str(y, n)))
}

// compareStrings executes LtStr and LeStr.
func (m *Machine) compareStrings(in *bytecode.Instr, r unsafe.Pointer) {
	x, y := m.str(*rg(r, in.B), *rg(r, in.B+1)), m.str(*rg(r, in.C), *rg(r, in.C+1))
	if in.Op == bytecode.LtStr {
		*rg(r, in.A) = b2u(x < y)
	} else {
		*rg(r, in.A) = b2u(x <= y)
	}
}

// equalValues executes EqIface and EqN. It reports false if the comparison has panicked.
func (m *Machine) equalValues(g *goroutine, in *bytecode.Instr, r unsafe.Pointer) bool {
	x, y := unsafe.Pointer(rg(r, in.B)), unsafe.Pointer(rg(r, in.C))
	var eq bool
	var bad uint64
	if in.Op == bytecode.EqIface {
		eq, bad = m.mem.EqualIface(x, y)
	} else {
		eq, bad = m.mem.Equal(m.layouts.At(uint32(g.Fn.Code[g.PC+1].Word())), x, y)
	}
	if bad != 0 {
		m.throw(g, rtPanicUncomparable, bad)
		return false
	}
	*rg(r, in.A) = b2u(eq)
	g.PC += 1 + int32(in.Op.Row().Words)
	return true
}

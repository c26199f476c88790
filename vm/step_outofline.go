package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Instructions that the interpreter's loop executes by a call. g.PC is at the instruction, and after it when it
// is complete.

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
// pending or has panicked. A store of a pointer to a shared object publishes the object to which it points. Only
// the slow path does such stores, as shared objects stop the fast one.
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

// makeClosure executes MkClos. A closure is its function and the captured words, in one object: see pushFrame.
// A new object is of this epoch and no other goroutine has seen it, so it is filled without checks.
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

// equalStrings executes EqStr.
func (m *Machine) equalStrings(in *bytecode.Instr, r unsafe.Pointer) {
	x, n := *rg(r, in.B), *rg(r, in.B+1)
	y := *rg(r, in.C)
	*rg(r, in.A) = b2u(n == *rg(r, in.C+1) && (x == y || m.str(x, n) == m.str(y, n)))
}

// compareStrings executes LtStr and LeStr. The views of guest memory (m.str) do not outlive it.
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

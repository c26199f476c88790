package vm

import (
	"math"
	"unsafe"

	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 one name per operation reads better in the loop
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/values"
)

// The interpreter loop. exec runs goroutine g until its next visible operation is pending, until it
// is switched out or ends, or until the step's budget of back edges and calls is used up.
//
// Fast paths touch guest memory through heap.Object. They fail for nil, out of bounds, and for shared
// objects while several goroutines exist; stores also fail for objects not yet saved in this epoch. The
// slow path (m.access) determines the cause. An instruction that turns out to be a visible operation is
// abandoned before it had any effect, and executed again when it is scheduled.
//
// The state of the loop is in local variables: ip (the instruction), r (register 0 of the running frame)
// and stop (the flags that send an access to the slow path). They are never needed after a call: before it
// g.PC is stored, and after it they are loaded again (resume). So gc keeps them in registers. If one case
// needed them after a call, gc would store them to its stack in each round, because it places such a store
// where the value is made. The way to see one is
//
//	go tool objdump -s 'vm.execute\[go.shape.\[0\]uint8\]' hbcheck
//
// where 7 instructions lead from one case to the next, without a store. Calls that do not return to the loop
// (panics) do not count. The loop is a switch over operations; code that several of them share at the end
// has labels:
//
//	again    execute the instruction at ip
//	enter    push a frame for function callee, whose arguments are in window win
//	entered  load the locals again, then enter
//	ret      pop the running frame; Machine.returned handles one with flags
//	branch   jump by the 16 bits of a fused comparison
//	load     the fast path has failed to load from addr; store: to store
//	divide   raise the panic of a division by zero; noMemory that of a nil pointer
//	index    raise an index-out-of-range panic for index addr and length size
//	called   g's frames, pc or status have changed
//	yield    the budget is used up: ask refillBudget
//	poll     memory may have been allocated
//	resume   g.PC is the next instruction: load the locals again
//	stopped  account for the budget and return
//
// Claim: an instruction that is abandoned has had no effect.
//
//  1. It writes memory only at an address that has passed the fast path's check, or that access has
//     returned, and only if the write may happen. The results of a load are written to registers after
//     that.
//  2. g.pc is at the instruction, or is set back to it by the code that makes it pending; exec begins
//     at g.pc when the instruction is scheduled.
//  3. In between its goroutine does not move. So its registers, and with them the operands, are
//     unchanged; only the memory to which these point may change.
//  4. Of a fused operation (bytecode.Func.Fuse), the instructions before ip are complete. The rest is
//     executed from ip, where the code has it as well.
//
// The cases are in the order of package bytecode. The order of the cases does not matter for speed, because
// gc compiles the switch to a table of jumps.
//
// The file is longer than others because the loop is long: an operation in a function of its own costs a call
// and another switch. Moving the ten operations on floats to such a function saves 20 lines here. But the
// programs of bench vm that use floats then take longer by 13 (spectral), 16 (mandelbrot) and 27 % (nbody).
//
// Two slower switches follow: operations that are rarer than a call are in slowOp. For measurements,
// build with -ldflags=-funcalign=64: whether exec begins at a multiple of 64 bytes is chance, and
// worth 8 % of bench vm.

// exec runs g. It returns when g.status is no longer gRunning, or when the budget is spent and
// refillBudget does not renew it.
//
// Invariants of the loop: r points to register 0 of g.FP in g.Stack, and ip into the code of g.Fn.
//
//	r ─▶ │ r0 │ r1 │ ...        ip ─▶ │ instruction │ its word │ instruction │ ...
func (m *Machine) exec(g *goroutine) {
	m.executing = g
	switch {
	case m.tracking:
	case m.watched:
		execute[stopping](m, g)
	default:
		execute[plain](m, g)
	}
	if m.tracking && g.status == gRunning {
		m.sym.Enter()
		if m.sym.Drawn {
			m.sym.Rescan(&g.Goroutine)
		}
		execute[tracked](m, g)
	}
	m.executing = nil
}

// There are three loops: plain, one that tracks shadows (package shadow), and one that stops for
// Config.Watch (see debug_watch.go). All are compiled from one source, and the plain one contains no code
// of the others. Only the plain one executes fused operations.
type (
	plain    [0]byte
	tracked  [1]byte
	stopping [2]byte
)

// execute is exec with one of the loops. Those that do not track return, with g running, when the
// first symbolic value is made.
func execute[L plain | tracked | stopping](m *Machine, g *goroutine) {
	var loop L
	h := m.heap
	ip, r, stop := g.next(), g.regs(), m.stopFlags()
	m.left = m.budgetLeft
	var addr, size uint64  // operands of the slow path
	var callee, win uint32 // operands of a call
	for ; ; ip = unsafe.Add(ip, 8) {
	again:
		in := (*Instr)(ip)
		if unsafe.Sizeof(loop) == 2 {
			g.PC = g.pcOf(ip)
			in = &g.Fn.Code[g.PC]
			m.watch(g, g.Fn)
		}
		if unsafe.Sizeof(loop) == 1 {
			g.PC = g.pcOf(ip)
			in = &g.Fn.Code[g.PC]
			if m.watched {
				m.watch(g, g.Fn)
			}
			g.Reach()
			if m.sym.Drawn {
				in = m.sym.BeforeDrawn(&g.Goroutine, g.Fn, in)
			} else if in = m.sym.Before(&g.Goroutine, g.Fn, in); in == nil {
				goto called
			}
		}
		switch in.Op {
		case Nop:
		case Cover:
			m.covered[in.Imm32()] = true
		case Own:
			//mutant: two calls are one [wholeCalls]: remove
			g.inCall = false
		case Mov:
			*rg(r, in.A) = *rg(r, in.B)
		// All registers are read before any is written: source and destination may overlap.
		case Mov2:
			x, y := *rg(r, in.B), *rg(r, in.B+1)
			*rg(r, in.A), *rg(r, in.A+1) = x, y
		case Mov3:
			x, y, z := *rg(r, in.B), *rg(r, in.B+1), *rg(r, in.B+2)
			*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = x, y, z
		// If the ranges overlap, the order of the copies matters.
		case MovN:
			if a, b, n := in.A, in.B, in.C; a <= b {
				for ; n > 0; a, b, n = a+1, b+1, n-1 {
					*rg(r, a) = *rg(r, b)
				}
			} else {
				for ; n > 0; n-- {
					*rg(r, a+n-1) = *rg(r, b+n-1)
				}
			}
		case Const:
			*rg(r, in.A) = nextWord(ip)
			ip = unsafe.Add(ip, 16)
			goto again
		case ConstI:
			*rg(r, in.A) = uint64(int64(in.Imm32()))
		case StackAt:
			g.PC = g.pcOf(ip)
			m.stackAt(g, in, r)
			goto resume
		case Zero:
			for i := range in.B {
				*rg(r, in.A+i) = 0
			}
		// Integers. Narrow ones are kept extended by the sign of their type: the compiler emits an
		// extension after an operation on 64 bits, or the fused form of the commonest (AddS32 ...).
		// The host's arithmetic wraps around as the guest's does (spec: Integer overflow).
		case Add:
			*rg(r, in.A) = *rg(r, in.B) + *rg(r, in.C)
		case Sub:
			*rg(r, in.A) = *rg(r, in.B) - *rg(r, in.C)
		case Mul:
			*rg(r, in.A) = *rg(r, in.B) * *rg(r, in.C)
		case And:
			*rg(r, in.A) = *rg(r, in.B) & *rg(r, in.C)
		case Or:
			*rg(r, in.A) = *rg(r, in.B) | *rg(r, in.C)
		case Xor:
			*rg(r, in.A) = *rg(r, in.B) ^ *rg(r, in.C)
		case AndNot:
			*rg(r, in.A) = *rg(r, in.B) &^ *rg(r, in.C)
		case AddI:
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
		case AndI:
			*rg(r, in.A) = *rg(r, in.B) & uint64(in.C)
		case MulI:
			*rg(r, in.A) = *rg(r, in.B) * uint64(int64(int16(in.C)))
		// Division by zero panics. The least integer by -1 is itself (spec: Integer operators), as
		// it is in the host's Go.
		case DivS:
			d := int64(*rg(r, in.C))
			if d == 0 {
				goto divide
			}
			*rg(r, in.A) = uint64(int64(*rg(r, in.B)) / d)
		case DivU:
			d := uint64(*rg(r, in.C))
			if d == 0 {
				goto divide
			}
			*rg(r, in.A) = uint64(uint64(*rg(r, in.B)) / d)
		case RemS:
			d := int64(*rg(r, in.C))
			if d == 0 {
				goto divide
			}
			*rg(r, in.A) = uint64(int64(*rg(r, in.B)) % d)
		case RemU:
			d := uint64(*rg(r, in.C))
			if d == 0 {
				goto divide
			}
			*rg(r, in.A) = uint64(uint64(*rg(r, in.B)) % d)
		// A count of 64 or more shifts everything out. Negative ones panic earlier, in ChkShift.
		case Shl:
			*rg(r, in.A) = *rg(r, in.B) << *rg(r, in.C)
		case ShrS:
			*rg(r, in.A) = uint64(int64(*rg(r, in.B)) >> *rg(r, in.C))
		case ShrU:
			*rg(r, in.A) = *rg(r, in.B) >> *rg(r, in.C)
		case ShlI:
			*rg(r, in.A) = *rg(r, in.B) << in.C
		case ShrSI:
			*rg(r, in.A) = uint64(int64(*rg(r, in.B)) >> in.C)
		case ShrUI:
			*rg(r, in.A) = *rg(r, in.B) >> in.C
		// The check is a separate instruction, because most counts are unsigned or constant, and need no
		// check.
		case ChkShift:
			if int64(*rg(r, in.A)) < 0 {
				g.PC = g.pcOf(ip)
				m.throw(g, rtPanicShift)
				goto called
			}
		case Neg:
			*rg(r, in.A) = -*rg(r, in.B)
		case Not:
			*rg(r, in.A) = ^*rg(r, in.B)
		case LNot:
			*rg(r, in.A) = *rg(r, in.B) ^ 1
		// These operations make a narrow integer of a result that has left the range of its type.
		case ExtS8:
			*rg(r, in.A) = uint64(int8(*rg(r, in.B)))
		case ExtU8:
			*rg(r, in.A) = uint64(uint8(*rg(r, in.B)))
		case ExtS16:
			*rg(r, in.A) = uint64(int16(*rg(r, in.B)))
		case ExtU16:
			*rg(r, in.A) = uint64(uint16(*rg(r, in.B)))
		case ExtS32:
			*rg(r, in.A) = uint64(int32(*rg(r, in.B)))
		case ExtU32:
			*rg(r, in.A) = uint64(uint32(*rg(r, in.B)))
		case AddS32:
			*rg(r, in.A) = uint64(int32(*rg(r, in.B) + *rg(r, in.C)))
		case AddU32:
			*rg(r, in.A) = uint64(uint32(*rg(r, in.B) + *rg(r, in.C)))
		case SubS32:
			*rg(r, in.A) = uint64(int32(*rg(r, in.B) - *rg(r, in.C)))
		case SubU32:
			*rg(r, in.A) = uint64(uint32(*rg(r, in.B) - *rg(r, in.C)))
		case MulS32:
			*rg(r, in.A) = uint64(int32(*rg(r, in.B) * *rg(r, in.C)))
		case MulU32:
			*rg(r, in.A) = uint64(uint32(*rg(r, in.B) * *rg(r, in.C)))
		case AddU8:
			*rg(r, in.A) = uint64(uint8(*rg(r, in.B) + *rg(r, in.C)))
		case SubU8:
			*rg(r, in.A) = uint64(uint8(*rg(r, in.B) - *rg(r, in.C)))
		// Floats and complex numbers. The host computes what the program would on amd64, where gc
		// fuses no two operations.
		case AddF64:
			*rf(r, in.A) = *rf(r, in.B) + *rf(r, in.C)
		case SubF64:
			*rf(r, in.A) = *rf(r, in.B) - *rf(r, in.C)
		case MulF64:
			*rf(r, in.A) = *rf(r, in.B) * *rf(r, in.C)
		case DivF64:
			*rf(r, in.A) = *rf(r, in.B) / *rf(r, in.C)
		case NegF64:
			*rf(r, in.A) = -*rf(r, in.B)
		// The upper half of the register stays zero, as states are compared by whole registers.
		case AddF32:
			*rg(r, in.A) = uint64(math.Float32bits(*rf32(r, in.B) + *rf32(r, in.C)))
		case SubF32:
			*rg(r, in.A) = uint64(math.Float32bits(*rf32(r, in.B) - *rf32(r, in.C)))
		case MulF32:
			*rg(r, in.A) = uint64(math.Float32bits(*rf32(r, in.B) * *rf32(r, in.C)))
		case DivF32:
			*rg(r, in.A) = uint64(math.Float32bits(*rf32(r, in.B) / *rf32(r, in.C)))
		case NegF32:
			*rg(r, in.A) = uint64(math.Float32bits(-*rf32(r, in.B)))
		case Cplx:
			g.PC = g.pcOf(ip) + 2
			values.Complex(rg(r, in.A), rg(r, in.B), rg(r, in.C), nextWord(ip))
			goto resume
		case CvtSF64:
			*rf(r, in.A) = float64(int64(*rg(r, in.B)))
		case CvtUF64:
			*rf(r, in.A) = float64(*rg(r, in.B))
		case CvtSF32:
			*rg(r, in.A) = uint64(math.Float32bits(float32(int64(*rg(r, in.B)))))
		case CvtUF32:
			*rg(r, in.A) = uint64(math.Float32bits(float32(*rg(r, in.B))))
		// The language leaves open the result for a value that does not fit (spec: Conversions). It
		// is the result of the host's conversion; convertBasic chooses the same operations as gc.
		case CvtF64S:
			*rg(r, in.A) = uint64(int64(*rf(r, in.B)))
		case CvtF64S32:
			*rg(r, in.A) = uint64(int32(*rf(r, in.B)))
		case CvtF64U:
			*rg(r, in.A) = uint64(*rf(r, in.B))
		case CvtF64F32:
			*rg(r, in.A) = uint64(math.Float32bits(float32(*rf(r, in.B))))
		case CvtF32F64:
			*rf(r, in.A) = float64(*rf32(r, in.B))
		// With a NaN the result is NaN, and -0 is less than +0 (spec: Min and max): the host's
		// builtins do it.
		case MinF64:
			*rf(r, in.A) = min(*rf(r, in.B), *rf(r, in.C))
		case MinF32:
			*rg(r, in.A) = uint64(math.Float32bits(min(*rf32(r, in.B), *rf32(r, in.C))))
		case MaxF64:
			*rf(r, in.A) = max(*rf(r, in.B), *rf(r, in.C))
		case MaxF32:
			*rg(r, in.A) = uint64(math.Float32bits(max(*rf32(r, in.B), *rf32(r, in.C))))
		case CvtC:
			g.PC = g.pcOf(ip) + 1
			values.ConvertComplex(rg(r, in.A), rg(r, in.B), in.C)
			goto resume
		// Comparisons to a register; the dynamic types of interfaces may be uncomparable, which panics.
		// Booleans are 0 and 1, which LNot and the fused branches rely on.
		case Eq:
			*rg(r, in.A) = b2u(*rg(r, in.B) == *rg(r, in.C))
		case Ne:
			*rg(r, in.A) = b2u(*rg(r, in.B) != *rg(r, in.C))
		case LtS:
			*rg(r, in.A) = b2u(int64(*rg(r, in.B)) < int64(*rg(r, in.C)))
		case LeS:
			*rg(r, in.A) = b2u(int64(*rg(r, in.B)) <= int64(*rg(r, in.C)))
		case LtU:
			*rg(r, in.A) = b2u(*rg(r, in.B) < *rg(r, in.C))
		case LeU:
			*rg(r, in.A) = b2u(*rg(r, in.B) <= *rg(r, in.C))
		case EqF64:
			*rg(r, in.A) = b2u(*rf(r, in.B) == *rf(r, in.C))
		case LtF64:
			*rg(r, in.A) = b2u(*rf(r, in.B) < *rf(r, in.C))
		case LeF64:
			*rg(r, in.A) = b2u(*rf(r, in.B) <= *rf(r, in.C))
		case EqF32:
			*rg(r, in.A) = b2u(*rf32(r, in.B) == *rf32(r, in.C))
		case LtF32:
			*rg(r, in.A) = b2u(*rf32(r, in.B) < *rf32(r, in.C))
		case LeF32:
			*rg(r, in.A) = b2u(*rf32(r, in.B) <= *rf32(r, in.C))
		case EqStr:
			g.PC = g.pcOf(ip) + 1
			m.equalStrings(in, r)
			goto resume
		case LtStr, LeStr:
			g.PC = g.pcOf(ip) + 1
			m.compareStrings(in, r)
			goto resume
		case EqIface, EqN:
			g.PC = g.pcOf(ip)
			if !m.equalValues(g, in, r) {
				goto called
			}
			goto resume
		// Jumps. Only backward jumps and calls use up the budget: a goroutine cannot execute
		// forever without one of them.
		case Jmp:
			ip = unsafe.Add(ip, int(in.Imm32())*8+8)
			goto again
		case JmpBack:
			ip = unsafe.Add(ip, int(in.Imm32())*8+8)
			if m.left--; m.left < 0 {
				goto yield
			}
			goto again
		// A conditional branch back has a negative offset; unlike a jump it is not a separate operation.
		case JT:
			if *rg(r, in.A) != 0 {
				off := int(in.Imm32())
				ip = unsafe.Add(ip, off*8+8)
				if off < 0 {
					if m.left--; m.left < 0 {
						goto yield
					}
				}
				goto again
			}
		case JF:
			if *rg(r, in.A) == 0 {
				off := int(in.Imm32())
				ip = unsafe.Add(ip, off*8+8)
				if off < 0 {
					if m.left--; m.left < 0 {
						goto yield
					}
				}
				goto again
			}
		// Compare and branch in one. The offset has 16 bits and counts from the next instruction;
		// where that is too short the compiler has emitted a long jump.
		case JEq:
			if *rg(r, in.A) == *rg(r, in.B) {
				goto branch
			}
		case JNe:
			if *rg(r, in.A) != *rg(r, in.B) {
				goto branch
			}
		case JLtS:
			if int64(*rg(r, in.A)) < int64(*rg(r, in.B)) {
				goto branch
			}
		case JLeS:
			if int64(*rg(r, in.A)) <= int64(*rg(r, in.B)) {
				goto branch
			}
		case JLtU:
			if *rg(r, in.A) < *rg(r, in.B) {
				goto branch
			}
		case JLeU:
			if *rg(r, in.A) <= *rg(r, in.B) {
				goto branch
			}
		// Immediate operands are signed. Among unsigned comparisons only equality has an immediate form.
		case JEqI:
			if int64(*rg(r, in.A)) == int64(int16(in.B)) {
				goto branch
			}
		case JNeI:
			if int64(*rg(r, in.A)) != int64(int16(in.B)) {
				goto branch
			}
		case JLtSI:
			if int64(*rg(r, in.A)) < int64(int16(in.B)) {
				goto branch
			}
		case JLeSI:
			if int64(*rg(r, in.A)) <= int64(int16(in.B)) {
				goto branch
			}
		case JGtSI:
			if int64(*rg(r, in.A)) > int64(int16(in.B)) {
				goto branch
			}
		case JGeSI:
			if int64(*rg(r, in.A)) >= int64(int16(in.B)) {
				goto branch
			}
		// Loads and stores through a pointer: the fast path or m.access. A store of a pointer to a
		// shared object publishes the object to which it points; only the slow path does such stores, as
		// shared objects stop the fast one.
		// Each size has a case, so that the bounds, the extension and the width of the access are
		// constants of the host's code.
		case LdS8:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 1, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*int8)(o.At(addr)))
		case LdU8:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 1, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint8)(o.At(addr)))
		case LdS16:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 2, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*int16)(o.At(addr)))
		case LdU16:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 2, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint16)(o.At(addr)))
		case LdS32:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 4, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*int32)(o.At(addr)))
		case LdU32:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 4, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint32)(o.At(addr)))
		case Ld64:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
		// Strings and interfaces are loaded in one piece, and slices by Ld3. Only a program with a data race
		// can read half of a value, and the race is found.
		case Ld2:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 16, stop) {
				goto load
			}
			*(*[2]uint64)(unsafe.Pointer(rg(r, in.A))) = *(*[2]uint64)(o.At(addr))
		case Ld3:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 24, stop) {
				goto load
			}
			p := (*[3]uint64)(o.At(addr))
			x, y, z := p[0], p[1], p[2]
			*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = x, y, z
		case LdN:
			addr = *rg(r, in.B) + uint64(in.C)
			size = nextWord(ip)
			o := h.Object(addr)
			if o.Lacks(addr, size, stop) {
				goto load
			}
			g.PC = g.pcOf(ip) + 2
			layout.LoadImage(rg(r, in.A), o.At(addr), size)
			goto resume
		// Narrow stores write the low bytes of the register. They store no pointers, so
		// nothing is published.
		case St8:
			addr = *rg(r, in.A) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 1, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint8)(o.At(addr)) = uint8(*rg(r, in.B))
		case St16:
			addr = *rg(r, in.A) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 2, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint16)(o.At(addr)) = uint16(*rg(r, in.B))
		case St32:
			addr = *rg(r, in.A) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 4, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint32)(o.At(addr)) = uint32(*rg(r, in.B))
		case St64:
			addr = *rg(r, in.A) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint64)(o.At(addr)) = uint64(*rg(r, in.B))
		case St2:
			addr = *rg(r, in.A) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 16, stop) || !h.Saved(o) {
				goto store
			}
			*(*[2]uint64)(o.At(addr)) = *(*[2]uint64)(unsafe.Pointer(rg(r, in.B)))
		case St3:
			addr = *rg(r, in.A) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 24, stop) || !h.Saved(o) {
				goto store
			}
			p := (*[3]uint64)(o.At(addr))
			x, y, z := *rg(r, in.B), *rg(r, in.B+1), *rg(r, in.B+2)
			p[0], p[1], p[2] = x, y, z
		case StN:
			addr = *rg(r, in.A) + uint64(in.C)
			size = nextWord(ip)
			o := h.Object(addr)
			if o.Lacks(addr, size, stop) || !h.Saved(o) {
				goto store
			}
			g.PC = g.pcOf(ip) + 2
			layout.StoreImage(o.At(addr), rg(r, in.B), size)
			goto resume
		// Taking the address of a field through a nil pointer panics even if it is not accessed (spec:
		// Address operators).
		case AddPtr:
			p := *rg(r, in.B)
			if p>>32 == 0 {
				goto noMemory
			}
			*rg(r, in.A) = p + uint64(in.C)
		case AddPtrL:
			p := *rg(r, in.B)
			if p>>32 == 0 {
				goto noMemory
			}
			*rg(r, in.A) = p + nextWord(ip)
			ip = unsafe.Add(ip, 16)
			goto again
		case NilChk:
			if *rg(r, in.A)>>32 == 0 {
				goto noMemory
			}
		// An index is compared as an unsigned number: a negative one is out of range, too.
		// The address of an element, if it is neither loaded nor stored: &s[i], s[i].f = v.
		// Without a check for nil: a slice with elements has an array.
		case IdxS:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			*rg(r, in.A) = *rg(r, in.B) + i*nextWord(ip)
			ip = unsafe.Add(ip, 16)
			goto again
		case IdxA:
			x := nextWord(ip)
			i, n := *rg(r, in.C), x>>32
			if i >= n {
				addr, size = i, n
				goto index
			}
			p := *rg(r, in.B)
			if p>>32 == 0 {
				goto noMemory
			}
			*rg(r, in.A) = p + i*(x&math.MaxUint32)
			ip = unsafe.Add(ip, 16)
			goto again
		// Loads and stores of slice elements with the bounds check, fused.
		// The index is checked first. It is in a register, so its panic is local work, whatever the
		// element is.
		case LdXS8:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*1
			o := h.Object(addr)
			if o.Lacks(addr, 1, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*int8)(o.At(addr)))
		case LdXU8:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*1
			o := h.Object(addr)
			if o.Lacks(addr, 1, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint8)(o.At(addr)))
		case LdXS16:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*2
			o := h.Object(addr)
			if o.Lacks(addr, 2, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*int16)(o.At(addr)))
		case LdXU16:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*2
			o := h.Object(addr)
			if o.Lacks(addr, 2, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint16)(o.At(addr)))
		case LdXS32:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*4
			o := h.Object(addr)
			if o.Lacks(addr, 4, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*int32)(o.At(addr)))
		case LdXU32:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*4
			o := h.Object(addr)
			if o.Lacks(addr, 4, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint32)(o.At(addr)))
		case LdX64:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*8
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
		// The same for stores. The value is in C, as A and B say where.
		case StX8:
			i, n := *rg(r, in.B), *rg(r, in.A+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.A) + i*1
			o := h.Object(addr)
			if o.Lacks(addr, 1, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint8)(o.At(addr)) = uint8(*rg(r, in.C))
		case StX16:
			i, n := *rg(r, in.B), *rg(r, in.A+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.A) + i*2
			o := h.Object(addr)
			if o.Lacks(addr, 2, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint16)(o.At(addr)) = uint16(*rg(r, in.C))
		case StX32:
			i, n := *rg(r, in.B), *rg(r, in.A+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.A) + i*4
			o := h.Object(addr)
			if o.Lacks(addr, 4, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint32)(o.At(addr)) = uint32(*rg(r, in.C))
		case StX64:
			i, n := *rg(r, in.B), *rg(r, in.A+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.A) + i*8
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint64)(o.At(addr)) = uint64(*rg(r, in.C))
		// A string's bytes do not change: no object flag stops the load.
		case LdStr:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i
			o := h.Object(addr)
			if o.Lacks(addr, 1, 0) {
				goto noMemory
			}
			*rg(r, in.A) = uint64(*(*uint8)(o.At(addr)))
		// Loads from a value in registers, whose image is addressed by bytes.
		case RLdS8:
			*rg(r, in.A) = uint64(*(*int8)(unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C))))
		case RLdU8:
			*rg(r, in.A) = uint64(*(*uint8)(unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C))))
		case RLdS16:
			*rg(r, in.A) = uint64(*(*int16)(unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C))))
		case RLdU16:
			*rg(r, in.A) = uint64(*(*uint16)(unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C))))
		case RLdS32:
			*rg(r, in.A) = uint64(*(*int32)(unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C))))
		case RLdU32:
			*rg(r, in.A) = uint64(*(*uint32)(unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C))))
		case RLd64:
			*rg(r, in.A) = uint64(*(*uint64)(unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C))))
		case RLdN:
			g.PC = g.pcOf(ip) + 2
			layout.LoadImage(rg(r, in.A), unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(in.C)), nextWord(ip))
			goto resume
		// An array in registers: its elements are packed as in memory, the index is checked here.
		case RIdx:
			x := nextWord(ip)
			i, n := *rg(r, in.C), x>>32
			if i >= n {
				addr, size = i, n
				goto index
			}
			size = x & math.MaxUint32
			g.PC = g.pcOf(ip) + 2
			layout.LoadImage(rg(r, in.A), unsafe.Add(unsafe.Pointer(rg(r, in.B)), uintptr(i*size)), size)
			goto resume
		// Calls. Arguments are in the outgoing window; enter makes it the callee's frame. The results of a
		// native are in the window at once.
		case Call:
			callee, win = uint32(in.Imm32()), uint32(in.A)
			goto enter
		// A function without captured words needs nothing from memory: it is entered like a known
		// function.
		case CallC:
			fv := *rg(r, in.B)
			if fv&funcBit != 0 {
				callee, win = uint32(fv), uint32(in.A)
				goto enter
			}
			if m.left--; m.left < 0 {
				m.left = 0 // the call is not made
				goto yield
			}
			g.PC = g.pcOf(ip) + 1
			m.callValue(g, in.A, fv)
			goto called
		// The receiver, the interface's data word, becomes the first argument.
		case CallI:
			tw, method := *rg(r, in.B), g.Fn.Methods[in.C]
			if tw == 0 {
				goto noMemory
			}
			// If the budget is used up, the call is repeated later. The window is apart from the
			// interface's registers, so writing to it twice does no harm.
			*rg(r, in.A) = *rg(r, in.B+1)
			e := m.link.Cached(tw, method)
			if !e.Is(tw, method) {
				g.PC, m.entered.win = g.pcOf(ip), uint32(in.A)
				if m.entered.callee = uint32(m.link.Method(tw, method)); m.entered.callee == 0 {
					goto noMethod
				}
				goto entered
			}
			callee, win = uint32(e.Value), uint32(in.A)
			goto enter
		case CallN:
			// A native with a Peek may be a visible operation. It has no effect before the machine
			// knows that it may execute; until then g.pc is at the instruction, and from then
			// on after it.
			nat := &m.natives[in.Imm32()]
			g.PC = g.pcOf(ip)
			switch m.callNative(g, nat, regsAt(unsafe.Pointer(rg(r, in.A)))) {
			case Next:
				goto poll
			case Called:
				goto called
			case Stop:
				goto stopped
			default: // Unwind
				m.unwind(g)
				goto called
			}
		case IMeth:
			g.PC = g.pcOf(ip)
			if !m.bindMethod(g, in, r) {
				goto noMethod
			}
			goto resume
		// Results are left from register 0 on, which is where the caller's window begins.
		case Ret1:
			*rg(r, 0) = *rg(r, in.A)
			goto ret
		case Ret:
			for i := range in.B {
				*rg(r, i) = *rg(r, in.A+i)
			}
			goto ret
		case Ret0:
			goto ret
		// Allocations. g.pc is stored first: it is the allocation's site, and a collection reads
		// it.
		case NewObj:
			g.PC = g.pcOf(ip)
			m.newObject(g, in, r)
			goto poll
		case MkClos:
			g.PC = g.pcOf(ip)
			m.makeClosure(g, in, r)
			goto resume
		case Box:
			g.PC = g.pcOf(ip)
			m.box(g, in, r)
			goto resume
		// Fused operations: the bodies of the operations, one after the other. If one of them cannot
		// complete, ip is at it, and the code has the operation there, too.
		case MovMov:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			//mutant: only the first of two moves is made [test ./vm TestFused]: remove
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			goto again
		case MovMovMov:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			goto again
		case MovCall:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			callee, win = uint32(in.Imm32()), uint32(in.A)
			goto enter
		case MovMovCall:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			callee, win = uint32(in.Imm32()), uint32(in.A)
			goto enter
		case AddIMov:
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			goto again
		case AddIJLtS:
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) < int64(*rg(r, in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case AddIJLeS:
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) <= int64(*rg(r, in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case AddIJLtSI:
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) < int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case AddAddI:
			*rg(r, in.A) = *rg(r, in.B) + *rg(r, in.C)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			goto again
		case AddIAddI:
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			goto again
		case AddILdX64:
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				i, n := *rg(r, in.C), *rg(r, in.B+1)
				if i >= n {
					addr, size = i, n
					goto index
				}
				addr = *rg(r, in.B) + i*8
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case Ld64Ld64:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case Ld64Mov:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			goto again
		case Ld64JNeI:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) != int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case Ld64MulF64:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rf(r, in.A) = *rf(r, in.B) * *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			goto again
		case MulF64AddF64:
			*rf(r, in.A) = *rf(r, in.B) * *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rf(r, in.A) = *rf(r, in.B) + *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			goto again
		case MulF64MulF64:
			*rf(r, in.A) = *rf(r, in.B) * *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rf(r, in.A) = *rf(r, in.B) * *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			goto again
		case MulF64SubF64:
			*rf(r, in.A) = *rf(r, in.B) * *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rf(r, in.A) = *rf(r, in.B) - *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			goto again
		case IdxSLd3:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			*rg(r, in.A) = *rg(r, in.B) + i*nextWord(ip)
			ip = unsafe.Add(ip, 16)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 24, stop) {
					goto load
				}
				p := (*[3]uint64)(o.At(addr))
				x, y, z := p[0], p[1], p[2]
				*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = x, y, z
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case Ld3LdX64:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 24, stop) {
				goto load
			}
			p := (*[3]uint64)(o.At(addr))
			x, y, z := p[0], p[1], p[2]
			*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = x, y, z
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				i, n := *rg(r, in.C), *rg(r, in.B+1)
				if i >= n {
					addr, size = i, n
					goto index
				}
				addr = *rg(r, in.B) + i*8
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case IdxSLd3LdX64:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			*rg(r, in.A) = *rg(r, in.B) + i*nextWord(ip)
			ip = unsafe.Add(ip, 16)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 24, stop) {
					goto load
				}
				p := (*[3]uint64)(o.At(addr))
				x, y, z := p[0], p[1], p[2]
				*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = x, y, z
			}
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				i, n := *rg(r, in.C), *rg(r, in.B+1)
				if i >= n {
					addr, size = i, n
					goto index
				}
				addr = *rg(r, in.B) + i*8
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case LdX64MulF64:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*8
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rf(r, in.A) = *rf(r, in.B) * *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			goto again
		case IdxALd64:
			x := nextWord(ip)
			i, n := *rg(r, in.C), x>>32
			if i >= n {
				addr, size = i, n
				goto index
			}
			p := *rg(r, in.B)
			if p>>32 == 0 {
				goto noMemory
			}
			*rg(r, in.A) = p + i*(x&math.MaxUint32)
			ip = unsafe.Add(ip, 16)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case IdxSLd64:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			*rg(r, in.A) = *rg(r, in.B) + i*nextWord(ip)
			ip = unsafe.Add(ip, 16)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case JNeIJNeI:
			if int64(*rg(r, in.A)) != int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) != int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case MovJF:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if *rg(r, in.A) == 0 {
				off := int(in.Imm32())
				ip = unsafe.Add(ip, off*8+8)
				if off < 0 {
					if m.left--; m.left < 0 {
						goto yield
					}
				}
				goto again
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case MovRet1:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, 0) = *rg(r, in.A)
			goto ret
		case ConstIRet1:
			*rg(r, in.A) = uint64(int64(in.Imm32()))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, 0) = *rg(r, in.A)
			goto ret
		case AddRet1:
			*rg(r, in.A) = *rg(r, in.B) + *rg(r, in.C)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, 0) = *rg(r, in.A)
			goto ret
		case MovConstI:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = uint64(int64(in.Imm32()))
			ip = unsafe.Add(ip, 8)
			goto again
		case ConstIMov:
			*rg(r, in.A) = uint64(int64(in.Imm32()))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			goto again
		case ConstIConstI:
			*rg(r, in.A) = uint64(int64(in.Imm32()))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = uint64(int64(in.Imm32()))
			ip = unsafe.Add(ip, 8)
			goto again
		case MovJLtS:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) < int64(*rg(r, in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case Mov3Call:
			x, y, z := *rg(r, in.B), *rg(r, in.B+1), *rg(r, in.B+2)
			*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = x, y, z
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			callee, win = uint32(in.Imm32()), uint32(in.A)
			goto enter
		case St64St64:
			addr = *rg(r, in.A) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) || !h.Saved(o) {
				goto store
			}
			*(*uint64)(o.At(addr)) = uint64(*rg(r, in.B))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.A) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) || !h.Saved(o) {
					goto store
				}
				*(*uint64)(o.At(addr)) = uint64(*rg(r, in.B))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case MovAdd:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B) + *rg(r, in.C)
			ip = unsafe.Add(ip, 8)
			goto again
		case MovLdX64:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				i, n := *rg(r, in.C), *rg(r, in.B+1)
				if i >= n {
					addr, size = i, n
					goto index
				}
				addr = *rg(r, in.B) + i*8
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case Ld3Mov:
			addr = *rg(r, in.B) + uint64(in.C)
			o := h.Object(addr)
			if o.Lacks(addr, 24, stop) {
				goto load
			}
			p := (*[3]uint64)(o.At(addr))
			x, y, z := p[0], p[1], p[2]
			*rg(r, in.A), *rg(r, in.A+1), *rg(r, in.A+2) = x, y, z
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			goto again
		case MovJNeI:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) != int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case JNeILd64:
			if int64(*rg(r, in.A)) != int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case LdX64JLtS:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*8
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) < int64(*rg(r, in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case LdX64LdX64:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			addr = *rg(r, in.B) + i*8
			o := h.Object(addr)
			if o.Lacks(addr, 8, stop) {
				goto load
			}
			*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				i, n := *rg(r, in.C), *rg(r, in.B+1)
				if i >= n {
					addr, size = i, n
					goto index
				}
				addr = *rg(r, in.B) + i*8
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case IdxALdU8:
			x := nextWord(ip)
			i, n := *rg(r, in.C), x>>32
			if i >= n {
				addr, size = i, n
				goto index
			}
			p := *rg(r, in.B)
			if p>>32 == 0 {
				goto noMemory
			}
			*rg(r, in.A) = p + i*(x&math.MaxUint32)
			ip = unsafe.Add(ip, 16)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 1, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint8)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case IdxSLdU8:
			i, n := *rg(r, in.C), *rg(r, in.B+1)
			if i >= n {
				addr, size = i, n
				goto index
			}
			*rg(r, in.A) = *rg(r, in.B) + i*nextWord(ip)
			ip = unsafe.Add(ip, 16)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 1, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint8)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case AddF64AddI:
			*rf(r, in.A) = *rf(r, in.B) + *rf(r, in.C)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			*rg(r, in.A) = *rg(r, in.B) + uint64(int64(int16(in.C)))
			ip = unsafe.Add(ip, 8)
			goto again
		case JLeSLdX64:
			if int64(*rg(r, in.A)) <= int64(*rg(r, in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				i, n := *rg(r, in.C), *rg(r, in.B+1)
				if i >= n {
					addr, size = i, n
					goto index
				}
				addr = *rg(r, in.B) + i*8
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case JLtSLdStr:
			if int64(*rg(r, in.A)) < int64(*rg(r, in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				i, n := *rg(r, in.C), *rg(r, in.B+1)
				if i >= n {
					addr, size = i, n
					goto index
				}
				addr = *rg(r, in.B) + i
				o := h.Object(addr)
				if o.Lacks(addr, 1, 0) {
					goto noMemory
				}
				*rg(r, in.A) = uint64(*(*uint8)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case JEqIJEqI:
			if int64(*rg(r, in.A)) == int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			if int64(*rg(r, in.A)) == int64(int16(in.B)) {
				goto branch
			}
			ip = unsafe.Add(ip, 8)
			goto again
		case MovLd64:
			*rg(r, in.A) = *rg(r, in.B)
			ip = unsafe.Add(ip, 8)
			in = (*Instr)(ip)
			{
				addr = *rg(r, in.B) + uint64(in.C)
				o := h.Object(addr)
				if o.Lacks(addr, 8, stop) {
					goto load
				}
				*rg(r, in.A) = uint64(*(*uint64)(o.At(addr)))
			}
			ip = unsafe.Add(ip, 8)
			goto again
		default:
			// All operations that do not deserve a place in the hot loop.
			g.PC = g.pcOf(ip)
			switch m.slowOp(g, g.Fn, in, r) {
			case Next:
				goto poll
			case Called:
				goto called
			case Stop:
				goto stopped
			default: // Unwind
				m.unwind(g)
				goto called
			}
		}
		continue

	enter: // callee with its arguments in the window at register win
		if m.left--; m.left < 0 {
			m.left = 0 // the call is not made
			goto yield
		}
		{
			// Registers other than arguments have values of earlier frames. No register is read before it is
			// written, and states have live registers only (CheckLiveness tests this).
			c := m.link.Code[callee]
			if c == nil {
				m.left++
				g.PC = g.pcOf(ip)
				m.entered.callee, m.entered.win = callee, win
				m.compile(callee)
				goto entered
			}
			fp := g.FP + win
			if int(fp)+c.Window > len(g.Stack) {
				m.left++
				g.PC = g.pcOf(ip)
				m.entered.callee, m.entered.win = callee, win
				if !m.ensure(g, fp+uint32(c.Window)) {
					m.left--
					m.overflowStack(g)
					goto stopped
				}
				goto entered
			}
			r = unsafe.Add(r, uintptr(win)*8)
			ra := uint64(g.Fn.ID)<<32 | uint64(uint32(g.pcOf(ip)+1))
			*(*[4]uint64)(unsafe.Add(r, -32)) = [4]uint64{uint64(g.FP), ra, uint64(callee), 0}
			g.FP, g.Fn = fp, c
			ip = unsafe.Pointer(unsafe.SliceData(c.Fast))
			goto again
		}

	entered: // the call can be made now; it is not another instruction for the debugger, or for labels
		callee, win = m.entered.callee, m.entered.win
		ip, r, stop = g.next(), g.regs(), m.stopFlags()
		goto enter

	ret:
		{
			link := *(*uint64)(unsafe.Add(r, -8*hdrLink))
			if link>>32 != 0 {
				g.PC = g.pcOf(ip) + 1
				if !m.returned(g) {
					goto stopped
				}
				goto called
			}
			ra := *(*uint64)(unsafe.Add(r, -8*hdrReturn))
			g.FP = uint32(link)
			f := m.link.Code[ra>>32]
			g.Fn = f
			// The caller's frame is about to change, and is unchanged since the last mark.
			if g.FP-FrameHeader < g.savedLo {
				g.PC = int32(uint32(ra))
				m.saveCallerFrame(g, g.FP-FrameHeader)
				goto resume
			}
			ip = unsafe.Add(unsafe.Pointer(unsafe.SliceData(f.Fast)), int(uint32(ra))*8)
			r = g.regs()
			goto again
		}

	branch: // a comparison and jump in one jumps
		{
			off := int(int16(in.C))
			ip = unsafe.Add(ip, off*8+8)
			if off < 0 {
				if m.left--; m.left < 0 {
					goto yield
				}
			}
			goto again
		}

	load: // the fast path has failed to load from addr
		if unsafe.Sizeof(loop) == 0 {
			in = &g.Fn.Code[g.pcOf(ip)]
		}
		if !m.slowLoad(g, in, g.pcOf(ip), addr) {
			goto called
		}
		goto resume

	store: // the fast path has failed to store to addr
		if unsafe.Sizeof(loop) == 0 {
			in = &g.Fn.Code[g.pcOf(ip)]
		}
		if !m.slowStore(g, in, g.pcOf(ip), addr) {
			goto called
		}
		goto resume

	divide:
		g.PC = g.pcOf(ip)
		m.throw(g, rtPanicDivide)
		goto called

	noMemory:
		g.PC = g.pcOf(ip)
	noMethod:
		m.throw(g, rtPanicMem)
		goto called

	index: // addr is the index, size the length
		g.PC = g.pcOf(ip)
		m.throwIndex(g, addr, size)

	called: // g's frame, pc or status has changed
		if g.status != gRunning {
			goto stopped
		}
		goto resume

	yield: // ip is at the target of a back edge, or at a call that is not made
		g.PC = g.pcOf(ip)
		if !m.refillBudget(g, m.left) {
			return
		}
		m.left = m.budgetLeft
		goto resume

	poll: // memory may have been allocated
		if h.SinceGC > h.PollAt {
			m.pollSoon()
		}

	resume: // g.pc is the next instruction; the rest of g may have changed
		ip, r, stop = g.next(), g.regs(), m.stopFlags()
		goto again

	stopped:
		m.cnt.Instructions += uint64(m.budgetLeft - m.left)
		m.localWork += uint64(m.budgetLeft - m.left)
		m.budgetLeft = m.left
		return
	}
}

// pollSoon sets the rest of the budget to 0, so that exec calls refillBudget at the next back edge or
// call, which collects if that is due.
// It does not collect at once: natives of the host may hold pointers that are in no register, and
// the instruction is not complete. At a poll all pointers are in guest memory and on stacks.
func (m *Machine) pollSoon() {
	m.budgetLeft -= m.left
	m.left, m.pollAt = 0, 0
}

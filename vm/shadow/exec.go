package shadow

import (
	"math"

	"hbcheck.dev/hbcheck/symbolic"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 one name per operation, as in the loop
)

// instr is an instruction that Before makes itself.
type instr = Instr

var noInstr = Instr{Op: Nop}

// Before is called before each instruction of a running goroutine. It returns the instruction to execute,
// which may differ from in; or nil if g has moved to another place, waits for a decision, or has ended.
//
// Registers that the instruction writes lose their shadows here, even if it is a visible operation that is
// executed later. That is safe: these registers are dead, because an instruction that reads one of them
// would not be executed unchanged.
func (s *Symbols) Before(g *Goroutine, f *Func, in *Instr) *Instr {
	if s.after.what != nothing {
		s.finish(g)
	}
	//mutant: registers of earlier frames are part of states [inputs Resume]: "g.PC == 0" -> "g.PC < 0"
	if g.PC == 0 && f.SSA != nil {
		// A decision may be pending at an instruction without recorded liveness. There the state includes
		// all registers, so none of them may keep a value of an earlier frame.
		clear(g.Stack[g.FP+uint32(f.NParam+f.NCap) : g.FP+uint32(f.NRegs)])
	}
	sh := g.Shadow[g.FP:]
	A, B, C := in.A, in.B, in.C
	row := in.Op.Row()
	switch row.Class {
	case Neutral, Jumps:
		return in
	case Moves:
		moves(sh, in)
		return in
	case Fresh:
		clear(sh[A : int(A)+int(row.Results)])
		return in
	case Branches:
		if sh[A] == nil {
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, A, NoReg)
		}
		holds, ok := s.is(g, s.truth(sh[A]))
		if !ok {
			return nil
		}
		if sh[A].Width() == symbolic.Bool {
			s.fix(g, A, bit(holds))
		}
		return s.branch(holds == (in.Op == JT), in.Imm32())
	case Compares:
		if sh[A] == nil && sh[B] == nil {
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, A, B)
		}
		return s.jumpIf(g, s.binary(row.Compares, s.value(g, A), s.value(g, B)), in)
	case ComparesImm:
		if sh[A] == nil {
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, A, NoReg)
		}
		x, y := s.term(g, A), s.ctx.Const(64, uint64(int64(int16(B))))
		if in.Op == JGtSI || in.Op == JGeSI {
			x, y = y, x
		}
		return s.jumpIf(g, s.binary(row.Compares, x, y), in)
	case Loads:
		if sh[B] != nil {
			return s.concretely(g, in, B, NoReg)
		}
		s.load(g, f, in, *g.Reg(uint32(B))+uint64(C))
		return in
	case LoadsElem:
		if sh[C] != nil {
			ok, done := s.lookup(g, *g.Reg(uint32(B)), *g.Reg(uint32(B) + 1), C, uint64(row.Bytes), row.Signed, A)
			if ok {
				return &noInstr
			}
			if done {
				return nil
			}
		}
		if ok := s.index(g, C, *g.Reg(uint32(B) + 1), mostIndices); !ok {
			return nil
		}
		if i := *g.Reg(uint32(C)); i < *g.Reg(uint32(B) + 1) {
			s.load(g, f, in, *g.Reg(uint32(B))+i*uint64(row.Bytes))
		}
		return in
	case Stores:
		if sh[A] != nil {
			return s.concretely(g, in, A, NoReg)
		}
		s.store8(g, f, in, *g.Reg(uint32(A))+uint64(C), B)
		return in
	case StoresElem:
		if ok := s.index(g, B, *g.Reg(uint32(A) + 1), mostIndices); !ok {
			return nil
		}
		if i := *g.Reg(uint32(B)); i < *g.Reg(uint32(A) + 1) {
			s.store8(g, f, in, *g.Reg(uint32(A))+i*uint64(row.Bytes), C)
		}
		return in
	case LoadsPart:
		return s.part(g, in, uint64(C), sizeOf(f, in, int(g.PC)))
	}
	switch in.Op {
	case Panic, Clock, Ret0:
	case EqF64:
		sh[A] = nil
		return s.concretely(g, in, B, C)
	case Add, Sub, Mul, And, Or, Xor, AndNot, Shl, ShrS, ShrU, AddS32, AddU32, SubS32, SubU32, MulS32, MulU32, AddU8, SubU8,
		Eq, Ne, LtS, LeS, LtU, LeU:
		x, y := sh[B], sh[C]
		if x == nil && y == nil {
			sh[A] = nil
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, B, C)
		}
		s.Set(g, A, s.binary(in.Op, s.value(g, B), s.value(g, C)))
		return &noInstr
	case DivS, DivU, RemS, RemU:
		if sh[B] == nil && sh[C] == nil {
			sh[A] = nil
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, B, C)
		}
		if sh[C] != nil {
			zero, ok := s.is(g, s.ctx.Eq(s.term(g, C), s.ctx.Const(64, 0)))
			if !ok {
				return nil
			}
			//mutant: division by zero [inputs Sequential]
			if zero {
				s.fix(g, C, 0)
				return in
			}
		} else if *g.Reg(uint32(C)) == 0 {
			return in
		}
		s.Set(g, A, s.binary(in.Op, s.term(g, B), s.term(g, C)))
		return &noInstr
	case AddI, AndI, MulI, ShlI, ShrSI, ShrUI:
		if sh[B] == nil {
			sh[A] = nil
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, B, NoReg)
		}
		s.Set(g, A, s.immediate(in.Op, s.term(g, B), C))
		return &noInstr
	case Neg, Not, LNot, ExtS8, ExtU8, ExtS16, ExtU16, ExtS32, ExtU32:
		if sh[B] == nil {
			sh[A] = nil
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, B, NoReg)
		}
		s.Set(g, A, s.unary(in.Op, sh[B]))
		return &noInstr
	case ChkShift:
		if sh[A] == nil {
			return in
		}
		negative, ok := s.is(g, s.ctx.LtS(s.term(g, A), s.ctx.Const(64, 0)))
		switch {
		case !ok:
			return nil
		case negative:
			s.m.PanicShift(g)
			return nil
		}
		return &noInstr
	case AddPtr, AddPtrL:
		if sh[B] != nil {
			return s.concretely(g, in, B, NoReg)
		}
		sh[A] = nil
	case IdxS:
		if _, done := s.lookupVia(g, f, in, *g.Reg(uint32(B)), *g.Reg(uint32(B) + 1)); done {
			return nil
		}
		if ok := s.index(g, C, *g.Reg(uint32(B) + 1), mostIndices); !ok {
			return nil
		}
		sh[A] = nil
	case IdxA:
		if _, done := s.lookupVia(g, f, in, *g.Reg(uint32(B)), f.Code[g.PC+1].Word()>>32); done {
			return nil
		}
		if ok := s.index(g, C, f.Code[g.PC+1].Word()>>32, mostIndices); !ok {
			return nil
		}
		sh[A] = nil
	case RIdx:
		x := f.Code[g.PC+1].Word()
		if ok := s.index(g, C, x>>32, mostIndices); !ok {
			return nil
		}
		if i, size := *g.Reg(uint32(C)), x&math.MaxUint32; i < x>>32 {
			return s.part(g, in, i*size, size)
		}
	case CallN:
		return s.beforeNative(g, f, in)
	case Ret1:
		sh[0] = sh[A]
	case Ret:
		copy(sh[:B], sh[A:int(A)+int(B)])
	case MkClos:
		s.boxes(g, in, A, B, 8, uint64(C)*8)
		sh[A] = nil
	case Box:
		l := s.layouts.At(uint32(f.Code[g.PC+1].Word()))
		s.boxes(g, in, A, B, 0, uint64(l.Size))
		sh[A] = nil
	case EqStr, LtStr, LeStr:
		return s.compareStrings(g, in)
	case EqIface, EqN:
		return s.compareImages(g, f, in)
	default:
		return s.beforeSlow(g, f, in)
	}
	return in
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// moves is for operations of class Moves: the registers that in writes get the shadows of those that
// it reads.
func moves(sh []*symbolic.Term, in *Instr) {
	n := int(in.C)
	switch in.Op {
	case Zero:
		clear(sh[in.A : int(in.A)+int(in.B)])
		return
	case Mov:
		n = 1
	case Mov2:
		n = 2
	case Mov3:
		n = 3
	}
	copy(sh[in.A:int(in.A)+n], sh[in.B:int(in.B)+n])
}

// sizeOf returns the number of bytes that in, at pc, loads or stores.
func sizeOf(f *Func, in *Instr, pc int) uint64 {
	if n := in.Op.Row().Bytes; n > 0 {
		return uint64(n)
	}
	return f.Code[pc+1].Word()
}

// value returns the value of register i: its shadow or a constant of 64 bits.
func (s *Symbols) value(g *Goroutine, i uint16) *symbolic.Term {
	if t := g.Shadow[g.FP+uint32(i)]; t != nil {
		return t
	}
	return s.ctx.Const(64, *g.Reg(uint32(i)))
}

// term is value with 64 bits.
func (s *Symbols) term(g *Goroutine, i uint16) *symbolic.Term { return s.word(s.value(g, i)) }

// Set makes t the value of register i.
func (s *Symbols) Set(g *Goroutine, i uint16, t *symbolic.Term) {
	v, ok := t.Const()
	if ok {
		t = nil
	}
	*g.Reg(uint32(i)), g.Shadow[g.FP+uint32(i)] = v, t
	if !ok {
		*g.Reg(uint32(i)) = 0
	}
}

// fix makes v the value of register i, which the path condition implies.
func (s *Symbols) fix(g *Goroutine, i uint16, v uint64) {
	*g.Reg(uint32(i)), g.Shadow[g.FP+uint32(i)] = v, nil
}

// truth returns t as a condition.
func (s *Symbols) truth(t *symbolic.Term) *symbolic.Term {
	if t.Width() == symbolic.Bool {
		return t
	}
	return s.ctx.ToBool(t)
}

// jumpIf decides a branch of the form with its distance in C.
func (s *Symbols) jumpIf(g *Goroutine, cond *symbolic.Term, in *Instr) *Instr {
	holds, ok := s.is(g, cond)
	if !ok {
		return nil
	}
	return s.branch(holds, int32(int16(in.C)))
}

// branch returns an instruction that jumps by off if taken is set, and otherwise one without
// effect.
func (s *Symbols) branch(taken bool, off int32) *Instr {
	if !taken {
		return &noInstr
	}
	s.jump = Instr{Op: Jmp}
	if off < 0 {
		s.jump.Op = JmpBack
	}
	s.jump = s.jump.WithImm32(off)
	return &s.jump
}

// part loads size bytes from byte off on of the value in the registers from B on.
func (s *Symbols) part(g *Goroutine, in *Instr, off, size uint64) *Instr {
	first := uint32(in.B) + uint32(off/8)
	last := uint32(in.B) + uint32((off+max(size, 1)-1)/8)
	if !tainted(g.Shadow[g.FP+first : g.FP+last+1]) {
		clear(g.Shadow[g.FP+uint32(in.A) : g.FP+uint32(in.A)+uint32(size+7)/8])
		return in
	}
	list := s.buf[:0]
	for at := off; at < off+size; at += 8 {
		list = append(list, s.image(g, in.B, at, min(8, off+size-at)))
	}
	s.buf = list
	for i, t := range list {
		switch in.Op {
		case RLdS8, RLdS16, RLdS32:
			t = s.ctx.SExt(t, 64)
		default:
			t = s.widen(t)
		}
		s.Set(g, in.A+uint16(i), t)
	}
	g.PC += 1 + int32(in.Words())
	return nil
}

// image returns n ≤ 8 bytes, from byte off on, of the value in the registers from b on, as a term of 8n
// bits.
func (s *Symbols) image(g *Goroutine, b uint16, off, n uint64) *symbolic.Term {
	var parts []Part
	for at := uint64(0); at < n; {
		reg := uint32(b) + uint32((off+at)/8)
		lo := (off + at) % 8
		k := min(8-lo, n-at)
		if t := g.Shadow[g.FP+reg]; t != nil {
			parts = append(parts, s.cut(s.word(t), uint32(lo), uint32(k), uint32(at))...)
		} else {
			parts = append(parts, Part{uint32(at), uint32(k), nil, *g.Reg(reg) >> (lo * 8)})
		}
		at += k
	}
	return s.pack(parts, uint32(n))
}

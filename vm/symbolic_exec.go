package vm

import (
	"math"

	"hbcheck.dev/hbcheck/symbolic"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 one name per operation, as in the loop
)

// instr is an instruction that before makes itself.
type instr = Instr

var noInstr = Instr{Op: Nop}

// The rest of the work after an instruction has been executed.
const (
	nothing = iota
	loaded  // reg gets the shadow of size bytes at p
	stored  // size bytes at p get the shadows words
	boxed   // like stored, in the new object that reg refers to, from byte p on
)

// deferred is the rest of the work after the previous instruction is complete: then the goroutine
// is in the same frame, at pc.
type deferred struct {
	what  int
	fp    uint32
	pc    int32
	reg   uint16
	op    Op
	p     ptr
	size  uint64
	words []*symbolic.Term
}

// before is called before each instruction of a running goroutine. It returns the instruction to
// execute, which may differ from in; or nil if g is at another place, waits for a decision, or has
// ended.
//
// Registers that the instruction writes lose their shadows here, even if it turns out to be a
// visible operation that is executed later. It does not read them, because otherwise it would not
// be executed unchanged; so they are dead.
func (s *symbols) before(g *goroutine, f *Func, in *Instr) *Instr {
	if s.after.what != nothing {
		s.finish(g)
	}
	//mutant: registers of earlier frames are part of states [inputs Resume]: "g.pc == 0" -> "g.pc < 0"
	if g.pc == 0 && f.SSA != nil {
		// All registers count where a decision is made in the middle of things, because no liveness
		// is recorded there. So none may have what an earlier frame has left in it.
		clear(g.stack[g.fp+uint32(f.NParam+f.NCap) : g.fp+uint32(f.NRegs)])
	}
	sh := g.shadow[g.fp:]
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
			s.fix(g, A, b2u(holds))
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
		s.load(g, f, in, *g.reg(uint32(B))+uint64(C))
		return in
	case LoadsElem:
		if sh[C] != nil {
			ok, done := s.lookup(g, *g.reg(uint32(B)), *g.reg(uint32(B) + 1), C, uint64(row.Bytes), row.Signed, A)
			if ok {
				return &noInstr
			}
			if done {
				return nil
			}
		}
		if ok := s.index(g, C, *g.reg(uint32(B) + 1), mostIndices); !ok {
			return nil
		}
		if i := *g.reg(uint32(C)); i < *g.reg(uint32(B) + 1) {
			s.load(g, f, in, *g.reg(uint32(B))+i*uint64(row.Bytes))
		}
		return in
	case Stores:
		if sh[A] != nil {
			return s.concretely(g, in, A, NoReg)
		}
		s.store8(g, f, in, *g.reg(uint32(A))+uint64(C), B)
		return in
	case StoresElem:
		if ok := s.index(g, B, *g.reg(uint32(A) + 1), mostIndices); !ok {
			return nil
		}
		if i := *g.reg(uint32(B)); i < *g.reg(uint32(A) + 1) {
			s.store8(g, f, in, *g.reg(uint32(A))+i*uint64(row.Bytes), C)
		}
		return in
	case LoadsPart:
		return s.part(g, in, uint64(C), sizeOf(f, in, int(g.pc)))
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
		s.set(g, A, s.binary(in.Op, s.value(g, B), s.value(g, C)))
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
		} else if *g.reg(uint32(C)) == 0 {
			return in
		}
		s.set(g, A, s.binary(in.Op, s.term(g, B), s.term(g, C)))
		return &noInstr
	case AddI, AndI, MulI, ShlI, ShrSI, ShrUI:
		if sh[B] == nil {
			sh[A] = nil
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, B, NoReg)
		}
		s.set(g, A, s.immediate(in.Op, s.term(g, B), C))
		return &noInstr
	case Neg, Not, LNot, ExtS8, ExtU8, ExtS16, ExtU16, ExtS32, ExtU32:
		if sh[B] == nil {
			sh[A] = nil
			return in
		}
		if s.formats(f) {
			return s.concretely(g, in, B, NoReg)
		}
		s.set(g, A, s.unary(in.Op, sh[B]))
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
			s.m.throw(g, rtPanicShift)
			return nil
		}
		return &noInstr
	case AddPtr, AddPtrL:
		if sh[B] != nil {
			return s.concretely(g, in, B, NoReg)
		}
		sh[A] = nil
	case IdxS:
		if _, done := s.lookupVia(g, f, in, *g.reg(uint32(B)), *g.reg(uint32(B) + 1)); done {
			return nil
		}
		if ok := s.index(g, C, *g.reg(uint32(B) + 1), mostIndices); !ok {
			return nil
		}
		sh[A] = nil
	case IdxA:
		if _, done := s.lookupVia(g, f, in, *g.reg(uint32(B)), f.Code[g.pc+1].Word()>>32); done {
			return nil
		}
		if ok := s.index(g, C, f.Code[g.pc+1].Word()>>32, mostIndices); !ok {
			return nil
		}
		sh[A] = nil
	case RIdx:
		x := f.Code[g.pc+1].Word()
		if ok := s.index(g, C, x>>32, mostIndices); !ok {
			return nil
		}
		if i, size := *g.reg(uint32(C)), x&math.MaxUint32; i < x>>32 {
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
		l := s.m.layouts.At(uint32(f.Code[g.pc+1].Word()))
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

// moves gives the registers that an operation of class Moves writes the shadows of those that it reads.
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
func (s *symbols) value(g *goroutine, i uint16) *symbolic.Term {
	if t := g.shadow[g.fp+uint32(i)]; t != nil {
		return t
	}
	return s.ctx.Const(64, *g.reg(uint32(i)))
}

// term is value with 64 bits.
func (s *symbols) term(g *goroutine, i uint16) *symbolic.Term { return s.word(s.value(g, i)) }

// set makes t the value of register i.
func (s *symbols) set(g *goroutine, i uint16, t *symbolic.Term) {
	v, ok := t.Const()
	if ok {
		t = nil
	}
	*g.reg(uint32(i)), g.shadow[g.fp+uint32(i)] = v, t
	if !ok {
		*g.reg(uint32(i)) = 0
	}
}

// fix makes v the value of register i, which the path condition implies.
func (s *symbols) fix(g *goroutine, i uint16, v uint64) {
	*g.reg(uint32(i)), g.shadow[g.fp+uint32(i)] = v, nil
}

// truth returns t as a condition.
func (s *symbols) truth(t *symbolic.Term) *symbolic.Term {
	if t.Width() == symbolic.Bool {
		return t
	}
	return s.ctx.ToBool(t)
}

// binary computes A = B op C. A comparison, or a bitwise operation on two conditions, is a Bool.
func (s *symbols) binary(op Op, x, y *symbolic.Term) *symbolic.Term {
	c := s.ctx
	if x.Width() == symbolic.Bool || y.Width() == symbolic.Bool {
		p, okX := s.condition(x)
		q, okY := s.condition(y)
		if okX && okY {
			switch op {
			case And:
				return c.BoolAnd(p, q)
			case Or:
				return c.BoolOr(p, q)
			case Xor, Ne:
				return c.BoolNot(c.Eq(p, q))
			case Eq:
				return c.Eq(p, q)
			}
		}
		x, y = s.word(x), s.word(y)
	}
	narrow := func(f func(a, b *symbolic.Term) *symbolic.Term, width uint8, signed bool) *symbolic.Term {
		return s.extend(f(c.Trunc(x, width), c.Trunc(y, width)), signed)
	}
	switch op {
	case Add:
		return c.Add(x, y)
	case Sub:
		return c.Sub(x, y)
	case Mul:
		return c.Mul(x, y)
	case And:
		return c.And(x, y)
	case Or:
		return c.Or(x, y)
	case Xor:
		return c.Xor(x, y)
	case AndNot:
		return c.AndNot(x, y)
	case Shl:
		return c.Shl(x, y)
	case ShrS:
		return c.ShrS(x, y)
	case ShrU:
		return c.ShrU(x, y)
	case DivS:
		return c.DivS(x, y)
	case DivU:
		return c.DivU(x, y)
	case RemS:
		return c.RemS(x, y)
	case RemU:
		return c.RemU(x, y)
	case AddS32:
		return narrow(c.Add, 32, true)
	case AddU32:
		//mutant: 32 bits do not wrap [inputs Named]: "narrow(c.Add, 32, false" -> "c.Add(x, y"
		return narrow(c.Add, 32, false)
	case SubS32:
		return narrow(c.Sub, 32, true)
	case SubU32:
		return narrow(c.Sub, 32, false)
	case MulS32:
		return narrow(c.Mul, 32, true)
	case MulU32:
		return narrow(c.Mul, 32, false)
	case AddU8:
		return narrow(c.Add, 8, false)
	case SubU8:
		return narrow(c.Sub, 8, false)
	case Eq:
		return c.Eq(x, y)
	case Ne:
		return c.Ne(x, y)
	case LtS:
		//mutant: signed comparisons are unsigned [inputs Sequential]: "return c.LtS" -> "return c.LtU"
		return c.LtS(x, y)
	case LeS:
		return c.LeS(x, y)
	case LtU:
		return c.LtU(x, y)
	case LeU:
		return c.LeU(x, y)
	}
	panic("BUG: no terms for operation " + op.String())
}

// condition returns x as a Bool, if it is one or the constant 0 or 1.
func (s *symbols) condition(x *symbolic.Term) (*symbolic.Term, bool) {
	if x.Width() == symbolic.Bool {
		return x, true
	}
	v, ok := x.Const()
	return s.ctx.Bool(v == 1), ok && v <= 1
}

// extend returns t with 64 bits.
func (s *symbols) extend(t *symbolic.Term, signed bool) *symbolic.Term {
	if signed {
		return s.ctx.SExt(t, 64)
	}
	return s.widen(t)
}

// immediate computes A = B op C, where C is a constant.
func (s *symbols) immediate(op Op, x *symbolic.Term, n uint16) *symbolic.Term {
	c := s.ctx
	switch op {
	case AddI:
		return c.Add(x, c.Const(64, uint64(int64(int16(n)))))
	case AndI:
		return c.And(x, c.Const(64, uint64(n)))
	case MulI:
		return c.Mul(x, c.Const(64, uint64(int64(int16(n)))))
	case ShlI:
		return c.Shl(x, c.Const(64, uint64(n)))
	case ShrSI:
		return c.ShrS(x, c.Const(64, uint64(n)))
	case ShrUI:
		return c.ShrU(x, c.Const(64, uint64(n)))
	}
	panic("BUG: no terms for operation " + op.String())
}

// unary computes A = op B.
func (s *symbols) unary(op Op, x *symbolic.Term) *symbolic.Term {
	c := s.ctx
	if x.Width() == symbolic.Bool {
		if op == LNot {
			return c.BoolNot(x)
		}
		x = s.word(x)
	}
	switch op {
	case Neg:
		return c.Neg(x)
	case Not:
		return c.Not(x)
	case LNot:
		return c.Xor(x, c.Const(64, 1))
	case ExtS8:
		//mutant: conversions have no sign [inputs Sequential]: "return c.SExt" -> "return c.ZExt"
		return c.SExt(c.Trunc(x, 8), 64)
	case ExtU8:
		return c.ZExt(c.Trunc(x, 8), 64)
	case ExtS16:
		return c.SExt(c.Trunc(x, 16), 64)
	case ExtU16:
		return c.ZExt(c.Trunc(x, 16), 64)
	case ExtS32:
		return c.SExt(c.Trunc(x, 32), 64)
	case ExtU32:
		return c.ZExt(c.Trunc(x, 32), 64)
	}
	panic("BUG: no terms for operation " + op.String())
}

// jumpIf decides a branch of the form with its distance in C.
func (s *symbols) jumpIf(g *goroutine, cond *symbolic.Term, in *Instr) *Instr {
	holds, ok := s.is(g, cond)
	if !ok {
		return nil
	}
	return s.branch(holds, int32(int16(in.C)))
}

// branch returns an instruction that jumps by off if taken is set, and otherwise one without
// effect.
func (s *symbols) branch(taken bool, off int32) *Instr {
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

// leave records the rest of the work after in, the instruction at g.pc, has been executed.
func (s *symbols) leave(g *goroutine, in *Instr, what int) *deferred {
	a := &s.after
	a.what, a.fp, a.pc, a.op = what, g.fp, g.pc+1+int32(in.Words()), in.Op
	a.words = a.words[:0]
	return a
}

// load prepares a load from p.
func (s *symbols) load(g *goroutine, f *Func, in *Instr, p ptr) {
	size := sizeOf(f, in, int(g.pc))
	clear(g.shadow[g.fp+uint32(in.A) : g.fp+uint32(in.A)+uint32(size+7)/8])
	if len(s.overlaps(uint32(p>>32), uint32(p), uint32(size))) > 0 {
		a := s.leave(g, in, loaded)
		a.reg, a.p, a.size = in.A, p, size
	}
}

// store8 prepares a store of the registers from b on to p.
func (s *symbols) store8(g *goroutine, f *Func, in *Instr, p ptr, b uint16) {
	size := sizeOf(f, in, int(g.pc))
	words := g.shadow[g.fp+uint32(b) : g.fp+uint32(b)+uint32(size+7)/8]
	if !tainted(words) && len(s.overlaps(uint32(p>>32), uint32(p), uint32(size))) == 0 {
		return
	}
	a := s.leave(g, in, stored)
	a.p, a.size, a.words = p, size, append(a.words, words...)
}

// boxes prepares the allocation of an object that holds the registers from b on.
func (s *symbols) boxes(g *goroutine, in *Instr, reg, b uint16, off, size uint64) {
	words := g.shadow[g.fp+uint32(b) : g.fp+uint32(b)+uint32(size+7)/8]
	if tainted(words) {
		a := s.leave(g, in, boxed)
		a.reg, a.p, a.size, a.words = reg, off, size, append(a.words, words...)
	}
}

func tainted(words []*symbolic.Term) bool {
	for _, t := range words {
		if t != nil {
			return true
		}
	}
	return false
}

// finish completes the work for the previous instruction, unless that was not completed.
func (s *symbols) finish(g *goroutine) {
	a := &s.after
	what := a.what
	a.what = nothing
	if g.fp != a.fp || g.pc != a.pc {
		return
	}
	switch what {
	case loaded:
		//mutant: nor what is loaded [env TestDraws/TestLookRestedLoad]
		g.unlabeled = false
		if row := a.op.Row(); row.Bytes > 0 && row.Bytes <= 8 {
			n := uint64(row.Bytes)
			t := s.at(a.p, uint32(n))
			if s.drawn {
				g.shadow[g.fp+uint32(a.reg)] = s.loadedLabel(t, n)
				return
			}
			if row.Signed {
				t = s.ctx.SExt(t, 64)
			} else {
				t = s.widen(t)
			}
			s.set(g, a.reg, t)
			return
		}
		a.words = s.loadWords(a.words[:0], a.p, a.size)
		for i, t := range a.words {
			if s.drawn {
				g.shadow[g.fp+uint32(a.reg)+uint32(i)] = t
			} else if t != nil {
				s.set(g, a.reg+uint16(i), t)
			}
		}
	case boxed:
		s.storeWords(*g.reg(uint32(a.reg))+a.p, a.words, a.size)
	case stored:
		s.storeWords(a.p, a.words, a.size)
	}
}

// part loads size bytes from byte off on of the value in the registers from B on.
func (s *symbols) part(g *goroutine, in *Instr, off, size uint64) *Instr {
	first := uint32(in.B) + uint32(off/8)
	last := uint32(in.B) + uint32((off+max(size, 1)-1)/8)
	if !tainted(g.shadow[g.fp+first : g.fp+last+1]) {
		clear(g.shadow[g.fp+uint32(in.A) : g.fp+uint32(in.A)+uint32(size+7)/8])
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
		s.set(g, in.A+uint16(i), t)
	}
	g.pc += 1 + int32(in.Words())
	return nil
}

// image returns n ≤ 8 bytes from byte off on of the value in the registers from b on: 8n bits.
func (s *symbols) image(g *goroutine, b uint16, off, n uint64) *symbolic.Term {
	var parts []part
	for at := uint64(0); at < n; {
		reg := uint32(b) + uint32((off+at)/8)
		lo := (off + at) % 8
		k := min(8-lo, n-at)
		if t := g.shadow[g.fp+reg]; t != nil {
			parts = append(parts, s.cut(s.word(t), uint32(lo), uint32(k), uint32(at))...)
		} else {
			parts = append(parts, part{uint32(at), uint32(k), nil, *g.reg(reg) >> (lo * 8)})
		}
		at += k
	}
	return s.pack(parts, uint32(n))
}

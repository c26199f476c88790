package vm

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in symbolic_exec.go
)

// beforeDrawn is symbols.before where values have labels. The machine executes the instruction
// unchanged, on the bits; beforeDrawn gives labels to the words that it writes, and looks at the
// operands on which its effect depends. Labels in memory move as symbolic values do (deferred, and the
// functions of symbolic_slow.go).
//
// The result of a computation has the labels of its operands, unless they decide how it ends. Words
// that it moves keep theirs. It looks at the operands on which its effect depends: those of branches,
// addresses, lengths, keys, natives.
func (s *symbols) beforeDrawn(g *goroutine, f *Func, in *Instr) *Instr {
	switch {
	case s.after.what != nothing:
		s.finish(g)
	case g.unlabeled:
		if s.indifferent(g, in) {
			return in
		}
	case s.unscanned < rescanAfter:
		s.unscanned++
	default:
		s.rescan(g)
	}
	sh := g.shadow[g.fp:]
	A, B, C := in.A, in.B, in.C
	row := in.Op.Row()
	switch row.Class {
	case Neutral, Jumps:
	case Moves:
		moves(sh, in)
	case Fresh:
		clear(sh[A : int(A)+int(row.Results)])
	case Branches:
		//mutant: nor are conditions [env TestDraws/TestLook(Switch|Float)$]
		s.look(sh[A])
	case Compares:
		if sh[A] != nil || sh[B] != nil {
			s.comparesRates(g, A, B, 0, bounds.Integer)
			//mutant: drawn values that are compared are not looked at [env TestDraws/TestLook(Switch|Float)$]
			_, ok := bounds.Certain(row.Compares, s.boundOf(g, A, bounds.Integer), s.boundOf(g, B, bounds.Integer))
			if !ok && !s.apart(row.Compares, sh[A], sh[B], *g.reg(uint32(A)), *g.reg(uint32(B))) {
				s.look(sh[A], sh[B])
			}
		}
	case ComparesImm:
		if sh[A] != nil {
			s.comparesRates(g, A, NoReg, float64(int16(B)), bounds.Integer)
			x, y := s.boundOf(g, A, bounds.Integer), bounds.Integers(int64(int16(B)), int64(int16(B)))
			if in.Op == JGtSI || in.Op == JGeSI {
				x, y = y, x
			}
			//mutant: nor with a constant [env TestDraws/TestLook(Branch|Part)]
			_, ok := bounds.Certain(row.Compares, x, y)
			if !ok && !s.apart(row.Compares, sh[A], nil, *g.reg(uint32(A)), uint64(int16(B))) {
				s.look(sh[A])
			}
		}
	case Loads:
		s.look(sh[B])
		s.load(g, f, in, *g.reg(uint32(B))+uint64(C))
	case LoadsElem:
		//mutant: drawn indices are not looked at [env TestDraws/TestLookIndex]
		s.look(sh[B], sh[B+1], sh[C])
		if i := *g.reg(uint32(C)); i < *g.reg(uint32(B) + 1) {
			s.load(g, f, in, *g.reg(uint32(B))+i*uint64(row.Bytes))
		}
	case Stores:
		s.look(sh[A])
		s.store8(g, f, in, *g.reg(uint32(A))+uint64(C), B)
	case StoresElem:
		s.look(sh[A], sh[A+1], sh[B])
		if i := *g.reg(uint32(B)); i < *g.reg(uint32(A) + 1) {
			s.store8(g, f, in, *g.reg(uint32(A))+i*uint64(row.Bytes), C)
		}
	case LoadsPart:
		s.drawnPart(g, in, uint64(C), sizeOf(f, in, int(g.pc)))
	default:
		s.beforeSpecial(g, f, in)
	}
	return in
}

// beforeSpecial is beforeDrawn for operations whose class does not determine their operands.
func (s *symbols) beforeSpecial(g *goroutine, f *Func, in *Instr) {
	sh := g.shadow[g.fp:]
	A, B, C := in.A, in.B, in.C
	word := func(i int) uint64 { return f.Code[int(g.pc)+1+i].Word() }
	switch in.Op {
	case Recv, Select:

	// computes
	case Add, Sub, Mul, And, Shl, ShrS, ShrU:
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			return bounds.IntResult(in.Op, s.boundOf(g, B, bounds.Integer), s.boundOf(g, C, bounds.Integer))
		})
	case Or, Xor, AndNot, AddU8, SubU8, AddF32, SubF32, MulF32, DivF32, MinF64, MinF32, MaxF64, MaxF32, EqF32, LtF32, LeF32:
		s.computes(g, in, sh[B], sh[C], nil)
	case AddS32, AddU32, SubS32, SubU32, MulS32, MulU32:
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			wide := map[Op]Op{AddS32: Add, AddU32: Add, SubS32: Sub, SubU32: Sub, MulS32: Mul, MulU32: Mul}[in.Op]
			ext := ExtS32
			if in.Op == AddU32 || in.Op == SubU32 || in.Op == MulU32 {
				ext = ExtU32
			}
			return bounds.Converted(ext, bounds.IntResult(wide, s.boundOf(g, B, bounds.Integer), s.boundOf(g, C, bounds.Integer)))
		})
	case DivS, DivU, RemS, RemU:
		s.look(sh[C]) // it may panic
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			return bounds.IntResult(in.Op, s.boundOf(g, B, bounds.Integer), s.boundOf(g, C, bounds.Integer))
		})
	case AddI, AndI, MulI, ShlI, ShrSI, ShrUI:
		s.computes(g, in, sh[B], nil, func() bounds.Bound {
			wide := map[Op]Op{AddI: Add, AndI: And, MulI: Mul, ShlI: Shl, ShrSI: ShrS, ShrUI: ShrU}[in.Op]
			n := int64(C)
			if in.Op == AddI || in.Op == MulI {
				n = int64(int16(C))
			}
			return bounds.IntResult(wide, s.boundOf(g, B, bounds.Integer), bounds.Integers(n, n))
		})
	case AddF64, SubF64, MulF64, DivF64:
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			return bounds.FloatResult(in.Op, s.boundOf(g, B, bounds.Float), s.boundOf(g, C, bounds.Float))
		})
	case Not, LNot, NegF32, CvtSF32, CvtUF32, CvtF64S32, CvtF64U, CvtF64F32, CvtF32F64:
		s.computes(g, in, sh[B], nil, nil)
	case Neg, ExtS8, ExtU8, ExtS16, ExtU16, ExtS32, ExtU32, CvtSF64, CvtUF64:
		s.computes(g, in, sh[B], nil, func() bounds.Bound { return bounds.Converted(in.Op, s.boundOf(g, B, bounds.Integer)) })
	case NegF64, CvtF64S:
		s.computes(g, in, sh[B], nil, func() bounds.Bound { return bounds.Converted(in.Op, s.boundOf(g, B, bounds.Float)) })
	case Eq, Ne, LtS, LeS, LtU, LeU:
		s.comparison(g, in, bounds.Integer)
	case EqF64, LtF64, LeF64:
		s.comparison(g, in, bounds.Float)

	// looks
	case Panic: // the value may become part of a text
		//mutant: drawn panics are not looked at [env TestDraws/TestLookCrash]
		s.lookWords(g, A, 2)
	case ChkShift:
		s.look(sh[A])
	case AddPtr, AddPtrL:
		s.look(sh[B])
		sh[A] = nil
	case IdxS:
		s.look(sh[B], sh[B+1], sh[C])
		sh[A] = nil
	case IdxA:
		//mutant: nor are those of arrays [env TestDraws/TestLookArray]
		s.look(sh[B], sh[C])
		sh[A] = nil
	case RIdx:
		x := word(0)
		s.look(sh[C])
		if i, size := *g.reg(uint32(C)), x&(1<<32-1); i < x>>32 {
			s.drawnPart(g, in, i*size, size)
		}
	case CallN:
		s.drawnNative(g, f, in)
	case Ret0: // a label that remains in an ended frame would be in the next one until it writes the word
		clear(sh[:f.Window])
	case Ret1:
		sh[0] = sh[A]
		clear(sh[1:f.Window])
	case Ret:
		copy(sh[:B], sh[A:int(A)+int(B)])
		clear(sh[B:f.Window])
	case MkClos:
		s.boxes(g, in, A, B, 8, uint64(C)*8)
		sh[A] = nil
	case Box:
		s.boxes(g, in, A, B, 0, uint64(s.m.layouts.At(uint32(word(0))).Size))
		sh[A] = nil
	case EqStr, LtStr, LeStr:
		s.lookAt(g, B, 2)
		s.lookAt(g, C, 2)
		//mutant: nor are drawn texts [env TestDraws/TestLookString]: remove 2
		s.lookMemory(*g.reg(uint32(B)), *g.reg(uint32(B) + 1))
		s.lookMemory(*g.reg(uint32(C)), *g.reg(uint32(C) + 1))
		sh[A] = nil
	case EqIface, EqN:
		n := 2
		if in.Op == EqN {
			n = s.m.layouts.At(uint32(word(0))).Words()
		}
		for _, i := range [2]uint16{B, C} {
			//mutant: nor are structs that are compared [env TestDraws/TestLook(Struct|Interface)]
			s.lookWords(g, i, n)
		}
		sh[A] = nil
	case Cplx, CvtC:
		s.lookAt(g, B, 2)
		if in.Op == Cplx {
			s.lookAt(g, C, 2)
		}
		clear(sh[A : A+2])
	case MkSlice:
		//mutant: nor are drawn lengths [env TestDraws/TestLookMake]
		s.look(sh[B], sh[C])
		clear(sh[A : A+3])
	case MkChan:
		s.look(sh[B])
		sh[A] = nil
	case SliceS, SliceStr, SliceA:
		s.look(sh[B])
		if in.Op != SliceA {
			s.lookAt(g, B, 2)
		}
		if in.Op == SliceS {
			s.look(sh[B+2])
		}
		for i := range 3 {
			if q := uint16(word(0) >> (16 * i)); q != NoReg {
				s.look(sh[q])
			}
			if in.Op == SliceStr && i == 1 {
				break
			}
		}
		clear(sh[A : A+2])
		if in.Op != SliceStr {
			sh[A+2] = nil
		}
	case UnsafeChk:
		if s.look(sh[A]); B != NoReg {
			s.look(sh[B])
		}
	case CopyMem:
		s.look(sh[A])
		if B != NoReg {
			s.look(sh[B])
		}
	case Print:
		s.look(sh[A])
		s.lookObject(*g.reg(uint32(A)))
	case RunesToStr, StrToRunes:
		n := *g.reg(uint32(B) + 1)
		if in.Op == RunesToStr {
			n *= 4
		}
		if s.lookAt(g, B, 2); n > 0 {
			s.lookMemory(*g.reg(uint32(B)), n)
		}
		clear(sh[A : A+2])
		if in.Op == StrToRunes {
			sh[A+2] = nil
		}
	case IntToStr:
		s.look(sh[B])
		clear(sh[A : A+2])
	case StrNext:
		s.drawnRune(g, in)
	case MapGet, MapSet, MapDel:
		t := s.m.mapTypes[uint32(word(0))]
		key := B
		if in.Op == MapGet {
			key = C
		}
		//mutant: nor are drawn keys [env TestDraws/TestLookKey]
		s.lookWords(g, key, t.key.Words())
		if in.Op == MapGet {
			clear(sh[A : int(A)+t.elem.Words()])
			if word(0)>>32 != 0 {
				sh[int(A)+t.elem.Words()] = nil
			}
		}
	case MapNext:
		t := s.m.mapTypes[uint32(word(0))]
		clear(sh[A : int(A)+1+t.key.Words()+t.elem.Words()])
	case Clock:
		// A note about the clock holds for this execution's values. If the clock has not been read
		// there is nothing to note.
		compared := C&(ClockCompared|ClockFlow) != 0 && B != NoReg && sh[B] != nil
		//mutant: the clock compares drawn values [env TestDraws/TestLookClock]: drop 1
		if s.m.clockRead() && (sh[A] != nil || compared || C&ClockOfTime != 0) && !s.notesAlike(g, in, int64(word(0))) {
			s.look(sh[A])
			if C&(ClockCompared|ClockFlow) != 0 {
				s.look(sh[B])
			}
			if C&ClockOfTime != 0 {
				s.lookAt(g, A, 3)
			}
		}
	default:
		panic("BUG: what is drawn in operation " + in.Op.String())
	}
}

// computes gives the register that in writes the label of a result of two operands with these labels.
// b returns the result's bound; if b is nil the bound is unknown. A single result has no label.
func (s *symbols) computes(g *goroutine, in *Instr, x, y *symbolic.Term, b func() bounds.Bound) {
	i := in.A
	if x == nil && y == nil {
		g.shadow[g.fp+uint32(i)] = nil
		return
	}
	known := bounds.Bound{}
	if b != nil {
		known = b()
	}
	if known.One() {
		g.shadow[g.fp+uint32(i)] = nil
		return
	}
	rate := s.knownRate(s.computedRate(g, in))
	//mutant: what is computed of drawn values is not drawn [env TestDraws/TestLookHashed]: "s.joinedAt(rate, known, x, y)" -> "nil; _ = rate"
	g.shadow[g.fp+uint32(i)] = s.joinedAt(rate, known, x, y)
}

// comparison gives the register that in writes the label of the comparison's result.
func (s *symbols) comparison(g *goroutine, in *Instr, kind bounds.Kind) {
	b, c := in.B, in.C
	x, y := g.shadow[g.fp+uint32(b)], g.shadow[g.fp+uint32(c)]
	if x != nil || y != nil {
		s.comparesRates(g, b, c, 0, kind)
		if _, ok := bounds.Certain(in.Op, s.boundOf(g, b, kind), s.boundOf(g, c, kind)); ok || s.apart(in.Op, x, y, *g.reg(uint32(b)), *g.reg(uint32(c))) {
			x, y = nil, nil
		}
	}
	s.computes(g, in, x, y, nil)
}

// drawnPart gives the registers into which in loads the bytes from off on, of the value in registers
// from B on, the labels of those bytes.
func (s *symbols) drawnPart(g *goroutine, in *Instr, off, size uint64) {
	sh := g.shadow[g.fp:]
	n := uint64(size+7) / 8
	list := s.buf[:0]
	for k := range n {
		at := off + 8*k
		width := min(8, size-8*k)
		first, last := sh[uint64(in.B)+at/8], sh[uint64(in.B)+(at+width-1)/8]
		if at%8 == 0 && width == 8 {
			list = append(list, first)
		} else {
			list = append(list, s.joined(bounds.Bound{}, first, last))
		}
	}
	s.buf = list
	copy(sh[in.A:], list)
}

// drawnRune is a look at the string that StrNext decodes.
func (s *symbols) drawnRune(g *goroutine, in *Instr) {
	clear(g.shadow[g.fp+uint32(in.A) : g.fp+uint32(in.A)+3])
	it := uint32(in.B)
	s.lookMemory(*g.reg(it), *g.reg(it + 1))
}

// lookWords is a look at n registers from i on, and at what they refer to.
func (s *symbols) lookWords(g *goroutine, i uint16, n int) {
	s.lookAt(g, i, n)
	if len(s.memory) > 0 {
		s.look(s.reached(g, i, n)...)
	}
}

package shadow

import (
	"slices"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in exec.go
	"hbcheck.dev/hbcheck/vm/heap"
)

// BeforeDrawn is Symbols.Before for values with labels. The machine executes the instruction unchanged, on
// the bits. BeforeDrawn gives labels to the words that it writes, and looks at the operands on which its
// effect depends. Labels in memory move as symbolic values do (deferred, and the functions of moving.go).
//
// The result of a computation has the labels of its operands, unless it panics for some of them. Words that
// an instruction moves keep their labels. Looks are at the operands of branches, and at addresses, lengths,
// keys and arguments of natives.
func (s *Symbols) BeforeDrawn(g *Goroutine, f *Func, in *Instr) *Instr {
	switch {
	case s.after.what != nothing:
		s.finish(g)
		if g.FP < g.Clean {
			g.Clean = NoneClean
		}
	case g.FP >= g.Clean || s.entersClean(g):
		if s.indifferent(g, in) {
			return in
		}
	case s.unscanned < rescanAfter:
		s.unscanned++
	default:
		s.Rescan(g)
	}
	sh := g.Shadow[g.FP:]
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
		s.Look(sh[A])
	case Compares:
		if sh[A] != nil || sh[B] != nil {
			s.comparesRates(g, A, B, 0, bounds.Integer)
			_, ok := bounds.Certain(row.Compares, s.BoundOf(g, A, bounds.Integer), s.BoundOf(g, B, bounds.Integer))
			if !ok && !s.apart(row.Compares, sh[A], sh[B], *g.Reg(uint32(A)), *g.Reg(uint32(B))) && !s.equated(row.Compares, sh[A], sh[B]) {
				//mutant: drawn values that are compared are not looked at [env TestDraws/TestLook(Switch|Float)$]
				s.Look(sh[A], sh[B])
			}
		}
	case ComparesImm:
		if sh[A] != nil {
			s.comparesRates(g, A, NoReg, float64(int16(B)), bounds.Integer)
			x, y := s.BoundOf(g, A, bounds.Integer), bounds.Integers(int64(int16(B)), int64(int16(B)))
			if in.Op == JGtSI || in.Op == JGeSI {
				x, y = y, x
			}
			_, ok := bounds.Certain(row.Compares, x, y)
			if !ok && !s.apart(row.Compares, sh[A], nil, *g.Reg(uint32(A)), uint64(int16(B))) {
				//mutant: nor with a constant [env TestDraws/TestLook(Branch|Part)]
				s.Look(sh[A])
			}
		}
	case Loads:
		if sh[B] != nil && s.readsElement(g, in, *g.Reg(uint32(B))+uint64(C), sizeOf(f, in, int(g.PC))) {
			break
		}
		s.Look(sh[B])
		s.load(g, f, in, *g.Reg(uint32(B))+uint64(C))
	case LoadsElem:
		s.Look(sh[B], sh[B+1])
		if _, ok := s.elementAt(*g.Reg(uint32(B)), *g.Reg(uint32(B) + 1), uint64(row.Bytes), sh[C]); ok {
			s.bare(g, in, uint64(row.Bytes))
			break
		}
		if sh[C] != nil && row.Bytes == 1 && !row.Signed {
			if text, ok := s.fixedText(g, B, C); ok {
				//mutant: bytes of constant texts have no label [env TestDraws/TestLookDigit]: "sh[C])" -> "nil)"
				sh[A] = s.joined(bounds.Integers(int64(slices.Min(text)), int64(slices.Max(text))), sh[C])
				break
			}
		}
		//mutant: drawn indices are not looked at [env TestDraws/TestLookIndex]
		s.Look(sh[C])
		if i := *g.Reg(uint32(C)); i < *g.Reg(uint32(B) + 1) {
			s.load(g, f, in, *g.Reg(uint32(B))+i*uint64(row.Bytes))
		}
	case Stores:
		if sh[A] != nil && s.writesElement(g, sh[A], *g.Reg(uint32(A))+uint64(C), B, sizeOf(f, in, int(g.PC))) {
			break
		}
		s.Look(sh[A])
		s.store8(g, f, in, *g.Reg(uint32(A))+uint64(C), B)
	case StoresElem:
		if _, ok := s.elementAt(*g.Reg(uint32(A)), *g.Reg(uint32(A) + 1), uint64(row.Bytes), sh[B]); ok && sh[C] == nil {
			break
		}
		s.Look(sh[A], sh[A+1], sh[B])
		if i := *g.Reg(uint32(B)); i < *g.Reg(uint32(A) + 1) {
			s.store8(g, f, in, *g.Reg(uint32(A))+i*uint64(row.Bytes), C)
		}
	case LoadsPart:
		s.drawnPart(g, in, uint64(C), sizeOf(f, in, int(g.PC)))
	default:
		s.beforeSpecial(g, f, in)
	}
	return in
}

// wideOps has the operation on 64 bits for operations on 32, or with a constant.
var wideOps = map[Op]Op{
	AddS32: Add, AddU32: Add, SubS32: Sub, SubU32: Sub, MulS32: Mul, MulU32: Mul,
	AddI: Add, AndI: And, MulI: Mul, ShlI: Shl, ShrSI: ShrS, ShrUI: ShrU,
}

// beforeSpecial is BeforeDrawn for operations whose class does not determine their operands.
func (s *Symbols) beforeSpecial(g *Goroutine, f *Func, in *Instr) {
	sh := g.Shadow[g.FP:]
	A, B, C := in.A, in.B, in.C
	word := func(i int) uint64 { return f.Code[int(g.PC)+1+i].Word() }
	switch in.Op {
	case Recv, Select:

	// computes
	case Add:
		if t, ok := s.adds(sh[B], sh[C]); ok {
			sh[A] = t
			break
		}
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			return bounds.IntResult(in.Op, s.BoundOf(g, B, bounds.Integer), s.BoundOf(g, C, bounds.Integer))
		})
	case Sub, Mul, And, Shl, ShrS, ShrU:
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			return bounds.IntResult(in.Op, s.BoundOf(g, B, bounds.Integer), s.BoundOf(g, C, bounds.Integer))
		})
	case Or, Xor, AndNot, AddU8, SubU8, AddF32, SubF32, MulF32, DivF32, MinF64, MinF32, MaxF64, MaxF32, EqF32, LtF32, LeF32:
		s.computes(g, in, sh[B], sh[C], nil)
	case AddS32, AddU32, SubS32, SubU32, MulS32, MulU32:
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			wide := wideOps[in.Op]
			ext := ExtS32
			if in.Op == AddU32 || in.Op == SubU32 || in.Op == MulU32 {
				ext = ExtU32
			}
			return bounds.Converted(ext, bounds.IntResult(wide, s.BoundOf(g, B, bounds.Integer), s.BoundOf(g, C, bounds.Integer)))
		})
	case DivS, DivU, RemS, RemU:
		s.Look(sh[C]) // the division may panic
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			return bounds.IntResult(in.Op, s.BoundOf(g, B, bounds.Integer), s.BoundOf(g, C, bounds.Integer))
		})
	case AddI, AndI, MulI, ShlI, ShrSI, ShrUI:
		s.computes(g, in, sh[B], nil, func() bounds.Bound {
			wide := wideOps[in.Op]
			n := int64(C)
			if in.Op == AddI || in.Op == MulI {
				n = int64(int16(C))
			}
			return bounds.IntResult(wide, s.BoundOf(g, B, bounds.Integer), bounds.Integers(n, n))
		})
	case AddF64, SubF64, MulF64, DivF64:
		s.computes(g, in, sh[B], sh[C], func() bounds.Bound {
			return bounds.FloatResult(in.Op, s.BoundOf(g, B, bounds.Float), s.BoundOf(g, C, bounds.Float))
		})
	case Not, LNot, NegF32, CvtSF32, CvtUF32, CvtF64S32, CvtF64U, CvtF64F32, CvtF32F64:
		s.computes(g, in, sh[B], nil, nil)
	case Neg, ExtS8, ExtU8, ExtS16, ExtU16, ExtS32, ExtU32, CvtSF64, CvtUF64:
		s.computes(g, in, sh[B], nil, func() bounds.Bound { return bounds.Converted(in.Op, s.BoundOf(g, B, bounds.Integer)) })
	case NegF64, CvtF64S:
		s.computes(g, in, sh[B], nil, func() bounds.Bound { return bounds.Converted(in.Op, s.BoundOf(g, B, bounds.Float)) })
	case Eq, Ne, LtS, LeS, LtU, LeU:
		s.comparison(g, in, bounds.Integer)
	case EqF64, LtF64, LeF64:
		s.comparison(g, in, bounds.Float)

	// looks
	case Panic: // the value may become part of a message
		//mutant: drawn panics are not looked at [env TestDraws/TestLookCrash]
		s.lookWords(g, A, 2)
	case ChkShift:
		s.Look(sh[A])
	case AddPtr, AddPtrL:
		s.Look(sh[B])
		sh[A] = nil
	case IdxS:
		if s.indexes(g, in, *g.Reg(uint32(B)), *g.Reg(uint32(B) + 1), word(0)) {
			break
		}
		s.Look(sh[B], sh[B+1], sh[C])
		sh[A] = nil
	case IdxA:
		if s.indexes(g, in, *g.Reg(uint32(B)), word(0)>>32, word(0)&(1<<32-1)) {
			break
		}
		//mutant: nor are those of arrays [env TestDraws/TestLookArray]
		s.Look(sh[B], sh[C])
		sh[A] = nil
	case RIdx:
		x := word(0)
		s.Look(sh[C])
		if i, size := *g.Reg(uint32(C)), x&(1<<32-1); i < x>>32 {
			s.drawnPart(g, in, i*size, size)
		}
	case CallN:
		s.drawnNative(g, f, in)
	case Ret0: // a label left in an ended frame would be in the next frame until that writes the word
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
		s.boxes(g, in, A, B, 0, uint64(s.layouts.At(uint32(word(0))).Size))
		sh[A] = nil
	case EqStr, LtStr, LeStr:
		s.lookAt(g, B, 2)
		s.lookAt(g, C, 2)
		//mutant: nor are drawn texts [env TestDraws/TestLookString]: remove 2
		s.lookMemory(*g.Reg(uint32(B)), *g.Reg(uint32(B) + 1))
		s.lookMemory(*g.Reg(uint32(C)), *g.Reg(uint32(C) + 1))
		sh[A] = nil
	case EqIface, EqN:
		n := 2
		if in.Op == EqN {
			n = s.layouts.At(uint32(word(0))).Words()
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
		s.Look(sh[B], sh[C])
		clear(sh[A : A+3])
	case MkChan:
		s.Look(sh[B])
		sh[A] = nil
	case SliceS, SliceStr, SliceA:
		s.Look(sh[B])
		if in.Op != SliceA {
			s.lookAt(g, B, 2)
		}
		if in.Op == SliceS {
			s.Look(sh[B+2])
		}
		for i := range 3 {
			if q := uint16(word(0) >> (16 * i)); q != NoReg {
				s.Look(sh[q])
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
		if s.Look(sh[A]); B != NoReg {
			s.Look(sh[B])
		}
	case CopyMem:
		s.Look(sh[A])
		if B != NoReg {
			s.Look(sh[B])
		}
	case Print:
		s.Look(sh[A])
		s.lookObject(*g.Reg(uint32(A)))
	case RunesToStr, StrToRunes:
		n := *g.Reg(uint32(B) + 1)
		if in.Op == RunesToStr {
			n *= 4
		}
		if s.lookAt(g, B, 2); n > 0 {
			s.lookMemory(*g.Reg(uint32(B)), n)
		}
		clear(sh[A : A+2])
		if in.Op == StrToRunes {
			sh[A+2] = nil
		}
	case IntToStr:
		s.Look(sh[B])
		clear(sh[A : A+2])
	case StrNext:
		s.drawnRune(g, in)
	case MapGet, MapSet, MapDel:
		keys, _ := s.m.MapType(uint32(word(0)))
		key := B
		if in.Op == MapGet {
			key = C
		}
		mp := *g.Reg(uint32(A))
		if in.Op == MapGet {
			mp = *g.Reg(uint32(B))
		}
		if !s.namesKey(g, key, uint32(word(0)), mp) {
			//mutant: nor are drawn keys [env TestDraws/TestLookKey]
			s.lookWords(g, key, keys.Words())
		}
		// The machine clears the labels of results. Until then a result may be in the register of the key.
	case MapNext:
		keys, elems := s.m.MapType(uint32(word(0)))
		clear(sh[A : int(A)+1+keys.Words()+elems.Words()])
	case Clock:
		// Notes about the clock hold for the values of this execution. Without a clock read there is
		// nothing to record.
		compared := C&(ClockCompared|ClockFlow) != 0 && B != NoReg && sh[B] != nil
		ofTime := C&(ClockOfTime|ClockCompared) == ClockOfTime
		if (sh[A] != nil || compared || ofTime) && !s.m.NotesAlike(g, in, int64(word(0))) {
			s.Look(sh[A])
			if C&(ClockCompared|ClockFlow) != 0 {
				s.Look(sh[B])
			}
			if ofTime {
				s.lookAt(g, A, 3)
			}
		}
	default:
		panic("BUG: what is drawn in operation " + in.Op.String())
	}
}

// fixedText returns the bytes that a load of an element of a string may read. b is the first register
// of the string, i the register of the index. ok is false unless the string is a constant, and every
// value of the index is in range.
func (s *Symbols) fixedText(g *Goroutine, b, i uint16) (text []byte, ok bool) {
	const fixed = heap.Static | heap.Frozen
	p, n, x := *g.Reg(uint32(b)), *g.Reg(uint32(b) + 1), s.BoundOf(g, i, bounds.Integer)
	if obj := p >> 32; obj >= uint64(len(s.heap.Objs)) || s.heap.Objs[obj].Flags&fixed != fixed || len(s.memory[uint32(obj)]) > 0 {
		return nil, false
	}
	//mutant: indices may be outside of a constant text [env TestDraws/TestLookOutside]: "x.Hi >= int64(n)" -> "n == 0"
	if x.Kind != bounds.Integer || x.Lo < 0 || x.Hi >= int64(n) {
		return nil, false
	}
	return s.heap.Bytes(p+uint64(x.Lo), uint32(x.Hi-x.Lo)+1), true
}

// computes sets the label of the register that in writes, for a result computed from two operands with
// these labels. b returns the result's bound; if b is nil, the bound is unknown. A result with a single
// possible value has no label.
func (s *Symbols) computes(g *Goroutine, in *Instr, x, y *symbolic.Term, b func() bounds.Bound) {
	i := in.A
	if x == nil && y == nil {
		g.Shadow[g.FP+uint32(i)] = nil
		return
	}
	known := bounds.Bound{}
	if b != nil {
		known = b()
	}
	if known.One() {
		g.Shadow[g.FP+uint32(i)] = nil
		return
	}
	rate := s.knownRate(s.computedRate(g, in))
	//mutant: what is computed of drawn values is not drawn [env TestDraws/TestLookHashed]: "s.joinedAt(rate, known, x, y)" -> "nil; _ = rate"
	g.Shadow[g.FP+uint32(i)] = s.joinedAt(rate, known, x, y)
}

// comparison sets the label of the register that in writes, for the result of a comparison.
func (s *Symbols) comparison(g *Goroutine, in *Instr, kind bounds.Kind) {
	b, c := in.B, in.C
	x, y := g.Shadow[g.FP+uint32(b)], g.Shadow[g.FP+uint32(c)]
	if x != nil || y != nil {
		s.comparesRates(g, b, c, 0, kind)
		if _, ok := bounds.Certain(in.Op, s.BoundOf(g, b, kind), s.BoundOf(g, c, kind)); ok || s.apart(in.Op, x, y, *g.Reg(uint32(b)), *g.Reg(uint32(c))) || s.equated(in.Op, x, y) {
			x, y = nil, nil
		}
	}
	s.computes(g, in, x, y, nil)
}

// drawnPart sets the labels of the registers into which in loads the bytes from off on of the value in the
// registers from B on.
func (s *Symbols) drawnPart(g *Goroutine, in *Instr, off, size uint64) {
	sh := g.Shadow[g.FP:]
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

// drawnRune looks at the string that StrNext decodes.
func (s *Symbols) drawnRune(g *Goroutine, in *Instr) {
	clear(g.Shadow[g.FP+uint32(in.A) : g.FP+uint32(in.A)+3])
	it := uint32(in.B)
	s.lookMemory(*g.Reg(it), *g.Reg(it + 1))
}

// lookWords looks at n registers from i on, and at the objects that they refer to.
func (s *Symbols) lookWords(g *Goroutine, i uint16, n int) {
	s.lookAt(g, i, n)
	if len(s.memory) > 0 {
		s.Look(s.reached(g, i, n)...)
	}
}

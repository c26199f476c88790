package vm

import (
	"go/types"
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in symbolic_exec.go
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// beforeSlow is before for less frequent instructions. If they move memory, the functions that
// execute them also move the shadows.
func (s *symbols) beforeSlow(g *goroutine, f *Func, in *Instr) *Instr {
	sh := g.shadow[g.fp:]
	A, B, C := in.A, in.B, in.C
	word := func(i int) uint64 { return f.Code[int(g.pc)+1+i].Word() }
	switch in.Op {
	case AddF64, SubF64, MulF64, DivF64, AddF32, SubF32, MulF32, DivF32, MinF64, MinF32, MaxF64, MaxF32,
		LtF64, LeF64, EqF32, LtF32, LeF32:
		return s.concretely(g, in, B, C)
	case NegF64, NegF32, CvtSF64, CvtUF64, CvtSF32, CvtUF32, CvtF64S, CvtF64S32, CvtF64U, CvtF64F32, CvtF32F64:
		return s.concretely(g, in, B, NoReg)
	case Cplx, CvtC:
		n := 2
		if in.Op == CvtC && C == 1 || in.Op == Cplx && word(0)&CplxNarrow != 0 {
			n = 1
		}
		if !s.concrete(g, B, n, fewValues) || in.Op == Cplx && !s.concrete(g, C, n, fewValues) {
			return nil
		}
		clear(sh[A : A+2])
	case MkSlice:
		limit := uint64(heap.MaxObject)
		if l := s.m.layouts.At(uint32(word(0))); l.Size > 0 {
			limit /= uint64(l.Size)
		}
		if !s.index(g, B, limit+1, fewValues) || !s.index(g, C, limit+1, fewValues) {
			return nil
		}
		clear(sh[A : A+3])
	case MkChan:
		if !s.index(g, B, heap.MaxObject, fewValues) {
			return nil
		}
		sh[A] = nil
	case SliceS, SliceStr, SliceA:
		var limit uint64
		switch in.Op {
		case SliceS:
			limit = *g.reg(uint32(B) + 2)
		case SliceStr:
			limit = *g.reg(uint32(B) + 1)
		case SliceA:
			limit = word(1) >> 32
		}
		x := word(0)
		for i := range 3 {
			if q := uint16(x >> (16 * i)); q != NoReg && !s.index(g, q, limit+1, mostIndices) {
				return nil
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
		return s.concretely(g, in, A, B)
	case CopyMem:
		if !s.concrete(g, A, 1, fewValues) || B != NoReg && !s.concrete(g, B, 1, fewValues) {
			return nil
		}
	case Print:
		if !s.concrete(g, A, 1, fewValues) || !s.concreteObject(g, *g.reg(uint32(A))) {
			return nil
		}
	case RunesToStr, StrToRunes:
		n := *g.reg(uint32(B) + 1)
		if in.Op == RunesToStr {
			n *= 4
		}
		if n > 0 && !s.concreteMemory(g, *g.reg(uint32(B)), n) {
			return nil
		}
		clear(sh[A : A+2])
		if in.Op == StrToRunes {
			sh[A+2] = nil
		}
	case IntToStr:
		if sh[B] != nil {
			return s.runeText(g, in)
		}
		clear(sh[A : A+2])
	case StrNext:
		return s.nextRune(g, in)
	case MapGet, MapSet, MapDel:
		t := s.m.mapTypes[uint32(word(0))]
		key := B
		if in.Op == MapGet {
			key = C
		}
		mp := *g.reg(uint32(B))
		if in.Op != MapGet {
			mp = *g.reg(uint32(A))
		}
		if !s.mapKey(g, key, t, mp) {
			return nil
		}
		if in.Op == MapGet {
			clear(sh[A : int(A)+t.elem.Words()])
			if word(0)>>32 != 0 {
				sh[int(A)+t.elem.Words()] = nil
			}
		}
	case MapNext:
		t := s.m.mapTypes[uint32(word(0))]
		clear(sh[A : int(A)+1+t.key.Words()+t.elem.Words()])
	case Recv, Select:
		// The receiver's registers get their shadows with their values.
	default:
		panic("BUG: what is symbolic in operation " + in.Op.String())
	}
	return in
}

// mapKey makes the key of the map mp in the registers from i on concrete. For an integer it first
// decides which of the map's keys it is, if any; only if it is another value are its values
// enumerated. The map must not change meanwhile.
func (s *symbols) mapKey(g *goroutine, i uint16, t *mapType, mp ptr) bool {
	k := g.shadow[g.fp+uint32(i)]
	basic, _ := t.key.Type.Underlying().(*types.Basic)
	shared := s.m.multi && mp != 0 && s.m.heap.Objs[mp>>32].Flags&heap.Shared != 0
	if k == nil || mp == 0 || shared || basic == nil || basic.Info()&types.IsInteger == 0 {
		return s.concreteWords(g, i, t.key.Words())
	}
	k = s.word(k)
	none := s.ctx.Bool(true)
	var conds []*symbolic.Term
	var keys []uint64
	for last := uint64(0); ; {
		e, seq := s.m.mapNextEntry(mp, t, last)
		if e == nil {
			break
		}
		last = seq
		var v uint64
		s.m.loadValue(&v, unsafe.Add(e, t.keyOff), t.key)
		same := s.ctx.Eq(k, s.ctx.Const(64, v))
		conds, keys = append(conds, same), append(keys, v)
		none = s.ctx.BoolAnd(none, s.ctx.BoolNot(same))
	}
	at, ok := s.decide(g, append(conds, none)...)
	switch {
	case !ok:
		return false
	case at < len(keys):
		s.fix(g, i, keys[at])
		return true
	}
	return s.concrete(g, i, 1, fewValues)
}

// A reader returns n ≤ 8 bytes from byte off on of a value, as a term.
type reader func(off, n uint32) *symbolic.Term

// memoryAt returns the reader of the memory at p.
func (s *symbols) memoryAt(p ptr) reader {
	return func(off, n uint32) *symbolic.Term {
		if t := s.at(p+uint64(off), n); t != nil {
			return t
		}
		var v uint64
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), n), s.m.heap.Bytes(p+uint64(off), n))
		return s.ctx.Const(uint8(n*8), v)
	}
}

// compareImages executes EqIface and EqN.
func (s *symbols) compareImages(g *goroutine, f *Func, in *Instr) *Instr {
	m := s.m
	n := 2
	var l *layout.Layout
	if in.Op == EqN {
		l = m.layouts.At(uint32(f.Code[g.pc+1].Word()))
		n = l.Words()
	}
	sh := g.shadow[g.fp:]
	B, C := int(in.B), int(in.C)
	if len(s.memory) > 0 || tainted(sh[B:B+n]) || tainted(sh[C:C+n]) {
		if !s.formats(f) {
			regs := func(b uint16) reader {
				return func(off, n uint32) *symbolic.Term { return s.image(g, b, uint64(off), uint64(n)) }
			}
			var t *symbolic.Term
			ok := false
			if l != nil {
				t, ok = s.equal(l, regs(in.B), regs(in.C))
			} else {
				t, ok = s.equalInterfaces(regs(in.B), regs(in.C), 0)
			}
			if ok {
				s.set(g, in.A, t)
				g.pc += 1 + int32(in.Words())
				return nil
			}
		}
		if !s.concreteWords(g, in.B, n) || !s.concreteWords(g, in.C, n) {
			return nil
		}
	}
	sh[in.A] = nil
	return in
}

// equal returns the condition that two values of layout l are equal; ok is false if terms cannot
// express that, or the comparison panics.
func (s *symbols) equal(l *layout.Layout, a, b reader) (t *symbolic.Term, ok bool) {
	c := s.ctx
	t = c.Bool(true)
	for i := range l.Eq {
		seg := &l.Eq[i]
		switch seg.Kind {
		case layout.SegMem:
			for off := seg.Off; off < seg.Off+seg.Size; {
				n := min(8-off%8, seg.Off+seg.Size-off)
				t = c.BoolAnd(t, c.Eq(a(off, n), b(off, n)))
				off += n
			}
		case layout.SegF32, layout.SegF64:
			n := uint32(8)
			if seg.Kind == layout.SegF32 {
				n = 4
			}
			x, okX := a(seg.Off, n).Const()
			y, okY := b(seg.Off, n).Const()
			if !okX || !okY {
				return nil, false
			}
			if n == 8 {
				t = c.BoolAnd(t, c.Bool(math.Float64frombits(x) == math.Float64frombits(y)))
			} else {
				t = c.BoolAnd(t, c.Bool(math.Float32frombits(uint32(x)) == math.Float32frombits(uint32(y))))
			}
		case layout.SegString:
			p, okP := a(seg.Off, 8).Const()
			q, okQ := b(seg.Off, 8).Const()
			n, okN := a(seg.Off+8, 8).Const()
			k, okK := b(seg.Off+8, 8).Const()
			switch {
			case !okP || !okQ || !okN || !okK:
				return nil, false
			case n != k:
				return c.Bool(false), true
			case s.symbolicString(p, n) || s.symbolicString(q, n):
				t = c.BoolAnd(t, s.eqBytes(p, q, n))
			default:
				t = c.BoolAnd(t, c.Bool(s.m.str(p, n) == s.m.str(q, n)))
			}
		case layout.SegIface:
			x, ok := s.equalInterfaces(a, b, seg.Off)
			if !ok {
				return nil, false
			}
			t = c.BoolAnd(t, x)
		case layout.SegArray:
			for k := range seg.N {
				at := seg.Off + k*seg.Elem.Size
				x, ok := s.equal(seg.Elem, func(off, n uint32) *symbolic.Term { return a(at+off, n) },
					func(off, n uint32) *symbolic.Term { return b(at+off, n) })
				if !ok {
					return nil, false
				}
				t = c.BoolAnd(t, x)
			}
		}
	}
	return t, true
}

// equalInterfaces is equal for the interface values at byte off.
func (s *symbols) equalInterfaces(a, b reader, off uint32) (*symbolic.Term, bool) {
	var w [4]uint64
	for i, r := range []reader{a, a, b, b} {
		v, ok := r(off+uint32(i%2)*8, 8).Const()
		if !ok {
			return nil, false
		}
		w[i] = v
	}
	if w[0] != w[2] || w[0] == 0 {
		return s.ctx.Bool(w[0] == w[2]), true
	}
	t := s.m.rtypeAt(w[0])
	if t == nil || !t.layout.Comparable {
		return nil, false // it panics
	}
	if t.direct || t.layout.Size == 0 || s.m.heap.Load(w[1], uint64(t.layout.Size), 0) == nil || s.m.heap.Load(w[3], uint64(t.layout.Size), 0) == nil {
		eq, bad := s.m.eqIface(unsafe.Pointer(&w[0]), unsafe.Pointer(&w[2]))
		return s.ctx.Bool(eq), bad == 0
	}
	return s.equal(t.layout, s.memoryAt(w[1]), s.memoryAt(w[3]))
}

// Shadows of registers outside of the loop. All of these methods do nothing for a machine without
// symbols.

// clearRegs removes the shadows of n registers of g.
func (s *symbols) clearRegs(g *goroutine, i uint32, n int) {
	if s != nil && s.m.tracking {
		clear(g.shadow[g.fp+i : g.fp+i+uint32(n)])
	}
}

// loadRegs gives the registers from i on the shadows of a value of layout l at p, which has been
// loaded into them.
func (s *symbols) loadRegs(g *goroutine, i uint32, p ptr, l *layout.Layout) {
	if s == nil || !s.m.tracking {
		return
	}
	clear(g.shadow[g.fp+i : g.fp+i+uint32(l.Words())])
	if len(s.overlaps(uint32(p>>32), uint32(p), l.Size)) == 0 {
		return
	}
	//mutant: nor what is found in a map [env TestDraws/TestLookRestedMap]
	g.unlabeled = false
	for k, t := range s.loadWords(nil, p, uint64(l.Size)) {
		if t == nil {
			continue
		}
		if s.drawn {
			g.shadow[g.fp+i+uint32(k)] = t
			continue
		}
		switch layout.ScalarOf(l.Type) {
		case layout.S8, layout.S16, layout.S32:
			t = s.ctx.SExt(s.ctx.Trunc(t, uint8(l.Size*8)), 64)
		}
		s.set(g, uint16(i)+uint16(k), t)
	}
}

// storeRegs gives n bytes at p the shadows of the registers from i on, which have been stored there.
func (s *symbols) storeRegs(g *goroutine, i uint32, p ptr, n uint64) {
	if s == nil || !s.m.tracking || n == 0 {
		return
	}
	words := g.shadow[g.fp+i : g.fp+i+uint32(n+7)/8]
	if tainted(words) || len(s.overlaps(uint32(p>>32), uint32(p), uint32(n))) > 0 {
		s.storeWords(p, slices.Clone(words), n)
	}
}

// moveRegs gives n registers of to the shadows of registers of from.
func (s *symbols) moveRegs(to *goroutine, i uint32, from *goroutine, k uint32, n int) {
	if s != nil && s.m.tracking {
		to.unlabeled = false
		copy(to.shadow[to.fp+i:to.fp+i+uint32(n)], from.shadow[from.fp+k:from.fp+k+uint32(n)])
	}
}

// loadEntry gives the registers from i on the shadows of key and element of the map's entry at p.
func (s *symbols) loadEntry(g *goroutine, i uint16, p ptr, t *mapType) {
	s.loadRegs(g, uint32(i), p+uint64(t.keyOff), t.key)
	s.loadRegs(g, uint32(i)+uint32(t.key.Words()), p+uint64(t.elemOff), t.elem)
}

// moved gives n bytes at dst the shadows of those at src, after the bytes have been copied.
func (s *symbols) moved(dst, src ptr, n uint64) {
	if s != nil && s.m.tracking && n > 0 {
		s.copyCells(dst, src, n)
	}
}

// cleared removes the shadows of n bytes at p, which have been cleared.
func (s *symbols) cleared(p ptr, n uint64) {
	if s != nil && s.m.tracking && n > 0 && len(s.memory) > 0 {
		s.clearCells(p, n)
	}
}

// saved keeps the shadows of n stack words of g from word lo on, as undoLog.undoStack keeps the
// words.
func (s *symbols) saved(g *goroutine, lo, n uint32) {
	if s == nil {
		return
	}
	if s.m.tracking {
		s.shadow = append(s.shadow, g.shadow[lo:lo+n]...)
	} else {
		s.shadow = append(s.shadow, make([]*symbolic.Term, n)...)
	}
}

// restored restores the shadows that saved has kept from place off on.
func (s *symbols) restored(g *goroutine, lo uint32, off int) {
	if s == nil {
		return
	}
	//mutant: registers' shadows stay [inputs Ways]: false
	if int(lo) < len(g.shadow) {
		copy(g.shadow[lo:], s.shadow[off:])
	}
	s.shadow = s.shadow[:off]
}

// passed gives n stack words of g from word fp on the shadows of the memory at p.
func (s *symbols) passed(g *goroutine, fp uint32, p ptr, n int) {
	if s != nil && s.m.tracking && n > 0 {
		//mutant: what is passed to a deferred function has no label [env TestFlows]
		g.unlabeled = false
		copy(g.shadow[fp:], s.loadWords(nil, p, uint64(n)*8))
	}
}

// unknown removes the shadows of n stack words of g.
func (s *symbols) unknown(g *goroutine, fp uint32, n int) {
	if s != nil && s.m.tracking {
		clear(g.shadow[fp : fp+uint32(n)])
	}
}

// spawned gives the new goroutine n the shadows of args, words of g's stack, from word fp on.
func (s *symbols) spawned(n, g *goroutine, fp uint32, args []uint64) {
	if s == nil || !s.m.tracking || len(args) == 0 {
		return
	}
	at := (uintptr(unsafe.Pointer(&args[0])) - uintptr(unsafe.Pointer(&g.stack[0]))) / 8
	if at < uintptr(len(g.stack)) {
		copy(n.shadow[fp:], g.shadow[at:at+uintptr(len(args))])
	}
}

// deferredWords gives n words of an object from byte off on the shadows of args, words of g's stack.
func (s *symbols) deferredWords(g *goroutine, p ptr, args []uint64) {
	if s == nil || !s.m.tracking || len(args) == 0 {
		return
	}
	at := (uintptr(unsafe.Pointer(&args[0])) - uintptr(unsafe.Pointer(&g.stack[0]))) / 8
	if at < uintptr(len(g.stack)) {
		s.storeWords(p, slices.Clone(g.shadow[at:at+uintptr(len(args))]), uint64(len(args))*8)
	}
}

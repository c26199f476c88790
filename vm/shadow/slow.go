package shadow

import (
	"go/types"

	"hbcheck.dev/hbcheck/symbolic"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in exec.go
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// beforeSlow is Before for less frequent instructions. If they move memory, the functions that execute them
// also move the shadows.
func (s *Symbols) beforeSlow(g *Goroutine, f *Func, in *Instr) *Instr {
	sh := g.Shadow[g.FP:]
	A, B, C := in.A, in.B, in.C
	word := func(i int) uint64 { return f.Code[int(g.PC)+1+i].Word() }
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
		if l := s.layouts.At(uint32(word(0))); l.Size > 0 {
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
			limit = *g.Reg(uint32(B) + 2)
		case SliceStr:
			limit = *g.Reg(uint32(B) + 1)
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
		if !s.concrete(g, A, 1, fewValues) || !s.concreteObject(g, *g.Reg(uint32(A))) {
			return nil
		}
	case RunesToStr, StrToRunes:
		n := *g.Reg(uint32(B) + 1)
		if in.Op == RunesToStr {
			n *= 4
		}
		if n > 0 && !s.concreteMemory(g, *g.Reg(uint32(B)), n) {
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
		keys, elems := s.m.MapType(uint32(word(0)))
		key := B
		if in.Op == MapGet {
			key = C
		}
		mp := *g.Reg(uint32(B))
		if in.Op != MapGet {
			mp = *g.Reg(uint32(A))
		}
		if !s.mapKey(g, key, uint32(word(0)), keys, mp) {
			return nil
		}
		if in.Op == MapGet {
			clear(sh[A : int(A)+elems.Words()])
			if word(0)>>32 != 0 {
				sh[int(A)+elems.Words()] = nil
			}
		}
	case MapNext:
		keys, elems := s.m.MapType(uint32(word(0)))
		clear(sh[A : int(A)+1+keys.Words()+elems.Words()])
	case Recv, Select:
		// The receiver's registers get their shadows with their values.
	default:
		panic("BUG: what is symbolic in operation " + in.Op.String())
	}
	return in
}

// mapKey makes the key of the map mp in the registers from i on concrete. An integer is first compared with
// the map's keys, each a condition of a decision; its values are enumerated only if it equals none of them.
// The map must not change meanwhile.
func (s *Symbols) mapKey(g *Goroutine, i uint16, typ uint32, keyLayout *layout.Layout, mp heap.Ptr) bool {
	k := g.Shadow[g.FP+uint32(i)]
	basic, _ := keyLayout.Type.Underlying().(*types.Basic)
	shared := *s.multi && mp != 0 && s.heap.Objs[mp>>32].Flags&heap.Shared != 0
	if k == nil || mp == 0 || shared || basic == nil || basic.Info()&types.IsInteger == 0 {
		return s.concreteWords(g, i, keyLayout.Words())
	}
	k = s.word(k)
	none := s.ctx.Bool(true)
	var conds []*symbolic.Term
	keys := s.m.Keys(typ, mp)
	for _, v := range keys {
		same := s.ctx.Eq(k, s.ctx.Const(64, v))
		conds = append(conds, same)
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

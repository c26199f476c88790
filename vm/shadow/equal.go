package shadow

import (
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Comparisons of values in several registers, of structs and interfaces.

// A reader returns n ≤ 8 bytes of a value, from byte off on, as a term.
type reader func(off, n uint32) *symbolic.Term

// memoryAt returns the reader of the memory at p.
func (s *Symbols) memoryAt(p heap.Ptr) reader {
	return func(off, n uint32) *symbolic.Term {
		if t := s.at(p+uint64(off), n); t != nil {
			return t
		}
		var v uint64
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&v)), n), s.heap.Bytes(p+uint64(off), n))
		return s.ctx.Const(uint8(n*8), v)
	}
}

// compareImages executes EqIface and EqN.
func (s *Symbols) compareImages(g *Goroutine, f *bytecode.Func, in *bytecode.Instr) *bytecode.Instr {
	n := 2
	var l *layout.Layout
	if in.Op == bytecode.EqN {
		l = s.layouts.At(uint32(f.Code[g.PC+1].Word()))
		n = l.Words()
	}
	sh := g.Shadow[g.FP:]
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
				s.Set(g, in.A, t)
				g.PC += 1 + int32(in.Words())
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
func (s *Symbols) equal(l *layout.Layout, a, b reader) (t *symbolic.Term, ok bool) {
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
				t = c.BoolAnd(t, c.Bool(n == 0 || string(s.heap.Bytes(p, uint32(n))) == string(s.heap.Bytes(q, uint32(n)))))
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
func (s *Symbols) equalInterfaces(a, b reader, off uint32) (*symbolic.Term, bool) {
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
	l, direct := s.m.Dynamic(w[0])
	if l == nil || !l.Comparable {
		return nil, false // the comparison panics
	}
	if direct || l.Size == 0 || s.heap.Load(w[1], uint64(l.Size), 0) == nil || s.heap.Load(w[3], uint64(l.Size), 0) == nil {
		eq, ok := s.m.EqualInterfaces((*[2]uint64)(w[:2]), (*[2]uint64)(w[2:]))
		return s.ctx.Bool(eq), ok
	}
	return s.equal(l, s.memoryAt(w[1]), s.memoryAt(w[3]))
}

package shadow

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Runes and their bytes (UTF-8) as terms. Only the number of bytes is decided.

// runeText executes IntToStr of a symbolic number. It decides the number of bytes; the bytes are terms.
func (s *Symbols) runeText(g *Goroutine, in *bytecode.Instr) *bytecode.Instr {
	c := s.ctx
	r := s.term(g, in.B)
	k := func(n uint64) *symbolic.Term { return c.Const(64, n) }
	between := func(lo, end uint64) *symbolic.Term { return c.BoolAnd(c.LeU(k(lo), r), c.LtU(r, k(end))) }
	surrogate := between(0xd800, 0xe000)
	ways := []*symbolic.Term{between(0, 0x80), between(0x80, 0x800), c.BoolAnd(between(0x800, 0x10000), c.BoolNot(surrogate)), between(0x10000, 0x110000)}
	other := c.Bool(true)
	for _, w := range ways {
		other = c.BoolAnd(other, c.BoolNot(w))
	}
	n, ok := s.decide(g, append(ways, other)...)
	if !ok {
		return nil
	}
	if n == len(ways) {
		const text = "\uFFFD"
		p := s.m.Alloc(g, uint32(len(text)), s.byteID)
		copy(s.heap.Bytes(p, uint32(len(text))), text)
		s.fix(g, in.A, p)
		s.fix(g, in.A+1, uint64(len(text)))
		return &noInstr
	}
	first := [...]uint64{0, 0xc0, 0xe0, 0xf0}[n]
	p := s.m.Alloc(g, uint32(n+1), s.byteID)
	for i := range n + 1 {
		b := c.ShrU(r, k(uint64(6*(n-i))))
		if i == 0 {
			b = c.Or(b, k(first))
		} else {
			b = c.Or(c.And(b, k(0x3f)), k(0x80))
		}
		s.Store(p+uint64(i), 1, c.Trunc(b, 8))
	}
	s.fix(g, in.A, p)
	s.fix(g, in.A+1, uint64(n+1))
	return &noInstr
}

// between returns the condition lo <= b <= hi.
func (s *Symbols) between(b *symbolic.Term, lo, hi uint64) *symbolic.Term {
	c, w := s.ctx, b.Width()
	return c.BoolAnd(c.LeU(c.Const(w, lo), b), c.LeU(b, c.Const(w, hi)))
}

// nextRune executes StrNext.
func (s *Symbols) nextRune(g *Goroutine, in *bytecode.Instr) *bytecode.Instr {
	p, n, pos := *g.Reg(uint32(in.B)), *g.Reg(uint32(in.B) + 1), g.Reg(uint32(in.B)+2)
	a := uint32(in.A)
	if *pos >= n || !s.symbolicString(p+*pos, min(4, n-*pos)) {
		clear(g.Shadow[g.FP+a : g.FP+a+3])
		return in
	}
	if s.formats(g.Fn) {
		if !s.concreteMemory(g, p+*pos, min(4, n-*pos)) {
			return nil
		}
		clear(g.Shadow[g.FP+a : g.FP+a+3])
		return in
	}
	var b []*symbolic.Term
	for i := range min(4, n-*pos) {
		b = append(b, s.byteAt(p+*pos+i))
	}
	size, ok := s.decide(g, s.runeSizes(b)...)
	if !ok {
		return nil
	}
	at := *pos
	*pos += uint64(max(size, 1))
	s.fix(g, in.A, 1)
	s.fix(g, in.A+1, at)
	if size == 0 {
		s.fix(g, in.A+2, 0xfffd)
		return &noInstr
	}
	c := s.ctx
	r := c.And(c.ZExt(b[0], 64), c.Const(64, [...]uint64{0x7f, 0x1f, 0x0f, 0x07}[size-1]))
	for _, x := range b[1:size] {
		r = c.Or(c.Shl(r, c.Const(64, 6)), c.And(c.ZExt(x, 64), c.Const(64, 0x3f)))
	}
	s.Set(g, in.A+2, r)
	return &noInstr
}

// runeSizes returns, for each number of bytes up to 4, the condition that a rune of that size is at
// the beginning of b; for 0, that no rune is there.
func (s *Symbols) runeSizes(b []*symbolic.Term) []*symbolic.Term {
	c := s.ctx
	and, or := c.BoolAnd, func(x, y *symbolic.Term) *symbolic.Term { return c.BoolNot(c.BoolAnd(c.BoolNot(x), c.BoolNot(y))) }
	rest := func(i int) *symbolic.Term { return s.between(b[i], 0x80, 0xbf) }
	sizes := []*symbolic.Term{nil, s.between(b[0], 0, 0x7f), c.Bool(false), c.Bool(false), c.Bool(false)}
	if len(b) > 1 {
		sizes[2] = and(s.between(b[0], 0xc2, 0xdf), rest(1))
	}
	if len(b) > 2 { // not encodable in fewer bytes, and not a surrogate
		second := or(and(s.between(b[0], 0xe0, 0xe0), s.between(b[1], 0xa0, 0xbf)),
			or(and(s.between(b[0], 0xed, 0xed), s.between(b[1], 0x80, 0x9f)),
				and(or(s.between(b[0], 0xe1, 0xec), s.between(b[0], 0xee, 0xef)), rest(1))))
		sizes[3] = and(second, rest(2))
	}
	if len(b) > 3 { // not encodable in fewer bytes, and not after the last rune
		second := or(and(s.between(b[0], 0xf0, 0xf0), s.between(b[1], 0x90, 0xbf)),
			or(and(s.between(b[0], 0xf4, 0xf4), s.between(b[1], 0x80, 0x8f)),
				and(s.between(b[0], 0xf1, 0xf3), rest(1))))
		sizes[4] = and(second, and(rest(2), rest(3)))
	}
	none := c.Bool(true)
	for _, t := range sizes[1:] {
		none = and(none, c.BoolNot(t))
	}
	sizes[0] = none
	return sizes
}

package shadow

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/heap"
)

// These are the searches that package internal/bytealg has in assembly, for bytes that depend on inputs:
// byte by byte, with a decision for each comparison. When the instruction is executed again, the search is
// repeated; that is harmless, because earlier decisions are known.

// A text is bytes at p.
type text struct{ p, n uint64 }

// A search returns its result, as a term or a number; ok is false if it waits for a decision.
type search struct {
	slices int // its first operands that are slices; the rest are strings
	texts  int // number of its operands that are texts; a byte may follow
	run    func(s *Symbols, g *Goroutine, t [2]text, c *symbolic.Term) (result *symbolic.Term, ok bool)
}

var searches = map[string]*search{
	"bytes.Equal":                          {2, 2, searchEqual},
	"internal/bytealg.Equal":               {2, 2, searchEqual},
	"internal/bytealg.Compare":             {2, 2, searchCompare},
	"internal/bytealg.CompareString":       {0, 2, searchCompare},
	"internal/bytealg.IndexByte":           {1, 1, searchByte},
	"internal/bytealg.IndexByteString":     {0, 1, searchByte},
	"internal/bytealg.LastIndexByteString": {0, 1, searchLast},
	"internal/bytealg.Count":               {1, 1, searchCount},
	"internal/bytealg.CountString":         {0, 1, searchCount},
	"internal/bytealg.Index":               {2, 2, searchText},
	"internal/bytealg.IndexString":         {0, 2, searchText},
}

// search executes a search in symbolic bytes, or for a symbolic byte. Slices that other goroutines
// can change are left to the native, which reads them all at once.
func (s *Symbols) search(g *Goroutine, in *instr, x *search) (next *instr, done bool) {
	var texts [2]text
	reg := in.A
	symbolicBytes := false
	for i := range x.texts {
		texts[i] = text{*g.Reg(uint32(reg)), *g.Reg(uint32(reg) + 1)}
		is := s.symbolicString(texts[i].p, texts[i].n)
		if tainted(g.Shadow[g.FP+uint32(reg):][:2]) {
			return nil, false
		}
		if i < x.slices {
			if *s.multi && texts[i].n > 0 && s.heap.Objs[texts[i].p>>32].Flags&(heap.Shared|heap.Frozen) == heap.Shared {
				return nil, false
			}
			reg++
		}
		reg += 2
		symbolicBytes = symbolicBytes || is
	}
	var c *symbolic.Term
	if x.texts == 1 {
		c = s.ctx.Trunc(s.term(g, reg), 8)
		_, known := c.Const()
		symbolicBytes = symbolicBytes || !known
	}
	if !symbolicBytes {
		return nil, false
	}
	t, ok := x.run(s, g, texts, c)
	if !ok {
		return nil, true
	}
	s.Set(g, in.A, t)
	return &noInstr, true
}

func (s *Symbols) number(n int) *symbolic.Term { return s.ctx.Const(64, uint64(int64(n))) }

func searchEqual(s *Symbols, _ *Goroutine, t [2]text, _ *symbolic.Term) (*symbolic.Term, bool) {
	if t[0].n != t[1].n {
		return s.ctx.Bool(false), true
	}
	return s.eqBytes(t[0].p, t[1].p, t[0].n), true
}

func searchCompare(s *Symbols, _ *Goroutine, t [2]text, _ *symbolic.Term) (*symbolic.Term, bool) {
	less := s.lessBytes(t[0].p, t[0].n, t[1].p, t[1].n, false)
	more := s.lessBytes(t[1].p, t[1].n, t[0].p, t[0].n, false)
	return s.ctx.Ite(less, s.number(-1), s.ctx.Ite(more, s.number(1), s.number(0))), true
}

func searchByte(s *Symbols, g *Goroutine, t [2]text, c *symbolic.Term) (*symbolic.Term, bool) {
	for i := range t[0].n {
		same, ok := s.is(g, s.ctx.Eq(s.byteAt(t[0].p+i), c))
		if !ok || same {
			return s.number(int(i)), ok
		}
	}
	return s.number(-1), true
}

func searchLast(s *Symbols, g *Goroutine, t [2]text, c *symbolic.Term) (*symbolic.Term, bool) {
	for i := t[0].n; i > 0; i-- {
		same, ok := s.is(g, s.ctx.Eq(s.byteAt(t[0].p+i-1), c))
		if !ok || same {
			return s.number(int(i - 1)), ok
		}
	}
	return s.number(-1), true
}

func searchCount(s *Symbols, _ *Goroutine, t [2]text, c *symbolic.Term) (*symbolic.Term, bool) {
	n := s.number(0)
	for i := range t[0].n {
		n = s.ctx.Add(n, s.ctx.FromBool(s.ctx.Eq(s.byteAt(t[0].p+i), c), 64))
	}
	return n, true
}

func searchText(s *Symbols, g *Goroutine, t [2]text, _ *symbolic.Term) (*symbolic.Term, bool) {
	for i := uint64(0); i+t[1].n <= t[0].n; i++ {
		same, ok := s.is(g, s.eqBytes(t[0].p+i, t[1].p, t[1].n))
		if !ok || same {
			return s.number(int(i)), ok
		}
	}
	return s.number(-1), true
}

package shadow

import (
	"strings"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// A value that cannot be tracked as a term is made concrete: its possible values are enumerated. Each one
// is an alternative of a decision; the least comes first. If there are more than fewValues, only the least
// one is explored, and the verdict says so (Concretised).

// fewValues bounds the values that are enumerated.
const fewValues = 16

// mostIndices bounds the values that are enumerated for an index in range.
const mostIndices = 256

// one returns the value of t on this path, after a decision among at most limit values. If the
// decision has not been made yet, ok is false, as with decide.
func (s *Symbols) one(g *Goroutine, t *symbolic.Term, limit int) (v uint64, ok bool) {
	if v, ok := t.Const(); ok {
		return v, true
	}
	if v, ok := s.sampled(g, t); ok {
		return v, true
	}
	for f := g.Facts; f != nil; f = f.prev {
		if f.of == t {
			return f.value, true
		}
	}
	p := s.align(&s.own, g.Facts)
	list, more, ok := p.values(t, limit)
	switch {
	case !ok:
		s.m.Refuse(g, "the conditions on the inputs are too hard to solve")
		return 0, false
	case len(list) == 1 && !more:
		return list[0], true
	case g.Fn.Trusted && !s.mayDecide(g):
		s.m.Refuse(g, "a model of the library branches on a value that depends on an input")
		return 0, false
	case s.unwound(g):
		return 0, false
	case more:
		//mutant: one value tried is not named [inputs Named]
		s.m.Concretised(g)
		list = list[:1]
	}
	g.Ways = int32(len(list))
	if !s.m.Choose(g, len(list)) {
		return 0, false
	}
	//mutant: what is enumerated is its least value [inputs Ways]: "g.Choice" -> "0"
	v = list[g.Choice]
	g.Choice = 0
	//mutant: a value that is made concrete is forgotten [inputs Named]: "Eq(t, s.ctx.Const(t.Width(), v)" -> "Bool(true"
	if !s.assume(g, s.ctx.Eq(t, s.ctx.Const(t.Width(), v))) {
		return 0, false
	}
	g.decided()
	known := *g.Facts
	known.of, known.value = t, v
	g.Facts = &known
	return v, true
}

// concrete makes the n registers from i on concrete.
func (s *Symbols) concrete(g *Goroutine, i uint16, n, limit int) bool {
	for k := range n {
		reg := i + uint16(k)
		t := g.Shadow[g.FP+uint32(reg)]
		if t == nil {
			continue
		}
		v, ok := s.one(g, s.word(t), limit)
		if !ok {
			return false
		}
		s.fix(g, reg, v)
	}
	return true
}

// concretely makes the operands in registers b and c concrete, and then returns in; c may be NoReg.
func (s *Symbols) concretely(g *Goroutine, in *bytecode.Instr, b, c uint16) *bytecode.Instr {
	if !s.concrete(g, b, 1, fewValues) || c != bytecode.NoReg && !s.concrete(g, c, 1, fewValues) {
		return nil
	}
	s.clearResult(g, in)
	return in
}

// clearResult removes the shadow of the register that in writes, if in reads two registers and
// writes A.
func (s *Symbols) clearResult(g *Goroutine, in *bytecode.Instr) {
	switch in.Op.Row().Class {
	case bytecode.Branches, bytecode.Compares, bytecode.ComparesImm, bytecode.Stores:
		return
	}
	switch in.Op {
	case bytecode.UnsafeChk, bytecode.Print, bytecode.MkSlice, bytecode.MkChan:
	default:
		g.Shadow[g.FP+uint32(in.A)] = nil
	}
}

// index makes register i concrete, an index into a sequence of length n. It decides whether the index is in
// range, and then its value, among at most limit. It reports whether the instruction can be executed.
func (s *Symbols) index(g *Goroutine, i uint16, n uint64, limit int) bool {
	t := g.Shadow[g.FP+uint32(i)]
	if t == nil {
		return true
	}
	t = s.word(t)
	inside, ok := s.is(g, s.ctx.LtU(t, s.ctx.Const(64, n)))
	if !ok {
		return false
	}
	if !inside {
		limit = 1 // the index is part of a message
	}
	return s.concrete(g, i, 1, limit)
}

// concreteMemory makes n bytes at p concrete. Memory that another goroutine can reach cannot be
// made concrete: the value there must not depend on facts of this goroutine.
func (s *Symbols) concreteMemory(g *Goroutine, p heap.Ptr, n uint64) bool {
	obj := uint32(p >> 32)
	if s.sampleMemory(g, p, n) {
		return true
	}
	for {
		over := s.Overlaps(obj, uint32(p), uint32(n))
		if len(over) == 0 {
			return true
		}
		if *s.multi && s.heap.Objs[obj].Flags&(heap.Shared|heap.Frozen) == heap.Shared {
			s.m.Refuse(g, "bytes that depend on an input, in memory that goroutines share")
			return false
		}
		c := over[0]
		v, ok := s.one(g, c.term, fewValues)
		if !ok {
			return false
		}
		at := uint64(obj)<<32 | uint64(c.off)
		s.heap.WillWriteRange(obj, c.off, c.size)
		s.poke(at, c.size, v)
		s.Store(at, c.size, nil)
	}
}

// formats reports whether f turns values into text. The operands of such a function are made concrete,
// because terms for digits are useless.
func (s *Symbols) formats(f *bytecode.Func) bool {
	if f.SSA == nil {
		return false
	}
	if is, ok := s.texts[f.ID]; ok {
		return is
	}
	is := false
	if p := s.prog.PackageOf(f.SSA); p != nil {
		switch p.Path {
		case "fmt", "log":
			is = true
		case "strconv", "internal/strconv":
			name := f.SSA.Name()
			is = strings.Contains(name, "ormat") || strings.Contains(name, "ppend") || name == "Itoa" || name == "small"
			if strings.Contains(name, "uote") || strings.Contains(name, "scape") { // byte by byte
				is = false
			}
		}
	}
	s.texts[f.ID] = is
	return is
}

// compareStrings computes the comparisons of strings.
func (s *Symbols) compareStrings(g *Goroutine, in *bytecode.Instr) *bytecode.Instr {
	p, n := *g.Reg(uint32(in.B)), *g.Reg(uint32(in.B) + 1)
	q, k := *g.Reg(uint32(in.C)), *g.Reg(uint32(in.C) + 1)
	if tainted(g.Shadow[g.FP+uint32(in.B):][:2]) || tainted(g.Shadow[g.FP+uint32(in.C):][:2]) {
		if !s.concrete(g, in.B, 2, fewValues) || !s.concrete(g, in.C, 2, fewValues) {
			return nil
		}
		return s.compareStrings(g, in)
	}
	if !s.symbolicString(p, n) && !s.symbolicString(q, k) || in.Op == bytecode.EqStr && n != k {
		g.Shadow[g.FP+uint32(in.A)] = nil
		return in
	}
	if s.formats(g.Fn) {
		if !s.concreteMemory(g, p, n) || !s.concreteMemory(g, q, k) {
			return nil
		}
		g.Shadow[g.FP+uint32(in.A)] = nil
		return in
	}
	var t *symbolic.Term
	switch in.Op {
	case bytecode.EqStr:
		t = s.eqBytes(p, q, n)
	case bytecode.LtStr:
		t = s.lessBytes(p, n, q, k, false)
	case bytecode.LeStr:
		t = s.lessBytes(p, n, q, k, true)
	}
	s.Set(g, in.A, t)
	return &noInstr
}

func (s *Symbols) symbolicString(p heap.Ptr, n uint64) bool {
	return n > 0 && len(s.Overlaps(uint32(p>>32), uint32(p), uint32(n))) > 0
}

// byteAt returns the byte at p.
func (s *Symbols) byteAt(p heap.Ptr) *symbolic.Term {
	if t := s.at(p, 1); t != nil {
		return t
	}
	return s.ctx.Const(8, uint64(*(*uint8)(s.heap.Load(p, 1, 0))))
}

// eqBytes returns the condition that the n bytes at p and q are equal.
func (s *Symbols) eqBytes(p, q heap.Ptr, n uint64) *symbolic.Term {
	t := s.ctx.Bool(true)
	for i := range n {
		t = s.ctx.BoolAnd(t, s.ctx.Eq(s.byteAt(p+i), s.byteAt(q+i)))
	}
	return t
}

// lessBytes returns the condition that the n bytes at p come before the k bytes at q, or are equal
// to them and orEqual is set.
func (s *Symbols) lessBytes(p heap.Ptr, n uint64, q heap.Ptr, k uint64, orEqual bool) *symbolic.Term {
	c := s.ctx
	t := c.Bool(n < k || n == k && orEqual)
	for i := min(n, k); i > 0; i-- {
		x, y := s.byteAt(p+i-1), s.byteAt(q+i-1)
		t = c.Ite(c.Eq(x, y), t, c.LtU(x, y))
	}
	return t
}

// concreteWords makes registers concrete, and also the objects with symbolic bytes that they point to.
func (s *Symbols) concreteWords(g *Goroutine, i uint16, n int) bool {
	if !s.concrete(g, i, n, fewValues) {
		return false
	}
	for k := range n {
		if !s.concreteObject(g, *g.Reg(uint32(i) + uint32(k))) {
			return false
		}
	}
	return true
}

// concreteObject makes the target of w concrete, if w is a pointer.
func (s *Symbols) concreteObject(g *Goroutine, w uint64) bool {
	obj := w >> 32
	if w&bytecode.FuncBit != 0 || obj == 0 || obj >= uint64(len(s.heap.Objs)) || s.memory[uint32(obj)] == nil {
		return true
	}
	return s.concreteMemory(g, obj<<32, uint64(s.heap.Objs[obj].Size))
}

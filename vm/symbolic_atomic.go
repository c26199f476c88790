package vm

import (
	"hbcheck.dev/hbcheck/symbolic"
)

// Atomic operations on symbolic values. They decide nothing: whether a compare-and-swap succeeds is
// a condition, and the new value is a term that depends on it. It counts as a write.

// symbolicOps makes the operations on w handle symbolic values.
func symbolicOps(w word, ops []Native) []Native {
	for i := range ops {
		fn, name := ops[i].Fn, ops[i].Name
		ops[i].Symbolic = true
		ops[i].Fn = func(m *Machine, g *goroutine, r Regs) Ctl {
			if !m.tracking || !m.mapped(r.U(0), w.size) {
				return fn(m, g, r)
			}
			if m.sym.drawn {
				return m.sym.drawnAtomic(g, w, name, r, fn)
			}
			return m.sym.atomic(g, w, name, r, fn)
		}
	}
	return ops
}

// operands returns the value at the address in word 0, and word 1 unless the operation is a load, as terms
// of w's size, and whether one of the two is symbolic.
func (s *symbols) operands(g *goroutine, w word, name string, r Regs) (old, arg *symbolic.Term, some bool) {
	width := uint8(w.size * 8)
	if old = s.at(r.U(0), w.size); old != nil {
		some = true
	} else {
		old = s.ctx.Const(width, w.load(s.m, r.U(0)))
	}
	if name == "Load" { // its next word need not be in the stack
		return old, nil, some
	}
	arg, is := s.operand(g, w, r, 1)
	return old, arg, some || is
}

// operand returns word i as a term of w's size, and whether it is symbolic.
func (s *symbols) operand(g *goroutine, w word, r Regs, i int) (*symbolic.Term, bool) {
	if t := r.sym(s.m, g, i); t != nil {
		return s.low(t, w.size), true
	}
	return s.ctx.Const(uint8(w.size*8), r.U(i)), false
}

// swapUnknown reports whether the success of the compare-and-swap depends on inputs.
func (s *symbols) swapUnknown(g *goroutine, w word, r Regs) bool {
	if !s.m.mapped(r.U(0), w.size) {
		return false
	}
	if s.drawn {
		//mutant: swaps of drawn values do not look [env TestDraws/TestLookSwapped]
		s.look(s.at(r.U(0), w.size), r.sym(s.m, g, 1))
		return false
	}
	old, arg, some := s.operands(g, w, "CompareAndSwap", r)
	if !some {
		return false
	}
	_, known := s.ctx.Eq(old, arg).Const()
	return !known
}

// atomic executes the operation of that name on w.
func (s *symbols) atomic(g *goroutine, w word, name string, r Regs, fn func(*Machine, *goroutine, Regs) Ctl) Ctl {
	m, c, p := s.m, s.ctx, r.U(0)
	old, arg, some := s.operands(g, w, name, r)
	var swap *symbolic.Term
	if name == "CompareAndSwap" {
		var is bool
		swap, is = s.operand(g, w, r, 2)
		some = some || is
	}
	if !some {
		ctl := fn(m, g, r)
		r.concreteResult(m, g, 0)
		return ctl
	}
	store := func(t *symbolic.Term) {
		m.heap.WillWriteRange(uint32(p>>32), uint32(p), w.size)
		s.poke(p, w.size, 0)
		s.store(p, w.size, t)
	}
	result := func(t *symbolic.Term) { r.setSym(m, g, 0, s.extend(t, w.signed)) }
	switch name {
	case "Load":
		result(old)
	case "Store":
		store(arg)
		r.concreteResult(m, g, 0)
	case "Swap":
		store(arg)
		result(old)
	case "Add":
		sum := c.Add(old, arg)
		store(sum)
		result(sum)
	case "And":
		store(c.And(old, arg))
		result(old)
	case "Or":
		store(c.Or(old, arg))
		result(old)
	case "CompareAndSwap":
		same := c.Eq(old, arg)
		if !same.IsFalse() {
			//mutant: a compare-and-swap succeeds [inputs Named]: "c.Ite(same, swap, old)" -> "swap"
			store(c.Ite(same, swap, old))
		}
		r.setSym(m, g, 0, same)
	default:
		panic("BUG: no terms for atomic operation " + name)
	}
	return Next
}

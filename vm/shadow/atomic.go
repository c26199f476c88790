package shadow

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Atomic operations on symbolic values. They need no decision: the success of a compare-and-swap is a
// condition, and the new value is a term that depends on it. A compare-and-swap counts as a write.

// A Word is the word on which an operation of sync/atomic operates. Its operands are in the registers from
// Reg on, the address first.
type Word struct {
	Size   uint32
	Signed bool
	Reg    uint16
}

// address returns the address of w.
func (g *Goroutine) address(w Word) heap.Ptr { return *g.Reg(uint32(w.Reg)) }

// operands returns the value of w, and operand 1 unless the operation is a load, as terms of w's size, and
// whether one of the two is symbolic.
func (s *Symbols) operands(g *Goroutine, w Word, name string) (old, arg *symbolic.Term, some bool) {
	if old = s.at(g.address(w), w.Size); old != nil {
		some = true
	} else {
		old = s.memoryAt(g.address(w))(0, w.Size)
	}
	if name == "Load" { // the word after the result may be outside of the stack
		return old, nil, some
	}
	arg, is := s.operand(g, w, 1)
	return old, arg, some || is
}

// operand returns operand i as a term of w's size, and whether it is symbolic.
func (s *Symbols) operand(g *Goroutine, w Word, i uint16) (*symbolic.Term, bool) {
	if t := s.shadowOf(g, w.Reg+i); t != nil {
		return s.low(t, w.Size), true
	}
	return s.ctx.Const(uint8(w.Size*8), *g.Reg(uint32(w.Reg + i))), false
}

// shadowOf returns the shadow of register i, or nil.
func (s *Symbols) shadowOf(g *Goroutine, i uint16) *symbolic.Term { return g.Shadow[g.FP+uint32(i)] }

// SwapUnknown reports whether the success of the compare-and-swap depends on inputs. The word must be
// mapped.
func (s *Symbols) SwapUnknown(g *Goroutine, w Word) bool {
	if s.Drawn {
		//mutant: swaps of drawn values do not look [env TestDraws/TestLookSwapped]
		s.Look(s.at(g.address(w), w.Size), s.shadowOf(g, w.Reg+1))
		return false
	}
	old, arg, some := s.operands(g, w, "CompareAndSwap")
	if !some {
		return false
	}
	_, known := s.ctx.Eq(old, arg).Const()
	return !known
}

// Atomic executes the operation of that name on w, which is mapped; execute executes it on bits.
func (s *Symbols) Atomic(g *Goroutine, w Word, name string, execute func()) {
	if s.Drawn {
		s.drawnAtomic(g, w, name, execute)
		return
	}
	c, p := s.ctx, g.address(w)
	old, arg, some := s.operands(g, w, name)
	var swap *symbolic.Term
	if name == "CompareAndSwap" {
		var is bool
		swap, is = s.operand(g, w, 2)
		some = some || is
	}
	concrete := func() { g.Shadow[g.FP+uint32(w.Reg)] = nil }
	if !some {
		execute()
		concrete()
		return
	}
	store := func(t *symbolic.Term) {
		s.heap.WillWriteRange(uint32(p>>32), uint32(p), w.Size)
		s.poke(p, w.Size, 0)
		s.Store(p, w.Size, t)
	}
	result := func(t *symbolic.Term) { s.Set(g, w.Reg, s.extend(t, w.Signed)) }
	switch name {
	case "Load":
		result(old)
	case "Store":
		store(arg)
		concrete()
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
		s.Set(g, w.Reg, same)
	default:
		panic("BUG: no terms for atomic operation " + name)
	}
}

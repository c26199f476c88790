package shadow

import (
	"hbcheck.dev/hbcheck/symbolic"
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in exec.go
)

// The results of operations as terms.

// binary computes A = B op C. A comparison, or a bitwise operation on two conditions, is a Bool.
func (s *Symbols) binary(op Op, x, y *symbolic.Term) *symbolic.Term {
	c := s.ctx
	if x.Width() == symbolic.Bool || y.Width() == symbolic.Bool {
		p, okX := s.condition(x)
		q, okY := s.condition(y)
		if okX && okY {
			switch op {
			case And:
				return c.BoolAnd(p, q)
			case Or:
				return c.BoolOr(p, q)
			case Xor, Ne:
				return c.BoolNot(c.Eq(p, q))
			case Eq:
				return c.Eq(p, q)
			}
		}
		x, y = s.word(x), s.word(y)
	}
	narrow := func(f func(a, b *symbolic.Term) *symbolic.Term, width uint8, signed bool) *symbolic.Term {
		return s.extend(f(c.Trunc(x, width), c.Trunc(y, width)), signed)
	}
	switch op {
	case Add:
		return c.Add(x, y)
	case Sub:
		return c.Sub(x, y)
	case Mul:
		return c.Mul(x, y)
	case And:
		return c.And(x, y)
	case Or:
		return c.Or(x, y)
	case Xor:
		return c.Xor(x, y)
	case AndNot:
		return c.AndNot(x, y)
	case Shl:
		return c.Shl(x, y)
	case ShrS:
		return c.ShrS(x, y)
	case ShrU:
		return c.ShrU(x, y)
	case DivS:
		return c.DivS(x, y)
	case DivU:
		return c.DivU(x, y)
	case RemS:
		return c.RemS(x, y)
	case RemU:
		return c.RemU(x, y)
	case AddS32:
		return narrow(c.Add, 32, true)
	case AddU32:
		//mutant: 32 bits do not wrap [inputs Named]: "narrow(c.Add, 32, false" -> "c.Add(x, y"
		return narrow(c.Add, 32, false)
	case SubS32:
		return narrow(c.Sub, 32, true)
	case SubU32:
		return narrow(c.Sub, 32, false)
	case MulS32:
		return narrow(c.Mul, 32, true)
	case MulU32:
		return narrow(c.Mul, 32, false)
	case AddU8:
		return narrow(c.Add, 8, false)
	case SubU8:
		return narrow(c.Sub, 8, false)
	case Eq:
		return c.Eq(x, y)
	case Ne:
		return c.Ne(x, y)
	case LtS:
		//mutant: signed comparisons are unsigned [inputs Sequential]: "return c.LtS" -> "return c.LtU"
		return c.LtS(x, y)
	case LeS:
		return c.LeS(x, y)
	case LtU:
		return c.LtU(x, y)
	case LeU:
		return c.LeU(x, y)
	}
	panic("BUG: no terms for operation " + op.String())
}

// condition returns x as a Bool, if it is one or the constant 0 or 1.
func (s *Symbols) condition(x *symbolic.Term) (*symbolic.Term, bool) {
	if x.Width() == symbolic.Bool {
		return x, true
	}
	v, ok := x.Const()
	return s.ctx.Bool(v == 1), ok && v <= 1
}

// extend returns t with 64 bits.
func (s *Symbols) extend(t *symbolic.Term, signed bool) *symbolic.Term {
	if signed {
		return s.ctx.SExt(t, 64)
	}
	return s.widen(t)
}

// immediate computes A = B op C, where C is a constant.
func (s *Symbols) immediate(op Op, x *symbolic.Term, n uint16) *symbolic.Term {
	c := s.ctx
	switch op {
	case AddI:
		return c.Add(x, c.Const(64, uint64(int64(int16(n)))))
	case AndI:
		return c.And(x, c.Const(64, uint64(n)))
	case MulI:
		return c.Mul(x, c.Const(64, uint64(int64(int16(n)))))
	case ShlI:
		return c.Shl(x, c.Const(64, uint64(n)))
	case ShrSI:
		return c.ShrS(x, c.Const(64, uint64(n)))
	case ShrUI:
		return c.ShrU(x, c.Const(64, uint64(n)))
	}
	panic("BUG: no terms for operation " + op.String())
}

// unary computes A = op B.
func (s *Symbols) unary(op Op, x *symbolic.Term) *symbolic.Term {
	c := s.ctx
	if x.Width() == symbolic.Bool {
		if op == LNot {
			return c.BoolNot(x)
		}
		x = s.word(x)
	}
	switch op {
	case Neg:
		return c.Neg(x)
	case Not:
		return c.Not(x)
	case LNot:
		return c.Xor(x, c.Const(64, 1))
	case ExtS8:
		//mutant: conversions have no sign [inputs Sequential]: "return c.SExt" -> "return c.ZExt"
		return c.SExt(c.Trunc(x, 8), 64)
	case ExtU8:
		return c.ZExt(c.Trunc(x, 8), 64)
	case ExtS16:
		return c.SExt(c.Trunc(x, 16), 64)
	case ExtU16:
		return c.ZExt(c.Trunc(x, 16), 64)
	case ExtS32:
		return c.SExt(c.Trunc(x, 32), 64)
	case ExtU32:
		return c.ZExt(c.Trunc(x, 32), 64)
	}
	panic("BUG: no terms for operation " + op.String())
}

package symbolic

import (
	"fmt"
)

// Const returns a constant: the low bits of x.
func (c *Context) Const(width uint8, x uint64) *Term {
	return c.intern(OpConst, width, x&mask(width))
}

// Bool returns true or false.
func (c *Context) Bool(b bool) *Term { return c.Const(Bool, truth(b)) }

// Var returns the variable of that number. The first call for a number determines the variable's width and
// name.
func (c *Context) Var(number uint64, width uint8, name string) *Term {
	t := c.intern(OpVar, width, number)
	if t.name == "" {
		t.name = name
	}
	return t
}

// sameWidth panics if an operation cannot have these two arguments.
func sameWidth(a, b *Term) {
	if a.width != b.width || a.width == Bool {
		panic(fmt.Sprintf("BUG: an operation on %d and %d bits", a.width, b.width))
	}
}

// fold makes a term of one operation, or the constant that it is.
func (c *Context) fold(op Op, width uint8, args ...*Term) *Term {
	var x [2]uint64
	for i, a := range args {
		if a.op != OpConst {
			t := c.intern(op, width, 0, args...)
			if t.bound.MinU == t.bound.MaxU {
				return c.Const(width, t.bound.MinU)
			}
			return t
		}
		x[i] = a.value
	}
	return c.Const(width, apply(op, width, args[0].width, x[0], x[1]))
}

// commuted returns the arguments of a commuting operation in a fixed order, in which a constant is
// b.
func commuted(a, b *Term) (*Term, *Term) {
	//mutant: arguments in the order of their numbers [symbolic Intern]: "before(b, a" -> "b.op != OpConst && (a.op == OpConst || b.id < a.id"
	if before(b, a) {
		return b, a
	}
	return a, b
}

// is reports whether t is the constant whose low bits are those of x.
func (t *Term) is(x uint64) bool { return t.op == OpConst && t.value == x&mask(t.width) }

// Add returns a+b, which wraps like all that follows.
func (c *Context) Add(a, b *Term) *Term {
	sameWidth(a, b)
	a, b = commuted(a, b)
	switch {
	case b.is(0):
		return a
	case b.op == OpConst && plusConst(a):
		return c.Add(a.arg[0], c.Const(a.width, a.arg[1].value+b.value))
	case b.op == OpConst && constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.Add(x, b) })
	case plusConst(a): // constants go last, so that they are next to each other
		return c.Add(c.Add(a.arg[0], b), a.arg[1])
	case plusConst(b):
		return c.Add(c.Add(a, b.arg[0]), b.arg[1])
	case c.negated(a) == b, c.negated(b) == a:
		return c.Const(a.width, 0)
	}
	return c.fold(OpAdd, a.width, a, b)
}

// negated returns the argument of a product with -1, or nil.
func (c *Context) negated(t *Term) *Term {
	if t.op == OpMul && t.arg[1].is(^uint64(0)) {
		return t.arg[0]
	}
	return nil
}

// Neg returns -a.
func (c *Context) Neg(a *Term) *Term {
	sameWidth(a, a)
	return c.Mul(a, c.Const(a.width, ^uint64(0)))
}

// Sub returns a-b.
func (c *Context) Sub(a, b *Term) *Term {
	sameWidth(a, b)
	switch {
	case a == b:
		return c.Const(a.width, 0)
	case a.op == OpAdd && a.arg[0] == b:
		return a.arg[1]
	case a.op == OpAdd && a.arg[1] == b:
		return a.arg[0]
	}
	return c.Add(a, c.Neg(b))
}

// Mul returns a*b.
func (c *Context) Mul(a, b *Term) *Term {
	sameWidth(a, b)
	a, b = commuted(a, b)
	switch {
	case b.is(0):
		return b
	case b.is(1):
		return a
	case b.op == OpConst && a.op == OpMul && a.arg[1].op == OpConst:
		return c.Mul(a.arg[0], c.Const(a.width, a.arg[1].value*b.value))
	case b.op == OpConst && plusConst(a):
		return c.Add(c.Mul(a.arg[0], b), c.Mul(a.arg[1], b))
	case b.op == OpConst && constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.Mul(x, b) })
	}
	return c.fold(OpMul, a.width, a, b)
}

// DivS returns a/b of signed numbers, towards zero. The least divided by -1 is itself. The caller handles b
// == 0 as in Go; the value is then that of SMT-LIB.
func (c *Context) DivS(a, b *Term) *Term {
	sameWidth(a, b)
	switch {
	case b.is(1):
		return a
	case b.is(^uint64(0)):
		return c.Neg(a)
	//mutant: division of negative numbers is unsigned [symbolic Terms]: " && b.bound.MinS >= 0 && a.width > 1" -> ""
	case a.bound.MinS >= 0 && b.bound.MinS >= 0 && a.width > 1:
		return c.DivU(a, b)
	}
	return c.fold(OpDivS, a.width, a, b)
}

// DivU returns a/b of unsigned numbers; see DivS for 0.
func (c *Context) DivU(a, b *Term) *Term {
	sameWidth(a, b)
	if k, ok := power(b); ok {
		return c.ShrU(a, c.Const(a.width, k))
	}
	return c.fold(OpDivU, a.width, a, b)
}

// RemS returns a%b of signed numbers, with the sign of a. See DivS for 0.
func (c *Context) RemS(a, b *Term) *Term {
	sameWidth(a, b)
	switch {
	case b.is(1), b.is(^uint64(0)):
		return c.Const(a.width, 0)
	case a.bound.MinS >= 0 && b.bound.MinS >= 0 && a.width > 1:
		return c.RemU(a, b)
	}
	return c.fold(OpRemS, a.width, a, b)
}

// RemU returns a%b of unsigned numbers; see DivS for 0.
func (c *Context) RemU(a, b *Term) *Term {
	sameWidth(a, b)
	if _, ok := power(b); ok {
		return c.And(a, c.Const(a.width, b.value-1))
	}
	return c.fold(OpRemU, a.width, a, b)
}

// power returns k if t is the constant 2^k.
func power(t *Term) (k uint64, ok bool) {
	if t.op != OpConst || t.value == 0 || t.value&(t.value-1) != 0 {
		return 0, false
	}
	for x := t.value; x > 1; x >>= 1 {
		k++
	}
	return k, true
}

// And returns a&b.
func (c *Context) And(a, b *Term) *Term {
	sameWidth(a, b)
	a, b = commuted(a, b)
	switch {
	case b.is(0), a == b:
		return b
	case b.is(^uint64(0)):
		return a
	case b.op == OpConst && b.value&(b.value+1) == 0 && a.bound.MaxU <= b.value:
		return a // a mask of the low bits, and no higher bits exist
	case b.op == OpConst && a.op == OpAnd && a.arg[1].op == OpConst:
		return c.And(a.arg[0], c.Const(a.width, a.arg[1].value&b.value))
	case b.op == OpConst && constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.And(x, b) })
	}
	return c.fold(OpAnd, a.width, a, b)
}

// Or returns a|b.
func (c *Context) Or(a, b *Term) *Term {
	sameWidth(a, b)
	a, b = commuted(a, b)
	switch {
	case b.is(0), a == b:
		return a
	case b.is(^uint64(0)):
		return b
	case b.op == OpConst && constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.Or(x, b) })
	}
	return c.fold(OpOr, a.width, a, b)
}

// Xor returns a^b.
func (c *Context) Xor(a, b *Term) *Term {
	sameWidth(a, b)
	a, b = commuted(a, b)
	switch {
	case b.is(0):
		return a
	case a == b:
		return c.Const(a.width, 0)
	case b.op == OpConst && a.op == OpXor && a.arg[1].op == OpConst:
		return c.Xor(a.arg[0], c.Const(a.width, a.arg[1].value^b.value))
	case b.op == OpConst && constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.Xor(x, b) })
	}
	return c.fold(OpXor, a.width, a, b)
}

// Not returns ^a.
func (c *Context) Not(a *Term) *Term { return c.Xor(a, c.Const(a.width, ^uint64(0))) }

// AndNot returns a&^b.
func (c *Context) AndNot(a, b *Term) *Term { return c.And(a, c.Not(b)) }

// Shl returns a<<n. The count is unsigned, of any width; a count of at least the width of a leaves nothing,
// as in Go. Here and below, the caller excludes negative counts.
func (c *Context) Shl(a, n *Term) *Term {
	return c.shift(OpShl, a, n, c.Const(a.width, 0))
}

// ShrU returns a>>n of an unsigned number.
func (c *Context) ShrU(a, n *Term) *Term {
	return c.shift(OpShrU, a, n, c.Const(a.width, 0))
}

// ShrS returns a>>n of a signed number: if n is at least its width, only its sign is left.
func (c *Context) ShrS(a, n *Term) *Term {
	last := c.Const(a.width, uint64(a.width-1))
	if a.bound.MinS >= 0 && a.width > 1 {
		return c.ShrU(a, n)
	}
	if n.op == OpConst && n.value >= uint64(a.width) {
		return c.shift(OpShrS, a, last, nil)
	}
	return c.shift(OpShrS, a, n, a)
}

// shift has the count in the width of a. beyond is the result for counts that do not fit, or a
// itself if that is the shift by width-1.
func (c *Context) shift(op Op, a, n, beyond *Term) *Term {
	if a.width == Bool || n.width == Bool {
		panic("BUG: a shift of or by a Bool")
	}
	switch {
	case n.width < a.width:
		n = c.ZExt(n, a.width)
	case n.width > a.width && n.bound.MaxU <= mask(a.width):
		n = c.Trunc(n, a.width)
	case n.width > a.width:
		if beyond == a {
			beyond = c.shift(op, a, c.Const(a.width, uint64(a.width-1)), nil)
		}
		fits := c.LtU(n, c.Const(n.width, uint64(a.width)))
		//mutant: counts of shifts wrap [symbolic Terms]: ", beyond" -> ", c.shift(op, a, c.Trunc(n, a.width), nil)"
		return c.Ite(fits, c.shift(op, a, c.Trunc(n, a.width), nil), beyond)
	}
	if n.op != OpConst {
		return c.fold(op, a.width, a, n)
	}
	k := n.value
	sum := func(x *Term) *Term { return c.Const(a.width, min(x.value+k, mask(a.width))) }
	switch {
	case k == 0:
		return a
	case k >= uint64(a.width) && op != OpShrS:
		return c.Const(a.width, 0)
	case a.op == op && a.arg[1].op == OpConst && a.arg[1].value+k >= a.arg[1].value:
		if s := sum(a.arg[1]); s.value == a.arg[1].value+k {
			return c.shift(op, a.arg[0], s, beyond)
		}
	case constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.shift(op, x, n, x) })
	case op == OpShrU && (a.op == OpOr || a.op == OpXor || a.op == OpAnd):
		return c.bitwise(a.op, c.ShrU(a.arg[0], n), c.ShrU(a.arg[1], n))
	//mutant: nothing is lost on the left [symbolic Small]: drop 4
	case op == OpShrU && a.op == OpShl && a.arg[1].op == OpConst && a.arg[0].bound.MaxU <= mask(a.width)>>a.arg[1].value:
		// No bit was lost on the way to the left.
		if l := a.arg[1].value; l > k {
			return c.Shl(a.arg[0], c.Const(a.width, l-k))
		} else {
			return c.ShrU(a.arg[0], c.Const(a.width, k-l))
		}
	}
	return c.fold(op, a.width, a, n)
}

// bitwise returns one of the three operations on bits.
func (c *Context) bitwise(op Op, a, b *Term) *Term {
	switch op {
	case OpAnd:
		return c.And(a, b)
	case OpOr:
		return c.Or(a, b)
	}
	return c.Xor(a, b)
}

// constArms reports whether t chooses between two constants, as a Bool that was made a number.
func constArms(t *Term) bool {
	return t.op == OpIte && t.arg[1].op == OpConst && t.arg[2].op == OpConst
}

// arms applies f to both arms of t.
func (c *Context) arms(t *Term, f func(*Term) *Term) *Term {
	return c.Ite(t.arg[0], f(t.arg[1]), f(t.arg[2]))
}

// Ite returns a if cond, b otherwise. Both are of one width, which may be Bool.
func (c *Context) Ite(cond, a, b *Term) *Term {
	switch {
	case cond.width != Bool || a.width != b.width:
		panic("BUG: Ite of different widths")
	case a == b || cond.IsTrue():
		return a
	case cond.IsFalse():
		return b
	case cond.op == OpBoolNot:
		return c.Ite(cond.arg[0], b, a)
	case a.width == Bool:
		return c.BoolOr(c.BoolAnd(cond, a), c.BoolAnd(c.BoolNot(cond), b))
	case a.op == OpIte && a.arg[0] == cond:
		return c.Ite(cond, a.arg[1], b)
	case b.op == OpIte && b.arg[0] == cond:
		return c.Ite(cond, a, b.arg[2])
	}
	return c.intern(OpIte, a.width, 0, cond, a, b)
}

// FromBool returns 1 if b, 0 otherwise.
func (c *Context) FromBool(b *Term, width uint8) *Term {
	return c.Ite(b, c.Const(width, 1), c.Const(width, 0))
}

// ToBool reports whether a is not 0.
func (c *Context) ToBool(a *Term) *Term { return c.Ne(a, c.Const(a.width, 0)) }

// Trunc returns the low bits of a.
func (c *Context) Trunc(a *Term, width uint8) *Term {
	switch {
	case width == Bool || width > a.width:
		panic("BUG: Trunc to more bits")
	case width == a.width:
		return a
	case a.op == OpTrunc:
		return c.Trunc(a.arg[0], width)
	case a.op == OpZExt || a.op == OpSExt:
		switch b := a.arg[0]; {
		case width <= b.width:
			return c.Trunc(b, width)
		case a.op == OpZExt:
			return c.ZExt(b, width)
		default:
			return c.SExt(b, width)
		}
	case constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.Trunc(x, width) })
	case a.op == OpAnd || a.op == OpOr || a.op == OpXor:
		return c.bitwise(a.op, c.Trunc(a.arg[0], width), c.Trunc(a.arg[1], width))
	case a.op == OpShl && a.arg[1].op == OpConst:
		if k := a.arg[1].value; k < uint64(width) {
			return c.Shl(c.Trunc(a.arg[0], width), c.Const(width, k))
		}
		return c.Const(width, 0)
	}
	return c.fold(OpTrunc, width, a)
}

// ZExt returns a with zeros on its left.
func (c *Context) ZExt(a *Term, width uint8) *Term {
	switch {
	case a.width == Bool || width < a.width:
		panic("BUG: ZExt to fewer bits")
	case width == a.width:
		return a
	case a.op == OpZExt:
		return c.ZExt(a.arg[0], width)
	case constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.ZExt(x, width) })
	}
	return c.fold(OpZExt, width, a)
}

// SExt returns a with copies of its sign on its left.
func (c *Context) SExt(a *Term, width uint8) *Term {
	switch {
	case a.width == Bool || width < a.width:
		panic("BUG: SExt to fewer bits")
	case width == a.width:
		return a
	case a.op == OpSExt:
		return c.SExt(a.arg[0], width)
	//mutant: what is negative is extended by zeros [symbolic Terms]: "MinS >= 0: // the sign of a is 0" -> "MaxS >= 0:"
	case a.bound.MinS >= 0: // the sign of a is 0
		return c.ZExt(a, width)
	case constArms(a):
		return c.arms(a, func(x *Term) *Term { return c.SExt(x, width) })
	}
	return c.fold(OpSExt, width, a)
}

// Extract returns the bits of a from bit low on.
func (c *Context) Extract(a *Term, low, width uint8) *Term {
	return c.Trunc(c.ShrU(a, c.Const(a.width, uint64(low))), width)
}

// Concat returns the bits of high, followed by those of low: at most 64 together.
func (c *Context) Concat(high, low *Term) *Term {
	w := high.width + low.width
	if w > 64 {
		panic("BUG: Concat of more than 64 bits")
	}
	return c.Or(c.Shl(c.ZExt(high, w), c.Const(w, uint64(low.width))), c.ZExt(low, w))
}

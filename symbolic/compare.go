package symbolic

// Building comparisons and conditions.

// Eq reports whether a is b. Both are Bool, or neither.
func (c *Context) Eq(a, b *Term) *Term {
	if a.width == Bool && b.width == Bool {
		return c.Ite(a, b, c.BoolNot(b))
	}
	sameWidth(a, b)
	a, b = commuted(a, b)
	switch {
	case a == b:
		return c.Bool(true)
	case plusConst(a) && b.op == OpConst:
		return c.Eq(a.arg[0], c.Sub(b, a.arg[1]))
	case plusConst(a) && plusConst(b):
		return c.Eq(a.arg[0], c.Add(b.arg[0], c.Sub(b.arg[1], a.arg[1])))
	case plusConst(a) && a.arg[0] == b, plusConst(b) && b.arg[0] == a:
		return c.Bool(false) // the constant is not 0
	case b.op != OpConst:
	case (a.op == OpZExt || a.op == OpSExt) && !c.fits(a, b.value):
		return c.Bool(false)
	case a.op == OpZExt || a.op == OpSExt:
		return c.Eq(a.arg[0], c.Const(a.arg[0].width, b.value))
	case a.op == OpXor && a.arg[1].op == OpConst:
		return c.Eq(a.arg[0], c.Const(a.width, a.arg[1].value^b.value))
	case constArms(a):
		return c.Ite(a.arg[0], c.Bool(a.arg[1] == b), c.Bool(a.arg[2] == b))
	}
	return c.fold(OpEq, Bool, a, b)
}

// plusConst reports whether t is the sum of a term and a constant.
func plusConst(t *Term) bool { return t.op == OpAdd && t.arg[1].op == OpConst }

// fits reports whether a constant of the width of t, which is an extension, is the extension of some value.
func (c *Context) fits(t *Term, x uint64) bool {
	from := t.arg[0].width
	//mutant: a constant always fits [symbolic Terms]: "apply(t.op, t.width, from, x&mask(from), 0) == x" -> "from > 0"
	return apply(t.op, t.width, from, x&mask(from), 0) == x
}

// Ne reports whether a is not b.
func (c *Context) Ne(a, b *Term) *Term { return c.BoolNot(c.Eq(a, b)) }

// LtS reports whether a < b as signed numbers.
func (c *Context) LtS(a, b *Term) *Term {
	sameWidth(a, b)
	least := full(a.width).MinS
	switch {
	case a == b:
		return c.Bool(false)
	case a.op == OpZExt && b.op == OpZExt && a.arg[0].width == b.arg[0].width:
		return c.LtU(a.arg[0], b.arg[0])
	case a.op == OpSExt && b.op == OpSExt && a.arg[0].width == b.arg[0].width:
		return c.LtS(a.arg[0], b.arg[0])
	case a.op == OpSExt && b.op == OpConst && c.fits(a, b.value):
		return c.LtS(a.arg[0], c.Const(a.arg[0].width, b.value))
	case b.op == OpSExt && a.op == OpConst && c.fits(b, a.value):
		return c.LtS(c.Const(b.arg[0].width, a.value), b.arg[0])
	//mutant: signs do not matter to < [symbolic Terms]: " && b.bound.MinS >= 0 && a.width > 1" -> ""
	case a.bound.MinS >= 0 && b.bound.MinS >= 0 && a.width > 1:
		return c.LtU(a, b)
	case b.op == OpConst && signed(b.value, b.width) == least+1:
		return c.Eq(a, c.Const(a.width, uint64(least)))
	case a.op == OpConst && signed(a.value, a.width) == -least-2:
		return c.Eq(b, c.Const(a.width, uint64(-least-1)))
	case constArms(a) && b.op == OpConst:
		return c.arms(a, func(x *Term) *Term { return c.LtS(x, b) })
	case constArms(b) && a.op == OpConst:
		return c.arms(b, func(x *Term) *Term { return c.LtS(a, x) })
	}
	return c.fold(OpLtS, Bool, a, b)
}

// LtU reports whether a < b as unsigned numbers.
func (c *Context) LtU(a, b *Term) *Term {
	sameWidth(a, b)
	m := mask(a.width)
	switch {
	case a == b:
		return c.Bool(false)
	case a.op == OpZExt && b.op == OpZExt && a.arg[0].width == b.arg[0].width:
		return c.LtU(a.arg[0], b.arg[0])
	case a.op == OpZExt && b.op == OpConst && c.fits(a, b.value):
		return c.LtU(a.arg[0], c.Const(a.arg[0].width, b.value))
	case b.op == OpZExt && a.op == OpConst && c.fits(b, a.value):
		return c.LtU(c.Const(b.arg[0].width, a.value), b.arg[0])
	case b.is(1):
		return c.Eq(a, c.Const(a.width, 0))
	case a.is(0):
		return c.Ne(b, a)
	case a.is(m - 1):
		return c.Eq(b, c.Const(a.width, m))
	case b.is(m):
		return c.Ne(a, b)
	case constArms(a) && b.op == OpConst:
		return c.arms(a, func(x *Term) *Term { return c.LtU(x, b) })
	case constArms(b) && a.op == OpConst:
		return c.arms(b, func(x *Term) *Term { return c.LtU(a, x) })
	}
	return c.fold(OpLtU, Bool, a, b)
}

// LeS reports whether a <= b as signed numbers.
func (c *Context) LeS(a, b *Term) *Term { return c.BoolNot(c.LtS(b, a)) }

// LeU reports whether a <= b as unsigned numbers.
func (c *Context) LeU(a, b *Term) *Term { return c.BoolNot(c.LtU(b, a)) }

// BoolNot returns !a.
func (c *Context) BoolNot(a *Term) *Term {
	if a.width != Bool {
		panic("BUG: BoolNot of a number")
	}
	if a.op == OpBoolNot {
		return a.arg[0]
	}
	return c.fold(OpBoolNot, Bool, a)
}

// BoolAnd returns a && b.
func (c *Context) BoolAnd(a, b *Term) *Term {
	if a.width != Bool || b.width != Bool {
		panic("BUG: BoolAnd of numbers")
	}
	a, b = commuted(a, b)
	switch {
	case a == b || b.IsTrue():
		return a
	case b.IsFalse():
		return b
	case c.BoolNot(a) == b:
		return c.Bool(false)
	}
	return c.fold(OpBoolAnd, Bool, a, b)
}

// BoolOr returns a || b.
func (c *Context) BoolOr(a, b *Term) *Term {
	return c.BoolNot(c.BoolAnd(c.BoolNot(a), c.BoolNot(b)))
}

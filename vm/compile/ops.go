package compile

import (
	"go/token"
	"go/types"
	"math/bits"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

func trailingZeros(x uint64) int { return bits.TrailingZeros64(x) }

// unop emits the unary operations: loads, receives, and arithmetic.
//
// A load is emitted in one of four ways. An alias, or a load that the language does not evaluate,
// has no code. A load that is big and unused is a nil check. A load of a slice element includes its
// bounds check. Any other load is from a register and an offset, in the form that its size allows.
//
//	v := *p              Ld64 v, [p+0]
//	v := p.f.g           Ld64 v, [p+off]     f and g are fused into the offset
//	v := s[i]            LdX64 v, s, i       with the bounds check
//	_ = *p               NilChk p            only the panic is left of it
//
// The loaded value is a value of its own from then on: another goroutine that writes the variable
// later does not change it. So a load is never moved, and is omitted only where the language, or
// gc, has no load.
func (c *compiler) unop(v *ssa.UnOp) {
	if _, ok := c.alias[v]; ok {
		return
	}
	t := v.X.Type()
	switch v.Op {
	case token.MUL:
		if unevaluated(v) {
			return
		}
		// A value that is too large for registers, and that has no uses (big.go).
		if c.unusedLoads[v] {
			c.emit(bytecode.NilChk, c.pointer(v.X), 0, 0)
			return
		}
		if x, ok := v.X.(*ssa.IndexAddr); ok && c.fused[x] {
			_, op, _, _ := loadOp(v.Type())
			s, i := c.use(x.X), c.use(x.Index)
			c.indexing(x.Index)
			c.recordPending()
			c.emit(op, c.dst(v), s, i)
			return
		}
		base, off := c.address(v.X)
		c.recordPending()
		c.load(c.dst(v), base, off, v.Type())
	case token.NOT:
		c.emit(bytecode.LNot, c.dst(v), c.use(v.X), 0)
	case token.XOR:
		d := c.dst(v)
		c.emit(bytecode.Not, d, c.use(v.X), 0)
		c.normalize(d, t)
	case token.SUB:
		c.clockFlows(token.NOT, v.X, v.X, false)
		x, d := c.use(v.X), c.dst(v)
		switch b := t.Underlying().(*types.Basic); {
		case b.Kind() == types.Float32:
			c.emit(bytecode.NegF32, d, x, 0)
		case b.Info()&types.IsFloat != 0:
			c.emit(bytecode.NegF64, d, x, 0)
		case b.Info()&types.IsComplex != 0:
			c.emit(bytecode.Cplx, d, x, x)
			c.word(bytecode.CplxNeg | complexBits(t))
		default:
			c.emit(bytecode.Neg, d, x, 0)
			c.normalize(d, t)
		}
	//	v := <-c             Recv v, c, -
	//	v, ok := <-c         Recv v, c, ok
	//	<-c                  Recv -, c, -           what is received is dropped
	case token.ARROW:
		// d and ok are NoReg for results that the program does not use, and d for a value of no words.
		d, ok := bytecode.NoReg, bytecode.NoReg
		if v.CommaOk {
			for _, x := range c.extracts[v] {
				r := c.reg[x]
				if x.(*ssa.Extract).Index == 0 {
					d = r
				} else {
					ok = r
				}
			}
			if c.l.Layout(v.Type().(*types.Tuple).At(0).Type()).Words() == 0 {
				d = bytecode.NoReg
			}
		} else if c.words(v) > 0 {
			d = c.dst(v)
		}
		ch := c.use(v.X)
		c.recordPending()
		c.emit(bytecode.Recv, d, ch, ok)
	}
}

// normalize re-extends register r after arithmetic on a type narrower than a word.
// Overflow wraps around (Go spec, "Integer overflow"): the low bits are right already.
//
//	int8:   127 + 1   Add gives 0x0000000000000080   ExtS8 makes 0xFFFFFFFFFFFFFF80, -128
//
// Invariant: a register that holds a scalar holds it extended, at every instruction but between
// an operation and the extension right after it. Comparisons, conversions to wider types and the
// machine's hash rely on it.
func (c *compiler) normalize(r int, t types.Type) {
	switch layout.ScalarOf(t) {
	case layout.S8:
		c.emit(bytecode.ExtS8, r, r, 0)
	case layout.U8:
		c.emit(bytecode.ExtU8, r, r, 0)
	case layout.S16:
		c.emit(bytecode.ExtS16, r, r, 0)
	case layout.U16:
		c.emit(bytecode.ExtU16, r, r, 0)
	case layout.S32:
		c.emit(bytecode.ExtS32, r, r, 0)
	case layout.U32:
		c.emit(bytecode.ExtU32, r, r, 0)
	}
}

// The operations of arithmetic on complex numbers and floats.
var (
	// For complex numbers there is one operation, Cplx, and a word that holds the operator: they
	// are rare.
	complexOps = map[token.Token]uint64{
		token.ADD: bytecode.CplxAdd, token.SUB: bytecode.CplxSub, token.MUL: bytecode.CplxMul, token.QUO: bytecode.CplxDiv,
	}
	float32Ops = map[token.Token]bytecode.Op{
		token.ADD: bytecode.AddF32, token.SUB: bytecode.SubF32, token.MUL: bytecode.MulF32, token.QUO: bytecode.DivF32,
	}
	float64Ops = map[token.Token]bytecode.Op{
		token.ADD: bytecode.AddF64, token.SUB: bytecode.SubF64, token.MUL: bytecode.MulF64, token.QUO: bytecode.DivF64,
	}
)

// complexBits returns CplxNarrow if t is complex64.
//
// The word after Cplx has the operation in its low byte and this bit above it.
func complexBits(t types.Type) uint64 {
	if t.Underlying().(*types.Basic).Kind() == types.Complex64 {
		return bytecode.CplxNarrow
	}
	return 0
}

// binop emits d = X op Y. Registers keep scalars extended to 64 bits by the sign of their type, so an
// operation on 64 bits works for all integer types whose result can be extended again (normalize).
//
// The order of the cases is by type: types other than integers have operations of their own.
func (c *compiler) binop(v *ssa.BinOp, d int) {
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		c.compare(v, d)
		return
	}
	later := c.clockFlow(v)
	if c.arithmetic(v, d); later {
		c.counted(d, v)
	}
}

// arithmetic is binop for operators other than comparisons.
func (c *compiler) arithmetic(v *ssa.BinOp, d int) {
	if v.Op == token.SHL || v.Op == token.SHR {
		c.shift(v, d)
		return
	}
	t := v.X.Type()
	b := t.Underlying().(*types.Basic)
	switch {
	case b.Info()&types.IsString != 0:
		x, y := c.use(v.X), c.use(v.Y)
		c.emit(bytecode.StrCat, d, x, y)
		return
	case b.Info()&types.IsComplex != 0:
		x, y := c.use(v.X), c.use(v.Y)
		c.emit(bytecode.Cplx, d, x, y)
		c.word(complexOps[v.Op] | complexBits(t))
		return
	case b.Kind() == types.Float32:
		x, y := c.use(v.X), c.use(v.Y)
		c.emit(float32Ops[v.Op], d, x, y)
		return
	case b.Info()&types.IsFloat != 0:
		x, y := c.use(v.X), c.use(v.Y)
		c.emit(float64Ops[v.Op], d, x, y)
		return
	}
	c.intop(v, d, t)
}

// narrow holds the fused forms of arithmetic on narrow integers.
var narrow = map[layout.Scalar]map[token.Token]bytecode.Op{
	layout.S32: {token.ADD: bytecode.AddS32, token.SUB: bytecode.SubS32, token.MUL: bytecode.MulS32},
	layout.U32: {token.ADD: bytecode.AddU32, token.SUB: bytecode.SubU32, token.MUL: bytecode.MulU32},
	layout.U8:  {token.ADD: bytecode.AddU8, token.SUB: bytecode.SubU8},
}

// intop emits integer arithmetic: with a small constant as an immediate operand, in one instruction
// for the commonest narrow types, or else in 64 bits and normalized. Quotients of signed integers
// can leave the type's range (-128 / -1), those of unsigned ones cannot; and remainders and bit
// operations never do.
//
// Example: x int32. x + 1 is AddS32 with the constant in a register, not AddI: the immediate form
// does not extend.
//
// One operation on 64 bits serves all widths because the low bits of a sum, difference or product depend
// only on the low bits of the operands. Quotients, remainders and right shifts depend on all bits, and are
// right because operands are extended.
func (c *compiler) intop(v *ssa.BinOp, d int, t types.Type) {
	k := layout.ScalarOf(t)
	// Only 64-bit types: there is no normalizing here. x - i is x + (-i), unless -i is out of
	// range.
	if i, ok := smallConst(v.Y); ok && k == layout.W64 {
		switch {
		case v.Op == token.ADD:
			c.emit(bytecode.AddI, d, c.use(v.X), int(uint16(i)))
			return
		case v.Op == token.SUB && i != -1<<15:
			c.emit(bytecode.AddI, d, c.use(v.X), int(uint16(-i)))
			return
		case v.Op == token.MUL:
			c.emit(bytecode.MulI, d, c.use(v.X), int(uint16(i)))
			return
		}
	}
	// With a mask that is not negative the result is in the range of any type that holds the mask.
	if i, ok := smallConst(v.Y); ok && v.Op == token.AND && i >= 0 {
		c.emit(bytecode.AndI, d, c.use(v.X), int(i))
		return
	}
	x, y := c.use(v.X), c.use(v.Y)
	// The commonest narrow types have operations that extend their results themselves.
	if op, ok := narrow[k][v.Op]; ok {
		c.emit(op, d, x, y)
		return
	}
	u := isUnsigned(t)
	var op bytecode.Op
	ext := false
	switch v.Op {
	case token.ADD:
		op, ext = bytecode.Add, true
	case token.SUB:
		op, ext = bytecode.Sub, true
	case token.MUL:
		op, ext = bytecode.Mul, true
	// -128 / -1 is 128, which int8 does not have: it wraps around to -128. No quotient of
	// unsigned numbers is larger than its dividend.
	case token.QUO:
		op, ext = bytecode.DivS, true
		if u {
			op, ext = bytecode.DivU, false
		}
	case token.REM:
		op = bytecode.RemS
		if u {
			op = bytecode.RemU
		}
	case token.AND:
		op = bytecode.And
	case token.OR:
		op = bytecode.Or
	case token.XOR:
		op = bytecode.Xor
	case token.AND_NOT:
		op = bytecode.AndNot
	}
	c.emit(op, d, x, y)
	if ext {
		c.normalize(d, t)
	}
}

// shift emits d = X << Y or d = X >> Y. The machine's shifts have Go's semantics for counts of 64
// and more; a signed count is checked for being negative. Shifting right needs no normalizing.
// The count may exceed the width of a narrow type: a right shift meets copies of the sign (or
// zeros) in the extended register, and a left shift leaves zeros in the bits that normalizing
// keeps.
//
// Example: int8(-128) >> 9 is -1: the register has 64 bits, and the upper 57 are copies of the sign.
//
//	x << n, x >> n with n < 64 known     ShlI, ShrSI, ShrUI
//	n unsigned                           Shl, ShrS, ShrU
//	n signed                             ChkShift n, then as above
func (c *compiler) shift(v *ssa.BinOp, d int) {
	t := v.X.Type()
	u := isUnsigned(t)
	// A constant count needs no check, because the type checker has refused negative ones. A count of 64 or
	// more is treated as one that is not constant: everything is shifted out.
	if k, ok := v.Y.(*ssa.Const); ok && k.Value != nil {
		if n := constWords(k)[0]; n < 64 {
			op := bytecode.ShlI
			switch {
			case v.Op == token.SHR && u:
				op = bytecode.ShrUI
			case v.Op == token.SHR:
				op = bytecode.ShrSI
			}
			c.emit(op, d, c.use(v.X), int(n))
			if v.Op == token.SHL {
				c.normalize(d, t)
			}
			return
		}
	}
	x, y := c.use(v.X), c.use(v.Y)
	if !isUnsigned(v.Y.Type()) {
		c.emit(bytecode.ChkShift, y, 0, 0)
	}
	op := bytecode.Shl
	switch {
	case v.Op == token.SHR && u:
		op = bytecode.ShrU
	case v.Op == token.SHR:
		op = bytecode.ShrS
	}
	c.emit(op, d, x, y)
	if v.Op == token.SHL {
		c.normalize(d, t)
	}
}

// compare emits d = X op Y.
//
//	x > y    LtS d, y, x         operands are in registers: nothing is evaluated in another order
//	x >= y   LeS d, y, x
//	x != y   Ne d, x, y; or another comparison and LNot d
//
// Only equality is negated. x >= y is not the negation of x < y if one of them is NaN.
//
// A comparison of interfaces, or of arrays of them, may panic (spec: Comparison operators), so it is an
// operation of the machine that knows the layout.
func (c *compiler) compare(v *ssa.BinOp, d int) {
	t := v.X.Type()
	op := v.Op
	c.clockCompare(v)
	if observable.IsNil(v.X) || observable.IsNil(v.Y) {
		// Slices, maps, funcs, interfaces: the first word decides.
		x := v.X
		if observable.IsNil(x) {
			x = v.Y
		}
		// z is a register that holds 0, because only branches can compare with a constant (compareBranch).
		z := c.temp(1)
		c.emitImm(bytecode.ConstI, z, 0)
		o := bytecode.Eq
		if op == token.NEQ {
			o = bytecode.Ne
		}
		// If both are nil a register is compared with itself.
		if observable.IsNil(x) {
			c.emit(o, d, z, z)
			return
		}
		c.emit(o, d, c.use(x), z)
		return
	}
	x, y := c.use(v.X), c.use(v.Y)
	if op == token.GTR || op == token.GEQ {
		x, y = y, x
		op = map[token.Token]token.Token{token.GTR: token.LSS, token.GEQ: token.LEQ}[op]
	}
	not := false
	if op == token.NEQ {
		op, not = token.EQL, true
	}
	// Three of the six comparisons are left here: == also for !=, < for >, <= for >=.
	pick := func(eq, lt, le bytecode.Op) bytecode.Op {
		switch op {
		case token.EQL:
			return eq
		case token.LSS:
			return lt
		}
		return le
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			c.emit(pick(bytecode.EqStr, bytecode.LtStr, bytecode.LeStr), d, x, y)
		case u.Kind() == types.Float32:
			c.emit(pick(bytecode.EqF32, bytecode.LtF32, bytecode.LeF32), d, x, y)
		case u.Info()&types.IsFloat != 0:
			c.emit(pick(bytecode.EqF64, bytecode.LtF64, bytecode.LeF64), d, x, y)
		case u.Info()&types.IsComplex != 0:
			c.emit(bytecode.Cplx, d, x, y)
			c.word(bytecode.CplxEq | complexBits(t))
		case isUnsigned(t):
			c.emit(pick(bytecode.Eq, bytecode.LtU, bytecode.LeU), d, x, y)
		default:
			c.emit(pick(bytecode.Eq, bytecode.LtS, bytecode.LeS), d, x, y)
		}
	case *types.Interface:
		c.emit(bytecode.EqIface, d, x, y)
	// Which bytes count, and how, is in the layout: padding does not, floats and interfaces do. They are
	// compared as images in registers, where all computed values of these types are.
	case *types.Struct, *types.Array:
		c.emit(bytecode.EqN, d, x, y)
		c.word(uint64(c.l.Layout(t).ID))
	default:
		c.emit(bytecode.Eq, d, x, y)
	}
	if last := &c.code[len(c.code)-1]; not && last.Op == bytecode.Eq {
		last.Op = bytecode.Ne
	} else if not {
		c.emit(bytecode.LNot, d, d, 0)
	}
}

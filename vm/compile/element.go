package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// indexAddr emits dst = &x[i].
//
// The word after it has the size of an element, with the length of an array in its upper half.
func (c *compiler) indexAddr(v *ssa.IndexAddr, dst int) {
	x, i := c.use(v.X), c.use(v.Index)
	c.indexing(v.Index)
	switch t := v.X.Type().Underlying().(type) {
	case *types.Slice:
		c.emit(bytecode.IdxS, dst, x, i)
		c.word(uint64(c.l.Layout(t.Elem()).Size))
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		n := c.elementsAt(a)
		c.emit(bytecode.IdxA, dst, x, i)
		c.word(n<<32 | uint64(c.l.Layout(a.Elem()).Size))
	}
}

// image emits dst = the part of type t at byte off of the register image at src.
// It consists of whole registers, which are moved; or it is a scalar within one register, which is
// extended; all other elements use RLdN.
//
//	struct { a int32; b int8; c [2]int64 } in registers:
//	r0 │ a a a a b . . . │ r1 │ c[0] │ r2 │ c[1] │     a: RLdS32 r0+0   b: RLdS8 r0+4   c: Mov2 r1
func (c *compiler) image(dst, src int, off uint32, t types.Type) {
	l := c.l.Layout(t)
	_, _, op, ok := loadOp(t)
	switch {
	case l.Size == 0:
	case off%8 == 0 && l.Size%8 == 0:
		c.move(dst, src+int(off/8), l.Words())
	case ok:
		c.emit(op, dst, src+int(off/8), int(off%8))
	default:
		c.emit(bytecode.RLdN, dst, src+int(off/8), int(off%8))
		c.word(uint64(l.Size))
	}
}

// field emits the selection of a field from a struct that is in registers.
//
// Offsetsof needs all fields up to the one whose offset is wanted.
func (c *compiler) field(v *ssa.Field) {
	st := v.X.Type().Underlying().(*types.Struct)
	fields := make([]*types.Var, v.Field+1)
	for i := range fields {
		fields[i] = st.Field(i)
	}
	if c.words(v) == 0 {
		return
	}
	c.image(c.dst(v), c.use(v.X), uint32(layout.Sizes.Offsetsof(fields)[v.Field]), v.Type())
}

// indexing records that the next instruction uses i as an index: a panic needs to know whether the index can
// be negative. Narrower unsigned indices are extended with zeros, so they equal signed ones that are not
// negative.
func (c *compiler) indexing(i ssa.Value) {
	c.clockKey(i)
	if isUnsigned(i.Type()) && layout.ScalarOf(i.Type()) == layout.W64 {
		c.f.Unsigned = append(c.f.Unsigned, int32(len(c.code)))
	}
}

// index emits indexing of an array or string value.
//
// An element with a constant index in range is at a known place of the image. The type checker has refused
// constant indices out of range, except for type parameters.
func (c *compiler) index(v *ssa.Index) {
	x := c.use(v.X)
	a, ok := v.X.Type().Underlying().(*types.Array)
	if !ok {
		i, d := c.use(v.Index), c.dst(v)
		c.indexing(v.Index)
		c.emit(bytecode.LdStr, d, x, i)
		return
	}
	l := c.l.Layout(a.Elem())
	if k, ok := v.Index.(*ssa.Const); ok {
		if i := constWords(k)[0]; i < uint64(a.Len()) {
			c.image(c.dst(v), x, uint32(i)*l.Size, a.Elem())
			return
		}
	}
	i, d := c.use(v.Index), c.dst(v)
	c.indexing(v.Index)
	c.countable(a)
	c.emit(bytecode.RIdx, d, x, i)
	c.word(uint64(a.Len())<<32 | uint64(l.Size))
	// RIdx has copied the element's bytes: a narrow scalar is extended now.
	if _, _, op, ok := loadOp(a.Elem()); ok && l.Size < 8 {
		c.emit(op, d, d, 0)
	}
}

// slice emits x[low:high:max]. The word after the operation names the registers of the three
// bounds, NoReg for those left out, and says in its upper bits which have a signed type.
//
//	bits  0     16     32    48
//	      │ low │ high │ max │ signed: bit 48 low, 49 high, 50 max │
func (c *compiler) slice(v *ssa.Slice) {
	if a, ok := v.X.(*ssa.Alloc); ok && c.fused[a] { // make([]T, n, constant)
		t := a.Type().Underlying().(*types.Pointer).Elem().(*types.Array)
		k := c.temp(1)
		c.constant(k, uint64(t.Len()))
		c.emit(bytecode.MkSlice, c.dst(v), c.use(v.High), k)
		c.word(uint64(c.l.Layout(t.Elem()).ID))
		return
	}
	x := c.use(v.X)
	regs, signed := uint64(0), uint64(0)
	for i, b := range []ssa.Value{v.Low, v.High, v.Max} {
		r := uint64(bytecode.NoReg)
		if b != nil {
			r = uint64(c.use(b))
			if t, ok := b.Type().Underlying().(*types.Basic); ok && t.Info()&types.IsUnsigned == 0 {
				signed |= 1 << i
			}
		}
		regs |= r << (16 * i)
	}
	regs |= signed << 48
	switch t := v.X.Type().Underlying().(type) {
	case *types.Slice:
		c.emit(bytecode.SliceS, c.dst(v), x, 0)
		c.word(regs)
		c.word(uint64(c.l.Layout(t.Elem()).Size))
	case *types.Basic:
		c.emit(bytecode.SliceStr, c.dst(v), x, 0)
		c.word(regs)
	case *types.Pointer:
		a := t.Elem().Underlying().(*types.Array)
		if v.Max == nil { // the capacity shows the array's length
			c.countable(a)
		}
		n := c.elementsAt(a)
		c.emit(bytecode.SliceA, c.dst(v), x, 0)
		c.word(regs)
		c.word(n<<32 | uint64(c.l.Layout(a.Elem()).Size))
	}
}

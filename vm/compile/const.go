package compile

import (
	"go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// wordConst returns v's register image if v is a constant of one word.
func (c *compiler) wordConst(v ssa.Value) (uint64, bool) {
	switch v := v.(type) {
	case *ssa.Global:
		return c.l.Global(v), true
	case *ssa.Function:
		return uint64(c.l.Func(v)) | 1<<63, true
	case *ssa.Const:
		if layout.ScalarOf(v.Type()) == layout.NotScalar {
			return 0, false
		}
		if v.Value == nil {
			return 0, true
		}
		return constWords(v)[0], true
	}
	return 0, false
}

// constant emits reg = w.
func (c *compiler) constant(reg int, w uint64) {
	if int64(w) == int64(int32(w)) {
		c.emitImm(bytecode.ConstI, reg, int32(w))
		return
	}
	c.emit(bytecode.Const, reg, 0, 0)
	c.word(w)
}

func (c *compiler) constInto(v *ssa.Const, r int) {
	t := v.Type()
	if v.Value == nil {
		if n := c.words(v); n == 1 {
			c.constant(r, 0)
		} else if n > 1 {
			c.emit(bytecode.Zero, r, n, 0)
		}
		return
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		s := ""
		if v.Value.Kind() == constant.String {
			s = constant.StringVal(v.Value)
		} else {
			i, _ := constant.Int64Val(v.Value)
			s = string(rune(i))
		}
		if s == "" {
			c.emit(bytecode.Zero, r, 2, 0)
			return
		}
		c.constant(r, c.l.Literal(s))
		c.constant(r+1, uint64(len(s)))
		return
	}
	w := constWords(v)
	for i, x := range w {
		c.constant(r+i, x)
	}
}

// constWords returns the register image of a constant that is no string.
//
// The value has been converted to the type by the type checker, so that it fits.
func constWords(v *ssa.Const) []uint64 {
	switch b, ok := v.Type().Underlying().(*types.Basic); {
	case !ok:
		// A constant of type-parameter origin or unsafe.Pointer-like type.
		i, _ := constant.Uint64Val(constant.ToInt(v.Value))
		return []uint64{i}
	case b.Info()&types.IsBoolean != 0:
		if constant.BoolVal(v.Value) {
			return []uint64{1}
		}
		return []uint64{0}
	case b.Kind() == types.Float32:
		f, _ := constant.Float32Val(v.Value)
		return []uint64{uint64(math.Float32bits(f))}
	case b.Info()&types.IsFloat != 0:
		f, _ := constant.Float64Val(v.Value)
		return []uint64{math.Float64bits(f)}
	case b.Kind() == types.Complex64:
		re, _ := constant.Float32Val(constant.Real(v.Value))
		im, _ := constant.Float32Val(constant.Imag(v.Value))
		return []uint64{uint64(math.Float32bits(re)) | uint64(math.Float32bits(im))<<32}
	case b.Info()&types.IsComplex != 0:
		re, _ := constant.Float64Val(constant.Real(v.Value))
		im, _ := constant.Float64Val(constant.Imag(v.Value))
		return []uint64{math.Float64bits(re), math.Float64bits(im)}
	case b.Info()&types.IsUnsigned != 0 || b.Kind() == types.UnsafePointer:
		i, _ := constant.Uint64Val(constant.ToInt(v.Value))
		return []uint64{i}
	}
	i, _ := constant.Int64Val(constant.ToInt(v.Value))
	return []uint64{uint64(i)}
}

// smallConst returns v's value if it is an integer constant that fits int16.
func smallConst(v ssa.Value) (int16, bool) {
	k, ok := v.(*ssa.Const)
	if !ok || layout.ScalarOf(k.Type()) == layout.NotScalar {
		return 0, false
	}
	switch layout.ScalarOf(k.Type()) {
	case layout.F32, layout.F64:
		return 0, false
	}
	w := uint64(0)
	if k.Value != nil {
		w = constWords(k)[0]
	}
	if int64(w) == int64(int16(w)) {
		return int16(w), true
	}
	return 0, false
}

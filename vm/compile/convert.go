package compile

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// convert emits a conversion between basic types, strings and slices.
//
// Only a conversion from a slice reads memory that others may write, so only that can be a
// visible operation.
//
// Between integers nothing is checked: excess bits are cut off (spec: Conversions).
// Conversions of slices to arrays are other instructions of SSA.
func (c *compiler) convert(v *ssa.Convert) {
	from, to := v.X.Type().Underlying(), v.Type().Underlying()
	x, d := c.use(v.X), c.dst(v)
	switch to := to.(type) {
	case *types.Slice: // from string
		if layout.ScalarOf(to.Elem()) == layout.U8 {
			c.emit(bytecode.StrToBytes, d, x, 0)
		} else {
			c.emit(bytecode.StrToRunes, d, x, 0)
		}
		return
	case *types.Basic:
		switch f := from.(type) {
		case *types.Slice: // to string
			c.recordPending()
			if layout.ScalarOf(f.Elem()) == layout.U8 {
				c.emit(bytecode.BytesToStr, d, x, 0)
			} else {
				c.emit(bytecode.RunesToStr, d, x, 0)
			}
			return
		case *types.Basic:
			c.convertBasic(v, f, to, x, d)
			return
		}
	}
	c.clockPun(v, x)
	// Pointers and unsafe.Pointer.
	c.move(d, x, c.words(v))
}

// convertBasic emits the conversion of x from basic type f to basic type to.
//
//	to string     from string: the same image; from an integer: a rune
//	complex       from complex only, between the two sizes
//	to float      from an integer there is one operation for each combination: on the way
//	              by float64 a float32 would be rounded twice
//	to integer    from a float: to int64, uint64 or int32 first, then normalized
//
// A wider integer takes the register as it is, since that is extended by the sign of the source
// type.
//
//	uint8(int16(300))     move, then ExtU8: 44
//	int64(int32(-1))      move: the register is -1 already
//	float32(int64(x))     CvtSF32, once rounded
//	int8(float32(x))      CvtF32F64, CvtF64S32, ExtS8
func (c *compiler) convertBasic(v *ssa.Convert, f, to *types.Basic, x, d int) {
	fi, ti := f.Info(), to.Info()
	switch {
	case ti&types.IsString != 0:
		if fi&types.IsString != 0 {
			c.move(d, x, 2)
			return
		}
		// For IntToStr, unsigned values above MaxInt64 are negative; it makes no rune of these, either.
		c.emit(bytecode.IntToStr, d, x, 0)
	case f.Kind() == types.UnsafePointer && isNumberOfStack(v):
		c.emit(bytecode.StackAt, d, 0, 0)
	case fi&types.IsComplex != 0:
		if f.Kind() == to.Kind() || f.Kind() == types.UntypedComplex {
			c.move(d, x, c.words(v))
			return
		}
		wide := 0
		if to.Kind() == types.Complex128 {
			wide = 1
		}
		c.emit(bytecode.CvtC, d, x, wide)
	case fi&types.IsFloat != 0 && ti&types.IsFloat != 0:
		switch {
		case f.Kind() == to.Kind():
			c.move(d, x, 1)
		case to.Kind() == types.Float32:
			c.emit(bytecode.CvtF64F32, d, x, 0)
		default:
			c.emit(bytecode.CvtF32F64, d, x, 0)
		}
	case fi&types.IsFloat != 0:
		// Exact: every float32 is a float64.
		if f.Kind() == types.Float32 {
			t := c.temp(1)
			c.emit(bytecode.CvtF32F64, t, x, 0)
			x = t
		}
		// It goes through the type to which gc converts first, on amd64: a program may depend on the result
		// for a value that does not fit. Values from 1<<63 on fit only uint64.
		switch k := layout.ScalarOf(to); {
		case k == layout.W64 && isUnsigned(to):
			c.emit(bytecode.CvtF64U, d, x, 0)
		case k == layout.W64, k == layout.U32:
			c.emit(bytecode.CvtF64S, d, x, 0)
			c.normalize(d, to)
		default:
			c.emit(bytecode.CvtF64S32, d, x, 0)
			if k != layout.S32 {
				c.normalize(d, to)
			}
		}
	case ti&types.IsFloat != 0:
		op := bytecode.CvtSF64
		switch {
		case isUnsigned(f) && to.Kind() == types.Float32:
			op = bytecode.CvtUF32
		case isUnsigned(f):
			op = bytecode.CvtUF64
		case to.Kind() == types.Float32:
			op = bytecode.CvtSF32
		}
		c.emit(op, d, x, 0)
	default: // integers, uintptr and unsafe.Pointer
		c.move(d, x, 1)
		if layout.ScalarOf(to) != layout.ScalarOf(f) {
			c.normalize(d, to)
		}
	}
}

// Package bounds has the arithmetic of bounds on values with labels (package shadow): the least and
// the largest number that a register can have, whatever the values of the draws that it is computed
// from.
//
// The functions that compute these numbers are monotone in each operand, rounding included, so that the least
// and the largest result are among the results for the bounds. If a result may wrap around, or be NaN, it has
// no bounds. Two operands may depend on one draw; then the bounds are wider than necessary, but correct.
package bounds

import (
	"math"

	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 one name per operation
)

// A Bound is the knowledge about a register. The zero Bound is unknown.
type Bound struct {
	Kind     Kind
	Lo, Hi   int64
	Flo, Fhi float64
}

// A Kind is the number type as which a register is read.
type Kind uint8

const (
	unbounded Kind = iota
	Integer        // Lo and Hi: the register as a signed number of 64 bits
	Float          // Flo and Fhi: as a float64
)

// Integers returns the bound of integers from lo to hi.
func Integers(lo, hi int64) Bound { return Bound{Kind: Integer, Lo: lo, Hi: hi} }

// Floats is Integers for float64s; infinities and NaNs are not bounds.
func Floats(lo, hi float64) Bound {
	if math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return Bound{}
	}
	return Bound{Kind: Float, Flo: lo, Fhi: hi}
}

// One reports whether there is only one value.
func (b Bound) One() bool {
	return b.Kind == Integer && b.Lo == b.Hi || b.Kind == Float && math.Float64bits(b.Flo) == math.Float64bits(b.Fhi)
}

// corners returns the bounds of f, which is monotone in both operands.
func corners(x, y Bound, f func(a, b int64) (int64, bool)) Bound {
	if x.Kind != Integer || y.Kind != Integer {
		return Bound{}
	}
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, a := range [2]int64{x.Lo, x.Hi} {
		for _, b := range [2]int64{y.Lo, y.Hi} {
			v, ok := f(a, b)
			if !ok {
				return Bound{}
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return Integers(lo, hi)
}

// floatCorners is corners for float64s.
func floatCorners(x, y Bound, f func(a, b float64) float64) Bound {
	if x.Kind != Float || y.Kind != Float {
		return Bound{}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, a := range [2]float64{x.Flo, x.Fhi} {
		for _, b := range [2]float64{y.Flo, y.Fhi} {
			v := f(a, b)
			if math.IsNaN(v) {
				return Bound{}
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return Floats(lo, hi)
}

func addInt(a, b int64) (int64, bool) { c := a + b; return c, (c > a) == (b > 0) }

func subInt(a, b int64) (int64, bool) { c := a - b; return c, (c < a) == (b > 0) }

func mulInt(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	//mutant: bounds do not wrap around [env TestDraws/TestLookWrapped]: "c, c/b == a &&" -> "c, true ||"
	return c, c/b == a && (a != -1 || b != math.MinInt64) && (b != -1 || a != math.MinInt64)
}

// IntResult returns the bound of x op y.
func IntResult(op Op, x, y Bound) Bound {
	switch op {
	case Add:
		return corners(x, y, addInt)
	case Sub:
		return corners(x, y, subInt)
	case Mul:
		return corners(x, y, mulInt)
	case And:
		// If an operand is not negative, it bounds the result, which is not negative then.
		for _, b := range [2]Bound{y, x} {
			if b.Kind == Integer && b.Lo >= 0 {
				return Integers(0, b.Hi)
			}
		}
	case DivU, RemU:
		switch {
		case y.Kind != Integer || y.Lo <= 0:
		case x.Kind == Integer && x.Lo >= 0:
			return IntResult(map[Op]Op{DivU: DivS, RemU: RemS}[op], x, y)
		case op == RemU:
			return Integers(0, y.Hi-1)
		}
	case DivS, RemS:
		if x.Kind != Integer || y.Kind != Integer || y.Lo != y.Hi || y.Lo <= 0 {
			break
		}
		if op == DivS {
			return Integers(x.Lo/y.Lo, x.Hi/y.Lo)
		}
		if x.Lo >= 0 {
			return Integers(0, min(x.Hi, y.Lo-1))
		}
		return Integers(-(y.Lo - 1), y.Lo-1)
	case Shl:
		if y.Kind == Integer && y.Lo == y.Hi && y.Lo >= 0 && y.Lo < 63 {
			return corners(x, Integers(1<<y.Lo, 1<<y.Lo), mulInt)
		}
	case ShrS:
		if x.Kind == Integer && y.Kind == Integer && y.Lo == y.Hi && y.Lo >= 0 && y.Lo < 64 {
			return Integers(x.Lo>>y.Lo, x.Hi>>y.Lo)
		}
	case ShrU:
		if y.Kind == Integer && y.Lo == y.Hi && y.Lo > 0 && y.Lo < 64 {
			if x.Kind == Integer && x.Lo >= 0 {
				return Integers(x.Lo>>y.Lo, x.Hi>>y.Lo)
			}
			return Integers(0, int64(uint64(math.MaxUint64)>>uint64(y.Lo)))
		}
	}
	return Bound{}
}

// FloatResult returns the bound of x op y.
func FloatResult(op Op, x, y Bound) Bound {
	switch op {
	case AddF64:
		return floatCorners(x, y, func(a, b float64) float64 { return a + b })
	case SubF64:
		return floatCorners(x, y, func(a, b float64) float64 { return a - b })
	case MulF64:
		return floatCorners(x, y, func(a, b float64) float64 { return a * b })
	case DivF64:
		if y.Kind == Float && (y.Flo > 0 || y.Fhi < 0) {
			return floatCorners(x, y, func(a, b float64) float64 { return a / b })
		}
	}
	return Bound{}
}

// Converted returns the bound of a conversion of x.
func Converted(op Op, x Bound) Bound {
	fits := func(lo, hi int64) Bound {
		if x.Kind == Integer && x.Lo >= lo && x.Hi <= hi {
			return x
		}
		//mutant: narrow numbers are as large as wide ones [env TestDraws/TestLookNarrow]: "Integers(lo, hi)" -> "x"
		return Integers(lo, hi)
	}
	switch op {
	case ExtS8:
		return fits(math.MinInt8, math.MaxInt8)
	case ExtU8:
		return fits(0, math.MaxUint8)
	case ExtS16:
		return fits(math.MinInt16, math.MaxInt16)
	case ExtU16:
		return fits(0, math.MaxUint16)
	case ExtS32:
		return fits(math.MinInt32, math.MaxInt32)
	case ExtU32:
		return fits(0, math.MaxUint32)
	case Neg:
		return corners(Integers(0, 0), x, subInt)
	case CvtSF64:
		if x.Kind == Integer {
			return Floats(float64(x.Lo), float64(x.Hi))
		}
	case CvtUF64:
		if x.Kind == Integer && x.Lo >= 0 {
			return Floats(float64(x.Lo), float64(x.Hi))
		}
	case CvtF64S:
		const far = 1 << 62
		if x.Kind == Float && x.Flo > -far && x.Fhi < far {
			return Integers(int64(x.Flo), int64(x.Fhi))
		}
	case NegF64:
		if x.Kind == Float {
			return Floats(-x.Fhi, -x.Flo)
		}
	}
	return Bound{}
}

// Certain returns the result of a comparison, if it is the same within the bounds.
func Certain(op Op, x, y Bound) (result, ok bool) {
	switch {
	case x.Kind == Integer && y.Kind == Integer:
		unsigned := op == LtU || op == LeU
		//mutant: negative numbers are small [env TestDraws/TestLookUnsigned]: "unsigned && (x.Lo < 0 || y.Lo < 0)" -> "false && unsigned"
		if unsigned && (x.Lo < 0 || y.Lo < 0) {
			return false, false
		}
		switch op {
		case Eq, Ne:
			if x.Hi < y.Lo || y.Hi < x.Lo {
				return op == Ne, true
			}
			return op == Eq, x.Lo == x.Hi && y.Lo == y.Hi && x.Lo == y.Lo
		case LtS, LtU:
			return x.Hi < y.Lo, x.Hi < y.Lo || x.Lo >= y.Hi
		case LeS, LeU:
			return x.Hi <= y.Lo, x.Hi <= y.Lo || x.Lo > y.Hi
		}
	case x.Kind == Float && y.Kind == Float:
		switch op {
		case EqF64:
			return false, x.Fhi < y.Flo || y.Fhi < x.Flo
		case LtF64:
			return x.Fhi < y.Flo, x.Fhi < y.Flo || x.Flo >= y.Fhi
		case LeF64:
			return x.Fhi <= y.Flo, x.Fhi <= y.Flo || x.Flo > y.Fhi
		}
	}
	return false, false
}

package vm

import (
	"math"

	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in symbolic_exec.go
)

// Bounds of drawn values: the least and the largest number that a register can have, for all values of
// the draws. The functions that compute them are monotone in each operand, rounding included, so
// that the least and the largest result are among those of the bounds. Where a result may wrap around,
// or be NaN, nothing is known. Two operands may be made of one draw; that makes the bounds wider than
// necessary, and still true.

// A bound is the knowledge about a register.
type bound struct {
	kind     boundKind
	lo, hi   int64
	flo, fhi float64
}

type boundKind uint8

const (
	unbounded boundKind = iota
	integer             // lo and hi: the register as a signed number of 64 bits
	float               // flo and fhi: as a float64
)

func integers(lo, hi int64) bound { return bound{kind: integer, lo: lo, hi: hi} }

func floats(lo, hi float64) bound {
	if math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return bound{}
	}
	return bound{kind: float, flo: lo, fhi: hi}
}

// one reports whether there is one value only.
func (b bound) one() bool {
	return b.kind == integer && b.lo == b.hi || b.kind == float && math.Float64bits(b.flo) == math.Float64bits(b.fhi)
}

// boundOf returns the bound of register i: its value, if it has no label.
func (s *symbols) boundOf(g *goroutine, i uint16, kind boundKind) bound {
	if t := g.shadow[g.fp+uint32(i)]; t != nil {
		if b := s.labels[t].bound; b.kind == kind {
			return b
		}
		return bound{}
	}
	v := *g.reg(uint32(i))
	if kind == float {
		return floats(math.Float64frombits(v), math.Float64frombits(v))
	}
	return integers(int64(v), int64(v))
}

// corners returns the bounds of f, which is monotone in both operands.
func corners(x, y bound, f func(a, b int64) (int64, bool)) bound {
	if x.kind != integer || y.kind != integer {
		return bound{}
	}
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, a := range [2]int64{x.lo, x.hi} {
		for _, b := range [2]int64{y.lo, y.hi} {
			v, ok := f(a, b)
			if !ok {
				return bound{}
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return integers(lo, hi)
}

// floatCorners is corners for float64s.
func floatCorners(x, y bound, f func(a, b float64) float64) bound {
	if x.kind != float || y.kind != float {
		return bound{}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, a := range [2]float64{x.flo, x.fhi} {
		for _, b := range [2]float64{y.flo, y.fhi} {
			v := f(a, b)
			if math.IsNaN(v) {
				return bound{}
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return floats(lo, hi)
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

// intBound returns the bound of x op y.
func intBound(op Op, x, y bound) bound {
	switch op {
	case Add:
		return corners(x, y, addInt)
	case Sub:
		return corners(x, y, subInt)
	case Mul:
		return corners(x, y, mulInt)
	case And:
		// An operand that is not negative bounds the result, which is not negative then.
		for _, b := range [2]bound{y, x} {
			if b.kind == integer && b.lo >= 0 {
				return integers(0, b.hi)
			}
		}
	case DivU, RemU:
		switch {
		case y.kind != integer || y.lo <= 0:
		case x.kind == integer && x.lo >= 0:
			return intBound(map[Op]Op{DivU: DivS, RemU: RemS}[op], x, y)
		case op == RemU:
			return integers(0, y.hi-1)
		}
	case DivS, RemS:
		if x.kind != integer || y.kind != integer || y.lo != y.hi || y.lo <= 0 {
			break
		}
		if op == DivS {
			return integers(x.lo/y.lo, x.hi/y.lo)
		}
		if x.lo >= 0 {
			return integers(0, min(x.hi, y.lo-1))
		}
		return integers(-(y.lo - 1), y.lo-1)
	case Shl:
		if y.kind == integer && y.lo == y.hi && y.lo >= 0 && y.lo < 63 {
			return corners(x, integers(1<<y.lo, 1<<y.lo), mulInt)
		}
	case ShrS:
		if x.kind == integer && y.kind == integer && y.lo == y.hi && y.lo >= 0 && y.lo < 64 {
			return integers(x.lo>>y.lo, x.hi>>y.lo)
		}
	case ShrU:
		if y.kind == integer && y.lo == y.hi && y.lo > 0 && y.lo < 64 {
			if x.kind == integer && x.lo >= 0 {
				return integers(x.lo>>y.lo, x.hi>>y.lo)
			}
			return integers(0, int64(uint64(math.MaxUint64)>>uint64(y.lo)))
		}
	}
	return bound{}
}

// floatBound returns the bound of x op y.
func floatBound(op Op, x, y bound) bound {
	switch op {
	case AddF64:
		return floatCorners(x, y, func(a, b float64) float64 { return a + b })
	case SubF64:
		return floatCorners(x, y, func(a, b float64) float64 { return a - b })
	case MulF64:
		return floatCorners(x, y, func(a, b float64) float64 { return a * b })
	case DivF64:
		if y.kind == float && (y.flo > 0 || y.fhi < 0) {
			return floatCorners(x, y, func(a, b float64) float64 { return a / b })
		}
	}
	return bound{}
}

// converted returns the bound of a conversion of x.
func converted(op Op, x bound) bound {
	fits := func(lo, hi int64) bound {
		if x.kind == integer && x.lo >= lo && x.hi <= hi {
			return x
		}
		//mutant: narrow numbers are as large as wide ones [env TestDraws/TestLookNarrow]: "integers(lo, hi)" -> "x"
		return integers(lo, hi)
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
		return corners(integers(0, 0), x, subInt)
	case CvtSF64:
		if x.kind == integer {
			return floats(float64(x.lo), float64(x.hi))
		}
	case CvtUF64:
		if x.kind == integer && x.lo >= 0 {
			return floats(float64(x.lo), float64(x.hi))
		}
	case CvtF64S:
		const far = 1 << 62
		if x.kind == float && x.flo > -far && x.fhi < far {
			return integers(int64(x.flo), int64(x.fhi))
		}
	case NegF64:
		if x.kind == float {
			return floats(-x.fhi, -x.flo)
		}
	}
	return bound{}
}

// certain returns the result of a comparison, if it is the same within the bounds.
func certain(op Op, x, y bound) (result, ok bool) {
	switch {
	case x.kind == integer && y.kind == integer:
		unsigned := op == LtU || op == LeU
		//mutant: negative numbers are small [env TestDraws/TestLookUnsigned]: "unsigned && (x.lo < 0 || y.lo < 0)" -> "false && unsigned"
		if unsigned && (x.lo < 0 || y.lo < 0) {
			return false, false
		}
		switch op {
		case Eq, Ne:
			if x.hi < y.lo || y.hi < x.lo {
				return op == Ne, true
			}
			return op == Eq, x.lo == x.hi && y.lo == y.hi && x.lo == y.lo
		case LtS, LtU:
			return x.hi < y.lo, x.hi < y.lo || x.lo >= y.hi
		case LeS, LeU:
			return x.hi <= y.lo, x.hi <= y.lo || x.lo > y.hi
		}
	case x.kind == float && y.kind == float:
		switch op {
		case EqF64:
			return false, x.fhi < y.flo || y.fhi < x.flo
		case LtF64:
			return x.fhi < y.flo, x.fhi < y.flo || x.flo >= y.fhi
		case LeF64:
			return x.fhi <= y.flo, x.fhi <= y.flo || x.flo > y.fhi
		}
	}
	return false, false
}

package symbolic

import "math/bits"

// forward returns a range of the values of t, given those of its arguments.
func forward(t *Term, r [3]Range) Range {
	w, a, b := t.width, r[0], r[1]
	switch t.op {
	case OpAdd:
		return addRange(a, b, w)
	case OpMul:
		return mulRange(a, b, w)
	case OpDivU:
		if b.MinU > 0 {
			return unsigned(a.MinU/b.MaxU, a.MaxU/b.MinU, w)
		}
	case OpRemU:
		switch {
		case b.MinU > a.MaxU:
			return unsigned(a.MinU, a.MaxU, w)
		case b.MinU > 0:
			return unsigned(0, min(a.MaxU, b.MaxU-1), w)
		}
		return unsigned(0, a.MaxU, w)
	case OpDivS:
		if b.MinS > 0 { // then the function is monotone in each argument, on each side of 0
			return corners(a, b, w, func(x, y int64) int64 { return x / y })
		}
	case OpRemS:
		if b.MinS > 0 {
			lo, hi := min(a.MinS, 0), max(a.MaxS, 0)
			return signedly(max(lo, -(b.MaxS-1)), min(hi, b.MaxS-1), w)
		}
	case OpAnd:
		return unsigned(0, min(a.MaxU, b.MaxU), w)
	case OpOr:
		return unsigned(max(a.MinU, b.MinU), fill(a.MaxU|b.MaxU), w)
	case OpXor:
		return unsigned(0, fill(a.MaxU|b.MaxU), w)
	case OpShl:
		if k := b.MinU; k == b.MaxU && k < uint64(w) && a.MaxU <= mask(w)>>k {
			return unsigned(a.MinU<<k, a.MaxU<<k, w)
		}
	case OpShrU:
		return unsigned(a.MinU>>b.MaxU, a.MaxU>>b.MinU, w)
	case OpShrS:
		return corners(a, Range{MinS: int64(min(b.MinU, 63)), MaxS: int64(min(b.MaxU, 63))}, w,
			func(x, y int64) int64 { return x >> y })
	case OpIte:
		switch {
		case a.MinU == 1:
			return b
		case a.MaxU == 0:
			return r[2]
		}
		return b.join(r[2]).tighten(w)
	case OpTrunc:
		f, m := full(w), mask(w)
		if a.MinU&^m == a.MaxU&^m {
			f.MinU, f.MaxU = a.MinU&m, a.MaxU&m
		}
		if a.MinS >= f.MinS && a.MaxS <= f.MaxS {
			f.MinS, f.MaxS = a.MinS, a.MaxS
		}
		return f.tighten(w)
	case OpSExt:
		return signedly(a.MinS, a.MaxS, w)
	case OpZExt:
		return unsigned(a.MinU, a.MaxU, w)
	case OpEq:
		switch {
		case a.meet(b).empty():
			return exactly(0, Bool)
		case a.MinU == a.MaxU && b.MinU == b.MaxU:
			return exactly(1, Bool)
		}
	case OpLtS:
		return boolean(a.MaxS < b.MinS, a.MinS >= b.MaxS)
	case OpLtU:
		return boolean(a.MaxU < b.MinU, a.MinU >= b.MaxU)
	case OpBoolNot:
		return boolean(a.MaxU == 0, a.MinU == 1)
	case OpBoolAnd:
		return boolean(a.MinU == 1 && b.MinU == 1, a.MaxU == 0 || b.MaxU == 0)
	}
	return full(w)
}

// boolean returns the range of a Bool that is certain to be true, certain to be false, or neither.
func boolean(yes, no bool) Range {
	switch {
	case yes:
		return exactly(1, Bool)
	case no:
		return exactly(0, Bool)
	}
	return full(Bool)
}

// fill returns the least 2^k-1 that is not less than x.
func fill(x uint64) uint64 { return 1<<bits.Len64(x) - 1 }

// corners returns the range of a function that is monotone in each argument, on each side of 0:
// its extremes are at those of the arguments.
func corners(a, b Range, w uint8, f func(x, y int64) int64) Range {
	p, q, r, s := f(a.MinS, b.MinS), f(a.MinS, b.MaxS), f(a.MaxS, b.MinS), f(a.MaxS, b.MaxS)
	return signedly(min(p, q, r, s), max(p, q, r, s), w)
}

// addRange: a sum of intervals is an interval if either none or all of its values wrap.
func addRange(a, b Range, w uint8) Range {
	f, m := full(w), mask(w)
	lo, carryLo := bits.Add64(a.MinU, b.MinU, 0)
	hi, carryHi := bits.Add64(a.MaxU, b.MaxU, 0)
	//mutant: sums do not wrap [symbolic Terms]: "== carryHi && lo&^m == hi&^m" -> "<= 1 && carryHi <= 1"
	if carryLo == carryHi && lo&^m == hi&^m {
		f.MinU, f.MaxU = lo&m, hi&m
	}
	// Signed sums as 65 bits: the number of times that they wrap is -1, 0 or 1.
	low, wrapLow := addSigned(a.MinS, b.MinS, w)
	high, wrapHigh := addSigned(a.MaxS, b.MaxS, w)
	//mutant: signed sums do not wrap [symbolic Terms]: "wrapLow =" -> "wrapLow <"
	if wrapLow == wrapHigh {
		f.MinS, f.MaxS = low, high
	}
	return f.tighten(w)
}

// addSigned returns the sum as it wraps, and whether it does so at the least (-1) or largest (1).
func addSigned(x, y int64, w uint8) (sum int64, wraps int) {
	sum = signed(uint64(x+y), w)
	switch {
	case x < 0 && y < 0 && sum >= 0:
		return sum, -1
	case x >= 0 && y >= 0 && sum < 0:
		return sum, 1
	}
	return sum, 0
}

func mulRange(a, b Range, w uint8) Range {
	f := full(w)
	//mutant: products do not wrap [symbolic Terms]: drop 2
	if hi, lo := bits.Mul64(a.MaxU, b.MaxU); hi == 0 && lo <= f.MaxU {
		f.MinU, f.MaxU = a.MinU*b.MinU, lo
	}
	if lo, hi, ok := products(a, b, w); ok {
		f.MinS, f.MaxS = lo, hi
	}
	return f.tighten(w)
}

// products returns the extremes of signed products, if none of them wraps.
func products(a, b Range, w uint8) (lo, hi int64, ok bool) {
	f := full(w)
	var p [4]int64
	for i, xy := range [4][2]int64{{a.MinS, b.MinS}, {a.MinS, b.MaxS}, {a.MaxS, b.MinS}, {a.MaxS, b.MaxS}} {
		x, y := xy[0], xy[1]
		p[i] = x * y
		//mutant: signed products do not wrap [symbolic Terms]: "|| p[i] < f.MinS || p[i] > f.MaxS " -> ""
		if x != 0 && (p[i]/x != y || x == -1 && y == f.MinS) || p[i] < f.MinS || p[i] > f.MaxS {
			return 0, 0, false
		}
	}
	return min(p[0], p[1], p[2], p[3]), max(p[0], p[1], p[2], p[3]), true
}

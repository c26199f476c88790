package symbolic

// A Range contains the values of a term twice, as unsigned and as signed numbers. Both are closed intervals.
// The range is empty if one of the intervals is.
//
//	width 8:  unsigned [120,130]  is signed [-128,127], as 127 is followed by -128
//	          signed   [-2,3]     is unsigned [0,255]
//
// The two together are stronger than either: tighten intersects them if all values have the same sign.
type Range struct {
	MinU, MaxU uint64
	MinS, MaxS int64
}

// full returns the range of all values of a width.
func full(width uint8) Range {
	if width == Bool {
		return Range{0, 1, 0, 1}
	}
	m := mask(width)
	return Range{0, m, signed(1<<(width-1), width), int64(m >> 1)}
}

// exactly returns the range of one value.
func exactly(x uint64, width uint8) Range {
	s := signed(x, width)
	return Range{x, x, s, s}
}

func (r Range) empty() bool { return r.MinU > r.MaxU || r.MinS > r.MaxS }

// meet returns the values in both.
func (r Range) meet(o Range) Range {
	return Range{max(r.MinU, o.MinU), min(r.MaxU, o.MaxU), max(r.MinS, o.MinS), min(r.MaxS, o.MaxS)}
}

// join returns a range of the values of either.
func (r Range) join(o Range) Range {
	return Range{min(r.MinU, o.MinU), max(r.MaxU, o.MaxU), min(r.MinS, o.MinS), max(r.MaxS, o.MaxS)}
}

// tighten cuts each interval by the other.
func (r Range) tighten(width uint8) Range {
	if r.empty() || width == Bool {
		return r
	}
	half := uint64(1) << (width - 1)
	for range 2 {
		switch { // unsigned to signed: within one half the order is the same
		//mutant: ranges of two signs [symbolic Terms]: "| r.MinU" -> "| r.MaxU"
		case r.MaxU < half || r.MinU >= half:
			r.MinS, r.MaxS = max(r.MinS, signed(r.MinU, width)), min(r.MaxS, signed(r.MaxU, width))
		}
		m := mask(width)
		switch {
		case r.MinS > r.MaxS:
			return r
		case r.MinS >= 0 || r.MaxS < 0:
			r.MinU, r.MaxU = max(r.MinU, uint64(r.MinS)&m), min(r.MaxU, uint64(r.MaxS)&m)
		default:
			// Of both signs: an unsigned bound cannot lie in the gap between the two halves.
			if r.MinU > uint64(r.MaxS) {
				r.MinU = max(r.MinU, uint64(r.MinS)&m)
			}
			if r.MaxU < uint64(r.MinS)&m {
				r.MaxU = min(r.MaxU, uint64(r.MaxS))
			}
		}
		if r.empty() {
			return r
		}
	}
	return r
}

// unsigned and signedly return ranges from only one interval.
func unsigned(lo, hi uint64, width uint8) Range {
	r := full(width)
	r.MinU, r.MaxU = lo, hi
	return r.tighten(width)
}

func signedly(lo, hi int64, width uint8) Range {
	r := full(width)
	r.MinS, r.MaxS = lo, hi
	return r.tighten(width)
}

// boundOf returns the range of a term from those of its arguments.
func (c *Context) boundOf(t *Term) Range {
	switch t.op {
	case OpConst:
		return exactly(t.value, t.width)
	case OpVar:
		return full(t.width)
	}
	var r [3]Range
	for i, a := range t.arg {
		if a != nil {
			r[i] = a.bound
		}
	}
	return forward(t, r)
}

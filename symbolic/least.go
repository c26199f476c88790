package symbolic

// Align gives the stack one scope for each condition of a path. It keeps the common beginning of
// the stack and the path. So a search that goes back to another state need not remember scopes.
func (s *Solver) Align(path []*Term) {
	n := 0
	//mutant: all conditions are common [symbolic Align]: drop 3
	for n < len(path) && n < len(s.path) && path[n] == s.path[n] {
		n++
	}
	for len(s.path) > n {
		s.Pop()
		s.path = s.path[:len(s.path)-1]
	}
	for _, t := range path[n:] {
		s.Push()
		s.Assert(t)
		s.path = append(s.path, t)
	}
}

// Min returns the least value of t, as a signed or an unsigned number, for which the constraints hold. If the
// result is not Sat, there is no such value, or it is unknown.
func (s *Solver) Min(t *Term, signed bool) (uint64, Result) {
	return s.extreme(t, signed, s.c.lt(signed))
}

// Max returns the largest value of t.
func (s *Solver) Max(t *Term, signed bool) (uint64, Result) {
	lt := s.c.lt(signed)
	return s.extreme(t, signed, func(a, b *Term) *Term { return lt(b, a) })
}

// lt returns one of the two orders.
func (c *Context) lt(signed bool) func(a, b *Term) *Term {
	if signed {
		return c.LtS
	}
	return c.LtU
}

// extreme finds the extreme value of t. Each check asks for a value beyond the middle between the last one
// found and the limit; a model gives a better one.
func (s *Solver) extreme(t *Term, asSigned bool, before func(a, b *Term) *Term) (uint64, Result) {
	r := s.Check()
	if r != Sat {
		return 0, r
	}
	w := t.width
	if w == Bool {
		panic("BUG: the least of a Bool")
	}
	// x^flip is the position of value x in the order, from 0 on. flip inverts the sign bit for
	// signed values, and all bits for the largest value.
	flip := uint64(0)
	if asSigned {
		flip = 1 << (w - 1)
	}
	if before(s.c.Const(w, flip^mask(w)), s.c.Const(w, flip)).IsTrue() {
		flip ^= mask(w)
	}
	lo, hi := uint64(0), s.c.Eval(t, s.Model())^flip
	for lo < hi {
		middle := lo + (hi-lo)/2
		switch s.Check(s.c.BoolNot(before(s.c.Const(w, middle^flip), t))) {
		case Sat:
			hi = s.c.Eval(t, s.Model()) ^ flip
		case Unsat:
			lo = middle + 1
		default:
			return 0, Unknown
		}
	}
	return hi ^ flip, Sat
}

// Values returns the values of t for which the constraints hold, the least ones first, at most limit of them.
// The result is Sat if these are all values, and there is at least one. It is Unsat if there is no value, and
// Unknown if there are more values or the solver cannot decide.
func (s *Solver) Values(t *Term, signed bool, limit int) ([]uint64, Result) {
	s.Push()
	defer s.Pop()
	var all []uint64
	for {
		x, r := s.Min(t, signed)
		switch {
		case r == Unsat && len(all) > 0:
			return all, Sat
		case r != Sat:
			return all, r
		case len(all) == limit:
			return all, Unknown
		}
		all = append(all, x)
		s.Assert(s.c.lt(signed)(s.c.Const(t.width, x), t))
	}
}

// Least returns the smallest values of variables for which the constraints hold: of the first
// variable, then of the second with this value of the first, and so on. The order of values is 0,
// 1, 2 ...; for a variable that signed reports, -1, -2 ... come after these.
func (s *Solver) Least(vars []*Term, signed func(v *Term) bool) (Model, Result) {
	s.Push()
	defer s.Pop()
	m := make(Model, len(vars))
	for _, v := range vars {
		x, r := s.small(v, signed(v))
		if r != Sat {
			return nil, r
		}
		m[v] = x
		s.Assert(s.c.Eq(v, s.c.Const(v.width, x)))
	}
	return m, s.Check()
}

// small returns the smallest value of v.
func (s *Solver) small(v *Term, signed bool) (uint64, Result) {
	if v.width == Bool {
		if r := s.Check(s.c.BoolNot(v)); r != Unsat {
			return 0, r
		}
		return 1, s.Check(v)
	}
	if signed {
		zero := s.c.Const(v.width, 0)
		switch s.Check(s.c.LeS(zero, v)) {
		case Unsat:
			return s.Max(v, true)
		case Unknown:
			return 0, Unknown
		}
		s.Push()
		defer s.Pop()
		s.Assert(s.c.LeS(zero, v))
	}
	return s.Min(v, signed)
}

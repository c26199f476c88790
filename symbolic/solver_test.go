package symbolic

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// models calls f with all values of variables.
func models(vars []*Term, f func(Model)) {
	m := make(Model)
	var assign func(i int)
	assign = func(i int) {
		if i == len(vars) {
			f(m)
			return
		}
		for x := range mask(vars[i].width) + 1 {
			m[vars[i]] = x
			assign(i + 1)
		}
	}
	assign(0)
}

// TestBrute compares a solver's answers, in scopes that are opened and closed at random, with all
// values of two or three variables of few bits, and its least models with the least of these
// values.
func TestBrute(t *testing.T) {
	for _, seed := range deep.Seeds(t, 24, 400) {
		g := newGenerator(seed, [][]uint8{{4, 4}, {5, 3}, {3, 3, 2}, {8}, {1, 4}}[seed%5]...)
		s := NewSolver(g.c, Options{})
		var scopes [][]*Term
		now := []*Term{}
		for range 12 {
			switch k := g.r.IntN(8); {
			case k == 0 && len(scopes) > 0:
				s.Pop()
				now, scopes = scopes[len(scopes)-1], scopes[:len(scopes)-1]
			case k <= 2:
				s.Push()
				scopes = append(scopes, slices.Clone(now))
			default:
				x, _ := g.boolean(1 + g.r.IntN(3))
				s.Assert(x)
				now = append(now, x)
			}
			x, _ := g.boolean(2)
			want := Unsat
			models(g.vars, func(m Model) {
				if g.c.Holds(m, now...) && g.c.Holds(m, x) {
					want = Sat
				}
			})
			if got := s.Check(x); got != want {
				t.Fatalf("seed %d: %v is %v with %v, want %v", seed, x, got, now, want)
			} else if got == Sat && !(g.c.Holds(s.Model(), now...) && g.c.Holds(s.Model(), x)) {
				t.Fatalf("seed %d: %v is no model of %v and %v", seed, s.Model(), now, x)
			}
		}
		checkLeast(t, seed, g, s, now)
	}
}

// checkLeast compares the extremes of a term, its values and the least model.
func checkLeast(t *testing.T, seed uint64, g *generator, s *Solver, now []*Term) {
	t.Helper()
	c := g.c
	x, _ := g.number(g.vars[0].width, 2)
	for _, s2 := range []bool{false, true} {
		order := func(a, b uint64) int {
			switch {
			case a == b:
				return 0
			case c.lt(s2)(c.Const(x.width, a), c.Const(x.width, b)).IsTrue():
				return -1
			}
			return 1
		}
		var all []uint64
		models(g.vars, func(m Model) {
			if y := c.Eval(x, m); c.Holds(m, now...) && !slices.Contains(all, y) {
				all = append(all, y)
			}
		})
		slices.SortFunc(all, order)
		got, r := s.Values(x, s2, len(all))
		if want := [2]Result{Unsat, Sat}[min(len(all), 1)]; r != want || !slices.Equal(got, all) {
			t.Fatalf("seed %d: values of %v are %v (%v), want %v", seed, x, got, r, all)
		}
		if len(all) == 0 {
			continue
		}
		if y, r := s.Max(x, s2); r != Sat || y != all[len(all)-1] {
			t.Fatalf("seed %d: the largest of %v is %v (%v), want %v", seed, x, y, r, all)
		}
		if got, r := s.Values(x, s2, len(all)-1); r != Unknown || !slices.Equal(got, all[:len(all)-1]) {
			t.Fatalf("seed %d: of %v the first values are %v (%v), want %v", seed, x, got, r, all)
		}
	}
	// Small: 0, 1, 2 ... and then -1, -2 ... of the variables with an even number.
	small := func(v *Term) bool { return v.value%2 == 0 }
	rank := func(m Model) (k []uint64) {
		for _, v := range g.vars {
			x := m[v]
			if small(v) && x > mask(v.width)>>1 {
				x = 1<<32 - x
			}
			k = append(k, x)
		}
		return k
	}
	var want []uint64
	models(g.vars, func(m Model) {
		if k := rank(m); c.Holds(m, now...) && (want == nil || slices.Compare(k, want) < 0) {
			want = k
		}
	})
	m, r := s.Least(g.vars, small)
	if (want == nil) != (r == Unsat) || r == Sat && !slices.Equal(rank(m), want) {
		t.Fatalf("seed %d: the least model is %v (%v), want %v", seed, m, r, want)
	}
}

// TestAlign: any stack can become that of another path.
func TestAlign(t *testing.T) {
	c := NewContext()
	s := NewSolver(c, Options{})
	x := c.Var(1, 64, "x")
	below := func(n uint64) *Term { return c.LtU(x, c.Const(64, n)) }
	last := func(path ...*Term) uint64 {
		s.Align(path)
		if s.Depth() != len(path) {
			t.Errorf("%d scopes for %d conditions", s.Depth(), len(path))
		}
		y, _ := s.Max(x, false)
		return y
	}
	for _, step := range []struct {
		path []*Term
		want uint64
	}{
		{[]*Term{below(10), below(5)}, 4},
		{[]*Term{below(10), below(7)}, 6},
		{[]*Term{below(10)}, 9},
		{[]*Term{below(3), below(10)}, 2},
		{nil, 1<<64 - 1},
		{[]*Term{below(3), below(3)}, 2},
		{[]*Term{below(3)}, 2},
	} {
		if got := last(step.path...); got != step.want {
			t.Errorf("%v: largest is %d, want %d", step.path, got, step.want)
		}
	}
}

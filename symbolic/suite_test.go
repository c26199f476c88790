package symbolic

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// A problem is a set of constraints, typical of Go programs, that the built-in layer cannot decide.
type problem struct {
	name string
	want Result
	set  func(c *Context, v func() *Term) []*Term // v makes variables
	bits uint8
}

var problems = []problem{
	// sums, compared
	{"sum of two that fits is not too large", Unsat, func(c *Context, v func() *Term) []*Term {
		a, b, most := v(), v(), v()
		return []*Term{c.LeU(a, most), c.LeU(b, c.Sub(most, a)), c.LtU(c.ZExt(most, 64), c.Add(c.ZExt(a, 64), c.ZExt(b, 64)))}
	}, 32},
	{"sum of two that wraps is small", Sat, func(c *Context, v func() *Term) []*Term {
		a, b, most := v(), v(), v()
		return []*Term{c.LeU(c.Add(a, b), most), c.LtU(c.ZExt(most, 64), c.Add(c.ZExt(a, 64), c.ZExt(b, 64)))}
	}, 32},
	{"sum of six that are small is not negative", Unsat, func(c *Context, v func() *Term) []*Term {
		sum := c.Const(32, 0)
		var set []*Term
		for range 6 {
			x := v()
			set = append(set, c.LeS(c.Const(32, 0), x), c.LtS(x, c.Const(32, 1<<28)))
			sum = c.Add(sum, x)
		}
		return append(set, c.LtS(sum, c.Const(32, 0)))
	}, 32},
	{"more than a balance is withdrawn", Unsat, func(c *Context, v func() *Term) []*Term {
		balance, a, b, d := v(), v(), v(), v()
		left := c.Sub(balance, a)
		less := c.Sub(left, b)
		rest := c.Sub(less, d)
		return []*Term{c.LeU(a, balance), c.LeU(b, left), c.LeU(d, less), c.Ne(c.Add(c.Add(a, b), c.Add(d, rest)), balance)}
	}, 64},
	{"sums in another order", Unsat, func(c *Context, v func() *Term) []*Term {
		a, b, d, e := v(), v(), v(), v()
		return []*Term{c.LtU(c.Add(c.Add(a, b), c.Add(d, e)), c.Add(c.Add(a, d), c.Add(b, e)))}
	}, 32},
	{"the middle of two is between them", Unsat, func(c *Context, v func() *Term) []*Term {
		lo, hi := v(), v()
		middle := c.Add(lo, c.DivS(c.Sub(hi, lo), c.Const(64, 2)))
		return []*Term{c.LeS(c.Const(64, 0), lo), c.LtS(lo, hi), c.BoolOr(c.LtS(middle, lo), c.LeS(hi, middle))}
	}, 64},
	{"the middle by a sum that wraps is not", Sat, func(c *Context, v func() *Term) []*Term {
		lo, hi := v(), v()
		middle := c.DivS(c.Add(lo, hi), c.Const(64, 2))
		return []*Term{c.LeS(c.Const(64, 0), lo), c.LtS(lo, hi), c.BoolOr(c.LtS(middle, lo), c.LeS(hi, middle))}
	}, 64},
	{"intervals that do not overlap", Unsat, func(c *Context, v func() *Term) []*Term {
		a, n, b, m, x := v(), v(), v(), v(), v()
		small := func(t *Term) *Term { return c.LtU(t, c.Const(32, 1<<30)) }
		return []*Term{small(a), small(n), small(b), small(m), c.LeU(c.Add(a, n), b),
			c.LeU(a, x), c.LtU(x, c.Add(a, n)), c.LeU(b, x), c.LtU(x, c.Add(b, m))}
	}, 32},
	// products
	{"a product that is a given one", Sat, func(c *Context, v func() *Term) []*Term {
		a, b := v(), v()
		return []*Term{c.LtU(c.Const(32, 1), a), c.LtU(a, b), c.LtU(b, c.Const(32, 1<<16)), c.Eq(c.Mul(a, b), c.Const(32, 40009*50021))}
	}, 32},
	{"a square that ends in 2", Unsat, func(c *Context, v func() *Term) []*Term {
		a := v()
		return []*Term{c.Eq(c.And(c.Mul(a, a), c.Const(32, 7)), c.Const(32, 2))}
	}, 32},
	{"an area that wraps", Sat, func(c *Context, v func() *Term) []*Term {
		w, h := v(), v()
		return []*Term{c.LtU(c.Const(32, 100), w), c.LtU(c.Const(32, 100), h), c.LtU(c.Mul(w, h), c.Const(32, 50)), c.LtU(w, c.Const(32, 1<<20))}
	}, 32},
	{"a product of a sum is the sum of products", Unsat, func(c *Context, v func() *Term) []*Term {
		a, b, d := v(), v(), v()
		return []*Term{c.Ne(c.Mul(c.Add(a, b), d), c.Add(c.Mul(a, d), c.Mul(b, d)))}
	}, 5},
	{"a price in cents", Unsat, func(c *Context, v func() *Term) []*Term {
		units, cents := v(), v()
		all := c.Add(c.Mul(units, c.Const(32, 100)), cents)
		return []*Term{c.LtU(units, c.Const(32, 1<<20)), c.LtU(cents, c.Const(32, 100)), c.Ne(c.DivU(all, c.Const(32, 100)), units)}
	}, 32},
	// quotients
	{"a quotient and a remainder", Sat, func(c *Context, v func() *Term) []*Term {
		a, b := v(), v()
		return []*Term{c.Eq(c.DivU(a, b), c.Const(32, 12345)), c.Eq(c.RemU(a, b), c.Const(32, 678))}
	}, 32},
	{"a remainder is less than the divisor", Unsat, func(c *Context, v func() *Term) []*Term {
		a, b := v(), v()
		return []*Term{c.LtU(c.Const(16, 0), b), c.LeU(b, c.RemU(a, b))}
	}, 16},
	{"a quotient times the divisor is not larger", Unsat, func(c *Context, v func() *Term) []*Term {
		a, b := v(), v()
		return []*Term{c.LtU(c.Const(8, 0), b), c.LtU(a, c.Mul(c.DivU(a, b), b))}
	}, 8},
	{"quotients of signed numbers", Sat, func(c *Context, v func() *Term) []*Term {
		a, b := v(), v()
		return []*Term{c.LtS(a, c.Const(64, 0)), c.LtS(c.Const(64, 1000), b), c.Eq(c.DivS(a, b), c.Const(64, ^uint64(76))), c.Eq(c.RemS(a, b), c.Const(64, ^uint64(4)))}
	}, 64},
	// hashes and bits
	{"a hash of four bytes", Sat, func(c *Context, v func() *Term) []*Term {
		h := c.Const(32, 2166136261)
		var set []*Term
		for range 3 {
			b := v()
			set = append(set, c.LeU(c.Const(8, 'a'), b), c.LeU(b, c.Const(8, 'z')))
			h = c.Mul(c.Xor(h, c.ZExt(b, 32)), c.Const(32, 16777619))
		}
		return append(set, c.Eq(c.And(h, c.Const(32, 0xfff)), c.Const(32, 0x123)))
	}, 8},
	{"a bit that is counted twice", Unsat, func(c *Context, v func() *Term) []*Term {
		x := v()
		ones := func(t *Term, up bool) *Term {
			n := c.Const(32, 0)
			for i := range uint64(32) {
				if !up {
					i = 31 - i
				}
				n = c.Add(n, c.And(c.ShrU(t, c.Const(32, i)), c.Const(32, 1)))
			}
			return n
		}
		return []*Term{c.Ne(ones(c.And(x, c.Const(32, 0xfff)), true), ones(c.And(x, c.Const(32, 0xfff)), false))}
	}, 32},
	{"rotated there and back", Unsat, func(c *Context, v func() *Term) []*Term {
		x, n := v(), c.And(v(), c.Const(64, 63))
		rotate := func(x, n *Term) *Term { return c.Or(c.Shl(x, n), c.ShrU(x, c.Sub(c.Const(64, 64), n))) }
		return []*Term{c.Ne(rotate(rotate(x, n), c.Sub(c.Const(64, 64), n)), x)}
	}, 64},
}

func (p problem) make() (*Context, []*Term) {
	c := NewContext()
	return c, p.in(c)
}

// in returns the constraints. Their variables have numbers that depend on their width.
func (p problem) in(c *Context) []*Term {
	n := uint64(p.bits) * 100
	return p.set(c, func() *Term {
		n++
		return c.Var(n, p.bits, "v")
	})
}

// BenchmarkSolver solves each problem by circuits, from their beginning.
func BenchmarkSolver(b *testing.B) {
	for _, p := range problems {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				c, set := p.make()
				l := newBlaster(c, mostEffort)
				if r, m := l.check(set); r != p.want || r == Sat && !c.Holds(m, set...) {
					b.Fatalf("%v, want %v", r, p.want)
				}
			}
		})
	}
}

// TestProblems: circuits decide each problem, and their steps are a function of its constraints: they do
// not depend on earlier checks, nor on the order of the constraints.
func TestProblems(t *testing.T) {
	c := NewContext()
	c.Mul(c.Var(99, 32, "other"), c.Var(98, 32, "other")) // terms have other numbers
	used := newBlaster(c, mostEffort)
	for i, p := range problems {
		if !deep.Every(3, i) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			c, set := p.make()
			l := newBlaster(c, mostEffort)
			if r, m := l.check(set); r != p.want || r == Sat && !c.Holds(m, set...) {
				t.Fatalf("%v, want %v", r, p.want)
			}
			set = p.in(used.c)
			slices.Reverse(set)
			if r, _ := used.check(set); r != p.want || used.steps != l.steps {
				t.Errorf("%v after %d steps among others, alone %v after %d", r, used.steps, p.want, l.steps)
			}
			if used.steps < 10000 {
				return
			}
			used.effort = used.steps / 2
			if r, _ := used.check(set); r != Unknown {
				t.Errorf("%v with half of the steps", r)
			}
			used.effort = mostEffort
		})
	}
}

// TestBits: for random constraints on few bits, the answers of circuits agree with a check of all values.
func TestBits(t *testing.T) {
	for _, seed := range deep.Seeds(t, 160, 2000) {
		g := newGenerator(seed, [][]uint8{{4, 4}, {5, 3}, {3, 3, 2}, {8}, {1, 4}}[seed%5]...)
		set := g.constraints()
		want := Unsat
		models(g.vars, func(m Model) {
			if g.c.Holds(m, set...) {
				want = Sat
			}
		})
		if r, m := newBlaster(g.c, mostEffort).check(set); r != want || r == Sat && !g.c.Holds(m, set...) {
			t.Fatalf("seed %d: %v, want %v: %v", seed, r, want, set)
		}
	}
}

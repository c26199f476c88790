package symbolic

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// A generator makes random terms with their values, which are computed by Go's own operations on the
// variables' values, without the terms.
type generator struct {
	c     *Context
	r     *rand.Rand
	vars  []*Term
	model Model
}

func newGenerator(seed uint64, widths ...uint8) *generator {
	g := &generator{c: NewContext(), r: rand.New(rand.NewPCG(seed, 1)), model: Model{}}
	for i, w := range widths {
		v := g.c.Var(uint64(i), w, string(rune('a'+i)))
		g.vars = append(g.vars, v)
	}
	return g
}

// assign gives the variables other values, mostly critical ones.
func (g *generator) assign() {
	for _, v := range g.vars {
		g.model[v] = g.value(v.width)
	}
}

// value returns a value near one of the ends more often than not.
func (g *generator) value(w uint8) uint64 {
	var x uint64
	switch g.r.IntN(4) {
	case 0:
		x = uint64(g.r.IntN(4)) - 2
	case 1:
		x = mask(w)>>1 + uint64(g.r.IntN(3))
	case 2:
		x = 1 << g.r.IntN(64)
	default:
		x = g.r.Uint64()
	}
	return x & mask(w)
}

// number returns a random term of the width and its value; boolean returns a term that is true or
// false.
func (g *generator) number(w uint8, depth int) (*Term, func(Model) uint64) {
	c := g.c
	leaf := func() (*Term, func(Model) uint64) {
		var own []*Term
		for _, v := range g.vars {
			if v.width == w {
				own = append(own, v)
			}
		}
		if len(own) == 0 || g.r.IntN(4) == 0 {
			x := g.value(w)
			return c.Const(w, x), func(Model) uint64 { return x }
		}
		v := own[g.r.IntN(len(own))]
		return v, func(m Model) uint64 { return m[v] }
	}
	if depth == 0 {
		return leaf()
	}
	m := mask(w)
	type two = func(x, y uint64) uint64
	sx := func(x uint64) int64 { return signed(x, w) }
	ops := []struct {
		make func(a, b *Term) *Term
		does two
	}{
		{c.Add, func(x, y uint64) uint64 { return x + y }},
		{c.Sub, func(x, y uint64) uint64 { return x - y }},
		{c.Mul, func(x, y uint64) uint64 { return x * y }},
		{c.And, func(x, y uint64) uint64 { return x & y }},
		{c.Or, func(x, y uint64) uint64 { return x | y }},
		{c.Xor, func(x, y uint64) uint64 { return x ^ y }},
		{c.AndNot, func(x, y uint64) uint64 { return x &^ y }},
		{c.DivU, func(x, y uint64) uint64 {
			if y == 0 {
				return ^uint64(0)
			}
			return x / y
		}},
		{c.RemU, func(x, y uint64) uint64 {
			if y == 0 {
				return x
			}
			return x % y
		}},
		{c.DivS, func(x, y uint64) uint64 {
			switch {
			case y == 0 && sx(x) < 0:
				return 1
			case y == 0:
				return ^uint64(0)
			}
			return uint64(sx(x) / sx(y))
		}},
		{c.RemS, func(x, y uint64) uint64 {
			if y == 0 {
				return x
			}
			return uint64(sx(x) % sx(y))
		}},
	}
	switch k := g.r.IntN(len(ops) + 9); {
	case k < len(ops):
		a, x := g.number(w, depth-1)
		b, y := g.number(w, depth-1)
		return ops[k].make(a, b), func(v Model) uint64 { return ops[k].does(x(v), y(v)) & m }
	case k == len(ops):
		a, x := g.number(w, depth-1)
		return c.Neg(a), func(v Model) uint64 { return -x(v) & m }
	case k == len(ops)+1:
		a, x := g.number(w, depth-1)
		return c.Not(a), func(v Model) uint64 { return ^x(v) & m }
	case k <= len(ops)+4: // shifts, by counts of all widths
		a, x := g.number(w, depth-1)
		n, y := g.number(g.width(), depth-1)
		switch k - len(ops) {
		case 2:
			return c.Shl(a, n), func(v Model) uint64 { return x(v) << y(v) & m }
		case 3:
			return c.ShrU(a, n), func(v Model) uint64 { return x(v) >> y(v) & m }
		}
		return c.ShrS(a, n), func(v Model) uint64 { return uint64(sx(x(v))>>y(v)) & m }
	case k == len(ops)+5:
		cond, z := g.boolean(depth - 1)
		a, x := g.number(w, depth-1)
		b, y := g.number(w, depth-1)
		return c.Ite(cond, a, b), func(v Model) uint64 {
			if z(v) {
				return x(v)
			}
			return y(v)
		}
	case k == len(ops)+6:
		cond, z := g.boolean(depth - 1)
		return c.FromBool(cond, w), func(v Model) uint64 { return truth(z(v)) }
	case k == len(ops)+7:
		from := g.width()
		a, x := g.number(from, depth-1)
		switch {
		case from > w:
			low := uint8(g.r.IntN(int(from-w) + 1))
			return c.Extract(a, low, w), func(v Model) uint64 { return x(v) >> low & m }
		case g.r.IntN(2) == 0:
			return c.ZExt(a, w), x
		}
		return c.SExt(a, w), func(v Model) uint64 { return uint64(signed(x(v), from)) & m }
	case w > 1:
		high := uint8(g.r.IntN(int(w-1)) + 1)
		a, x := g.number(high, depth-1)
		b, y := g.number(w-high, depth-1)
		return c.Concat(a, b), func(v Model) uint64 { return x(v)<<(w-high) | y(v) }
	}
	return leaf()
}

// width returns one of the variables, or any.
func (g *generator) width() uint8 {
	if g.r.IntN(4) == 0 {
		return uint8(g.r.IntN(64) + 1)
	}
	return g.vars[g.r.IntN(len(g.vars))].width
}

func (g *generator) boolean(depth int) (*Term, func(Model) bool) {
	c := g.c
	if depth > 0 && g.r.IntN(3) == 0 {
		a, x := g.boolean(depth - 1)
		b, y := g.boolean(depth - 1)
		switch g.r.IntN(4) {
		case 0:
			return c.BoolAnd(a, b), func(v Model) bool { return x(v) && y(v) }
		case 1:
			return c.BoolOr(a, b), func(v Model) bool { return x(v) || y(v) }
		case 2:
			return c.Eq(a, b), func(v Model) bool { return x(v) == y(v) }
		}
		return c.BoolNot(a), func(v Model) bool { return !x(v) }
	}
	w := g.width()
	a, x := g.number(w, max(depth-1, 0))
	b, y := g.number(w, max(depth-1, 0))
	s := func(x uint64) int64 { return signed(x, w) }
	switch g.r.IntN(7) {
	case 0:
		return c.Eq(a, b), func(v Model) bool { return x(v) == y(v) }
	case 1:
		return c.Ne(a, b), func(v Model) bool { return x(v) != y(v) }
	case 2:
		return c.LtS(a, b), func(v Model) bool { return s(x(v)) < s(y(v)) }
	case 3:
		return c.LeS(a, b), func(v Model) bool { return s(x(v)) <= s(y(v)) }
	case 4:
		return c.LtU(a, b), func(v Model) bool { return x(v) < y(v) }
	case 5:
		return c.LeU(a, b), func(v Model) bool { return x(v) <= y(v) }
	}
	return c.ToBool(a), func(v Model) bool { return x(v) != 0 }
}

// widths are those of the generated terms: Go's, and small ones for which all values are tried.
var widths = [][]uint8{{8, 8, 16}, {32, 64, 64}, {64, 8, 1}, {4, 5, 3}, {1, 1, 2}, {63, 33, 7}}

// TestTerms: a term has the value of Go's operations on the same values, which is within its range.
func TestTerms(t *testing.T) {
	for _, seed := range deep.Seeds(t, 2400, 60000) {
		g := newGenerator(seed, widths[seed%uint64(len(widths))]...)
		w := g.width()
		x, want := g.number(w, 1+int(seed/8%4))
		for range 16 {
			g.assign()
			got := g.c.Eval(x, g.model)
			if got != want(g.model) {
				t.Fatalf("seed %d: %v is %d, want %d under %v", seed, x, got, want(g.model), g.model)
			}
			s := signed(got, w)
			if b := x.bound; got < b.MinU || got > b.MaxU || s < b.MinS || s > b.MaxS {
				t.Fatalf("seed %d: %v is %d, not within %+v", seed, x, got, b)
			}
		}
	}
}

// TestSmall: all operations on all values of 1 to 5 bits, as variables and as constants.
func TestSmall(t *testing.T) {
	for w := uint8(1); w <= 5; w++ {
		c := NewContext()
		a, b := c.Var(0, w, "a"), c.Var(1, w, "b")
		terms := func(a, b *Term) []*Term {
			return []*Term{c.Add(a, b), c.Sub(a, b), c.Mul(a, b), c.DivS(a, b), c.DivU(a, b),
				c.RemS(a, b), c.RemU(a, b), c.And(a, b), c.Or(a, b), c.Xor(a, b), c.AndNot(a, b),
				c.Shl(a, b), c.ShrS(a, b), c.ShrU(a, b), c.Neg(a), c.Not(a), c.Eq(a, b), c.Ne(a, b),
				c.LtS(a, b), c.LtU(a, b), c.LeS(a, b), c.LeU(a, b), c.Ite(c.LtU(a, b), a, b),
				c.SExt(a, 8), c.ZExt(a, 8), c.Concat(a, b),
				c.ShrU(c.Shl(a, b), b), c.Shl(c.ShrU(a, b), b), c.ShrS(c.Shl(a, b), b),
				c.ShrU(c.Shl(c.ZExt(a, 8), b), c.Const(8, 2))}
		}
		both := terms(a, b)
		for x := range uint64(1) << w {
			for y := range uint64(1) << w {
				m := Model{a: x, b: y}
				kx, ky := c.Const(w, x), c.Const(w, y)
				left, right, all := terms(kx, b), terms(a, ky), terms(kx, ky)
				for i, z := range both {
					want, ok := all[i].Const()
					if !ok {
						t.Fatalf("%v of constants is not one", z)
					}
					for _, z := range []*Term{z, left[i], right[i]} {
						if got := c.Eval(z, m); got != want {
							t.Fatalf("%v is %d, want %d, of %d and %d", z, got, want, x, y)
						}
					}
				}
			}
		}
	}
}

// TestIntern: equal terms are the same pointer, whatever the order of arguments, and have equal hashes in
// another context, in which other terms came first.
func TestIntern(t *testing.T) {
	build := func(c *Context) (*Term, *Term) {
		x, y, z := c.Var(1, 32, "x"), c.Var(2, 32, "y"), c.Mul(c.Var(3, 32, "z"), c.Var(1, 32, "x"))
		return c.Add(c.Add(c.Add(x, c.Const(32, 3)), c.Mul(y, z)), c.Const(32, 4)),
			c.Add(c.Add(c.Mul(z, y), c.Const(32, 7)), x)
	}
	c := NewContext()
	a, b := build(c)
	if a != b || c.Term(a.ID()) != a {
		t.Errorf("%v and %v are two terms", a, b)
	}
	other := NewContext()
	other.Mul(other.Var(3, 32, "z"), other.Var(2, 32, "y"))
	if o, _ := build(other); o.Hash() != a.Hash() || o.ID() == a.ID() {
		t.Errorf("%v has the hash %x, want %x", o, o.Hash(), a.Hash())
	}
	if v := a.Vars(); len(v) != 3 || v[0].name != "x" || v[2].name != "z" {
		t.Errorf("%v has the variables %v", a, v)
	}
}

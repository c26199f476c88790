package symbolic

import (
	"os/exec"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// constraints returns sets of random constraints that are likely to be decided either way: on few
// variables, comparisons above all.
func (g *generator) constraints() []*Term {
	set := make([]*Term, 1+g.r.IntN(8))
	for i := range set {
		depth := []int{0, 1, 1, 2, 2, 3}[g.r.IntN(6)]
		set[i], _ = g.boolean(depth)
	}
	return set
}

// order adds constraints like those of the papers' programs: keys that are ordered, differ, or are
// enumerated.
func (g *generator) order(w uint8) *Term {
	c := g.c
	operand := func() *Term {
		v := g.vars[g.r.IntN(len(g.vars))]
		switch g.r.IntN(5) {
		case 0:
			return c.Const(w, g.value(w))
		case 1:
			return c.Add(v, c.Const(w, uint64(g.r.IntN(5))-2))
		}
		return v
	}
	a, b := operand(), operand()
	if w < 64 && g.r.IntN(3) == 0 { // as numbers of more bits
		extend := []func(*Term, uint8) *Term{c.ZExt, c.SExt}[g.r.IntN(2)]
		a, b = c.Add(extend(a, 64), c.Const(64, uint64(g.r.IntN(5))-2)), extend(b, 64)
	}
	return []func(a, b *Term) *Term{c.LtS, c.LeS, c.LtU, c.LeU, c.Eq, c.Ne, c.Ne}[g.r.IntN(7)](a, b)
}

// generated makes the n-th set of constraints.
func generated(n int) (*generator, []*Term) {
	if n%2 == 0 {
		g := newGenerator(uint64(n), widths[n/2%len(widths)]...)
		return g, g.constraints()
	}
	w := []uint8{64, 32, 8, 3}[n/2%4]
	g := newGenerator(uint64(n), []uint8{w, w, w, w, w}[:2+n/8%4]...)
	set := make([]*Term, 2+g.r.IntN(10))
	for i := range set {
		set[i] = g.order(w)
	}
	return g, set
}

// layerEffort bounds a check: products and quotients of 64 bits are hard.
const layerEffort = 1 << 20

// pipes returns the external solvers that there are on this machine.
func pipes(t *testing.T) map[string]*smt {
	found := make(map[string]*smt)
	for _, program := range Externals() {
		if _, err := exec.LookPath(program); err == nil {
			s := newSMT(nil, program, layerEffort)
			t.Cleanup(s.close)
			found[program] = s
		}
	}
	return found
}

// TestLayers: no two layers contradict each other, and each model satisfies its constraints.
func TestLayers(t *testing.T) { testLayers(t, nil) }

// TestExternalLayers: the same for external solvers.
func TestExternalLayers(t *testing.T) {
	external := pipes(t)
	if len(external) == 0 {
		t.Skip("there is none of ", Externals())
	}
	testLayers(t, external)
}

func testLayers(t *testing.T, external map[string]*smt) {
	seeds := deep.Seeds(t, 60, 3000)
	var decided [4][3]int
	for _, i := range seeds {
		g, set := generated(int(i))
		layers := []layer{newArith(g.c), newBlaster(g.c, layerEffort)}
		for _, program := range Externals() {
			if pipe, ok := external[program]; ok {
				pipe.c, pipe.ints = g.c, newArith(g.c)
				layers = append(layers, pipe)
			}
		}
		sure := Unknown
		for k, l := range layers {
			r, m := l.check(set)
			decided[k][r]++
			switch {
			case r == Sat && !g.c.Holds(m, set...):
				t.Fatalf("%d: %s: %v is no model of %v", i, l.name(), m, set)
			case r != Unknown && sure != Unknown && r != sure:
				t.Fatalf("%d: %s: %v, others %v: %v", i, l.name(), r, sure, set)
			case r != Unknown:
				sure = r
			}
		}
	}
	t.Logf("built-in, bits, external: %v (unknown, sat, unsat)", decided)
	for _, p := range external {
		if p.failures == mostFailures {
			t.Errorf("%s: %s", p.program, p.trouble)
		}
	}
}

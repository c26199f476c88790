package symbolic

import (
	"fmt"
	"testing"
)

// keys are constraints as from explorations of lists: six keys of 64 bits that differ, between two
// sentinels.
func keys(c *Context) (vars, set []*Term) {
	for i := range uint64(6) {
		vars = append(vars, c.Var(i, 64, fmt.Sprint("k", i)))
	}
	for i, v := range vars {
		set = append(set, c.LtS(c.Const(64, 1<<63), v), c.LtS(v, c.Const(64, 1<<63-1)))
		for _, w := range vars[:i] {
			set = append(set, c.Ne(v, w))
		}
	}
	return vars, set
}

// BenchmarkKeys checks one order of six keys: 15 comparisons one after the other, and the opposite
// of each comparison. These are 30 checks, of which 10 are unsatisfiable.
func BenchmarkKeys(b *testing.B) {
	all := map[string]func(c *Context) layer{
		"built-in": func(c *Context) layer { return newArith(c) },
		"bits":     func(c *Context) layer { return newBlaster(c, 1<<30) },
		"z3":       func(c *Context) layer { return newSMT(c, "z3", 1<<30) },
		"cvc5":     func(c *Context) layer { return newSMT(c, "cvc5", 1<<30) },
	}
	for _, name := range []string{"built-in", "bits", "z3", "cvc5"} {
		b.Run(name, func(b *testing.B) {
			c := NewContext()
			l := all[name](c)
			defer l.close()
			vars, set := keys(c)
			n, sat := 0, 0
			for b.Loop() {
				n, sat = 0, 0
				path := set
				for i, v := range vars {
					for j := i - 1; j >= 0; j-- {
						w := vars[j]
						for _, side := range []*Term{c.LtS(v, w), c.LtS(w, v)} {
							r, _ := l.check(append(path[:len(path):len(path)], side))
							if r == Unknown {
								b.Fatalf("%s does not know", name)
							}
							n++
							sat += int(Unsat - r)
						}
						path = append(path, c.LtS(w, v))
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/check")
			b.ReportMetric(float64(sat), "sat")
		})
	}
}

// BenchmarkSum is the same with arithmetic that wraps, which needs circuits: the sum of the keys has to
// have each remainder.
func BenchmarkSum(b *testing.B) {
	for _, width := range []uint8{32, 64} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			c := NewContext()
			sum := c.Const(width, 0)
			var set []*Term
			for i := range uint64(6) {
				v := c.Var(i, width, fmt.Sprint("k", i))
				set = append(set, c.LtS(sum, v))
				sum = c.Add(c.Mul(sum, c.Const(width, 3)), v)
			}
			l := newBlaster(c, 1<<30)
			k := uint64(0)
			for b.Loop() {
				k++
				if r, _ := l.check(append(set[:len(set):len(set)], c.Eq(c.And(sum, c.Const(width, 1023)), c.Const(width, k%1024)))); r != Sat {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkCached is a check that has been made before, in another order.
func BenchmarkCached(b *testing.B) {
	c := NewContext()
	s := NewSolver(c, Options{})
	vars, set := keys(c)
	for _, t := range set {
		s.Assert(t)
	}
	a, z := c.LtS(vars[0], vars[1]), c.LtS(vars[4], vars[5])
	for b.Loop() {
		s.Push()
		s.Assert(a)
		s.Check(z)
		s.Pop()
		a, z = z, a
	}
}

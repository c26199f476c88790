package symbolic

import (
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/logic"
	"github.com/go-air/gini/z"
)

// blaster decides by bit-blasting: each term becomes a circuit, one literal for each bit, and gini
// says whether the circuit can have the outputs that are wanted.
//
// A circuit is a definition: it restricts nothing until its output is assumed to be true. So it
// stays when the constraint is gone, the next check that has the term uses it again, and what gini
// has learned about it as well. Checks are then solved under assumptions, one for each constraint.
// Searches that go back and forth add little. From most nodes on all is thrown away: there is more
// of the past than of the present then.
type blaster struct {
	c       *Context
	timeout time.Duration
	bits    map[*Term][]z.Lit
	circuit *logic.C
	sat     *gini.Gini
	marks   []int8 // the nodes that gini knows
}

const (
	mostNodes = 1 << 21 // of a circuit: some 200 MB
)

func newBlaster(c *Context, timeout time.Duration) *blaster {
	b := &blaster{c: c, timeout: timeout}
	b.reset()
	return b
}

func (b *blaster) name() string { return "bits" }

func (b *blaster) close() {}

func (b *blaster) reset() {
	b.bits = make(map[*Term][]z.Lit)
	b.circuit = logic.NewC()
	b.sat = gini.New()
	b.marks = nil
}

func (b *blaster) check(set []*Term) (Result, Model) {
	if b.circuit.Len() > mostNodes {
		b.reset()
	}
	outputs := make([]z.Lit, len(set))
	for i, t := range set {
		outputs[i] = b.blast(t)[0]
	}
	b.marks, _ = b.circuit.CnfSince(b.sat, b.marks, outputs...)
	b.sat.Assume(outputs...)
	switch b.sat.Try(b.timeout) {
	case 1:
		return Sat, b.model(set)
	case -1:
		return Unsat, nil
	}
	b.reset() // gini was stopped in the midst of its search
	return Unknown, nil
}

// model reads the values of the variables of a set.
func (b *blaster) model(set []*Term) Model {
	m := make(Model)
	top := b.sat.MaxVar()
	for _, t := range set {
		for _, v := range t.vars {
			var x uint64
			for i, bit := range b.bits[v] {
				if bit.Var() <= top && b.sat.Value(bit) {
					x |= 1 << i
				}
			}
			m[v] = x
		}
	}
	return m
}

// blast returns the literals of t, the lowest bit first.
func (b *blaster) blast(t *Term) []z.Lit {
	if l, ok := b.bits[t]; ok {
		return l
	}
	var arg [3][]z.Lit
	for i, a := range t.arg {
		if a != nil {
			arg[i] = b.blast(a)
		}
	}
	l := b.gates(t, arg[0], arg[1], arg[2])
	b.bits[t] = l
	return l
}

func (b *blaster) gates(t *Term, x, y, w []z.Lit) []z.Lit {
	c := b.circuit
	n := max(int(t.width), 1)
	switch t.op {
	case OpConst:
		return b.constant(t.value, n)
	case OpVar:
		return b.each(n, func(int) z.Lit { return c.Lit() })
	case OpAdd:
		sum, _ := b.add(x, y, c.F)
		return sum
	case OpMul:
		return b.mul(x, y)
	case OpDivU, OpRemU:
		q, r := b.divide(x, y)
		if t.op == OpDivU {
			return q
		}
		return r
	case OpDivS, OpRemS:
		return b.divideSigned(t.op, x, y)
	case OpAnd:
		return b.each(n, func(i int) z.Lit { return c.And(x[i], y[i]) })
	case OpOr:
		return b.each(n, func(i int) z.Lit { return c.Or(x[i], y[i]) })
	case OpXor:
		return b.each(n, func(i int) z.Lit { return c.Xor(x[i], y[i]) })
	case OpShl, OpShrU, OpShrS:
		return b.shift(t.op, x, y)
	case OpIte:
		return b.choose(x[0], y, w)
	case OpTrunc:
		return x[:n]
	case OpSExt:
		return b.each(n, func(i int) z.Lit { return x[min(i, len(x)-1)] })
	case OpZExt:
		return b.each(n, func(i int) z.Lit {
			if i < len(x) {
				return x[i]
			}
			return c.F
		})
	case OpEq:
		same := c.T
		for i := range x {
			same = c.And(same, c.Xor(x[i], y[i]).Not())
		}
		return []z.Lit{same}
	case OpLtU:
		return []z.Lit{b.atLeast(x, y).Not()}
	case OpLtS:
		last := len(x) - 1
		x, y = append([]z.Lit(nil), x...), append([]z.Lit(nil), y...)
		x[last], y[last] = x[last].Not(), y[last].Not() // the order of the signs turned round
		return []z.Lit{b.atLeast(x, y).Not()}
	case OpBoolNot:
		return []z.Lit{x[0].Not()}
	case OpBoolAnd:
		return []z.Lit{c.And(x[0], y[0])}
	}
	panic("BUG: no circuit for " + t.String())
}

func (b *blaster) each(n int, f func(i int) z.Lit) []z.Lit {
	l := make([]z.Lit, n)
	for i := range l {
		l[i] = f(i)
	}
	return l
}

func (b *blaster) constant(x uint64, n int) []z.Lit {
	return b.each(n, func(i int) z.Lit {
		if x>>i&1 == 1 {
			return b.circuit.T
		}
		return b.circuit.F
	})
}

// choose returns x if cond, y otherwise.
func (b *blaster) choose(cond z.Lit, x, y []z.Lit) []z.Lit {
	return b.each(len(x), func(i int) z.Lit { return b.choice(cond, x[i], y[i]) })
}

func (b *blaster) choice(cond, x, y z.Lit) z.Lit {
	if x == y {
		return x
	}
	return b.circuit.Choice(cond, x, y)
}

// add returns x+y+carry and the carry out of it.
func (b *blaster) add(x, y []z.Lit, carry z.Lit) ([]z.Lit, z.Lit) {
	c := b.circuit
	sum := b.each(len(x), func(i int) z.Lit {
		either, both := c.Xor(x[i], y[i]), c.And(x[i], y[i])
		s := c.Xor(either, carry)
		carry = c.Or(both, c.And(either, carry))
		return s
	})
	return sum, carry
}

func (b *blaster) not(x []z.Lit) []z.Lit {
	return b.each(len(x), func(i int) z.Lit { return x[i].Not() })
}

// negate returns -x if cond, x otherwise.
func (b *blaster) negate(cond z.Lit, x []z.Lit) []z.Lit {
	flipped := b.each(len(x), func(i int) z.Lit { return b.circuit.Xor(x[i], cond) })
	sum, _ := b.add(flipped, b.constant(0, len(x)), cond)
	return sum
}

// atLeast reports whether x >= y: whether x-y, which is x+^y+1, has a carry.
func (b *blaster) atLeast(x, y []z.Lit) z.Lit {
	c := b.circuit
	carry := c.T
	for i := range x { // x[i]+^y[i]+carry >= 2
		carry = b.choice(c.Xor(x[i], y[i]), x[i], carry)
	}
	return carry
}

// mul adds x once for each bit of y. Constants are second in a term.
func (b *blaster) mul(x, y []z.Lit) []z.Lit {
	c := b.circuit
	n := len(x)
	sum := b.constant(0, n)
	for k, bit := range y {
		if bit == c.F {
			continue
		}
		row := b.each(n-k, func(i int) z.Lit { return c.And(bit, x[i]) })
		high, _ := b.add(sum[k:], row, c.F)
		sum = append(sum[:k:k], high...)
	}
	return sum
}

// divide is long division. Of 0 it makes what SMT-LIB wants: all bits of the quotient are 1, the
// remainder is x.
func (b *blaster) divide(x, y []z.Lit) (quotient, remainder []z.Lit) {
	c := b.circuit
	n := len(x)
	quotient = make([]z.Lit, n)
	wide := append(append([]z.Lit(nil), y...), c.F)
	remainder = b.constant(0, n+1) // one bit more than y: it is less than 2y
	for i := n - 1; i >= 0; i-- {
		remainder = append([]z.Lit{x[i]}, remainder[:n]...)
		difference, _ := b.add(remainder, b.not(wide), c.T)
		quotient[i] = b.atLeast(remainder, wide)
		remainder = b.choose(quotient[i], difference, remainder)
	}
	return quotient, remainder[:n]
}

// divideSigned divides without the signs: the remainder has that of x, the quotient both.
func (b *blaster) divideSigned(op Op, x, y []z.Lit) []z.Lit {
	sx, sy := x[len(x)-1], y[len(y)-1]
	q, r := b.divide(b.negate(sx, x), b.negate(sy, y))
	if op == OpRemS {
		return b.negate(sx, r)
	}
	return b.negate(b.circuit.Xor(sx, sy), q)
}

// shift moves x by 1, 2, 4 ... as the bits of the count say; higher bits of it leave nothing.
func (b *blaster) shift(op Op, x, count []z.Lit) []z.Lit {
	c := b.circuit
	n := len(x)
	rest := c.F
	if op == OpShrS {
		rest = x[n-1]
	}
	beyond := c.F
	for k, bit := range count {
		if k > 6 || 1<<k >= n {
			beyond = c.Or(beyond, bit)
			continue
		}
		by := 1 << k
		if op == OpShl {
			by = -by
		}
		moved := b.each(n, func(i int) z.Lit {
			if j := i + by; j >= 0 && j < n {
				return x[j]
			}
			return rest
		})
		x = b.choose(bit, moved, x)
	}
	return b.choose(beyond, b.each(n, func(int) z.Lit { return rest }), x)
}

package symbolic

import (
	"cmp"
	"math/bits"
	"slices"
)

// blaster decides by bit-blasting: each term becomes a circuit, one literal for each bit, and sat decides
// whether the circuit can have the required outputs.
//
// The circuits are made anew for each set, from its constraints, in an order that depends only on the set. So
// the answer, even Unknown, is a function of the set alone, independent of earlier checks and of the worker.
// It is also faster than keeping circuits and learned clauses: most circuits become small because of the
// facts of a set, and a later set has other facts.
type blaster struct {
	c      *Context
	effort int // the most steps of a check
	steps  int // steps of the last check
	ranges *arith
	*circuit
	bits map[*Term][]literal
}

func newBlaster(c *Context, effort int) *blaster {
	return &blaster{c: c, effort: effort, ranges: newArith(c)}
}

func (b *blaster) name() string { return "bits" }

func (b *blaster) close() {}

func (b *blaster) check(set []*Term) (Result, Model) {
	set = slices.SortedFunc(slices.Values(set), func(s, t *Term) int {
		return cmp.Or(cmp.Compare(s.hash[0], t.hash[0]), cmp.Compare(s.hash[1], t.hash[1]))
	})
	//mutant: the answer depends on what was asked before [symbolic Problems]: "b.circuit, b.bits = newCircuit(), make(map[*Term][]literal)" -> "if b.circuit == nil {\n\t\tb.circuit, b.bits = newCircuit(), make(map[*Term][]literal)\n\t}"
	b.circuit, b.bits = newCircuit(), make(map[*Term][]literal)
	b.steps = 0
	if b.ranges.begin(set) {
		if !b.ranges.propagate(mostRounds) {
			return Unsat, nil
		}
		for _, v := range variables(set) {
			b.bits[v] = b.within(v, b.ranges.rangeOf(v))
		}
	}
	var outputs []literal
	for _, t := range set {
		outputs = append(outputs, b.blast(t)[0])
	}
	s := newSAT(len(b.nodes))
	b.load(s, outputs)
	r := s.solve(b.effort)
	b.steps = s.steps
	if r != Sat {
		return r, nil
	}
	return Sat, b.model(s, set)
}

// load adds the clauses of the outputs, and of all nodes that they are computed from.
func (b *blaster) load(s *sat, outputs []literal) {
	s.clause(yes)
	needed := make([]bool, len(b.nodes))
	for _, l := range outputs {
		s.clause(l)
		needed[l.node()] = true
	}
	for i := len(b.nodes) - 1; i > 0; i-- {
		if needed[i] {
			for _, l := range b.nodes[i].in {
				needed[l.node()] = true
			}
		}
	}
	for i := 1; i < len(b.nodes); i++ {
		if needed[i] {
			b.clauses(int32(i), s.clause)
			s.queue.add(int32(i))
		}
	}
}

// within returns the literals of a variable that has values of a range only: the high bits are 0, or all
// of them are the sign.
func (b *blaster) within(v *Term, r Range) []literal {
	n := max(int(v.width), 1)
	low := bits.Len64(r.MaxU)
	//mutant: a variable has no sign bit [symbolic Bits]: "MinS))) + 1" -> "MinS)))"
	if s := bits.Len64(uint64(max(r.MaxS, ^r.MinS))) + 1; s <= low {
		l := b.each(min(s, n), func(int) literal { return b.input() })
		return b.each(n, func(i int) literal { return l[min(i, len(l)-1)] })
	}
	return b.each(n, func(i int) literal {
		if i < low {
			return b.input()
		}
		return no
	})
}

// model reads the values of the variables of a set.
func (b *blaster) model(s *sat, set []*Term) Model {
	m := make(Model)
	for _, t := range set {
		for _, v := range t.vars {
			var x uint64
			for i, bit := range b.bits[v] {
				if s.values[bit] > 0 {
					x |= 1 << i
				}
			}
			m[v] = x
		}
	}
	return m
}

// blast returns the literals of t, the lowest bit first.
func (b *blaster) blast(t *Term) []literal {
	if l, ok := b.bits[t]; ok {
		return l
	}
	if t.op == OpAdd || t.op == OpMul && t.arg[1].op == OpConst {
		l := b.combine(sumOf(t))
		b.bits[t] = l
		return l
	}
	if t.op == OpEq {
		left, right := differing(t.arg[0], t.arg[1])
		l := []literal{b.equal(b.combine(left), b.combine(right))}
		b.bits[t] = l
		return l
	}
	var arg [3][]literal
	for i, a := range t.arg {
		if a != nil {
			arg[i] = b.blast(a)
		}
	}
	l := b.gates(t, arg[0], arg[1], arg[2])
	b.bits[t] = l
	return l
}

func (b *blaster) gates(t *Term, x, y, w []literal) []literal {
	n := max(int(t.width), 1)
	switch t.op {
	case OpConst:
		return b.constant(t.value, n)
	case OpVar:
		return b.each(n, func(int) literal { return b.input() })
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
		return b.each(n, func(i int) literal { return b.and(x[i], y[i]) })
	case OpOr:
		return b.each(n, func(i int) literal { return b.or(x[i], y[i]) })
	case OpXor:
		return b.each(n, func(i int) literal { return b.xor(x[i], y[i]) })
	case OpShl, OpShrU, OpShrS:
		return b.shift(t.op, x, y)
	case OpIte:
		return b.choose(x[0], y, w)
	case OpTrunc:
		return x[:n]
	case OpSExt:
		return b.each(n, func(i int) literal { return x[min(i, len(x)-1)] })
	case OpZExt:
		return b.each(n, func(i int) literal {
			if i < len(x) {
				return x[i]
			}
			return no
		})
	case OpLtU:
		return []literal{b.atLeast(x, y).not()}
	case OpLtS:
		last := len(x) - 1
		x, y = append([]literal(nil), x...), append([]literal(nil), y...)
		//mutant: circuits compare without signs [symbolic Bits]
		x[last], y[last] = x[last].not(), y[last].not() // the order of the signs turned round
		return []literal{b.atLeast(x, y).not()}
	case OpBoolNot:
		return []literal{x[0].not()}
	case OpBoolAnd:
		return []literal{b.and(x[0], y[0])}
	}
	panic("BUG: no circuit for " + t.String())
}

func (b *blaster) each(n int, f func(i int) literal) []literal {
	l := make([]literal, n)
	for i := range l {
		l[i] = f(i)
	}
	return l
}

func (b *blaster) constant(x uint64, n int) []literal {
	return b.each(n, func(i int) literal {
		if x>>i&1 == 1 {
			return yes
		}
		return no
	})
}

// choose returns x if cond, y otherwise.
func (b *blaster) choose(cond literal, x, y []literal) []literal {
	return b.each(len(x), func(i int) literal { return b.choice(cond, x[i], y[i]) })
}

// sum returns x+y+carry and the carry out of it.
func (b *blaster) sum(x, y []literal, carry literal) ([]literal, literal) {
	sum := b.each(len(x), func(i int) literal {
		s := b.parity(x[i], y[i], carry)
		carry = b.majority(x[i], y[i], carry)
		return s
	})
	return sum, carry
}

func (b *blaster) not(x []literal) []literal {
	return b.each(len(x), func(i int) literal { return x[i].not() })
}

func (b *blaster) equal(x, y []literal) literal {
	same := yes
	for i := range x {
		same = b.and(same, b.xor(x[i], y[i]).not())
	}
	return same
}

// negate returns -x if cond, x otherwise.
func (b *blaster) negate(cond literal, x []literal) []literal {
	flipped := b.each(len(x), func(i int) literal { return b.xor(x[i], cond) })
	sum, _ := b.sum(flipped, b.constant(0, len(x)), cond)
	return sum
}

// atLeast reports whether x >= y: whether x-y, which is x+^y+1, has a carry.
func (b *blaster) atLeast(x, y []literal) literal {
	carry := yes
	for i := range x {
		carry = b.majority(x[i], y[i].not(), carry)
	}
	return carry
}

// mul adds x once for each bit of y. Constants are second in a term.
func (b *blaster) mul(x, y []literal) []literal {
	n := len(x)
	sum := b.constant(0, n)
	for k, bit := range y {
		if bit == no {
			continue
		}
		row := b.each(n-k, func(i int) literal { return b.and(bit, x[i]) })
		high, _ := b.sum(sum[k:], row, no)
		sum = append(sum[:k:k], high...)
	}
	return sum
}

// divide is long division. For a divisor of 0 it follows SMT-LIB: all bits of the quotient are 1, the
// remainder is x.
func (b *blaster) divide(x, y []literal) (quotient, remainder []literal) {
	n := len(x)
	quotient = make([]literal, n)
	//mutant: no bit more than the divisor [symbolic Layers]: "append([]literal(nil), y...), no)\n\tremainder = b.constant(0, n+1" -> "[]literal(nil), y...)\n\tremainder = b.constant(0, n"
	wide := append(append([]literal(nil), y...), no)
	remainder = b.constant(0, n+1) // has one bit more than y, because the remainder is less than 2y
	for i := n - 1; i >= 0; i-- {
		remainder = append([]literal{x[i]}, remainder[:n]...)
		difference, _ := b.sum(remainder, b.not(wide), yes)
		quotient[i] = b.atLeast(remainder, wide)
		remainder = b.choose(quotient[i], difference, remainder)
	}
	return quotient, remainder[:n]
}

// divideSigned divides without the signs: the remainder has that of x, the quotient both.
func (b *blaster) divideSigned(op Op, x, y []literal) []literal {
	sx, sy := x[len(x)-1], y[len(y)-1]
	q, r := b.divide(b.negate(sx, x), b.negate(sy, y))
	if op == OpRemS {
		return b.negate(sx, r)
	}
	//mutant: quotients have no sign [symbolic Bits]: "b.negate(b.xor(sx, sy), q)" -> "q"
	return b.negate(b.xor(sx, sy), q)
}

// shift moves x by 1, 2, 4 ... for each bit that is set in the count; if one of the higher bits is set,
// nothing of x remains.
func (b *blaster) shift(op Op, x, count []literal) []literal {
	n := len(x)
	rest := no
	if op == OpShrS {
		rest = x[n-1]
	}
	beyond := no
	for k, bit := range count {
		if k > 6 || 1<<k >= n {
			//mutant: circuits shift by a few bits [symbolic Bits]
			beyond = b.or(beyond, bit)
			continue
		}
		by := 1 << k
		if op == OpShl {
			by = -by
		}
		moved := b.each(n, func(i int) literal {
			if j := i + by; j >= 0 && j < n {
				return x[j]
			}
			return rest
		})
		x = b.choose(bit, moved, x)
	}
	return b.choose(beyond, b.each(n, func(int) literal { return rest }), x)
}

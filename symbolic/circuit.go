package symbolic

// A literal is a node of a circuit or its negation: twice the node's number, one more if it is
// negated.
type literal int32

// Node 0 is the constant.
const (
	no  literal = 0
	yes literal = 1
)

func (l literal) not() literal { return l ^ 1 }

func (l literal) node() int32 { return int32(l) >> 1 }

// A gate is the function of a node. Adders have special gates: half as many nodes, whose implications a
// search finds at once.
type gate uint8

const (
	gateInput    gate = iota
	gateAnd           // a gate of two
	gateXor           // a gate of two
	gateParity        // a gate of three: the sum bit of an adder
	gateMajority      // a gate of three: its carry
	gateChoice        // the second if the first, else the third
)

// A node is a gate with its inputs; unused inputs are no.
type node struct {
	gate gate
	in   [3]literal
}

// A circuit is a list of nodes, inputs of a node before it. Two nodes of the same structure are one.
type circuit struct {
	nodes []node
	index map[node]literal
}

func newCircuit() *circuit {
	return &circuit{nodes: make([]node, 1), index: make(map[node]literal)}
}

func (c *circuit) add(n node) literal {
	l := literal(2 * len(c.nodes))
	c.nodes = append(c.nodes, n)
	return l
}

func (c *circuit) input() literal { return c.add(node{gate: gateInput}) }

func (c *circuit) hashed(g gate, in ...literal) literal {
	n := node{gate: g}
	copy(n.in[:], in)
	l, ok := c.index[n]
	if !ok {
		l = c.add(n)
		c.index[n] = l
	}
	return l
}

func (c *circuit) and(a, b literal) literal {
	if b < a {
		a, b = b, a
	}
	switch {
	case a == no, a == b.not():
		return no
	case a == yes, a == b:
		return b
	}
	return c.hashed(gateAnd, a, b)
}

func (c *circuit) or(a, b literal) literal { return c.and(a.not(), b.not()).not() }

// The inputs of an xor are positive: negating an input negates the output.
func (c *circuit) xor(a, b literal) literal {
	if b < a {
		a, b = b, a
	}
	sign := (a ^ b) & 1
	a, b = a&^1, b&^1
	switch {
	case a == no:
		return b ^ sign
	case a == b:
		return sign
	}
	return c.hashed(gateXor, a, b) ^ sign
}

// parity is true if one or all of three are.
func (c *circuit) parity(a, b, d literal) literal {
	a, b, d = sorted(a, b, d)
	sign := (a ^ b ^ d) & 1
	a, b, d = a&^1, b&^1, d&^1
	switch {
	case a == no:
		return c.xor(b, d) ^ sign
	case a == b:
		return d ^ sign
	case b == d:
		return a ^ sign
	}
	return c.hashed(gateParity, a, b, d) ^ sign
}

// majority is true if two of three are. The gate of negated inputs is its negation.
func (c *circuit) majority(a, b, d literal) literal {
	a, b, d = sorted(a, b, d)
	switch {
	case a == no:
		return c.and(b, d)
	case a == yes:
		return c.or(b, d)
	case a == b, b == d:
		return b
	case a == b.not():
		return d
	case b == d.not():
		return a
	}
	sign := a & 1
	//mutant: signs of a carry [symbolic Bits]: ", d^sign" -> ", d"
	return c.hashed(gateMajority, a^sign, b^sign, d^sign) ^ sign
}

func (c *circuit) choice(cond, a, b literal) literal {
	if cond&1 == 1 {
		cond, a, b = cond.not(), b, a
	}
	switch {
	case cond == no || a == b:
		return b
	case a == b.not():
		return c.xor(cond, b)
	case a == yes, a == cond:
		return c.or(cond, b)
	case a == no, a == cond.not():
		return c.and(cond.not(), b)
	case b == yes, b == cond.not():
		return c.or(cond.not(), a)
	case b == no, b == cond:
		return c.and(cond, a)
	}
	sign := a & 1
	return c.hashed(gateChoice, cond, a^sign, b^sign) ^ sign
}

func sorted(a, b, d literal) (x, y, z literal) {
	if b < a {
		a, b = b, a
	}
	if d < b {
		b, d = d, b
	}
	if b < a {
		a, b = b, a
	}
	return a, b, d
}

// clauses calls f with clauses that hold if and only if the node has the value that its gate computes.
// A choice has two more clauses, which follow from the others: if both sides have the same value, so has
// the choice.
func (c *circuit) clauses(i int32, f func(...literal)) {
	n := c.nodes[i]
	o := literal(2 * i)
	a, b, d := n.in[0], n.in[1], n.in[2]
	switch n.gate {
	case gateAnd:
		f(o.not(), a)
		f(o.not(), b)
		f(o, a.not(), b.not())
	case gateXor:
		f(o.not(), a, b)
		f(o.not(), a.not(), b.not())
		f(o, a.not(), b)
		f(o, a, b.not())
	case gateParity:
		for k := range literal(8) {
			x, y, z := k&1, k>>1&1, k>>2
			//mutant: a sum bit of two [symbolic Bits]: "o^x^y^z^" -> "o^x^y^"
			f(a^x, b^y, d^z, o^x^y^z^1)
		}
	case gateMajority:
		for _, sign := range []literal{0, 1} {
			f(o^sign, a^sign^1, b^sign^1)
			f(o^sign, a^sign^1, d^sign^1)
			f(o^sign, b^sign^1, d^sign^1)
		}
	case gateChoice:
		for _, sign := range []literal{0, 1} {
			f(o^sign, a.not(), b^sign^1)
			f(o^sign, a, d^sign^1)
			f(o^sign, b^sign^1, d^sign^1)
		}
	}
}

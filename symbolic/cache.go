package symbolic

import "math/bits"

// A cache has the answers for sets of constraints, by the sum of the hashes of their structure: the sum does
// not depend on the order and scope in which constraints are asserted. If a scope is left and entered again,
// the answers for its sets are still found. No answer has to be removed when a scope ends, because the
// scope's constraints are part of the sums.
//
// Two sets with the same sum are as unlikely as two states with the same hash: 128 bits would have to be
// equal.
type cache map[Hash]*answer

// mostAnswers is the number of answers at which a cache is emptied.
const mostAnswers = 1 << 20

func (c cache) add(sum Hash, a *answer) {
	if len(c) >= mostAnswers {
		clear(c)
	}
	c[sum] = a
}

// plus adds hashes as numbers of 128 bits.
func (h Hash) plus(o Hash) Hash {
	low, carry := bits.Add64(h[0], o[0], 0)
	high, _ := bits.Add64(h[1], o[1], carry)
	return Hash{low, high}
}

// An answer is a result; for Sat with a model, or with the answers for parts that have no variable
// in common.
type answer struct {
	result Result
	model  Model
	parts  []*answer
}

// values returns the model.
func (a *answer) values() Model {
	m := make(Model)
	a.fill(m)
	return m
}

// fill adds the values of the model to m.
func (a *answer) fill(m Model) {
	for v, x := range a.model {
		m[v] = x
	}
	for _, p := range a.parts {
		p.fill(m)
	}
}

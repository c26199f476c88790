package symbolic

import (
	"cmp"
	"math"
	"slices"
)

// order is the closure of the comparisons that hold: for each two terms, a bound on how much larger
// the first can be than the second, as numbers without bounds.
//
//	x < y        x - y <= -1
//	x <= y       x - y <= 0
//	x == y       x - y <= 0, y - x <= 0
//	x + k        (x+k) - x <= k, x - (x+k) <= -k     if it cannot wrap
//
// The sum of the bounds on a path bounds the difference of its ends; the smallest sum is the
// strongest bound. A term less than itself is a contradiction. If neither of two terms can be
// larger, they are equal, and a constraint that they differ is a contradiction. If two terms differ
// and one cannot be larger, it is less.
//
// Signed and unsigned comparisons make two separate orders, because the numbers differ.
type order struct {
	nodes []*Term
	where map[*Term]int
	d     []int64 // n*n: d[i*n+j] bounds nodes[i] - nodes[j]
}

// infinite is no bound. Sums that do not fit become infinite, which is weaker but correct.
const infinite = math.MaxInt64

const mostNodesOrdered = 40

// consistent reports whether the order of comparisons by lt has no contradiction.
func (o *order) consistent(a *arith, lt Op) bool {
	o.nodes, o.d = o.nodes[:0], o.d[:0]
	if o.where == nil {
		o.where = make(map[*Term]int)
	}
	clear(o.where)
	compared := false
	for _, t := range a.terms {
		if t.op != lt && t.op != OpEq {
			continue
		}
		if r := a.rangeOf(t); r.MinU == r.MaxU {
			compared = compared || t.op == lt
			o.node(t.arg[0])
			o.node(t.arg[1])
		}
	}
	if !compared && lt == OpLtU {
		o.nodes = o.nodes[:0]
		return true // the other order has handled equality
	}
	for i := 0; i < len(o.nodes); i++ { // a sum and its term
		if t := o.nodes[i]; plusConst(t) {
			o.node(t.arg[0])
		}
	}
	n := len(o.nodes)
	if n < 2 || n > mostNodesOrdered {
		o.nodes = o.nodes[:0]
		return true
	}
	for range n * n {
		o.d = append(o.d, infinite)
	}
	o.bounds(a, lt)
	for _, t := range a.terms {
		if t.op == lt || t.op == OpEq {
			o.compared(a, t)
		}
	}
	return o.close(a)
}

// ascending returns values for all variables: compared variables get increasing values in their order,
// different ones unless they are equal. The values need not be a model.
func (o *order) ascending(a *arith, lt Op) Model {
	m := make(Model)
	for _, t := range a.terms {
		if t.op == OpVar {
			m[t] = a.rangeOf(t).MinU
		}
	}
	n := len(o.nodes)
	byRank := make([]int, n) // ordered by the number of smaller terms, so smaller ones come first
	rank := make([]int, n)
	for i := range n {
		byRank[i] = i
		for j := range n {
			rank[i] += int(truth(o.d[j*n+i] < 0))
		}
	}
	slices.SortStableFunc(byRank, func(i, j int) int { return cmp.Compare(rank[i], rank[j]) })
	var last uint64
	for k, i := range byRank {
		v := o.nodes[i]
		r := a.rangeOf(v)
		x := r.MinU
		if lt == OpLtS {
			x = uint64(r.MinS) & mask(v.width)
		}
		if k > 0 {
			next := (last + 1) & mask(v.width)
			if lt == OpLtS && signed(next, v.width) > signed(x, v.width) || lt == OpLtU && next > x {
				x = next
			}
		}
		for _, j := range byRank[:k] {
			if o.d[i*n+j] == 0 && o.d[j*n+i] == 0 {
				x = m[o.nodes[j]]
			}
		}
		if v.op == OpVar {
			m[v] = x
		}
		if last = x; v.op == OpConst {
			last = v.value
		}
	}
	return m
}

func (o *order) node(t *Term) {
	if _, ok := o.where[t]; !ok {
		o.where[t] = len(o.nodes)
		o.nodes = append(o.nodes, t)
	}
}

// less says that nodes[i] - nodes[j] <= k.
func (o *order) less(i, j int, k int64) {
	p := &o.d[i*len(o.nodes)+j]
	*p = min(*p, k)
}

// bounds adds the bounds from ranges and sums.
func (o *order) bounds(a *arith, lt Op) {
	for i, x := range o.nodes {
		rx := a.rangeOf(x)
		for j, y := range o.nodes {
			if d, ok := difference(rx, a.rangeOf(y), lt); i != j && ok {
				o.less(i, j, d)
			}
		}
		if !plusConst(x) {
			continue
		}
		y, k := x.arg[0], signed(x.arg[1].value, x.width)
		//mutant: sums keep the order [symbolic Layers]: "!wraps(ry, k, x.width, lt)" -> "ry.MinU <= ry.MaxU"
		if ry := a.rangeOf(y); !wraps(ry, k, x.width, lt) && k != math.MinInt64 {
			j := o.where[y]
			o.less(i, j, k)
			o.less(j, i, -k)
		}
	}
}

// difference returns the largest one of two numbers of ranges, if it fits.
func difference(x, y Range, lt Op) (int64, bool) {
	if lt == OpLtS {
		d := x.MaxS - y.MinS
		return d, (d >= 0) == (x.MaxS >= y.MinS)
	}
	d := int64(x.MaxU - y.MinU)
	return d, (d >= 0) == (x.MaxU >= y.MinU)
}

// wraps reports whether the sum of a number of the range and k may wrap.
func wraps(r Range, k int64, w uint8, lt Op) bool {
	if lt == OpLtU {
		if k < 0 {
			return r.MinU < uint64(-k)
		}
		return r.MaxU > mask(w)-uint64(k)
	}
	_, low := addSigned(r.MinS, k, w)
	_, high := addSigned(r.MaxS, k, w)
	return low != 0 || high != 0
}

// compared adds a comparison, if it is known whether it holds.
func (o *order) compared(a *arith, t *Term) {
	r := a.rangeOf(t)
	if r.MinU != r.MaxU {
		return
	}
	i, j := o.where[t.arg[0]], o.where[t.arg[1]]
	switch holds := r.MinU == 1; {
	case t.op == OpEq && holds:
		o.less(i, j, 0)
		o.less(j, i, 0)
	case t.op == OpEq:
	case holds:
		o.less(i, j, -1)
	default:
		o.less(j, i, 0)
	}
}

// close computes the closure (Floyd and Warshall). It repeats this as long as a constraint that two terms
// differ makes the closure stronger. It reports whether no term is less than itself.
func (o *order) close(a *arith) bool {
	n := len(o.nodes)
	for {
		for k := range n {
			for i := range n {
				ik := o.d[i*n+k]
				if ik == infinite {
					continue
				}
				for j := range n {
					if kj := o.d[k*n+j]; kj != infinite {
						o.less(i, j, plus(ik, kj))
					}
				}
			}
		}
		for i := range n {
			if o.d[i*n+i] < 0 {
				return false
			}
		}
		changed := false
		for _, t := range a.terms {
			if t.op != OpEq || a.rangeOf(t).MaxU != 0 {
				continue
			}
			i, j := o.where[t.arg[0]], o.where[t.arg[1]]
			switch x, y := o.d[i*n+j], o.d[j*n+i]; {
			case x == 0 && y == 0:
				return false
			case x == 0:
				o.less(i, j, -1)
				changed = true
			case y == 0:
				o.less(j, i, -1)
				changed = true
			}
		}
		if !changed {
			return true
		}
	}
}

// plus adds bounds. A sum that is too large becomes infinite, and a sum that is too small is increased. Both
// results are weaker bounds than the sum.
func plus(x, y int64) int64 {
	s := x + y
	switch {
	//mutant: sums of differences wrap [symbolic Layers]
	case x > 0 && y > 0 && s < 0:
		return infinite
	case x < 0 && y < 0 && s >= 0:
		return math.MinInt64
	}
	return s
}

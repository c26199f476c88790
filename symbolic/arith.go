package symbolic

import (
	"math"
	"slices"
)

// arith is the built-in layer. It handles ranges, orders and small enumerations:
//
//  1. Every term of the constraints gets a Range: from the ranges of its arguments (forward) and of
//     the terms that use it (backward), until nothing changes. If a range becomes empty: Unsat.
//  2. The comparisons that hold make a graph of differences (order.go). If a cycle says that a term
//     is less than itself: Unsat. Values in ascending order, as small as the ranges allow, are
//     mostly a model: Sat.
//  3. Values for one variable after the other, with the ranges narrowed by each. If all variables
//     have a value and the constraints hold: Sat. If all values of small ranges have been tried:
//     Unsat.
//
// Anything else is Unknown: the number of steps is bounded.
//
// Claim: a range always contains the values of its term in all models of the constraints, given the
// values that are chosen. Proof: the first range contains all values of the term. forward returns a
// range with the term's values for all arguments within their ranges. backward removes a value of
// an argument only if the value is impossible for all values of the term and of the other argument.
type arith struct {
	c     *Context
	place []int32 // by number of a term: its place in terms, from 1
	terms []*Term // all terms of the constraints, arguments before the terms that use them
	r     []Range
	dirty bool // a range has become smaller
	dead  bool // ... and empty
	trail []saved
	order order
	steps int
	model Model
}

// saved is a range before a choice.
type saved struct {
	place int32
	r     Range
}

const (
	mostTerms  = 8000 // terms of the constraints inspected
	mostSteps  = 400  // propagations of one check
	mostRounds = 12   // rounds of one propagation
	mostValues = 64   // all values are tried of a variable with at most this number of values
)

func newArith(c *Context) *arith { return &arith{c: c} }

func (a *arith) name() string { return "built-in" }

func (a *arith) close() {}

func (a *arith) check(set []*Term) (Result, Model) {
	if !a.begin(set) {
		return Unknown, nil
	}
	// Most sets have only orders; then one round is enough.
	if !a.propagate(1) || !a.order.consistent(a, OpLtS) {
		return Unsat, nil
	}
	if a.model = a.order.ascending(a, OpLtS); a.c.Holds(a.model, set...) {
		return Sat, a.model
	}
	if !a.order.consistent(a, OpLtU) {
		return Unsat, nil
	}
	if a.model = a.order.ascending(a, OpLtU); a.c.Holds(a.model, set...) {
		return Sat, a.model
	}
	if a.dirty && (!a.propagate(mostRounds) || !a.order.consistent(a, OpLtS) || !a.order.consistent(a, OpLtU)) {
		return Unsat, nil
	}
	a.steps = 0
	return a.search(set, variables(set))
}

// variables returns those of a set.
func variables(set []*Term) []*Term {
	var vars []*Term
	for _, t := range set {
		vars = union(vars, t.vars)
	}
	return vars
}

// begin lists the terms of a set, all constraints true. There may be too many.
func (a *arith) begin(set []*Term) bool {
	for _, t := range a.terms {
		a.place[t.id] = 0
	}
	a.terms, a.r, a.trail, a.dead = a.terms[:0], a.r[:0], a.trail[:0], false
	if n := len(a.c.terms); len(a.place) < n {
		a.place = append(a.place, make([]int32, n+n/2-len(a.place))...)
	}
	var add func(t *Term)
	add = func(t *Term) {
		if a.place[t.id] != 0 || len(a.terms) > mostTerms {
			return
		}
		for _, x := range t.arg {
			if x != nil {
				add(x)
			}
		}
		a.terms = append(a.terms, t)
		a.r = append(a.r, t.bound)
		a.place[t.id] = int32(len(a.terms))
	}
	for _, t := range set {
		add(t)
	}
	if len(a.terms) > mostTerms {
		return false
	}
	for _, t := range set {
		a.narrow(t, exactly(1, Bool))
	}
	return true
}

// rangeOf returns the present range of a term of the constraints.
func (a *arith) rangeOf(t *Term) Range { return a.r[a.place[t.id]-1] }

// narrow removes values that are not in r. The range may be empty then.
func (a *arith) narrow(t *Term, r Range) {
	i := a.place[t.id] - 1
	old := a.r[i]
	next := old.meet(r)
	if next == old {
		return
	}
	next = next.tighten(t.width)
	a.trail = append(a.trail, saved{i, old})
	a.r[i] = next
	a.dirty = true
	a.dead = a.dead || next.empty()
}

// undo returns to the ranges there were when the trail was that long.
func (a *arith) undo(n int) {
	//mutant: a range is undone halfway [symbolic Brute]: "trail) - 1; i >=" -> "trail) - 1; i >"
	for i := len(a.trail) - 1; i >= n; i-- {
		a.r[a.trail[i].place] = a.trail[i].r
	}
	a.trail, a.dead = a.trail[:n], false
}

// propagate narrows ranges until nothing changes, for a number of rounds. It reports whether none
// is empty. If a.dirty is true afterwards, more rounds may narrow more.
func (a *arith) propagate(rounds int) bool {
	a.steps++
	for range rounds {
		if a.dead {
			return false
		}
		a.dirty = false
		for _, t := range a.terms {
			if t.arg[0] == nil {
				continue
			}
			var r [3]Range
			for k, x := range t.arg {
				if x != nil {
					r[k] = a.rangeOf(x)
				}
			}
			if a.narrow(t, forward(t, r)); a.dead {
				return false
			}
		}
		for i := len(a.terms) - 1; i >= 0; i-- {
			if t := a.terms[i]; t.arg[0] != nil {
				if a.backward(t); a.dead {
					return false
				}
			}
		}
		if !a.dirty {
			break
		}
	}
	return true
}

// backward narrows the arguments of t.
func (a *arith) backward(t *Term) {
	r, x, y := a.rangeOf(t), t.arg[0], t.arg[1]
	rx := a.rangeOf(x)
	var ry Range
	if y != nil {
		ry = a.rangeOf(y)
	}
	w := t.width
	switch t.op {
	case OpAdd:
		a.narrow(x, addRange(r, negated(ry, w), w))
		a.narrow(y, addRange(r, negated(rx, w), w))
	case OpMul:
		if y.is(^uint64(0)) {
			a.narrow(x, negated(r, w))
		}
	case OpXor:
		if y.is(^uint64(0)) {
			m := mask(w)
			a.narrow(x, unsigned(m-r.MaxU, m-r.MinU, w))
		}
	case OpAnd: // each of its bits is also a bit of both arguments
		a.narrow(x, unsigned(r.MinU, mask(w), w))
		a.narrow(y, unsigned(r.MinU, mask(w), w))
	case OpOr:
		a.narrow(x, unsigned(0, r.MaxU, w))
		a.narrow(y, unsigned(0, r.MaxU, w))
	case OpDivU:
		if k := ry.MinU; k == ry.MaxU && k > 0 && r.MaxU <= (mask(w)-(k-1))/k {
			a.narrow(x, unsigned(r.MinU*k, r.MaxU*k+k-1, w))
		}
	case OpShrU:
		if k := ry.MinU; k == ry.MaxU && k < uint64(w) && r.MaxU <= mask(w)>>k {
			a.narrow(x, unsigned(r.MinU<<k, r.MaxU<<k|(1<<k-1), w))
		}
	case OpShl:
		if k := ry.MinU; k == ry.MaxU && k < uint64(w) && rx.MaxU <= mask(w)>>k {
			a.narrow(x, unsigned(r.MinU>>k+truth(r.MinU&(1<<k-1) != 0), r.MaxU>>k, w))
		}
	case OpIte:
		a.backwardIte(t, r)
	case OpTrunc:
		f := full(w)
		switch {
		case rx.MaxU <= f.MaxU:
			a.narrow(x, unsigned(r.MinU, r.MaxU, x.width))
		case rx.MinS >= f.MinS && rx.MaxS <= f.MaxS:
			a.narrow(x, signedly(r.MinS, r.MaxS, x.width))
		}
	case OpZExt:
		m := mask(x.width)
		a.narrow(x, Range{min(r.MinU, m), min(r.MaxU, m), math.MinInt64, math.MaxInt64})
	case OpSExt:
		f := full(x.width)
		a.narrow(x, Range{0, math.MaxUint64, max(r.MinS, f.MinS), min(r.MaxS, f.MaxS)})
	case OpEq, OpLtS, OpLtU:
		if r.MinU == r.MaxU {
			a.compare(t.op, r.MinU == 1, x, y, rx, ry)
		}
	case OpBoolNot:
		a.narrow(x, boolean(r.MaxU == 0, r.MinU == 1))
	case OpBoolAnd:
		switch {
		case r.MinU == 1:
			a.narrow(x, r)
			a.narrow(y, r)
		case r.MaxU == 0 && rx.MinU == 1:
			a.narrow(y, r)
		case r.MaxU == 0 && ry.MinU == 1:
			a.narrow(x, r)
		}
	}
}

// negated returns the range of -x.
func negated(r Range, w uint8) Range {
	n := full(w)
	switch {
	case r.MaxU == 0:
		return r
	//mutant: negation of everything [symbolic Layers]: "case r.MinU > 0" -> "default"
	case r.MinU > 0:
		n.MinU, n.MaxU = -r.MaxU&n.MaxU, -r.MinU&n.MaxU
	}
	if r.MinS > n.MinS {
		n.MinS, n.MaxS = -r.MaxS, -r.MinS
	}
	return n.tighten(w)
}

func (a *arith) backwardIte(t *Term, r Range) {
	cond, x, y := t.arg[0], t.arg[1], t.arg[2]
	rc := a.rangeOf(cond)
	switch {
	case rc.MinU == 1:
		a.narrow(x, r)
	case rc.MaxU == 0:
		a.narrow(y, r)
	default:
		if a.rangeOf(x).meet(r).empty() {
			a.narrow(cond, exactly(0, Bool))
		} else if a.rangeOf(y).meet(r).empty() {
			a.narrow(cond, exactly(1, Bool))
		}
	}
}

// compare narrows the arguments of a comparison that is known to hold, or not to.
func (a *arith) compare(op Op, holds bool, x, y *Term, rx, ry Range) {
	switch {
	case op == OpEq && holds:
		a.narrow(x, ry)
		a.narrow(y, rx)
		return
	case op == OpEq:
		a.differ(x, rx, ry)
		a.differ(y, ry, rx)
		return
	case !holds: // x >= y
		x, y, rx, ry = y, x, ry, rx
	}
	// x < y, or x <= y: each bounds the other, and x < y by one more.
	//mutant: <= is < [symbolic Brute]: "truth(holds" -> "uint64(1"
	step := truth(holds)
	nx, ny := full(x.width), full(y.width)
	switch {
	case op == OpLtS && holds && (ry.MaxS == nx.MinS || rx.MinS == nx.MaxS):
		nx = Range{1, 0, 1, 0}
	case op == OpLtU && holds && (ry.MaxU == 0 || rx.MinU == nx.MaxU):
		nx = Range{1, 0, 1, 0}
	//mutant: propagation knows no sign [symbolic Brute]: "== OpLtS" -> "== OpLtS && nx.MinS == 0"
	case op == OpLtS:
		nx.MaxS, ny.MinS = ry.MaxS-int64(step), rx.MinS+int64(step)
	default:
		nx.MaxU, ny.MinU = ry.MaxU-step, rx.MinU+step
	}
	a.narrow(x, nx)
	a.narrow(y, ny)
}

// differ removes, at the ends of a range, the value of another term that has only one value.
func (a *arith) differ(x *Term, r, other Range) {
	if other.MinU != other.MaxU {
		return
	}
	if r.MinU == r.MaxU {
		if r.MinU == other.MinU {
			a.narrow(x, Range{1, 0, 1, 0})
		}
		return
	}
	v, s := other.MinU, other.MinS
	n := r
	if r.MinU == v {
		n.MinU++
	}
	//mutant: what differs is less [symbolic Brute]: "if r.MaxU == v {\n\t\tn.MaxU--\n\t}" -> "n.MaxU--"
	if r.MaxU == v {
		n.MaxU--
	}
	if r.MinS == s {
		n.MinS++
	}
	if r.MaxS == s {
		n.MaxS--
	}
	a.narrow(x, n)
}

// search gives values to variables.
func (a *arith) search(set, vars []*Term) (Result, Model) {
	v, size := a.choose(vars)
	if v == nil {
		for _, v := range vars {
			a.model[v] = a.rangeOf(v).MinU
		}
		if a.c.Holds(a.model, set...) {
			return Sat, a.model
		}
		return Unsat, nil // the only values there are
	}
	result := Unsat
	//mutant: a few values are all [symbolic Layers]
	if size > mostValues {
		result = Unknown
	}
	for _, x := range candidates(a.rangeOf(v), size, v.width) {
		if a.steps > mostSteps {
			return Unknown, nil
		}
		n := len(a.trail)
		if a.narrow(v, exactly(x, v.width)); a.propagate(mostRounds) {
			switch r, m := a.search(set, vars); r {
			case Sat:
				return r, m
			case Unknown:
				result = Unknown
			}
		}
		a.undo(n)
	}
	return result, nil
}

// choose returns a variable that has several values: one of those with the fewest if all of them
// can be tried, the first otherwise.
func (a *arith) choose(vars []*Term) (*Term, uint64) {
	var best *Term
	least := uint64(math.MaxUint64)
	for _, v := range vars {
		r := a.rangeOf(v)
		size := min(r.MaxU-r.MinU, uint64(r.MaxS)-uint64(r.MinS))
		if size > 0 && (best == nil || size < least && size < mostValues) {
			best, least = v, size
		}
	}
	return best, least
}

// candidates returns the values of a range that are tried, least differences first: all, if they
// are few.
func candidates(r Range, size uint64, w uint8) []uint64 {
	if size <= mostValues {
		all := make([]uint64, 0, size+1)
		for i := range size + 1 {
			x := r.MinU + i
			if r.MaxU-r.MinU != size {
				x = uint64(r.MinS+int64(i)) & mask(w)
			}
			all = append(all, x)
		}
		return all
	}
	var some []uint64
	add := func(x uint64) {
		x &= mask(w)
		if s := signed(x, w); x >= r.MinU && x <= r.MaxU && s >= r.MinS && s <= r.MaxS && !slices.Contains(some, x) {
			some = append(some, x)
		}
	}
	for _, from := range []uint64{0, r.MinU, uint64(r.MinS)} {
		for i := range uint64(3) {
			add(from + i)
		}
	}
	for _, to := range []uint64{uint64(r.MaxS), r.MaxU} {
		add(to)
		add(to - 1)
	}
	return some
}

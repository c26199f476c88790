package symbolic

import (
	"fmt"
	"strings"
)

// integers encodes terms as unbounded numbers, each as its signed value, because solvers are better with
// these than with bit vectors. It is for sets of constraints in which nothing can wrap.
//
// Claim: a set holds for some values if and only if its encoding does. The ranges are those that
// the built-in layer finds for the set; each term is asserted to be within its range.
//
//  1. Values for which the set holds are within all ranges. No operation wraps for arguments within
//     their ranges: usable has checked that. So the encoding has the same values, and holds.
//  2. Numbers for which the encoding holds are within all ranges. So they are values of terms, no
//     operation wraps, the terms have these values, and the set holds.
//
// Operations that may wrap, and those that are not linear, are left to bit vectors.
type integers struct{ a *arith }

// newIntegers returns the encoding of a set, if there is one.
func newIntegers(a *arith, set []*Term) (integers, bool) {
	e := integers{a}
	if !a.begin(set) || !a.propagate(mostRounds) {
		return e, false
	}
	for _, t := range a.terms {
		if !e.usable(t) {
			return e, false
		}
	}
	return e, true
}

// usable reports whether t equals the term of apply, for arguments within their ranges.
func (e integers) usable(t *Term) bool {
	var r [3]Range
	for i, x := range t.arg {
		if x != nil {
			r[i] = e.a.rangeOf(x)
		}
	}
	x, y := r[0], r[1]
	switch t.op {
	case OpConst, OpVar, OpIte, OpEq, OpLtS, OpBoolNot, OpBoolAnd, OpSExt:
		return true
	case OpAdd:
		_, low := addSigned(x.MinS, y.MinS, t.width)
		_, high := addSigned(x.MaxS, y.MaxS, t.width)
		//mutant: integers do not wrap [symbolic ExternalLayers]: "== 0 && high == 0" -> "<= 1 && high <= 1"
		return low == 0 && high == 0
	case OpMul:
		_, _, ok := products(x, y, t.width)
		return ok && t.arg[1].op == OpConst
	case OpLtU:
		//mutant: integers have no sign [symbolic ExternalLayers]: true
		return x.MinS >= 0 && y.MinS >= 0
	case OpZExt:
		//mutant: integers are extended as they are [symbolic ExternalLayers]: true
		return x.MinS >= 0
	case OpTrunc:
		f := full(t.width)
		return x.MinS >= f.MinS && x.MaxS <= f.MaxS
	case OpDivU, OpRemU:
		return x.MinS >= 0 && t.arg[1].op == OpConst && y.MinS > 0
	case OpAnd:
		k := t.arg[1]
		return k.op == OpConst && k.value&(k.value+1) == 0 && y.MinS >= 0
	}
	return false
}

func (integers) logic() string { return "QF_LIA" }

func (integers) sort(v *Term) string {
	if v.width == Bool {
		return "Bool"
	}
	return "Int"
}

func (e integers) about(t *Term) string {
	if t.width == Bool || t.op == OpConst {
		return ""
	}
	name := fmt.Sprintf("t%d", t.id)
	if t.op == OpVar {
		name = fmt.Sprintf("v%d", t.id)
	}
	r := e.a.rangeOf(t)
	//mutant: integers are in half of their range [symbolic ExternalLayers]: "), name, name, number(r.MaxS" -> "/2), name, name, number(r.MaxS/2"
	return fmt.Sprintf("(and (<= %s %s) (<= %s %s))", number(r.MinS), name, name, number(r.MaxS))
}

// number writes a negative number as SMT-LIB wants it.
func number(x int64) string {
	if x < 0 {
		return fmt.Sprintf("(- %d)", uint64(-x))
	}
	return fmt.Sprint(x)
}

var intNames = map[Op]string{
	OpAdd: "+", OpMul: "*", OpDivU: "div", OpRemU: "mod", OpIte: "ite", OpEq: "=", OpLtS: "<",
	OpLtU: "<", OpBoolNot: "not", OpBoolAnd: "and",
}

func (integers) apply(t *Term, a []string) string {
	switch t.op {
	case OpConst:
		if t.width == Bool {
			return fmt.Sprint(t.value == 1)
		}
		return number(signed(t.value, t.width))
	case OpTrunc, OpSExt, OpZExt:
		return a[0]
	case OpAnd: // the low bits, also those of a negative number
		return fmt.Sprintf("(mod %s %d)", a[0], t.arg[1].value+1)
	}
	return "(" + intNames[t.op] + " " + strings.Join(a, " ") + ")"
}

// value reads 5 and (- 5), or true and false.
func (integers) value(v *Term, s sexpr) (uint64, bool) {
	var x uint64
	switch {
	case s.atom == "true" || s.atom == "false":
		return truth(s.atom == "true"), true
	case len(s.list) == 2 && s.list[0].atom == "-":
		n, _ := fmt.Sscan(s.list[1].atom, &x)
		return -x & mask(v.width), n == 1
	}
	n, _ := fmt.Sscan(s.atom, &x)
	return x & mask(v.width), n == 1
}

package symbolic

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
)

// An Op is the operation of a term on its arguments.
type Op uint8

// Operations. Unless noted, their arguments have the width of the result. The other operations of Go are
// functions of a Context that return terms of these.
const (
	OpConst Op = iota + 1 // a constant
	OpVar                 // a variable: any value of its width
	OpAdd
	OpMul
	OpDivS // towards zero; by zero: as SMT-LIB has it
	OpDivU
	OpRemS // the result has the sign of the dividend
	OpRemU
	OpAnd
	OpOr
	OpXor
	OpShl  // counts are unsigned; from the width on the result is 0
	OpShrS // ... or 0 and -1
	OpShrU
	OpIte   // the second argument if the first one, a Bool, holds; otherwise the third
	OpTrunc // the low bits of a wider term
	OpSExt  // a narrower term, extended by its sign
	OpZExt  // a narrower term, extended by zeros
	OpEq    // a Bool, of two terms of the same width that are no Bools; the next two are alike
	OpLtS
	OpLtU
	OpBoolNot // Bool, of Bool; so is the following
	OpBoolAnd
)

// Bool is the width of the terms that are true or false: 1 and 0 as values.
const Bool = 0

// A Term is a value that depends on variables: a Bool, or a bit vector of 1 to 64 bits. Terms are
// immutable; those of one Context are equal if they are the same pointer. Terms of different
// contexts do not mix.
type Term struct {
	op    Op
	width uint8
	id    uint32
	arg   [3]*Term // nil from the number of arguments on
	value uint64   // value of a constant, or number of a variable
	name  string   // name of a variable
	hash  Hash
	vars  []*Term // the variables in the term, by number; shared, never changed
	bound Range   // contains all values of the term, whatever the variables are
}

// A Hash is a hash of a term's structure: it is the same in all contexts and executions.
type Hash [2]uint64

// Op returns the operation of the term on its arguments.
func (t *Term) Op() Op { return t.op }

// Width returns the number of bits, Bool if it is true or false.
func (t *Term) Width() uint8 { return t.width }

// ID returns the number of the term in its context, from 1: Context.Term has the way back.
func (t *Term) ID() uint32 { return t.id }

// Hash returns the hash of its structure.
func (t *Term) Hash() Hash { return t.hash }

// Vars returns the variables in it, by number. The slice is not to be changed.
func (t *Term) Vars() []*Term { return t.vars }

// Var returns the number and the name of a variable.
func (t *Term) Var() (number uint64, name string) { return t.value, t.name }

// Const returns the value of a constant: its low bits, the others are 0.
func (t *Term) Const() (value uint64, ok bool) { return t.value, t.op == OpConst }

// IsTrue and IsFalse report whether the term is one of the two constants among Bools.
func (t *Term) IsTrue() bool { return t.op == OpConst && t.width == Bool && t.value == 1 }

// IsFalse reports whether the term is the constant false.
func (t *Term) IsFalse() bool { return t.op == OpConst && t.width == Bool && t.value == 0 }

// A Context owns terms. It is not for concurrent use. Terms are never forgotten: a search that goes back
// finds the same terms again.
type Context struct {
	terms   []*Term // by number; number 0 is not used
	index   map[key]*Term
	scratch evaluation
}

// key is the structure of a term, by which terms are shared.
type key struct {
	op      Op
	width   uint8
	value   uint64
	a, b, c uint32
}

// Clone returns a context with the terms of c, which never change.
func (c *Context) Clone() *Context {
	return &Context{terms: slices.Clone(c.terms), index: maps.Clone(c.index)}
}

// NewContext returns a context without terms.
func NewContext() *Context {
	return &Context{terms: make([]*Term, 1), index: make(map[key]*Term)}
}

// Term returns the term of that number.
func (c *Context) Term(id uint32) *Term { return c.terms[id] }

// Len returns how many terms there are.
func (c *Context) Len() int { return len(c.terms) - 1 }

// intern returns the term of that structure.
func (c *Context) intern(op Op, width uint8, value uint64, args ...*Term) *Term {
	//mutant: widths are not part of a structure [symbolic Terms]: "width: width, " -> ""
	k := key{op: op, width: width, value: value}
	ids := [3]*uint32{&k.a, &k.b, &k.c}
	for i, a := range args {
		*ids[i] = a.id
	}
	if t := c.index[k]; t != nil {
		return t
	}
	t := &Term{op: op, width: width, value: value, id: uint32(len(c.terms))}
	copy(t.arg[:], args)
	if len(c.terms) > 1<<31 {
		panic("BUG: too many terms")
	}
	h := Hash{mix(uint64(op)<<8|uint64(width), value), mix(value, uint64(op)<<8|uint64(width)+1)}
	for _, a := range args {
		h = Hash{mix(h[0], a.hash[0]), mix(h[1], a.hash[1])}
	}
	t.hash = h
	switch {
	case op == OpVar:
		t.vars = []*Term{t}
	case len(args) > 0:
		t.vars = args[0].vars
		for _, a := range args[1:] {
			t.vars = union(t.vars, a.vars)
		}
	}
	t.bound = c.boundOf(t)
	c.terms = append(c.terms, t)
	c.index[k] = t
	return t
}

// mix returns a hash of h and x in which the order matters.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, x^0xd6e8feb86659fd93)
	h = hi ^ lo ^ bits.RotateLeft64(h, 23) + x
	h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// union returns the variables of two ordered lists: one of the lists if it has all.
func union(a, b []*Term) []*Term {
	if len(a) < len(b) {
		a, b = b, a
	}
	missing := 0
	for _, v := range b {
		if _, ok := slices.BinarySearchFunc(a, v, byNumber); !ok {
			missing++
		}
	}
	if missing == 0 {
		return a
	}
	u := make([]*Term, 0, len(a)+missing)
	for len(a) > 0 && len(b) > 0 {
		switch n := byNumber(a[0], b[0]); {
		case n < 0:
			u, a = append(u, a[0]), a[1:]
		case n > 0:
			u, b = append(u, b[0]), b[1:]
		default:
			u, a, b = append(u, a[0]), a[1:], b[1:]
		}
	}
	return append(append(u, a...), b...)
}

// byNumber orders variables.
func byNumber(a, b *Term) int { return cmp.Compare(a.value, b.value) }

// before is an order of terms that depends on their structure only: operations that commute have
// their arguments in this order, variables first and constants last.
func before(a, b *Term) bool {
	rank := func(t *Term) int {
		switch t.op {
		case OpVar:
			return 0
		case OpConst:
			return 2
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.value, b.value),
		cmp.Compare(a.hash[0], b.hash[0]), cmp.Compare(a.hash[1], b.hash[1])) < 0
}

// mask has the bits of a width.
func mask(width uint8) uint64 {
	if width == Bool {
		return 1
	}
	return ^uint64(0) >> (64 - width)
}

// signed returns the value of the low bits with their sign.
func signed(x uint64, width uint8) int64 {
	if width == Bool {
		return int64(x)
	}
	return int64(x<<(64-width)) >> (64 - width)
}

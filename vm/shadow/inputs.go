package shadow

import (
	"go/token"
	"go/types"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
)

// An Input is a variable: a value that hbtest.Nondet returned.
type Input struct {
	G    trace.GID // the goroutine that asked
	N    uint32    // the number of the variable among those of G
	Of   uint32    // the number of the first variable of the same value
	Type types.Type
	// Length: it is the length of a value of Type, a string or a slice, whose parts follow.
	Length bool
	Param  int            // number, from 1, of the parameter (of a fuzz target or entry) that contains the variable; 0: none
	Field  string         // name of the part of the value, if it is a part
	Pos    token.Position // where
	Value  uint64         // extended as in registers

	term *symbolic.Term
}

// signed reports whether the values of in are ordered as signed numbers.
func (in *Input) signed() bool {
	b, _ := in.Type.Underlying().(*types.Basic)
	return !in.Length && b.Info()&(types.IsUnsigned|types.IsBoolean) == 0
}

// Suppose adds t to the path condition; false if the execution ends.
func (s *Symbols) Suppose(g *Goroutine, t *symbolic.Term) bool { return s.assume(g, s.truth(t)) }

// Inputs returns the least values of the inputs that satisfy the path condition; ok is false if the
// solver does not know them.
func (s *Symbols) Inputs() (list []Input, ok bool) {
	model, r := s.least()
	if r != symbolic.Sat {
		return nil, false
	}
	for _, in := range s.inputs {
		in.Value = model[in.term]
		if w := in.term.Width(); in.signed() && w < 64 {
			in.Value = uint64(int64(in.Value<<(64-w)) >> (64 - w))
		}
		list = append(list, in)
	}
	return list, true
}

// least returns the least inputs of the path condition.
func (s *Symbols) least() (symbolic.Model, symbolic.Result) {
	p := s.align(&s.global, nil)
	p.solver.Align(p.conds)
	vars := make([]*symbolic.Term, len(s.inputs))
	signed := map[*symbolic.Term]bool{}
	for i := range s.inputs {
		in := &s.inputs[i]
		vars[i] = in.term
		signed[in.term] = in.signed()
	}
	return p.solver.Least(vars, func(v *symbolic.Term) bool { return signed[v] })
}

const assumeName = "hbcheck.dev/hbcheck/hbtest.Assume"

// supposeAmong executes hbtest.Assume if there are other goroutines. Their earlier actions, such as a
// crash, belong to the program whether or not the condition holds. So both cases are explored: if the
// condition does not hold the goroutine waits forever, and such an execution is not complete.
func (s *Symbols) supposeAmong(g *Goroutine, reg uint16, t *symbolic.Term) *instr {
	fails, ok := s.is(g, s.ctx.BoolNot(s.truth(t)))
	switch {
	case !ok:
		return nil
	case fails:
		s.m.WaitForever(g)
		return nil
	}
	g.PC++
	return nil
}

// Excluded returns the part of t that cannot be symbolic, or t itself; nil if all of t can be symbolic.
func Excluded(t types.Type) types.Type { return excludedWithin(t, nil) }

// excludedWithin is Excluded for a type inside of the types within. A type that contains itself has
// infinitely large values.
func excludedWithin(t types.Type, within []types.Type) types.Type {
	for _, w := range within {
		if types.Identical(w, t) {
			return t
		}
	}
	within = append(within, t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsInteger|types.IsBoolean|types.IsString) != 0 {
			return nil
		}
	case *types.Array:
		return excludedWithin(u.Elem(), within)
	case *types.Slice:
		return excludedWithin(u.Elem(), within)
	case *types.Struct:
		for i := range u.NumFields() {
			if part := excludedWithin(u.Field(i).Type(), within); part != nil {
				return part
			}
		}
		return nil
	}
	return t
}

// shape decides the lengths of the strings and slices in the next values, which are of these types. If a
// decision has not been made yet it returns false, like decide.
func (s *Symbols) shape(g *Goroutine, ts []types.Type) bool {
	s.lengths = s.lengths[:0]
	next := g.NVars
	for _, t := range ts {
		if !s.shapeOf(g, t, &next) {
			return false
		}
	}
	return true
}

// shapeOf is shape for a part; next is the number of its first variable.
func (s *Symbols) shapeOf(g *Goroutine, t types.Type, next *uint32) bool {
	elems, elem := int64(0), types.Type(nil)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			if !s.shapeOf(g, u.Field(i).Type(), next) {
				return false
			}
		}
		return true
	case *types.Array:
		elems, elem = u.Len(), u.Elem()
	default:
		*next++
		if elem = ElemOf(t); elem == nil {
			return true
		}
		n, ok := s.length(g, *next-1)
		if !ok {
			return false
		}
		s.lengths = append(s.lengths, n)
		elems = int64(n)
	}
	for range elems {
		if !s.shapeOf(g, elem, next) {
			return false
		}
	}
	return true
}

// ElemOf returns the type of the elements of t if it is a string or slice, otherwise nil.
func ElemOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return types.Typ[types.Byte]
		}
	}
	return nil
}

// length decides the length in g's variable of that number. All values from the greatest length on
// mean this length, so that one of the conditions always holds.
func (s *Symbols) length(g *Goroutine, number uint32) (n int, ok bool) {
	c, most := s.ctx, s.inputLen
	v := s.variable(g, number, lengthWidth)
	var conds []*symbolic.Term
	for k := range most {
		conds = append(conds, c.Eq(v, c.Const(lengthWidth, uint64(k))))
	}
	return s.decide(g, append(conds, c.LeU(c.Const(lengthWidth, uint64(most)), v))...)
}

// lengthWidth is the number of bits of a length, and MaxInputLen the greatest length.
const (
	lengthWidth = 16
	MaxInputLen = 1<<lengthWidth - 1
)

func (s *Symbols) variable(g *Goroutine, number uint32, width uint8) *symbolic.Term {
	return s.ctx.Var(uint64(g.ID)<<32|uint64(number), width, "")
}

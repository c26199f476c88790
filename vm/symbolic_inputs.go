package vm

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
)

// An Input is a variable: a value that the program has asked hbtest.Nondet for.
type Input struct {
	G    trace.GID // the goroutine that asked
	N    uint32    // the number of the variable among those of G
	Of   uint32    // the number of the first variable of the same value
	Type types.Type
	// Length: it is the length of a value of Type, a string or a slice, whose parts follow.
	Length bool
	Param  int            // number, from 1, of the parameter of a fuzz target or entry that it is part of; 0: none
	Field  string         // name of the part of the value, if it is a part
	Pos    token.Position // where
	Value  uint64         // extended as in registers

	term *symbolic.Term
}

// nondetType returns the type argument of the call of nondet that g executes.
func (m *Machine) nondetType(g *goroutine) types.Type {
	fn := g.fn.SSA
	if call, ok := g.fn.InstrAt(int(g.executing())).(ssa.CallInstruction); ok {
		if callee := call.Common().StaticCallee(); callee != nil {
			fn = callee
		}
	}
	return fn.TypeArgs()[0]
}

// inputPos returns the position outside of package hbtest and the library that g executes.
func (m *Machine) inputPos(g *goroutine) (pos token.Position) {
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		f := m.code(id)
		if f.SSA == nil || f.Wrapper {
			return true
		}
		if m.link.prog.InHarness(f.SSA) || m.link.prog.InLibrary(f.SSA) {
			return true
		}
		pos = m.fset.Position(f.PosAt(int(pc)))
		return false
	})
	if !pos.IsValid() { // an argument of a fuzz target
		pos = m.fset.Position(m.link.entry.Pos)
	}
	pos.Column, pos.Offset = 0, 0
	return pos
}

// suppose is hbtest.Assume for a condition that depends on inputs.
func (s *symbols) suppose(g *goroutine, t *symbolic.Term) Ctl {
	cond := s.truth(t)
	if !s.assume(g, cond) {
		if s.m.cut.Cause == CutInfeasible {
			s.m.cut = Cut{Cause: CutAssumption, Text: "an assumption of the program does not hold"}
		}
		return Stop
	}
	return Next
}

const assumeName = "hbcheck.dev/hbcheck/hbtest.Assume"

// supposeAmong is hbtest.Assume if there are other goroutines. Their earlier actions, such as a
// crash, belong to the program whether or not the condition holds. So both cases are explored: if
// the condition does not hold the goroutine waits forever, and such an execution is not complete.
func (s *symbols) supposeAmong(g *goroutine, reg uint16, t *symbolic.Term) *instr {
	fails, ok := s.is(g, s.ctx.BoolNot(s.truth(t)))
	switch {
	case !ok:
		return nil
	case fails:
		s.m.setSpinning(g)
		g.assumes = true
		return nil
	}
	g.pc++
	return nil
}

// Symbolic reports whether a value has depended on inputs on this path.
func (v Environment) Symbolic() bool { return v.m.tracking && !v.m.sym.drawn }

// Inputs returns the least values of the inputs that lead to the present state; ok is false if the
// solver does not know them.
func (v Environment) Inputs() (list []Input, ok bool) {
	m := v.m
	if !m.Environment().Symbolic() {
		return nil, true
	}
	s := m.sym
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

// signed reports whether the values of in are ordered as signed numbers.
func (in *Input) signed() bool {
	b, _ := in.Type.Underlying().(*types.Basic)
	return !in.Length && b.Info()&(types.IsUnsigned|types.IsBoolean) == 0
}

// least returns the least inputs of the path condition.
func (s *symbols) least() (symbolic.Model, symbolic.Result) {
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

// An InputKey names a variable in all processes: the n-th one of the goroutine with that spawn
// path.
type InputKey struct {
	G string // "" for main, "0.2" for the third child of main's first child
	N uint32
}

// Key returns the name of an input.
func (v Environment) Key(in Input) InputKey { return InputKey{v.m.pathText(in.G), in.N} }

// givenInput returns the value of g's next variable.
func (m *Machine) givenInput(g *goroutine) uint64 {
	v := m.cfg.Given[InputKey{m.pathText(g.id), g.nvars}]
	g.nvars++
	return v
}

// pathText returns the spawn path of goroutine id.
func (m *Machine) pathText(id trace.GID) string {
	var b []byte
	for i, n := range m.spawn[id].path {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	return string(b)
}

package vm

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/layout"
)

// An Input is a variable: a value that the program has asked hbtest.Nondet for.
type Input struct {
	G     trace.GID // that has asked
	N     uint32    // the number of the variable among those of G
	Of    uint32    // the number of the first variable of the same value
	Type  types.Type
	Field string         // which part of the value it is, if it is a part
	Pos   token.Position // where
	Value uint64         // extended as registers are

	term *symbolic.Term
}

// nondet is hbtest.Nondet.
func nondet(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.nondetType(g)
	if where := unsupportedInput(t); where != nil {
		m.unsupported(g, "hbtest.Nondet of type "+where.String()+"; its value cannot be symbolic")
		return Stop
	}
	words := m.link.Layout(t).Words()
	switch {
	case m.auto:
		for i := range words {
			r.Set(i, 0)
		}
		return Next
	}
	ctl := Next
	if m.cfg.Given == nil && !m.tracking {
		m.track()
		ctl = Stop // with the goroutine running, which leaves the plain loop: see exec
	}
	pos, _ := m.userCall(g)
	pos.Column, pos.Offset = 0, 0
	n := &newInput{m: m, g: g, first: g.nvars, pos: pos, regs: r}
	n.value(t)
	return ctl
}

// nondetType returns the type argument of the call of Nondet that g executes.
func (m *Machine) nondetType(g *goroutine) types.Type {
	fn := g.fn.SSA
	if call, ok := g.fn.InstrAt(int(g.executing())).(ssa.CallInstruction); ok {
		if callee := call.Common().StaticCallee(); callee != nil {
			fn = callee
		}
	}
	return fn.TypeArgs()[0]
}

// unsupportedInput returns the part of t, or t, that cannot be symbolic; nil if all of it can.
func unsupportedInput(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsInteger|types.IsBoolean) != 0 && u.Kind() != types.UnsafePointer {
			return nil
		}
	}
	return t
}

// A newInput is the value that a call of Nondet returns.
type newInput struct {
	m     *Machine
	g     *goroutine
	first uint32
	pos   token.Position
	regs  Regs
}

// value makes a value of type t in word 0.
func (n *newInput) value(t types.Type) {
	m, g := n.m, n.g
	l := m.link.Layout(t)
	if m.cfg.Given != nil {
		n.regs.Set(0, m.givenInput(g))
		return
	}
	n.regs.setSym(m, g, 0, n.scalar(t, l, ""))
}

// scalar makes a variable of type t, of a register's width.
func (n *newInput) scalar(t types.Type, l *layout.Layout, field string) *symbolic.Term {
	c := n.m.sym.ctx
	width := uint8(l.Size * 8)
	basic := t.Underlying().(*types.Basic)
	if basic.Info()&types.IsBoolean != 0 {
		width = symbolic.Bool
	}
	v := c.Var(uint64(n.g.id)<<32|uint64(n.g.nvars), width, "")
	in := Input{G: n.g.id, N: n.g.nvars, Of: n.first, Type: t, Field: field, Pos: n.pos, term: v}
	n.m.sym.inputs = append(n.m.sym.inputs, in)
	n.g.nvars++
	if width == symbolic.Bool || width == 64 {
		return v
	}
	return n.m.sym.extend(v, basic.Info()&types.IsUnsigned == 0)
}

// suppose is hbtest.Assume of a condition that depends on inputs.
func (s *symbols) suppose(g *goroutine, t *symbolic.Term) Ctl {
	cond := s.truth(t)
	if !s.assume(g, cond) {
		if s.m.cut.Cause == CutInfeasible {
			s.m.cut = Cut{CutAssumption, "an assumption of the program does not hold"}
		}
		return Stop
	}
	return Next
}

const assumeName = "hbcheck.dev/hbcheck/hbtest.Assume"

// supposeAmong is hbtest.Assume where there are other goroutines. What they do before it is something
// that the program does, whether the condition holds or not: a crash is one. So both are explored, and
// where it does not hold the goroutine waits forever; an execution in which one does is no complete one.
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

// Inputs returns the least values of the inputs that lead to the present state; ok is false if the
// solver does not know them.
func (m *Machine) Inputs() (list []Input, ok bool) {
	if !m.tracking {
		return nil, true
	}
	s := m.sym
	p := s.align(&s.global, nil)
	p.solver.Align(p.conds)
	vars := make([]*symbolic.Term, len(s.inputs))
	signed := map[*symbolic.Term]bool{}
	for i, in := range s.inputs {
		vars[i] = in.term
		signed[in.term] = in.Type.Underlying().(*types.Basic).Info()&(types.IsUnsigned|types.IsBoolean) == 0
	}
	model, r := p.solver.Least(vars, func(v *symbolic.Term) bool { return signed[v] })
	if r != symbolic.Sat {
		return nil, false
	}
	for _, in := range s.inputs {
		in.Value = model[in.term]
		if w := in.term.Width(); signed[in.term] && w < 64 {
			in.Value = uint64(int64(in.Value<<(64-w)) >> (64 - w))
		}
		list = append(list, in)
	}
	return list, true
}

// An InputKey names a variable in all processes: the n-th of the goroutine with that spawn path.
type InputKey struct {
	G string // "" of main, "0.2" of the third goroutine that the first one of main's has started
	N uint32
}

// Key returns the name of an input.
func (m *Machine) Key(in Input) InputKey { return InputKey{m.pathText(in.G), in.N} }

// Concrete returns a machine in the initial state of the same program, with these values of its
// inputs: nothing is symbolic.
func (m *Machine) Concrete(given map[InputKey]uint64, interrupt func() bool) (*Machine, error) {
	m.ShareGIDs() // schedules of m are schedules of it
	cfg := m.cfg
	cfg.Interrupt, cfg.Observer, cfg.waited, cfg.short = interrupt, nil, nil, nil
	cfg.sharedGIDs, cfg.Given = m.sharedGIDs, given
	return New(m.link.prog, m.link.entry, cfg)
}

// givenInput is the value of g's next variable.
func (m *Machine) givenInput(g *goroutine) uint64 {
	v := m.cfg.Given[InputKey{m.pathText(g.id), g.nvars}]
	g.nvars++
	return v
}

// pathText is the path by which goroutine id was started.
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

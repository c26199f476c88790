package vm

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"unsafe"

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

// nondet is hbtest.nondet, of types without pointers.
func nondet(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.nondetType(g)
	if part := unsupportedInput(t); part != nil {
		text := "hbtest.Nondet of type " + t.String()
		if !types.Identical(part, t) {
			text += ", of its part of type " + part.String()
		}
		m.cut = Cut{CutUnsupported, m.relative(m.inputPos(g)) + ": unsupported: " + text + ": that cannot be symbolic"}
		m.halt(g)
		return Stop
	}
	return m.newInput(g, r, t)
}

// newInput leaves a symbolic value of type t in the words from r on.
func (m *Machine) newInput(g *goroutine, r Regs, t types.Type) Ctl {
	l := m.link.Layout(t)
	if m.auto { // a variable's initialiser
		for i := range l.Words() {
			r.Set(i, 0)
		}
		return Next
	}
	ctl := m.trackFrom()
	n := &newInput{m: m, g: g, first: g.nvars, pos: m.inputPos(g)}
	n.make(r, t, "")
	return ctl
}

// trackFrom makes the machine track symbolic values, unless inputs are given. It returns what a native
// returns that needs that: the plain loop is left with the goroutine running (see exec).
func (m *Machine) trackFrom() Ctl {
	if m.cfg.Given == nil && !m.tracking {
		m.track()
		return Stop
	}
	return Next
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

// inputPos is where the code outside of package hbtest and the library is that g executes.
func (m *Machine) inputPos(g *goroutine) (pos token.Position) {
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		f := m.code(id)
		if f.SSA == nil || f.Wrapper {
			return true
		}
		if p := m.link.prog.PackageOf(f.SSA); p != nil && p.Path == "hbcheck.dev/hbcheck/hbtest" || m.link.prog.InLibrary(f.SSA) {
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

// unsupportedInput returns the part of t, or t, that cannot be symbolic; nil if all of it can.
func unsupportedInput(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&(types.IsInteger|types.IsBoolean) != 0 {
			return nil
		}
	case *types.Array:
		return unsupportedInput(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if part := unsupportedInput(u.Field(i).Type()); part != nil {
				return part
			}
		}
		return nil
	}
	return t
}

// A newInput is the value that a call of nondet returns.
type newInput struct {
	m     *Machine
	g     *goroutine
	first uint32
	pos   token.Position
	whole bool   // it is a scalar: its part is its register
	image []byte // its memory image, where it is not symbolic
	parts []part // where it is
}

// make leaves a value of type t, called name, in the words from r on.
func (n *newInput) make(r Regs, t types.Type, name string) {
	m, l := n.m, n.m.link.Layout(t)
	n.whole, n.image, n.parts = layout.ScalarOf(t) != layout.NotScalar, make([]byte, (l.Size+7)/8*8), nil
	n.value(t, 0, name)
	if n.whole {
		m.loadValue((*uint64)(r.at(0)), unsafe.Pointer(&n.image[0]), l)
		if len(n.parts) > 0 {
			r.setSym(m, n.g, 0, n.parts[0].term)
		}
		return
	}
	for i := range l.Words() {
		r.Set(i, *(*uint64)(unsafe.Pointer(&n.image[i*8])))
	}
	if m.tracking {
		n.registers(r, l)
	}
}

// value makes the part of type t at byte off, which is called name.
func (n *newInput) value(t types.Type, off uint32, name string) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		size := n.m.link.Layout(u.Elem()).Size
		for i := range u.Len() {
			n.value(u.Elem(), off+uint32(i)*size, fmt.Sprintf("%s[%d]", name, i))
		}
	case *types.Struct:
		fields := make([]*types.Var, u.NumFields())
		for i := range fields {
			fields[i] = u.Field(i)
		}
		for i, at := range layout.Sizes.Offsetsof(fields) {
			n.value(fields[i].Type(), off+uint32(at), name+"."+fields[i].Name())
		}
	default:
		n.scalar(t, off, name)
	}
}

// scalar makes a variable of type t.
func (n *newInput) scalar(t types.Type, off uint32, name string) {
	m, g := n.m, n.g
	l := m.link.Layout(t)
	if m.cfg.Given != nil {
		v := m.givenInput(g)
		copy(n.image[off:off+l.Size], unsafe.Slice((*byte)(unsafe.Pointer(&v)), l.Size))
		return
	}
	width := uint8(l.Size * 8)
	basic := t.Underlying().(*types.Basic)
	if basic.Info()&types.IsBoolean != 0 {
		width = symbolic.Bool
	}
	v := m.sym.ctx.Var(uint64(g.id)<<32|uint64(g.nvars), width, "")
	m.sym.inputs = append(m.sym.inputs, Input{G: g.id, N: g.nvars, Of: n.first, Type: t, Field: name, Pos: n.pos, term: v})
	g.nvars++
	term := v
	switch {
	case !n.whole && width == symbolic.Bool:
		term = m.sym.ctx.FromBool(v, 8)
	case n.whole && width != symbolic.Bool:
		term = m.sym.extend(v, basic.Info()&types.IsUnsigned == 0)
	}
	n.parts = append(n.parts, part{off: off, size: l.Size, term: term})
}

// registers gives the words of a value of layout l their shadows.
func (n *newInput) registers(r Regs, l *layout.Layout) {
	for i := range uint32(l.Words()) {
		var word []part
		at := uint32(0) // what comes before is in word
		for _, p := range n.parts {
			if p.off/8 == i {
				if o := p.off % 8; o > at {
					word = append(word, part{off: at, size: o - at})
				}
				at = p.off%8 + p.size
				word = append(word, part{off: p.off % 8, size: p.size, term: p.term})
			}
		}
		if len(word) == 0 {
			r.concreteResult(n.m, n.g, int(i))
			continue
		}
		if at < 8 {
			word = append(word, part{off: at, size: 8 - at})
		}
		r.setSym(n.m, n.g, int(i), n.m.sym.pack(word, 8))
	}
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

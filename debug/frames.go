package debug

import (
	"cmp"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Frame is one function on a goroutine's stack.
type Frame struct {
	vm.DebugFrame
	G    trace.GID
	User bool // the frame is in code of the user's
}

// Frames returns the stack of a goroutine, innermost first.
func (s *Session) Frames(g trace.GID) []Frame {
	if !s.vm.Report().Alive(g) {
		return nil
	}
	var list []Frame
	for _, f := range s.vm.Debugger().Frames(g) {
		list = append(list, Frame{f, g, !f.Std})
	}
	if list == nil && s.bug != nil && s.Name(g) == s.bug.G && s.at.Step >= len(s.moves)-1 {
		// The program has crashed, and the stack is gone: this is the position of the crash.
		for _, f := range s.bug.Stack {
			list = append(list, Frame{vm.DebugFrame{SourceFrame: f, Unwound: true}, g, !f.Std})
		}
	}
	return list
}

// UserFrame returns the innermost frame of the user's code, or else the innermost one; -1 if there is none.
func UserFrame(frames []Frame) int {
	if i := slices.IndexFunc(frames, func(f Frame) bool { return f.User }); i >= 0 || len(frames) == 0 {
		return i
	}
	return 0
}

// A Variable is a variable of the program with its value.
type Variable struct {
	Name  string
	Value Value
}

// A Scope is a group of variables.
type Scope struct {
	Name string
	List []Variable
}

// Scopes returns the variables of a frame: local ones, those that it has captured as a closure, results,
// and the variables of its package.
func (s *Session) Scopes(f *Frame) []Scope {
	locals, captured := s.locals(f)
	list := []Scope{{"Locals", locals}}
	if len(captured) > 0 {
		list = append(list, Scope{"Captured", captured})
	}
	if r := s.results(f); len(r) > 0 {
		list = append(list, Scope{"Results", r})
	}
	if p := s.globals(f); len(p) > 0 {
		list = append(list, Scope{"Package", p})
	}
	return list
}

// locals returns the variables that can be seen at a frame's position, in the order of their declarations.
func (s *Session) locals(f *Frame) (locals, captured []Variable) {
	n := s.namesOf(f.At)
	if n == nil {
		return nil, nil
	}
	pos := s.vm.Debugger().Code(f.At).PosAt(int(f.At.PC))
	for _, k := range s.visible(n, pos) {
		v := Variable{n.vars[k].name, s.value(f, n, k)}
		if slices.ContainsFunc(n.fn.FreeVars, func(x *ssa.FreeVar) bool { return x.Name() == v.Name && x.Pos() == n.vars[k].pos }) {
			captured = append(captured, v)
		} else {
			locals = append(locals, v)
		}
	}
	return locals, captured
}

// visible returns the variables that names at pos can mean, in the order of their declarations.
func (s *Session) visible(n *names, pos token.Pos) (list []int) {
	var scope *types.Scope
	fn := n.fn
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if p := s.cfg.Prog.PackageOf(fn); p != nil && p.Types != nil {
		scope = p.Types.Scope().Innermost(pos)
	}
	for k, v := range n.vars {
		if v.name == "_" || v.name == "" {
			continue
		}
		if scope == nil {
			continue
		}
		if _, o := scope.LookupParent(v.name, pos); o == nil || o.Pos() != v.pos {
			continue
		}
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(n.vars[a].pos, n.vars[b].pos) })
	return list
}

// Why a value is not known.
const (
	notKept     = "not kept: the program does not use it any more"
	notAssigned = "not assigned yet"
	goneByPanic = "gone: a panic left the function"
)

// value returns the value of variable k of a frame.
func (s *Session) value(f *Frame, n *names, k int) Value {
	if f.Unwound {
		return Value{Lost: goneByPanic}
	}
	instr := n.code.InstrAt(int(f.At.PC))
	if instr == nil {
		return Value{Lost: notKept}
	}
	b := instr.Block()
	i := slices.Index(b.Instrs, instr)
	at := n.before(b, i)
	if i < 0 || at == nil {
		return Value{Lost: notKept}
	}
	switch x := at[k]; x.kind {
	case unassigned:
		return Value{Lost: notAssigned}
	case isValue:
		return s.ssaValue(f, n, x.x)
	case isAddr:
		a := s.ssaValue(f, n, x.x)
		if a.Lost != "" {
			return a
		}
		return s.At(pointee(a.Type), a.word(0))
	}
	return Value{Lost: notKept}
}

// ssaValue returns the value of v in a frame in which it is known to be in its registers.
func (s *Session) ssaValue(f *Frame, n *names, v ssa.Value) Value {
	switch x := v.(type) {
	case *ssa.Const:
		return constValue(x.Type(), x.Value, s)
	case *ssa.Global:
		return word(x.Type(), s.vm.StaticView().Address(x))
	case *ssa.Function:
		return Value{Type: x.Type(), text: "func " + x.Name()}
	}
	from, to, ok := n.registers(v)
	if !ok {
		return Value{Lost: notKept}
	}
	t := v.Type()
	if fv, ok := v.(*ssa.FreeVar); ok && !n.memory[slices.Index(n.vars, varKey{fv.Name(), fv.Pos()})] {
		t = pointee(t)
	}
	w := s.vm.Debugger().Registers(f.At, from, to-from)
	if w == nil && to > from {
		return Value{Lost: notKept}
	}
	return s.ofWords(t, w)
}

// results returns the results of a function that is about to return.
func (s *Session) results(f *Frame) (list []Variable) {
	n := s.namesOf(f.At)
	if n == nil || f.Unwound {
		return nil
	}
	ret, ok := n.code.InstrAt(int(f.At.PC)).(*ssa.Return)
	if !ok {
		return nil
	}
	for i, v := range ret.Results {
		name := n.fn.Signature.Results().At(i).Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("result %d", i)
		}
		list = append(list, Variable{name, s.ssaValue(f, n, v)})
	}
	return list
}

// globals returns the variables of a frame's package.
func (s *Session) globals(f *Frame) (list []Variable) {
	fn := s.vm.Debugger().Code(f.At).SSA
	if fn == nil || !f.User {
		return nil
	}
	p := s.cfg.Prog.PackageOf(fn)
	if p == nil || p.SSA == nil {
		return nil
	}
	for _, m := range p.SSA.Members {
		if g, ok := m.(*ssa.Global); ok && g.Object() != nil && g.Name() != "_" {
			list = append(list, Variable{g.Name(), s.At(pointee(g.Type()), s.vm.StaticView().Address(g))})
		}
	}
	slices.SortFunc(list, func(a, b Variable) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// lookup returns the variable that a name means in a frame.
func (s *Session) lookup(f *Frame, name string) (Value, error) {
	if n := s.namesOf(f.At); n != nil {
		pos := s.vm.Debugger().Code(f.At).PosAt(int(f.At.PC))
		for _, k := range slices.Backward(s.visible(n, pos)) {
			if n.vars[k].name == name {
				return s.value(f, n, k), nil
			}
		}
	}
	for _, v := range s.results(f) {
		if v.Name == name {
			return v.Value, nil
		}
	}
	if fn := s.vm.Debugger().Code(f.At).SSA; fn != nil {
		if p := s.cfg.Prog.PackageOf(fn); p != nil && p.SSA != nil {
			switch m := p.SSA.Members[name].(type) {
			case *ssa.Global:
				return s.At(pointee(m.Type()), s.vm.StaticView().Address(m)), nil
			case *ssa.NamedConst:
				return constValue(m.Type(), m.Value.Value, s), nil
			}
		}
	}
	switch name {
	case "true", "false":
		return constValue(types.Typ[types.Bool], constant.MakeBool(name == "true"), s), nil
	case "goroutine": // the name that conditions use
		return constValue(types.Typ[types.String], constant.MakeString(s.Name(f.G)), s), nil
	case "nil":
		return Value{Type: types.Typ[types.UntypedNil], bytes: make([]byte, 24)}, nil
	}
	return Value{}, fmt.Errorf("no variable %s here", name)
}

// inPackage returns a variable or a constant of the package of that name that a frame's file imports.
func (s *Session) inPackage(f *Frame, pkg, name string) (Value, bool) {
	fn := s.vm.Debugger().Code(f.At).SSA
	if fn == nil {
		return Value{}, false
	}
	own := s.cfg.Prog.PackageOf(fn)
	if own == nil || own.Types == nil {
		return Value{}, false
	}
	for _, p := range own.Types.Imports() {
		if p.Name() != pkg {
			continue
		}
		if sp := s.cfg.Prog.SSA.Package(p); sp != nil {
			switch m := sp.Members[name].(type) {
			case *ssa.Global:
				return s.At(pointee(m.Type()), s.vm.StaticView().Address(m)), true
			case *ssa.NamedConst:
				return constValue(m.Type(), m.Value.Value, s), true
			}
		}
	}
	return Value{}, false
}

package vm

import (
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// An Input is a variable: a value that the program has asked hbtest.Nondet for.
type Input = shadow.Input

// nondetType returns the type argument of the call of nondet that g executes.
func (m *Machine) nondetType(g *goroutine) types.Type {
	fn := g.Fn.SSA
	if call, ok := g.Fn.InstrAt(int(g.executing())).(ssa.CallInstruction); ok {
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
		if m.prog.InHarness(f.SSA) || m.prog.InLibrary(f.SSA) {
			return true
		}
		pos = m.fset.Position(f.PosAt(int(pc)))
		return false
	})
	if !pos.IsValid() { // an argument of a fuzz target
		pos = m.fset.Position(m.entry.Pos)
	}
	pos.Column, pos.Offset = 0, 0
	return pos
}

// suppose is hbtest.Assume for a condition that depends on inputs.
func (m *Machine) suppose(g *goroutine, t *symbolic.Term) Ctl {
	if !m.sym.Suppose(&g.Goroutine, t) {
		if m.cut.Cause == CutInfeasible {
			m.cut = Cut{Cause: CutAssumption, Text: "an assumption of the program does not hold"}
		}
		return Stop
	}
	return Next
}

// Symbolic reports whether a value has depended on inputs on this path.
func (v Environment) Symbolic() bool { return v.m.tracking && !v.m.sym.Drawn }

// Inputs returns the least values of the inputs that lead to the present state; ok is false if the
// solver does not know them.
func (v Environment) Inputs() (list []Input, ok bool) {
	m := v.m
	if !m.Environment().Symbolic() {
		return nil, true
	}
	return m.sym.Inputs()
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
	v := m.cfg.Given[InputKey{m.pathText(g.ID), g.NVars}]
	g.NVars++
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

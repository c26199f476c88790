package vm

import (
	"go/token"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Stack returns the stack of goroutine id, innermost frame first, without the
// machine's own frames.
func (m *Machine) Stack(id trace.GID) []Frame {
	g := m.gOf(id)
	if g.status == gEnded {
		return nil
	}
	var frames []Frame
	m.eachFrame(g, func(f *bytecode.Func, pc int32) bool {
		if f.ID != 0 {
			frames = append(frames, m.frame(f, pc))
		}
		return len(frames) < 100
	})
	return frames
}

func (m *Machine) frame(f *bytecode.Func, pc int32) Frame {
	fr := Frame{Func: f.Name, Pos: m.fset.Position(f.PosAt(int(pc))), PC: pc}
	if f.SSA != nil && f.SSA.Pkg != nil {
		fr.Std = m.link.prog.IsStd(f.SSA.Pkg.Pkg)
	}
	return fr
}

// callerPos is the position of the innermost frame of g that is not a model's.
func (m *Machine) callerPos(g *goroutine) token.Position {
	var pos token.Position
	m.eachFrame(g, func(f *bytecode.Func, pc int32) bool {
		if !f.Trusted {
			pos = m.fset.Position(f.PosAt(int(pc)))
			return false
		}
		return true
	})
	return pos
}

// Pos returns the source position of an operation.
func (m *Machine) Pos(op trace.Op) token.Position {
	return m.fset.Position(m.funcs[op.Func].PosAt(int(op.PC)))
}

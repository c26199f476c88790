package vm

import (
	"go/token"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/compile"
)

// hugeObject is the message for an object larger than heap.MaxObject.
const hugeObject = compile.HugeObject

// RefusalCodes returns all codes.
func RefusalCodes() []RefusalCode {
	return []RefusalCode{RefusedAssembly, RefusedC, RefusedUnloaded, RefusedProcess, RefusedFile, RefusedSocket, RefusedSignal, RefusedCall, RefusedSize,
		RefusedType, RefusedInput, RefusedConstruct, RefusedMeasure}
}

// unsupported abandons the execution at a construct that the machine does not model. Findings so
// far remain, but nothing is known about the rest. The reason names the construct, and the function
// of the standard library, or of another module, that the reader's code has called, with its position.
func (m *Machine) unsupported(g *goroutine, code RefusalCode, what string) {
	pos, called := m.userCall(g)
	if at, fn, ok := m.ownCall(g); ok {
		pos, called = at, fn
	}
	m.refuse(Refusal{Code: code, What: what, Func: called, Pos: m.prog.Within(pos)})
	g.status = gReady
	g.pending = trace.Op{G: g.ID, Kind: trace.Crash, Func: g.Fn.ID, PC: uint32(g.PC)}
}

// refuse cuts the execution because of r.
func (m *Machine) refuse(r Refusal) {
	text := r.What
	if r.Func != "" {
		text = r.Func + ": " + text
	}
	m.cut = Cut{Cause: CutUnsupported, Text: r.Pos.String() + ": unsupported: " + text, Refused: r}
}

// relative returns pos with its file name relative to the directory where the program was loaded,
// if it is below that.
func (m *Machine) relative(pos token.Position) string { return m.prog.Within(pos).String() }

// refusalCode returns the code for a refusal of function f with that text.
func refusalCode(f *bytecode.Func, text string) RefusalCode {
	switch {
	case f.Refused != "":
		return RefusalCode(f.Refused)
	case text == hugeObject:
		return RefusedSize
	}
	return RefusedConstruct
}

// userCall returns g's position in the user's code, and the name of the library function called
// there, if any. A refused function counts as a callee, too. For a goroutine of the library's own
// it returns the position where it was started.
func (m *Machine) userCall(g *goroutine) (pos token.Position, called string) {
	pos, called, found := m.userFrame(g)
	if found {
		return pos, called
	}
	for _, fr := range m.Report().CreationStack(g.ID) {
		if !fr.Std && fr.Pos.IsValid() {
			return fr.Pos, called
		}
	}
	if pos = m.callerPos(g); !pos.IsValid() && g.Fn.SSA != nil { // an initialiser, or else the entry itself
		pos = m.fset.Position(g.Fn.SSA.Pos())
	}
	return pos, called
}

// ownCall returns the innermost position on g's stack in the entry's module, and the name of the
// function of another module, or of the standard library, called there; ok is false if the innermost code
// of the user is of that module, or if there is none.
func (m *Machine) ownCall(g *goroutine) (pos token.Position, called string, ok bool) {
	user := false
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil || f.Wrapper {
			return true
		}
		fr := m.frame(f, pc)
		if f.Refused == "" {
			if fr.Own {
				pos, ok = fr.Pos, user
				return false
			}
			user = user || !fr.Std
		}
		called = fr.Func
		return true
	})
	return pos, called, ok
}

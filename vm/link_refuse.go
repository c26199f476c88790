package vm

import (
	"go/token"
	"path/filepath"
	"strings"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// A Refusal is something that the machine does not model, and that an execution has come to.
type Refusal struct {
	Code RefusalCode
	What string         // in words
	Func string         // of the standard library, that the user called; empty if there is none
	Pos  token.Position // of that call
}

// A RefusalCode is a kind of refusal. Programs that read results rely on it: it does not change.
type RefusalCode string

// The codes.
const (
	RefusedAssembly  RefusalCode = "assembly"  // a function without a body in Go
	RefusedC         RefusalCode = "cgo"       // a function that uses C
	RefusedUnloaded  RefusalCode = "unloaded"  // a function that nothing seemed to call
	RefusedProcess   RefusalCode = "process"   // other processes
	RefusedFile      RefusalCode = "file"      // what the model of files leaves out
	RefusedSocket    RefusalCode = "socket"    // what the model of connections leaves out
	RefusedSignal    RefusalCode = "signal"    // what the model of signals leaves out
	RefusedCall      RefusalCode = "syscall"   // a system call by number that has no model
	RefusedSize      RefusalCode = "size"      // an object that is too large
	RefusedType      RefusalCode = "type"      // types that a program makes when it runs
	RefusedInput     RefusalCode = "input"     // values that depend on inputs, where they cannot be followed
	RefusedConstruct RefusalCode = "construct" // a construct of the language
	RefusedMeasure   RefusalCode = "measure"   // what only the compiled program has, such as allocations
)

// RefusalCodes are all codes.
func RefusalCodes() []RefusalCode {
	return []RefusalCode{RefusedAssembly, RefusedC, RefusedUnloaded, RefusedProcess, RefusedFile, RefusedSocket, RefusedSignal, RefusedCall, RefusedSize,
		RefusedType, RefusedInput, RefusedConstruct, RefusedMeasure}
}

// unsupported abandons the execution at something the machine does not model: what is found so far
// remains, but nothing can be said about what follows. The reason names the function of the
// standard library that the user called, and where, as well as what it needs.
func (m *Machine) unsupported(g *goroutine, code RefusalCode, what string) {
	pos, called := m.userCall(g)
	m.refuse(Refusal{Code: code, What: what, Func: called, Pos: m.within(pos)})
	g.status = gReady
	g.pending = trace.Op{G: g.id, Kind: trace.Crash, Func: g.fn.ID, PC: uint32(g.pc)}
}

// refuse cuts the execution because of r.
func (m *Machine) refuse(r Refusal) {
	text := r.What
	if r.Func != "" {
		text = r.Func + ": " + text
	}
	m.cut = Cut{Cause: CutUnsupported, Text: r.Pos.String() + ": unsupported: " + text, Refused: r}
}

// relative returns pos with the name of its file as seen from where the program
// was loaded, if it is below there.
func (m *Machine) relative(pos token.Position) string { return m.link.relative(pos) }

func (k *linker) relative(pos token.Position) string { return k.within(pos).String() }

// within returns pos with the name of its file as seen from where the program was loaded, if it is
// below there.
func (m *Machine) within(pos token.Position) token.Position { return m.link.within(pos) }

func (k *linker) within(pos token.Position) token.Position {
	if rel, ok := strings.CutPrefix(pos.Filename, k.prog.Dir+string(filepath.Separator)); ok {
		pos.Filename = rel
	}
	return pos
}

// refusalCode returns the code of what function f refuses with that text.
func refusalCode(f *bytecode.Func, text string) RefusalCode {
	switch {
	case f.Refused != "":
		return RefusalCode(f.Refused)
	case text == hugeObject:
		return RefusedSize
	}
	return RefusedConstruct
}

// userCall returns where in the user's code g is, and the name of the library
// function called there, if any. A function that is refused is a callee, too. If
// g is a goroutine of the library's own, it is where it was started.
func (m *Machine) userCall(g *goroutine) (pos token.Position, called string) {
	pos, called, found := m.userFrame(g)
	if found {
		return pos, called
	}
	for _, fr := range m.Report().CreationStack(g.id) {
		if !fr.Std && fr.Pos.IsValid() {
			return fr.Pos, called
		}
	}
	if pos = m.callerPos(g); !pos.IsValid() && g.fn.SSA != nil { // an initialiser, or else the entry itself
		pos = m.fset.Position(g.fn.SSA.Pos())
	}
	return pos, called
}

// userFrame returns the innermost position on g's stack that is in the user's code, if there is one,
// and the name of the library function called there, if any.
func (m *Machine) userFrame(g *goroutine) (pos token.Position, called string, found bool) {
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil {
			return true
		}
		p, library := m.link.prog.PackageOf(f.SSA), m.link.prog.InLibrary(f.SSA)
		if p != nil && !library && f.Refused == "" {
			pos, found = m.fset.Position(f.PosAt(int(pc))), true
			return false
		}
		if !f.Wrapper && (p == nil || library) {
			called = funcName(f)
		}
		return true
	})
	return pos, called, found
}

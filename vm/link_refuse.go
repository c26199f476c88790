package vm

import (
	"go/token"
	"path/filepath"
	"strings"

	"hbcheck.dev/hbcheck/trace"
)

// unsupported abandons the execution at something the machine does not model: what is found so far
// remains, but nothing can be said about what follows. The reason names the function of the
// standard library that the user called, and where, as well as what it needs.
func (m *Machine) unsupported(g *goroutine, text string) {
	pos, called := m.userCall(g)
	if called != "" {
		text = called + ": " + text
	}
	m.cut = Cut{CutUnsupported, m.relative(pos) + ": unsupported: " + text}
	g.status = gReady
	g.pending = trace.Op{G: g.id, Kind: trace.Crash, Func: g.fn.ID, PC: uint32(g.pc)}
}

// relative returns pos with the name of its file as seen from where the program
// was loaded, if it is below there.
func (m *Machine) relative(pos token.Position) string { return m.link.relative(pos) }

func (k *linker) relative(pos token.Position) string {
	if rel, ok := strings.CutPrefix(pos.Filename, k.prog.Dir+string(filepath.Separator)); ok {
		pos.Filename = rel
	}
	return pos.String()
}

// userCall returns where in the user's code g is, and the name of the library
// function called there, if any. A function that is refused is a callee, too. If
// g is a goroutine of the library's own, it is where it was started.
func (m *Machine) userCall(g *goroutine) (pos token.Position, called string) {
	pos, called, found := m.userFrame(g)
	if found {
		return pos, called
	}
	for _, fr := range m.CreationStack(g.id) {
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
		if p != nil && !library && !f.Refused {
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

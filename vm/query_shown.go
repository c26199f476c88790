package vm

import (
	"strings"

	"hbcheck.dev/hbcheck/static/observable"
)

// makesTexts are the packages of the standard library through which a text reaches its reader
// without influencing the program.
var makesTexts = map[string]bool{"fmt": true, "log": true, "testing": true, "errors": true, "reflect": true, "runtime": true,
	"sync": true, "io": true, "os": true, "time": true, "log/slog": true}

// onlyShown reports whether the text that fmt makes, called by g, is certainly only printed.
//
//  1. The use of the text in the user's innermost function is known (observable.UseOfText). If
//     nothing depends on the text there, and the function does not return it, nothing depends on
//     it.
//  2. If the function returns the text, as a method Error or String does, the same rules hold for
//     its caller. The caller may be fmt again, which a function of the user's has called with the
//     value that has the method. Then 1 applies to that function.
func (m *Machine) onlyShown(g *goroutine) bool {
	shown := true
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil || f.Wrapper && f.SSA.Synthetic != "" {
			return true
		}
		p := m.prog.PackageOf(original(f.SSA))
		if p == nil || m.prog.InLibrary(f.SSA) {
			shown = p == nil || makesTexts[p.Path] || strings.HasPrefix(p.Path, "internal/")
			return shown
		}
		use := observable.UseOfText(f.InstrAt(int(pc)), m.link.ReadsOutput())
		shown = use != observable.TextUsed
		return use == observable.TextReturned
	})
	return shown
}

package load

import (
	"bytes"
	"go/types"
)

// Whether a program can ask for a collection decides whether that is something that Pools notice.

// asksForCollection reports whether fn is a function that collects garbage.
func asksForCollection(fn *types.Func) bool {
	name := fn.FullName()
	return name == "runtime.GC" || name == "runtime/debug.FreeOSMemory"
}

// mentionsCollection reports whether the text of p mentions such a function as code of the standard
// library does, or links to it by name. Package runtime/debug calls one for its users.
func (p *Package) mentionsCollection() bool {
	if p.Path == "runtime" || p.Path == "runtime/debug" {
		return false
	}
	for _, file := range p.files {
		for _, text := range []string{"runtime.GC(", " runtime.GC\n", "debug.FreeOSMemory(", "debug.freeOSMemory\n"} {
			if bytes.Contains(file.src, []byte(text)) {
				return true
			}
		}
	}
	return false
}

// tellsOfCollection reports whether fn is a function by which a program can tell that garbage is collected.
func tellsOfCollection(fn *types.Func) bool {
	switch fn.FullName() {
	case "runtime.SetFinalizer", "runtime.AddCleanup", "weak.Make":
		return true
	}
	return false
}

// TellsOfCollection reports whether a package of the user's that is linked for e mentions such a function.
func (prog *Program) TellsOfCollection(e *Entry) bool {
	for _, p := range closure(e.roots) {
		if p.facts.finalizes {
			return true
		}
	}
	return false
}

// Collects reports whether a package that is linked for e mentions a function that collects garbage.
func (prog *Program) Collects(e *Entry) bool {
	for _, p := range closure(e.roots) {
		if p.facts.collects {
			return true
		}
	}
	return false
}

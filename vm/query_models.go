package vm

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// Models answers, without a machine, questions of static analyses about the functions that every
// machine for a program implements itself. It serves code without an entry.
type Models struct {
	prog    *load.Program
	natives map[string]bool
}

// NewModels returns the Models for prog.
func NewModels(prog *load.Program) *Models {
	m := &Models{prog: prog, natives: make(map[string]bool)}
	for _, name := range NativeNames() {
		m.natives[name] = true
	}
	return m
}

// Native reports whether fn is implemented by the machine: see StaticView.IsNative.
func (m *Models) Native(fn *ssa.Function) bool {
	return m.natives[fn.String()] || fn.Origin() != nil && m.natives[fn.Origin().String()]
}

// Trusted reports whether fn belongs to the models: see StaticView.IsTrusted.
func (m *Models) Trusted(fn *ssa.Function) bool { return m.prog.IsModel(fn) }

package vm

import (
	"go/types"

	"hbcheck.dev/hbcheck/vm/compile"
)

// print executes one operand of the print builtins, which write to stderr.
func (m *Machine) print(a *uint64, class uint16) {
	m.output(2, []byte(m.mem.PrintText(a, class)))
}

// printable returns the print class of a type of basic kind.
func printable(t types.Type) (class int, ok bool) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.UnsafePointer {
		return 0, false
	}
	return compile.PrintClass(t), true
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isPredeclared reports whether t is one of the language's own basic types.
func isPredeclared(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Basic)
	return ok
}

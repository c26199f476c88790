package vm

import "strings"

// Dump returns the disassembly of the function named name, if it has been called.
func (m *Machine) Dump(name string) string {
	for _, f := range m.funcs {
		if f != nil && strings.Contains(f.Name, name) {
			return f.Disassemble()
		}
	}
	return ""
}

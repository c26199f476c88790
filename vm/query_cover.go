package vm

import "golang.org/x/tools/go/ssa"

// Covered says of each block of the user's module (load.Program.Blocks) whether the machine has
// executed it. It is no part of the state: nothing but ForgetCovered takes anything back. The slice
// is the machine's.
func (m *Machine) Covered() []bool { return m.covered }

// CoveredInit is Covered of the initialisation of packages, which Covered leaves out.
func (m *Machine) CoveredInit() []bool { return m.coveredInit }

// ForgetCovered makes Covered begin anew.
func (m *Machine) ForgetCovered() { clear(m.covered) }

// Between implements compile.Linker.
func (k *linker) Between(from, to *ssa.BasicBlock) []int { return k.prog.Between(from, to) }

// Begins implements compile.Linker.
func (k *linker) Begins(b *ssa.BasicBlock, i int) []int { return k.prog.Begins(b, i) }

package vm

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/race"
)

// Covered says of each block of the user's module (load.Program.Blocks) whether the machine has
// executed it. It is no part of the state: nothing but ForgetCovered takes anything back. The slice
// is the machine's.
func (v Report) Covered() []bool { return v.m.covered }

// CoveredInit is Covered of the initialisation of packages, which Covered leaves out.
func (v Report) CoveredInit() []bool { return v.m.coveredInit }

// ForgetCovered makes Covered, EachLocked and EachOrder begin anew.
func (v Report) ForgetCovered() {
	m := v.m
	clear(m.covered)
	clear(m.contended)
	clear(m.orders.met)
}

// EachLocked calls f, in any order, with the stack of each place where a lock was taken while there was
// more than one goroutine, and whether it was contended: when it was taken there, another goroutine had
// released it without being ordered with this one by anything but the lock itself.
func (v Report) EachLocked(f func(stack []SourceFrame, contended bool)) {
	m := v.m
	for s, contended := range m.contended {
		f(m.Report().SiteStack(uint32(s)), contended)
	}
}

// noteLock notes that g is about to take the lock at l for writing, or for reading.
func (m *Machine) noteLock(g *goroutine, l race.Loc, shared bool) {
	contended := !m.race.Ordered(g.slot, l) || !shared && !m.race.Ordered(g.slot, readers(l))
	s := m.raceStack(g)
	m.contended[s] = m.contended[s] || contended
}

// Between implements compile.Linker.
func (k *linker) Between(from, to *ssa.BasicBlock) []int { return k.prog.Between(from, to) }

// Begins implements compile.Linker.
func (k *linker) Begins(b *ssa.BasicBlock, i int) []int { return k.prog.Begins(b, i) }

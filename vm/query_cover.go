package vm

// Covered says, for each block of the user's module (load.Program.Blocks), whether the machine has
// executed it. It is not part of the state: only ForgetCovered resets it. The slice belongs to the
// machine.
func (v Report) Covered() []bool { return v.m.covered }

// CoveredInit is Covered for the initialisation of packages, which Covered leaves out.
func (v Report) CoveredInit() []bool { return v.m.coveredInit }

// ForgetCovered resets Covered, EachLocked and EachOrder.
func (v Report) ForgetCovered() {
	m := v.m
	clear(m.covered)
	clear(m.contended)
	clear(m.orders.met)
}

// EachLocked calls f, in any order, with the stack of each place that took a lock while there were
// several goroutines. contended reports whether another goroutine had released the lock before, and
// only the lock itself orders the two.
func (v Report) EachLocked(f func(stack []SourceFrame, contended bool)) {
	m := v.m
	for s, contended := range m.contended {
		f(m.Report().SiteStack(uint32(s)), contended)
	}
}

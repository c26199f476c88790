package vm

import (
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// If the program can read the number of goroutines (load.EntryFacts.Counted), the number is a word of memory
// that only the machine writes. Starting and ending a goroutine then are operations that change the
// word, and runtime.NumGoroutine is one that reads it.
//
// In other programs, starting is local work of the starting goroutine, and ending of the ending
// one, though both change the set of goroutines:
//
//  1. Whether another goroutine exists influences a step only through memory and objects, because
//     nothing else shows it.
//  2. A goroutine that has been started and has not moved has changed nothing that another one can
//     read; and a goroutine that has ended changes nothing any more.
//
// A goroutine that has left its last frame, and is not yet subtracted, has trace.End pending: see
// goroutine.ending.

// initCount sets the number to that of main alone. In package testing it counts a second goroutine,
// which waits for the test.
func (m *Machine) initCount() {
	if !m.facts.Counted {
		return
	}
	n := 1
	if m.testOnMain() {
		n = 2
	}
	m.count(n)
}

// testOnMain reports whether a test runs on main instead of a goroutine of its own.
func (m *Machine) testOnMain() bool {
	return m.entry.Kind == load.Test && m.entry.TestMain == nil && m.entry.Beside == nil
}

// count adds n to the number of goroutines.
func (m *Machine) count(n int) {
	if p := m.countWord; p != 0 {
		m.setWord(p, 0, m.word(p, 0)+uint64(n))
	}
}

// mayCount reports whether g may now start a goroutine, or end, according to kind. Otherwise the operation
// is pending.
//
// Two operations that change the number commute, like additions of sync/atomic: neither reads it.
func (m *Machine) mayCount(g *goroutine, kind trace.Kind) bool {
	if !m.facts.Counted {
		return true
	}
	var op trace.Op
	m.countOp(kind, &op)
	return m.mayExecute(g, 1, &op)
}

// countOp describes an operation that changes the number of goroutines.
func (m *Machine) countOp(kind trace.Kind, op *trace.Op) {
	op.Kind, op.Commutes, op.N = kind, trace.Increments, 1
	op.Access[0] = accessOf(m.countWord, 8, true)
}

// inCount reports whether NumGoroutine counts g: it does not count timers, but it counts
// coroutines.
// mutant: coroutines do not count [points]: drop 2
func (g *goroutine) inCount() bool { return !g.system || g.coro != 0 }

// end executes the last step of g.
func (m *Machine) end(g *goroutine) {
	g.scheduled = false
	//mutant: goroutines are not counted out [points]
	m.count(-1)
	m.endG(g)
}

// peekNumGoroutine is the Peek of NumGoroutine.
func peekNumGoroutine(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if m.multi && m.facts.Counted {
		//mutant: NumGoroutine touches nothing [points]: ", op.N = trace.Inspect, 1" -> " = trace.Yield"
		op.Kind, op.N = trace.Inspect, 1
		op.Access[0] = accessOf(m.countWord, 8, false)
	}
	return 1
}

// numGoroutine implements runtime.NumGoroutine.
func numGoroutine(m *Machine, g *goroutine, r Regs) Ctl {
	m.assumeEnded(g)
	switch {
	case m.facts.Counted:
		r.Set(0, m.word(m.countWord, 0))
		return Next
	case m.multi && !m.auto: // the program calls it without naming it, so the number is not counted
		m.assume(g, CountedOnce)
	}
	r.Set(0, uint64(m.alive)+b2u(m.testOnMain()))
	return Next
}

// assumeEnded is called where g inspects other goroutines.
func (m *Machine) assumeEnded(g *goroutine) {
	//mutant: when initialisers' goroutines have ended is not named [models TestEnded]: false
	if m.endedEarly {
		m.assume(g, InitEnded)
	}
}

// peekStack is the Peek of runtime.Stack, which inspects all goroutines if asked to.
func peekStack(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if m.multi && r.U(3)&1 != 0 {
		op.Kind = trace.Inspect
		return 1
	}
	m.plain(op, r.U(0), r.U(1), true)
	return 1
}

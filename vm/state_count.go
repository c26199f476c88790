package vm

import (
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// How many goroutines there are is a word of memory that only the machine writes, if the program can
// ask (linker.counted). Starting and ending a goroutine are then operations that change it, and
// runtime.NumGoroutine is one that reads it.
//
// In other programs starting is local work of the goroutine that does it, and ending of the one that
// ends, though both change which goroutines there are:
//
//  1. A step of a goroutine may depend on whether another one exists only by what it finds in memory
//     and objects, as nothing else tells it.
//  2. A goroutine that has been started and has not moved has changed nothing that another one can
//     find; and none that has ended does any more.
//
// A goroutine that has left its last frame, and has yet to be counted out, has trace.End pending:
// see goroutine.ending.

// initCount makes main the only goroutine. Package testing waits on another one for the test.
func (m *Machine) initCount() {
	if !m.link.counted {
		return
	}
	n := 1
	if m.testOnMain() {
		n = 2
	}
	m.count(n)
}

// testOnMain reports whether main takes the place of the goroutine that a test runs on.
func (m *Machine) testOnMain() bool {
	return m.link.entry.Kind == load.Test && m.link.entry.TestMain == nil && m.link.entry.Beside == nil
}

// count adds n to the number of goroutines.
func (m *Machine) count(n int) {
	if p := m.link.count; p != 0 {
		m.setWord(p, 0, m.word(p, 0)+uint64(n))
	}
}

// mayCount reports whether g may start a goroutine, or end, now; kind says which. Otherwise the
// operation is pending.
//
// Two that change the number commute, as sync/atomic's additions do: neither sees it.
func (m *Machine) mayCount(g *goroutine, kind trace.Kind) bool {
	if !m.link.counted {
		return true
	}
	var op trace.Op
	m.countOp(kind, &op)
	return m.mayExecute(g, 1, &op)
}

// countOp describes an operation that changes the number of goroutines.
func (m *Machine) countOp(kind trace.Kind, op *trace.Op) {
	op.Kind, op.Commutes, op.N = kind, trace.Increments, 1
	op.Access[0] = accessOf(m.link.count, 8, true)
}

// inCount reports whether g is one of those that NumGoroutine counts: timers are none, coroutines are.
// mutant: coroutines do not count [points]: drop 2
func (g *goroutine) inCount() bool { return !g.system || g.coro != 0 }

// leave is reached when g has left its last frame.
func (m *Machine) leave(g *goroutine) {
	// When main returns the process ends: its goroutine never does.
	outlives := g.id == 0 && !m.goexited && !m.testOnMain()
	//mutant: ending is local work [points]: "m.link.counted && g.inCount()" -> "g == nil"
	if m.link.counted && g.inCount() && !outlives {
		g.scheduled = false // for what came before
		if !m.mayCount(g, trace.End) {
			return
		}
		m.count(-1)
	}
	m.endG(g)
}

// ending reports whether all that g has left to do is to end.
func (g *goroutine) ending() bool { return g.status == gReady && g.pending.Kind == trace.End }

// end executes the last step of g.
func (m *Machine) end(g *goroutine) {
	g.scheduled = false
	//mutant: goroutines are not counted out [points]
	m.count(-1)
	m.endG(g)
}

// peekNumGoroutine is the Peek of NumGoroutine.
func peekNumGoroutine(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if m.multi && m.link.counted {
		//mutant: NumGoroutine touches nothing [points]: ", op.N = trace.Inspect, 1" -> " = trace.Yield"
		op.Kind, op.N = trace.Inspect, 1
		op.Access[0] = accessOf(m.link.count, 8, false)
	}
	return 1
}

// numGoroutine implements runtime.NumGoroutine.
func numGoroutine(m *Machine, g *goroutine, r Regs) Ctl {
	switch {
	case m.link.counted:
		r.Set(0, m.word(m.link.count, 0))
		return Next
	case m.multi && !m.auto: // it is called by what does not name it
		m.assume(g, CountedOnce)
	}
	r.Set(0, uint64(m.alive)+b2u(m.testOnMain()))
	return Next
}

// peekStack is the Peek of runtime.Stack, which looks at all goroutines if it is asked to.
func peekStack(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if m.multi && r.U(3)&1 != 0 {
		op.Kind = trace.Inspect
		return 1
	}
	m.plain(op, r.U(0), r.U(1), true)
	return 1
}

package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Next implements por.System. A goroutine that has ended or spins has a special pending operation, which is
// never enabled (endG, setSpinning).
func (m *Machine) Next(id trace.GID) trace.Op { return *m.Peek(id) }

// Peek implements por.Peeker.
func (m *Machine) Peek(id trace.GID) *trace.Op {
	g := m.gOf(id)
	if g.status != gReady {
		return &g.pending
	}
	op := &m.viewOf(g).op
	op.Call = g.callPart()
	op.Visits = op.Kind == trace.Choose && op.Call != trace.OutsideCall && (g.Fn.Code[g.PC].Op == bytecode.MapNext && m.visitsForItself(g) || m.takesForLibrary(g))
	return op
}

// InLibrary implements por.Libraries.
func (m *Machine) InLibrary(id trace.GID) bool {
	g := m.gOf(id)
	if g.system || timed(g) || g.steps > 0 && g.callPart() != trace.InsideCall {
		return false
	}
	own := false
	m.eachFrame(g, func(fn *bytecode.Func, _ int32) bool {
		own = fn.Own
		return !own
	})
	return !own
}

// Started implements por.Named.
func (m *Machine) Started(id trace.GID) uint32 { return m.gOf(id).nspawn }

// Alternatives implements por.System.
func (m *Machine) Alternatives(id trace.GID) int { return m.numAlternatives(m.gOf(id)) }

// Status implements por.System.
// The execution is over for one of these reasons, the first that applies:
//
//	Cut        it was abandoned: a bound, or what the machine does not model
//	Ended      a fault or os.Exit
//	           or, if no goroutine is enabled:
//	Ended      all have ended, where system ones (timers) do not count
//	Redundant  only the reduction has led to this state
//	Cut        one waits as an assumption about inputs does not hold
//	Stuck      one has not ended: it waits, or loops forever
func (m *Machine) Status() por.Status {
	switch {
	case m.cut.Cause != 0:
		return por.Cut
	case m.fault != nil || m.exited:
		return por.Ended
	}
	for _, s := range m.living() {
		// Goroutines that wait for time are enabled if no other one is enabled, and the reduction
		// holds back none that has missed something.
		//mutant: who waits for time can always move [test ./cmd/hbcheck TestScripts/eternal]: "(!timed(g) || m.inTurn(g))" -> "true"
		if g := m.gs[s]; m.enabled(g) && (!timed(g) || m.inTurn(g)) {
			return por.Running
		}
	}
	switch {
	case m.alive == 0:
		return por.Ended
	case m.tracking && m.assumesFalse():
		return por.Cut
	case m.reduction != nil && m.reduction.redundant():
		return por.Redundant
	}
	return por.Stuck
}

// assumesFalse reports whether a goroutine waits because an assumption does not hold.
func (m *Machine) assumesFalse() bool {
	return slices.ContainsFunc(m.gs, func(g *goroutine) bool { return g.assumes && g.status == gSpinning })
}

// Step implements por.System.
func (m *Machine) Step(id trace.GID, choice int) {
	g := m.gOf(id)
	if m.orders.met != nil {
		m.orders.execute(m, g, choice, false)
		return
	}
	m.step(g, choice)
}

// Repeat implements por.Repeater. The user cannot interrupt it, because its caller continues from the state
// after the steps, and an abandoned execution has no such state. It takes no longer than the first execution
// of the step.
func (m *Machine) Repeat(id trace.GID, choice int) {
	cnt, g := m.cnt, m.gOf(id)
	m.repeating = true
	defer func() { m.repeating = false }()
	if m.orders.met != nil {
		m.orders.execute(m, g, choice, true)
	} else {
		m.step(g, choice)
	}
	m.cnt = cnt
}

// Try implements por.Repeater.
func (m *Machine) Try() { m.tried = m.cnt }

// Untry implements por.Repeater.
func (m *Machine) Untry() { m.cnt = m.tried }

package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/orders"
)

// nativeMayExecute reports whether g may execute the visible native nat now. If not, the call is
// pending and g.pc is at it.
//
//	Peek returns        g.scheduled   effect
//	trace.None          -             local work: executed at once
//	op, n alternatives  no            mayExecute decides: at once, or pending
//	op, n alternatives  yes           executed: this is the operation of the step
//
// Peek is called again in each state while the call is pending, as its operation may change.
func (m *Machine) nativeMayExecute(g *goroutine, nat *Native, r Regs) bool {
	// For the first native of a step, Peek was called before the step, and the explorer has chosen among
	// those alternatives.
	if op := &g.view.op; g.scheduled && op.Kind != trace.None { // viewOf has asked Peek
		g.scheduled = false
		if m.following() {
			m.raceOp(g, r, op)
		}
		return true
	}
	op := &g.pending
	*op = trace.Op{}
	n := nat.Peek(m, g, r, op)
	if op.Kind == trace.None {
		// No other goroutine can notice the call. The alternative in g.Choice was chosen
		// for an earlier operation of this step.
		g.Choice = 0
		return true
	}
	if !m.mayExecute(g, n, op) {
		return false
	}
	if m.following() {
		m.raceOp(g, r, op)
	}
	return true
}

// mayExecute reports whether g may execute the visible operation op, which has n alternatives, at
// once; otherwise it becomes pending.
//
// The cases are in the order of precedence: a disabled operation never executes, not even if its goroutine is
// alone; a scheduled operation always executes.
func (m *Machine) mayExecute(g *goroutine, n int, op *trace.Op) bool {
	switch {
	// Blocked: it becomes pending and is not enabled.
	case n == 0:
	// op is the operation of this step; step has set the alternative.
	case g.scheduled:
		g.scheduled = false
		return true
	//mutant: choices of initialisers are made once [models TestInitialisers]: "n > 1 && " -> "n < 0 && "
	case n > 1 && m.forks(): // an initialiser's first choice, which the search makes
	//mutant: sleeping initialisers let timers fire [models TestInitialisers]: "op.Kind == trace.Sleep" -> "false"
	case op.Kind == trace.Sleep && m.choosesEarly(n):
	case m.auto && op.Kind != trace.Sleep && op.Kind != trace.Timer:
		g.Choice = m.autoChoice(n)
		return true
	// As long as there is one goroutine, an operation without a choice is local work. How the
	// program ends is a step of its own in any case.
	case n == 1 && !m.multi && op.Kind != trace.Crash && op.Kind != trace.Exit:
		g.Choice = 0
		return true
	}
	op.G, op.Func, op.PC = g.ID, g.Fn.ID, uint32(g.PC)
	if op != &g.pending {
		g.pending = *op
	}
	// Peek's answer is the view of this moment, which step may keep.
	v := &g.view
	v.moment, v.n, v.parks, v.op = m.moment, n, false, *op
	g.status = gReady
	g.scheduled = false
	m.arrivals++
	g.wait.seq = m.arrivals
	return false
}

// viewOf returns g's view of the present state; g has an operation pending.
func (m *Machine) viewOf(g *goroutine) *view {
	v := &g.view
	if v.moment == m.moment || v.moment >= m.silent.since && m.staysTrue(g) {
		v.moment = m.moment
		return v
	}
	// An operation that is not examined below (a plain access, a close) has not changed since it
	// became pending, and has one alternative.
	v.moment, v.n, v.parks = m.moment, 1, false                  // pass must set the same fields
	refused := m.cut.Cause != 0 && g.pending.Kind == trace.Crash // whatever the instruction is
	if g.overflow != nil || g.ending() || refused {
		v.op = g.pending
		return v
	}
	if g.pending.Kind == trace.Branch { // any instruction can have a pending Branch
		v.n, v.op = int(g.Ways), g.pending
		return v
	}
	in := &g.Fn.Code[g.PC]
	switch in.Op {
	case bytecode.CallN:
		// The operation of a native may depend on the state: a
		// compare-and-swap that fails only loads.
		if nat := &m.natives[in.Imm32()]; nat.Steady {
			v.op = g.pending
		} else {
			v.op = trace.Op{G: g.ID, Func: g.Fn.ID, PC: uint32(g.PC)}
			v.n = nat.Peek(m, g, regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(in.A)])), &v.op)
		}
		if g.trail != nil {
			v.op.Awaits = m.reduction.awaits(g)
		}
		return v
	// The accesses of an operation on channels do not change, its alternatives do.
	case bytecode.Send, bytecode.Recv, bytecode.Select:
		v.n = m.countAlternatives(g)
		v.parks = m.parking
	case bytecode.MapNext:
		if g.pending.Kind == trace.Choose {
			v.n = orders.Ways(&m.maps, *g.Reg(uint32(in.B) + 2))
		}
	}
	v.op = g.pending
	// Whether such a select finds a partner also depends on channels that are not its own, which
	// Op.Access cannot list.
	if v.op.Kind == trace.TrySelect {
		//mutant: it does not matter what those wait for who are parked [selecting]
		m.peerChannels(g, func(trace.Access) { v.op.Wide = true })
	}
	if g.trail != nil && (in.Op == bytecode.Select || in.Op == bytecode.ChanLen) {
		v.op.Awaits = m.reduction.awaits(g)
	}
	//mutant: nothing only receives [receives]: "m.onlyReceives(g, &v.op)" -> "false && m.onlyReceives(g, &v.op)"
	if v.op.Awaits == trace.NoAwait && m.onlyReceives(g, &v.op) {
		v.op.Commutes = trace.Receives
	}
	return v
}

// numAlternatives returns the number of alternatives of g's pending operation.
func (m *Machine) numAlternatives(g *goroutine) int {
	if g.status != gReady {
		return 0
	}
	// The view does not depend on the reduction, which is asked each time whether it blocks g.
	n := m.viewOf(g).n
	if n > 0 && m.held(g) {
		return 0
	}
	return n
}

// enabled reports whether g has an operation pending that can execute now.
func (m *Machine) enabled(g *goroutine) bool {
	switch {
	case g.status != gReady || g.pending.Kind.Blocks() && m.viewOf(g).n == 0 || m.held(g):
		return false
	case g.isCollector():
		return m.collectsNow(g)
	}
	return true
}

// hasToMove reports whether g does not wait: it is enabled, or the reduction holds it back although it
// would read a new value.
func (m *Machine) hasToMove(g *goroutine) bool {
	//mutant: who has missed something waits for time [env TestPollPrograms]: "g.trail != nil" -> "false"
	return m.enabled(g) || g.trail != nil && m.reduction.misses(g)
}

// step is Step. The caches of views (Machine.moment) become invalid twice: when the step begins, as
// operations are examined again in its middle, and when it has ended.
//
//	explorer: Step(g, k)
//	  moment 8    look at g (viewOf), save its record
//	  moment 9    exec g: the operation, then local work up to the next visible one
//	              exec those in ready: started, or woken by a partner
//	  moment 10   the new state
func (m *Machine) step(g *goroutine, choice int) {
	if m.reduction != nil {
		m.reduction.beforeStep(g)
	}
	m.growth.willStep(m, g.ID, choice)
	// View and save while the state is still that of the explorer's choice.
	m.quietStep = timed(g) && m.bounded(g) && m.passesTime(g) && m.passingNow().quiet
	m.viewOf(g)
	m.saveGoroutine(g)
	ends := g.ending()
	m.beginGlide(g, g.view.op.Kind)
	silentStep := m.beginSilence(g)
	m.able.begin(m, g)
	g.scheduled, g.Choice = true, int32(choice)
	g.status = gRunning
	//mutant: no operation is inside a call [test ./explore TestWhole]: "!g.Fn.Own" -> "false"
	g.inCall = !g.Fn.Own
	g.steps++
	m.cnt.Steps++
	m.steps++
	// The work, the views and the races of the previous step are reset here.
	m.beginStep()
	m.moment++
	if m.race != nil {
		m.race.Clear()
	}
	defer m.recoverOutOfMemory()
	switch {
	case g.overflow != nil:
		m.crashOverflow(g, g.overflow)
	case ends:
		m.end(g)
	default:
		m.exec(g)
	}
	// g's view was computed when it arrived, and no goroutine moves after that.
	seen := g.view.moment == m.moment && len(m.ready) == 0
	m.noteEffect(g, m.glide.kind, m.glide.idle)
	// Bring the goroutines whose work the step has created or completed to their next operations.
	m.runLocal()
	m.moment++
	if seen {
		g.view.moment = m.moment
	}
	m.endSilence(g, silentStep)
	m.able.end(m)
	if m.reduction != nil {
		m.reduction.afterStep(g)
	}
	m.growth.stepped(m)
	m.verify(true)
}

// runLocal executes the local work of the goroutines that the step started, or whose operation it
// completed, until each has a visible operation pending. Invariant: m.ready is empty between two steps.
//
// The order of the goroutines makes no difference: their work is local.
func (m *Machine) runLocal() {
	for len(m.ready) > 0 && !m.executionOver() {
		g := m.gs[m.ready[0]]
		m.ready = m.ready[:copy(m.ready, m.ready[1:])]
		if g.status == gRunning {
			m.saveGoroutine(g)
			m.exec(g)
			if m.reduction != nil {
				m.moment++
				m.reduction.afterLocal(g)
			}
		}
	}
	m.ready = m.ready[:0]
}

// refillBudget is called by exec when g has used up its budget of back edges and calls; left is
// the rest: less than 0 after a back edge, 0 before a call. It sets the next budget and reports
// whether g may continue.
//
// Only back edges and calls count, as a goroutine cannot execute forever without either.
func (m *Machine) refillBudget(g *goroutine, left int) bool {
	// Account for the work, in run mode also on the clock.
	used := uint64(m.budgetLeft - left)
	m.cnt.Instructions += used
	m.localWork += used
	m.budgetLeft = budget
	if m.auto && m.cfg.Run && m.localWork < 2*budget && m.inModel(g) {
		m.budgetLeft = 1 // check again at one of the next back edges or calls
		return true
	}
	if m.auto {
		if m.cfg.Run {
			m.clock += budget * nanosPerLoop
		}
		return false // the other goroutines get their turn
	}
	// The checks for garbage, for an interrupt by the user, and for the bound of local work are not
	// needed at every refill. A refill may be early, because diverges asks for some.
	if m.localWork >= m.pollAt {
		m.pollAt = m.localWork + budget
		m.collectIfNeeded()
		//mutant: entries begin with labels, however long that takes [test ./vm TestServedLabels]: "m.entering" -> "false"
		if m.entering && m.needsDrawn() {
			m.entersAgain = true
			m.cut = Cut{Cause: CutInterrupted, Text: "a look"}
		} else if m.interrupted() {
			m.cut = Cut{Cause: CutInterrupted, Text: "interrupted"}
		} else if m.cfg.MaxLocal > 0 && m.localWork >= m.cfg.MaxLocal {
			m.cut = Cut{Cause: CutLocal, Text: "step bound: no visible operation after " + itoa(m.localWork) +
				" loop iterations and calls in the loop at " + m.place(g)}
		}
	}
	if m.cut.Cause == 0 && m.diverges(g, left < 0) {
		m.spinForever(g)
		return false
	}
	return m.cut.Cause == 0
}

// inModel reports whether g is in code of a model, or in a function of the library that a model has called.
// There, the code between two operations is one step. Package testing does not count, because it calls
// tests.
func (m *Machine) inModel(g *goroutine) (in bool) {
	if g.Fn.Trusted {
		return !m.inTesting(g.Fn)
	}
	if g.Fn.SSA == nil || !m.prog.InLibrary(g.Fn.SSA) {
		return false
	}
	m.eachFrame(g, func(f *bytecode.Func, _ int32) bool {
		in = f.Trusted && !m.inTesting(f)
		return !f.Trusted && f.SSA != nil && m.prog.InLibrary(f.SSA)
	})
	return in
}

// inTesting reports whether f is of package testing, or begins the program.
func (m *Machine) inTesting(f *bytecode.Func) bool {
	if f.SSA == nil {
		return true
	}
	p := m.prog.PackageOf(original(f.SSA))
	return p != nil && p.Path == "testing"
}

// beginStep resets the counts of a step.
func (m *Machine) beginStep() {
	m.localWork, m.budgetLeft, m.pollAt, m.looksOfStep = 0, budget, 0, 0
	if m.divergence.begin != 0 {
		m.divergence = divergence{}
	}
	m.advanced = m.advanced[:0]
}

// wake lets g continue; a partner has just completed its pending operation.
//
// g does its local work in this step (runLocal).
func (m *Machine) wake(g *goroutine) {
	g.status = gRunning
	g.parked = false
	m.ready = append(m.ready, g.slot)
	m.advanced = append(m.advanced, g.ID)
}

// budget is the number of back edges and calls that a goroutine may execute between two polls of the outside
// world. The end of the budget is no scheduling point of an exploration, because no other goroutine moves. So
// the number only determines how soon garbage, interrupts and endless loops are noticed.
const budget = 1 << 14

// recoverOutOfMemory is deferred where goroutines execute. It abandons the execution if the limit
// of the heap, or of an object, was reached in the middle of an instruction. The state after that
// instruction is never used, and a rewind takes it back.
func (m *Machine) recoverOutOfMemory() {
	if m.heap.Recovers() {
		recover()
		m.growth.stepped(m)
		for _, g := range m.gs {
			g.inNative = false
		}
		if m.cut.Cause == 0 {
			m.cut = m.outOfMemory()
		}
		m.moment++
	}
}

// collectsNow reports whether the collector can move now.
func (m *Machine) collectsNow(g *goroutine) bool {
	if c := &m.collecting; c.moment != m.moment {
		//mutant: the collector never collects [models TestModels/finalizerWakes]: false
		//mutant: the collector waits for no goroutine [models TestModels/collectorLast]: drop 1
		is := m.othersWait(g) && m.anyDies(m.watchesOf(g))
		*c = collecting{m.moment, is} // the checks may have executed steps speculatively, which makes a new moment
	}
	return m.collecting.is
}

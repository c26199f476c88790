package vm

import "slices"

// runAuto executes goroutines in turn, and every enabled operation at once, until auto ends
// (packages are initialised: paused), the program is over, or no goroutine is enabled. Goroutines with
// local work come first, oldest first; if there is no local work, or one has used up its turn, the
// enabled ones get a turn.
//
// It has two uses, and no explorer decides in either of them: the initialisation of packages, which is
// sequential in Go, and `hbcheck run`. Fairness by turns is enough for both.
func (m *Machine) runAuto() {
	defer m.recoverOutOfMemory()
	for m.auto && !m.executionOver() {
		ran, spent := false, false
		one := func(g *goroutine) {
			g.status = gRunning
			if !m.paused {
				m.budgetLeft, m.localWork = budget, 0
			}
			m.paused = false
			m.exec(g)
			if m.paused {
				m.ready = slices.Insert(m.ready, 0, g.slot)
				return
			}
			m.cnt.Steps++
			if m.cfg.Run {
				m.clock += turnWeight * nanosPerLoop
			}
			ran = true
			if g.status == gRunning {
				spent = spent || m.handed == nil || m.handovers%handoversInTurn == 0
				m.ready = append(m.ready, g.slot)
			}
		}
		turn := func(g *goroutine) {
			for one(g); m.handed != nil && m.auto && !m.executionOver(); one(g) {
				g, m.handed = m.handed, nil
				if g.status != gReady || m.numAlternativesAuto(g) == 0 {
					break
				}
				g.scheduled, g.Choice = true, 0
			}
			m.handed = nil
		}
		// Goroutines with local work, each once.
		for n := len(m.ready); n > 0 && m.auto && !m.executionOver(); n-- {
			g := m.gs[m.ready[0]]
			m.ready = m.ready[:copy(m.ready, m.ready[1:])]
			if g.status == gRunning {
				turn(g)
			}
		}
		// Goroutines with an enabled operation. Timers only if their time has passed, the
		// earliest deadline first.
		if !ran || spent {
			for i := 0; i < len(m.gs) && m.auto && !m.executionOver(); i++ {
				if g := m.gs[i]; g.status == gReady && !timed(g) && m.numAlternativesAuto(g) > 0 {
					g.scheduled, g.Choice = waitsInQueue(g), 0 // g keeps its place in the queue
					turn(g)
				}
			}
			for range m.gs {
				g := m.firstSleeper()
				if g == nil || !m.isDue(g) || !m.auto || m.executionOver() {
					break
				}
				g.scheduled = true
				turn(g)
			}
		}
		if m.paused {
			m.collectIfNeeded()
			break
		}
		m.pollAfterTurns()
		// All wait: time passes to the first deadline. Without one no goroutine can move.
		if !ran && m.auto {
			g := m.firstSleeper()
			if g == nil {
				if m.gs[0].status == gReady && slices.ContainsFunc(m.gs, (*goroutine).isCollector) && m.forks() {
					m.ready = append(m.ready, 0) // due timers may wake main
					break
				}
				return
			}
			g.scheduled = true
			turn(g)
		}
		// A program in run mode ends when main returns, even if other goroutines have not ended (spec:
		// Program execution).
		if m.cfg.Run && m.mainEnd && !m.goexited {
			m.exited = true
		}
	}
	m.moment++
}

// pollAfterTurns checks for events from outside that end the execution.
func (m *Machine) pollAfterTurns() {
	if m.cfg.Interrupt != nil && m.cfg.Interrupt() {
		m.cut = Cut{Cause: CutInterrupted, Text: "interrupted"}
	}
	if m.cfg.MaxRun > 0 && m.cnt.Instructions+m.cnt.Steps*turnWeight > m.cfg.MaxRun {
		m.cut = Cut{Cause: CutRun, Text: "no end after " + itoa(m.cfg.MaxRun) + " loop iterations and calls"}
	}
	m.collectIfNeeded()
}

// handOver reports whether a goroutine waits for the element that g has just sent into the buffer of c, or
// for the room that g has made there, and lets that goroutine continue next. gc gives the element or the room
// at once to the goroutine that has waited longest. Here that goroutine takes it before any other one can.
func (m *Machine) handOver(g *goroutine, c chanCase) bool {
	m.handed = nil
	var arr [8]chanCase
	for _, q := range m.waitingPeers(c, false) {
		if q == g || m.handed != nil && m.handed.wait.seq < q.wait.seq {
			continue
		}
		for _, d := range m.chanCases(q, arr[:0]) {
			if d.ch == c.ch && d.send != c.send {
				m.handed = q
			}
		}
	}
	if m.handed != nil {
		m.handovers++
	}
	return m.handed != nil
}

// handoversInTurn bounds how often two goroutines hand over to each other before others get a turn.
const handoversInTurn = 64

// turnWeight is the cost of a turn in MaxRun, in addition to its instructions.
const turnWeight = 16

// nanosPerLoop is the duration of an iteration or a call, by the clock of a program in run mode, because a
// program that measures time must see it pass. It is close to the real duration in the machine, so that a
// program that works for two seconds ends after some seconds.
const nanosPerLoop = 20

// runLocalAfterAuto brings every goroutine to its next visible operation after initialisation, main first. A
// later goroutine may give work to an earlier one again, as a coroutine that hands control back.
//
// At the end each goroutine is at a visible operation, so an explorer can begin with the state.
func (m *Machine) runLocalAfterAuto() {
	defer m.recoverOutOfMemory()
	m.paused = false
	if g := m.gs[m.ready[0]]; g.status == gRunning {
		m.exec(g) // the rest of its turn
	}
	m.cnt.Steps++
	m.pollAfterTurns()
	m.beginStep()
	for i := 0; i < len(m.gs) && !m.executionOver(); i++ {
		//mutant: main goes on to an entry that is not there [models TestConfluent/idle]: "(i > 0 || !m.paused) && " -> ""
		for m.gs[i].status == gRunning && (i > 0 || !m.paused) && !m.executionOver() {
			m.exec(m.gs[i])
			i = 0
		}
	}
	m.ready = m.ready[:0]
	m.moment++
}

// numAlternativesAuto is numAlternatives for run mode.
//
// A view belongs to one state. Run mode does not count states, so each call makes a new moment.
func (m *Machine) numAlternativesAuto(g *goroutine) int {
	m.moment++
	return m.numAlternatives(g)
}

// firstSleeper returns the goroutine with the earliest deadline, or nil.
func (m *Machine) firstSleeper() *goroutine {
	var first *goroutine
	m.moment++
	for _, g := range m.gs {
		if timed(g) && m.numAlternatives(g) > 0 && (first == nil || m.deadline(g) < m.deadline(first)) {
			first = g
		}
	}
	return first
}

// Exit returns the exit status of a program in run mode: its own, or 2 after a panic, a fatal error or a
// deadlock, whose text is printed as by the runtime. reason is not empty if the program reached an
// operation that the machine does not model.
func (v Report) Exit() (status int, reason string) {
	m := v.m
	// A test that fails or is skipped ends its goroutine, which may be the only goroutine.
	if left := m.goexited && !m.Report().MainGoexited() && m.alive == 0; !m.executionOver() && !left {
		m.deadlock()
	}
	switch {
	case m.cut.Cause != 0:
		return 3, m.cut.Text
	case m.fault != nil:
		return m.fault.Exit, ""
	}
	return m.exit, ""
}

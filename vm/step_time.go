package vm

import (
	"math"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/trace"
)

// Time: when sleepers wake and timers fire. Both are goroutines whose pending operation waits for
// a deadline (trace.Sleep, trace.Timer); this file calls both timers.
//
// The clock stands still while code executes, except when a clock read makes time pass (step_look.go). The
// clock is part of the state: now, and debt, the time that has passed since all goroutines last waited. There
// are three models.
//
//	any      Config zero        every timer may fire at every moment, whatever its deadline
//	bounded  OrderedTime        timers fire in the order of their deadlines, by these rules:
//
//	 1. A timer is due if its deadline is not after now. Each timer that is due may fire, in any
//	    order, before or after any step of the other goroutines. Time does not pass while one is due.
//	 2. The state is quiet if no goroutine is enabled, timers that are not due and signals that have
//	    not arrived excepted. Then time may pass to the first deadline, and debt is 0.
//	 3. Otherwise time may pass to the first deadline d if debt + (d - now) <= Slack, and debt
//	    grows by d - now.
//
//	virtual  Slack is 0         rule 3 never applies: testing/synctest's clock
//
// So the computation of goroutines between two moments at which all of them wait takes at most
// Slack. A goroutine that is held because it iterates a loop with zero effect (await_eliminate.go)
// waits. In a bubble of testing/synctest time is virtual in every model, and the bubble has its own
// clock.
//
// A ticker whose channel is full cannot fire and does not count as a timer here: its ticks are dropped
// until the channel is empty.
//
// Starting a timer reads the clock, so it is an operation of its own (trace.Clock): time may pass
// between it and the previous step of its goroutine. This operation is needed only if time can pass
// while goroutines are enabled:
//
//	1. Suppose that no timer has been started with a duration within the slack, and that no
//	   deadline was within the slack after any moment at which time passed. Then rule 3 has never
//	   applied: time has passed by rule 2 only, when all goroutines had executed all they could.
//	2. Then all operations between two such moments happen at the same time, whatever their
//	   order, and each order has the same timers with the same deadlines. So if 1 holds for
//	   one execution of a class, it holds for all, and for all states on the way.
//	3. Hence a search that has seen 1 hold in each class has lost nothing. Any other search begins
//	   again with VisibleArming (NeedsArming).
//
// Operations that depend on time. A step that makes time pass changes the meaning of every
// deadline, and is enabled only because of steps of the others, so it depends on everything
// (DependsOnAll). The firing of a timer that is due depends only on its accesses.

// timed reports whether g waits for a deadline.
func timed(g *goroutine) bool {
	return g.status == gReady && (g.pending.Kind == trace.Sleep || g.pending.Kind == trace.Timer)
}

// timeOrdered reports whether timers such as g fire in the order of their deadlines.
func (m *Machine) timeOrdered(g *goroutine) bool { return m.cfg.OrderedTime || m.auto || g.bubble != 0 }

// bounded reports whether the rules above decide when timer g fires.
func (m *Machine) bounded(g *goroutine) bool { return m.cfg.OrderedTime && !m.auto && g.bubble == 0 }

// passingNow returns the passing of the present state.
func (m *Machine) passingNow() *passing {
	p := &m.passing
	if p.moment == m.moment {
		return p
	}
	due, busy, first := false, false, int64(math.MaxInt64)
	list := m.living()
	if s := &m.able; s.moment == m.moment && !s.collects {
		s.update(m)
		busy, list = !s.none(), s.special
	}
	for _, s := range list {
		g := m.gs[s]
		switch {
		case g.status == gSpinning:
			busy = busy || m.hasToMove(g)
		case g.status != gReady, g.isCollector(), g.system && g.pending.Kind == trace.Clock: // a signal may take its time
		case !timed(g) || !m.bounded(g):
			busy = busy || m.hasToMove(g)
		case m.numAlternatives(g) == 0:
		case m.isDue(g):
			due = true
		default:
			first = min(first, m.deadline(g))
		}
	}
	// The calls above may have executed speculatively, which is a new moment.
	*p = passing{moment: m.moment, due: due, quiet: !busy && !due, first: first}
	return p
}

// inTurn reports whether the rules above let timer g fire now. g could fire if it were due.
func (m *Machine) inTurn(g *goroutine) bool {
	if !m.bounded(g) || m.isDue(g) {
		return true
	}
	p := m.passingNow()
	d := m.deadline(g)
	return !p.due && d == p.first && (p.quiet || m.withinSlack(d))
}

// withinSlack reports whether time may pass to d while goroutines are enabled.
func (m *Machine) withinSlack(d int64) bool { return d-m.clock <= m.cfg.Slack-m.debt }

// passesTime reports whether time passes if timer g fires.
func (m *Machine) passesTime(g *goroutine) bool { return !m.isDue(g) }

// elapse is the effect of a timer's operation on the clock. Where timers have no order, a late ticker has not
// missed a tick. There the clock moves only if the program reads the clock, so that the deadlines of contexts
// do not distinguish states that are otherwise equal.
func elapse(m *Machine, g *goroutine, r Regs) Ctl {
	m.wokenLate(g)
	m.idleLooks, m.idleRounds = 0, 0
	d, from := m.deadline(g), m.clock
	at := d
	switch {
	case g.bubble != 0:
		m.setBubbleClock(g.bubble, max(d, m.clockOf(g)))
	case m.auto || m.cfg.OrderedTime && !m.quietStep && m.multi:
		m.debt += max(0, d-m.clock)
		if m.auto && m.cfg.Run && d > m.clock {
			d += wakeNanos
		}
		m.clock = max(m.clock, d)
	case m.cfg.OrderedTime:
		if d > m.clock {
			m.clock, m.debt = d, 0
			if m.facts.ClockUsed {
				m.rests++
			}
		}
		m.noteNear(g)
	case m.facts.ClockUsed:
		m.clock = max(m.clock, int64(g.label))
	}
	if m.clock != from {
		m.timeStep = m.steps
	}
	m.observeLate()
	g.label = 0
	if m.cfg.Run && g.system {
		g.label = uint64(at) // the time for the next tick of a ticker: see nextTick
	}
	return Next
}

// noteArmed records that a timer has been started that fires after d.
func (m *Machine) noteArmed(d int64) {
	if d > 0 && d <= m.cfg.Slack && !m.cfg.short.Load() {
		m.cfg.short.Store(true)
	}
}

// noteNear records timers other than g to which time can now pass while goroutines are enabled.
func (m *Machine) noteNear(g *goroutine) {
	if m.cfg.Slack == 0 || m.cfg.VisibleArming {
		return
	}
	for _, s := range m.living() {
		if q := m.gs[s]; q != g && timed(q) && m.bounded(q) {
			m.noteArmed(m.deadline(q) - m.clock)
		}
	}
}

// NeedsArming reports whether starting a timer must become a visible operation, because on
// some path time could pass while goroutines were enabled.
func (v Environment) NeedsArming() bool { return v.m.cfg.short.Load() && !v.m.cfg.VisibleArming }

// Wait returns how long the timer whose goroutine is id still waits; ok is false for other goroutines.
func (v Report) Wait(id trace.GID) (d time.Duration, ok bool) {
	m := v.m
	g := m.gOf(id)
	if !timed(g) || g.bubble != 0 {
		return 0, false
	}
	return time.Duration(int64(g.label) - m.clock), true
}

// AwaitsTime reports whether goroutine id can do nothing before time has passed. By rule 2 time does not
// pass while another goroutine of this state is enabled.
func (v StaticView) AwaitsTime(id trace.GID) bool {
	m := v.m
	g := m.gOf(id)
	//mutant: parts: timers fire in the order of their deadlines in every model [partTexts]: drop 2
	//mutant: parts: a timer that is due waits [partTexts]: drop 3
	//mutant: parts: what fires next waits [partTexts]: drop 4
	return timed(g) && m.bounded(g) && !m.isDue(g) && !m.passingNow().quiet
}

// Overtakes implements por.Global.
func (m *Machine) Overtakes() bool {
	return m.timeOvertakes() || m.facts.LooksAtAll
}

// timeOvertakes reports whether time may pass while goroutines are busy.
func (m *Machine) timeOvertakes() bool {
	return m.cfg.VisibleArming || m.cfg.VisibleLooks || !m.cfg.OrderedTime && m.facts.ClockUsed
}

// MayLook implements por.Global. In a bubble of testing/synctest time passes without an operation that looks.
func (m *Machine) MayLook() bool {
	//mutant: a bubble looks only where it waits [test ./vm TestMayLook]: " && !m.facts.Bubbles" -> ""
	return m.facts.LooksAtAll && !m.facts.Bubbles && !m.timeOvertakes()
}

// InspectsAll implements por.Global.
func (m *Machine) InspectsAll() bool { return m.facts.Inspects }

// TimersPending reports whether a timer fires as soon as all goroutines wait.
func (v Report) TimersPending() bool {
	m := v.m
	for _, s := range m.living() {
		if g := m.gs[s]; timed(g) && m.bounded(g) && m.numAlternatives(g) > 0 {
			return true
		}
	}
	return false
}

// TimeStep returns the last step of the path, counted from 1, in which time has passed.
func (v Report) TimeStep() int { return v.m.timeStep }

// debtHash returns the part of debt on which the future depends: 0 if time is going to pass before
// anything else happens.
func (m *Machine) debtHash() int64 {
	if m.debt == 0 || m.passingNow().quiet {
		return 0
	}
	return m.debt
}

// isDue reports whether the deadline of a timer has come.
func (m *Machine) isDue(g *goroutine) bool { return m.deadline(g) <= m.clockOf(g) }

// deadline returns when a timer fires. A ticker whose last tick was not received in time misses ticks, and
// continues with the next tick that is not in the past.
//
// In a program that is run the clock passes while goroutines compute. There a late tick is not
// missed, unless the tick before it was not received in time.
func (m *Machine) deadline(g *goroutine) int64 {
	d, now := int64(g.label), m.clockOf(g)
	if d < now && g.system {
		if period := int64(m.word(g.wait.obj, tmPeriod)); period > 0 {
			until := now
			if m.cfg.Run {
				until = m.fullUntil(g)
			}
			if d < until {
				d += (until - d + period - 1) / period * period
			}
		}
	}
	return d
}

// fullUntil returns the time until which the channel of ticker g held a tick: now, if it still holds one;
// -1 if it never did. In run mode, the empty buffer keeps that time (takeBuffered).
func (m *Machine) fullUntil(g *goroutine) int64 {
	c := m.word(g.wait.obj, tmChan)
	if m.chanHdr(c)[chLen/8] != 0 {
		return m.clockOf(g)
	}
	return int64(m.word(c, chBuf+8)) - 1
}

// nextTick returns the next deadline of a ticker of a program that is run: a late tick does not
// delay the next one.
func (m *Machine) nextTick(g *goroutine, period int64) int64 {
	d, now := int64(g.label)+period, m.clockOf(g)
	if d <= now {
		d += (now - d + period) / period * period
	}
	return d
}

// noteWaiting records that g waits for time to pass, for Modes.
func (m *Machine) noteWaiting(g *goroutine) {
	if g.bubble == 0 && !m.auto && !m.cfg.waited.Load() {
		m.cfg.waited.Store(true)
	}
}

// clockOf returns the time of g's clock: nanoseconds since the start of the program or of g's bubble.
func (m *Machine) clockOf(g *goroutine) int64 {
	if g.bubble != 0 {
		for _, b := range m.bubbles {
			if b.bubble == g.bubble {
				return b.now
			}
		}
	}
	return m.clock
}

// setBubbleClock sets the clock of a bubble; a negative time ends it.
func (m *Machine) setBubbleClock(bubble uint32, now int64) {
	m.observeTime()
	m.replaceBubbleClock(bubbleClock{bubble: bubble, now: now, waits: m.waitsIn(bubble)})
}

// replaceBubbleClock makes b the clock of its bubble.
func (m *Machine) replaceBubbleClock(b bubbleClock) {
	bubbles := make([]bubbleClock, 0, len(m.bubbles)+1)
	for _, old := range m.bubbles {
		if old.bubble != b.bubble {
			bubbles = append(bubbles, old)
		}
		b.stopped = b.stopped || old.bubble == b.bubble && old.stopped
	}
	if b.now >= 0 {
		bubbles = append(bubbles, b)
	}
	m.bubbles = bubbles
}

// isStopped reports whether the clock of the bubble has been stopped.
func (m *Machine) isStopped(bubble uint32) bool {
	return slices.ContainsFunc(m.bubbles, func(b bubbleClock) bool { return b.bubble == bubble && b.stopped })
}

// waitsIn returns the number of times that a synctest.Wait has returned in a bubble; 0 outside of bubbles.
func (m *Machine) waitsIn(bubble uint32) int64 {
	for _, b := range m.bubbles {
		if b.bubble == bubble {
			return b.waits
		}
	}
	return 0
}

// wakeNanos is the delay of timers in run mode, similar to the kernel's: after sleeping for d, a program
// finds that more than d has passed.
const wakeNanos = 50_000

// passing describes the timers in one state.
type passing struct {
	moment uint64
	due    bool  // a timer is due
	quiet  bool  // no goroutine is enabled, timers that are not due excepted
	first  int64 // the first deadline of a timer that is not due
}

// A bubbleClock is the time in a bubble of testing/synctest. Marks share Machine.bubbles, so a
// change replaces the slice and never writes to it.
type bubbleClock struct {
	bubble  uint32
	now     int64
	waits   int64 // number of times that a synctest.Wait has returned: see step_queue.go
	stopped bool  // the bubble's function has returned, and goroutines remain: now does not change
}

// canFire reports whether it makes a difference that the timer with the hidden goroutine g fires. It makes no
// difference if the tick would be dropped, or if time would pass to a moment that no remaining goroutine can
// notice. A function is called even if all other goroutines have ended.
//
// A timer that can fire before the last goroutine ends can also fire after that, so these two steps
// commute: time passes in a separate step, on which all others depend.
//
// If timers are ordered, it matters whether the tick of this moment is dropped before or after the last
// tick is received.
func (m *Machine) canFire(g *goroutine) bool {
	c := m.word(g.wait.obj, tmChan)
	switch {
	case m.spent(g):
		return false
	case c == 0:
		return true
	case m.alive == 0 && (m.timeOrdered(g) && !m.isDue(g) || g.bubble != 0):
		return false
	}
	if m.word(g.wait.obj, tmPeriod) == 0 {
		return true // its channel is empty, or the timer is of the kind before Go 1.23, where Stop reports whether it is armed
	}
	return m.chanHdr(c)[chLen/8] == 0 || m.timeOrdered(g) && m.isDue(g)
}

package vm

import (
	"math"
	"time"

	"hbcheck.dev/hbcheck/trace"
)

// Time: when sleepers wake and timers fire. Both are goroutines whose pending operation waits for
// a deadline (trace.Sleep, trace.Timer); here both are called timers.
//
// The clock stands still while code executes, but for looks at it (step_look.go). It is part of the
// state: now, and debt, the time that has passed since all goroutines last waited. There are three
// models.
//
//	any      Config zero        every timer may fire at every moment, whatever its deadline
//	bounded  OrderedTime        timers fire in the order of their deadlines, by these rules:
//
//	 1. A timer is due if its deadline is not after now. Each that is due may fire, in any order,
//	    before or after whatever the other goroutines do. Time does not pass while one is due.
//	 2. The state is quiet if no goroutine is enabled, timers that are not due and signals that have
//	    not arrived excepted. Then time may pass to the first deadline, and debt is 0.
//	 3. Otherwise time may pass to the first deadline d if debt + (d - now) <= Slack, and debt
//	    grows by d - now.
//
//	virtual  Slack is 0         rule 3 never applies: testing/synctest's clock
//
// So all that goroutines compute between two moments at which all of them wait takes at most Slack.
// A goroutine that iterates a loop with zero effect, and is held for that (await_eliminate.go),
// waits. In a bubble of testing/synctest time is virtual in every model, and the bubble's own.
//
// A ticker whose channel is full cannot fire and is no timer in this sense: its ticks are dropped
// until the channel is empty.
//
// Starting a timer reads the clock, so it is an operation of its own (trace.Clock): time may pass
// between it and what its goroutine has done before. That is needed only if time can pass while
// goroutines are enabled:
//
//	1. As long as no timer has been started with a duration within the slack, and whenever time
//	   has passed no deadline is within the slack of it, rule 3 has never applied: time has passed
//	   by rule 2 only, when all goroutines had executed all they could.
//	2. Then all that was done between two such moments was done at the same time, whatever its
//	   order, and each order of it has the same timers with the same deadlines. So if 1 holds for
//	   one execution of a class, it holds for all, and for all states on the way.
//	3. Hence a search that has seen 1 hold in each class has lost nothing. One that has not is begun
//	   again with VisibleArming (NeedsArming).
//
// What depends on time passing. A step that makes time pass changes what every deadline means, and
// can be executed at all only because of what the others have done, so it depends on everything
// (DependsOnAll). The firing of a timer that is due depends on what it accesses and nothing else.

// timed reports whether g waits for a deadline.
func timed(g *goroutine) bool {
	return g.status == gReady && (g.pending.Kind == trace.Sleep || g.pending.Kind == trace.Timer)
}

// timeOrdered reports whether the timers of which g is one fire in the order of their deadlines.
func (m *Machine) timeOrdered(g *goroutine) bool { return m.cfg.OrderedTime || m.auto || g.bubble != 0 }

// bounded reports whether the rules above decide when timer g fires.
func (m *Machine) bounded(g *goroutine) bool { return m.cfg.OrderedTime && !m.auto && g.bubble == 0 }

// passing is what can be said of time in one state.
type passing struct {
	moment uint64
	due    bool  // a timer is due
	quiet  bool  // no goroutine is enabled, timers that are not due excepted
	first  int64 // the first deadline of a timer that is not due
}

// passingNow returns that of the present state.
func (m *Machine) passingNow() *passing {
	p := &m.passing
	if p.moment == m.moment {
		return p
	}
	due, busy, first := false, false, int64(math.MaxInt64)
	for _, s := range m.living() {
		g := m.gs[s]
		switch {
		case g.status != gReady, g.isCollector(), g.system && g.pending.Kind == trace.Clock: // a signal may take its time
		case !timed(g) || !m.bounded(g):
			busy = busy || m.enabled(g)
		case m.numAlternatives(g) == 0:
		case m.isDue(g):
			due = true
		default:
			first = min(first, m.deadline(g))
		}
	}
	// What was asked may have been executed speculatively, which is a new moment.
	*p = passing{moment: m.moment, due: due, quiet: !busy && !due, first: first}
	return p
}

// inTurn reports whether the rules above let timer g fire now, which could fire if it were due.
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

// elapse is the effect of a timer's operation on the clock. Where time has no order a late ticker
// has not missed anything, and the clock does not move if the program never reads it, so that the
// deadlines of contexts and the like do not make equal states differ.
func elapse(m *Machine, g *goroutine, r Regs) Ctl {
	m.wokenLate(g)
	m.vainLooks, m.vainRounds = 0, 0
	d := m.deadline(g)
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
			if m.link.clockUsed {
				m.rests++
			}
		}
		m.noteNear(g)
	case m.link.clockUsed:
		m.clock = max(m.clock, int64(g.label))
	}
	m.observeLate()
	g.label = 0
	if m.cfg.Run && g.system {
		g.label = uint64(at) // for the next tick of a ticker: see nextTick
	}
	return Next
}

// noteArmed notes that a timer has been started that fires after d.
func (m *Machine) noteArmed(d int64) {
	if d > 0 && d <= m.cfg.Slack && !m.cfg.short.Load() {
		m.cfg.short.Store(true)
	}
}

// noteNear notes timers besides g that time can now pass to while goroutines are enabled.
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

// NeedsArming reports whether starting a timer must be a visible operation, and is not, because on
// some path time could pass while goroutines were enabled.
func (v Environment) NeedsArming() bool { return v.m.cfg.short.Load() && !v.m.cfg.VisibleArming }

// NeedsRefining reports whether what has been explored says nothing, as an operation must be visible
// that is not, or time pass where it does not, or as fingerprints of states say too little.
func (v Environment) NeedsRefining() bool {
	m := v.m
	if m.Environment().NeedsArming() || m.Environment().NeedsAbsolute() || m.needsNumbers() || m.needsElapsed() || m.needsDrawn() || m.needsTimed() {
		return true
	}
	if !m.cfg.late.noted() {
		return false
	}
	return !m.cfg.VisibleLooks || len(m.cfg.late.jumps) > len(m.cfg.jumps)
}

// Wait returns how long the timer whose goroutine is g waits yet, if g is one.
func (v Report) Wait(id trace.GID) (d time.Duration, ok bool) {
	m := v.m
	g := m.gOf(id)
	if !timed(g) || g.bubble != 0 {
		return 0, false
	}
	return time.Duration(int64(g.label) - m.clock), true
}

// AwaitsTime reports whether goroutine id can do nothing before time has passed, which it does not by
// rule 2 as long as another one is enabled that is now.
func (v StaticView) AwaitsTime(id trace.GID) bool {
	m := v.m
	g := m.gOf(id)
	//mutant: parts: timers fire in the order of their deadlines in every model [partTexts]: drop 2
	//mutant: parts: a timer that is due waits [partTexts]: drop 3
	//mutant: parts: what fires next waits [partTexts]: drop 4
	return timed(g) && m.bounded(g) && !m.isDue(g) && !m.passingNow().quiet
}

// VisibleArming is Config.VisibleArming.
func (v Environment) VisibleArming() bool { return v.m.cfg.VisibleArming }

// Overtakes implements por.Global.
func (m *Machine) Overtakes() bool {
	anyTime := !m.cfg.OrderedTime && m.link.clockUsed
	return m.cfg.VisibleArming || m.cfg.VisibleLooks || anyTime || m.link.looksAtAll
}

// InspectsAll implements por.Global.
func (m *Machine) InspectsAll() bool { return m.link.inspects }

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

// debtHash is the part of debt that matters for what can still happen: none if time is going to
// pass before anything else happens.
func (m *Machine) debtHash() int64 {
	if m.debt == 0 || m.passingNow().quiet {
		return 0
	}
	return m.debt
}

// isDue reports whether the deadline of a timer has come.
func (m *Machine) isDue(g *goroutine) bool { return m.deadline(g) <= m.clockOf(g) }

// deadline is when a timer fires. A ticker whose last tick has not been received in time misses
// ticks; it continues with the next one that is not in the past.
//
// In a program that is run the clock passes while goroutines compute. There a tick is not missed
// because it is late, but only if the one before had not been received at its time.
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

// fullUntil returns until when the channel of ticker g has held a tick: now, if it still does; -1 if it
// never has. Its buffer says so while it is empty (takeBuffered), in a program that is run only.
func (m *Machine) fullUntil(g *goroutine) int64 {
	c := m.word(g.wait.obj, tmChan)
	if m.chanHdr(c)[chLen/8] != 0 {
		return m.clockOf(g)
	}
	return int64(m.word(c, chBuf+8)) - 1
}

// nextTick returns when a ticker of a program that is run fires again: late ticks do not delay the next.
func (m *Machine) nextTick(g *goroutine, period int64) int64 {
	d, now := int64(g.label)+period, m.clockOf(g)
	if d <= now {
		d += (now - d + period) / period * period
	}
	return d
}

// noteWaiting notes that g waits for time to pass, for Modes.
func (m *Machine) noteWaiting(g *goroutine) {
	if g.bubble == 0 && !m.auto && !m.cfg.waited.Load() {
		m.cfg.waited.Store(true)
	}
}

// A bubbleClock is the time in a bubble of testing/synctest. Machine.bubbles is replaced when one
// changes and never written to, as marks share it.
type bubbleClock struct {
	bubble uint32
	now    int64
	waits  int64 // how often a synctest.Wait has returned: see step_queue.go
}

// clockOf is the time of g's clock: nanoseconds since the program started, or its bubble did.
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
	m.replaceBubbleClock(bubbleClock{bubble, now, m.waitsIn(bubble)})
}

// replaceBubbleClock makes b that of its bubble.
func (m *Machine) replaceBubbleClock(b bubbleClock) {
	bubbles := make([]bubbleClock, 0, len(m.bubbles)+1)
	for _, old := range m.bubbles {
		if old.bubble != b.bubble {
			bubbles = append(bubbles, old)
		}
	}
	if b.now >= 0 {
		bubbles = append(bubbles, b)
	}
	m.bubbles = bubbles
}

// waitsIn is how often a synctest.Wait has returned in a bubble, 0 outside of all.
func (m *Machine) waitsIn(bubble uint32) int64 {
	for _, b := range m.bubbles {
		if b.bubble == bubble {
			return b.waits
		}
	}
	return 0
}

package vm

import (
	"go/token"
	"math"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Timers that wait for a drawn duration, and the clock when one of them has fired:
//
//	time.Sleep(backoff + time.Duration(rand.Int63n(int64(jitter))))
//
// The deadline is one of many then, but between bounds. In another execution with other values that are
// drawn, and the same words without labels as in drawn.go, what remains to a deadline differs from what
// it is here by a number between lo and hi (goroutine.due), and the clock by one that its label bounds
// (scalars.drift). The claim is that each such execution has the steps of this one:
//
//  1. The rules of step_time.go compare what remains to deadlines with zero, with what is left of the slack,
//     and with each other; looks compare it with what is left, too (jump). If a comparison that decides comes
//     out otherwise within the bounds, it is a look (checkDue, in each state in which it is asked whether a
//     timer may fire). So the same operations are enabled in both executions.
//  2. There is one exception. Where all goroutines wait, a timer may have to wait here and be due there, if
//     it is the first one whatever was drawn. It is what happens next in both. That no time passes there
//     makes no difference if there is no debt that would be kept (fired): that all have waited once more,
//     here, only makes more possible (reaches). Nor has a look shown more than the clock that is reached,
//     as deadlines lie after what has been shown, and one that comes earlier than a look is in its turn.
//  3. Where time passes to a drawn deadline, what remains to the others is less by what has passed, and
//     differs by the bounds of that as well (fired). What is armed later is armed relative to the clock,
//     and its bounds are those of its own duration. The ticks that a ticker misses are counted, though.
//  4. A timer that may come within the slack makes arming visible (noteRemains). Who has waited for so long
//     before another one came is first in a queue (step_queue.go): if a drawn duration decides that, it is
//     looked at.
//  5. What the clock shows has a label with the bounds of its drift. Differences of Times keep bounds
//     (subtractDrawn); all else that looks at Times looks at the label. So does a loop that waits for a
//     time: that is a deadline that has been made earlier. A tick has the label if it is received.
//  6. Whether a comparison would come out otherwise a little later is asked of labels, too (notesAlike).
//     That a time has been shown, which differs, settles nothing (settled).
//  7. States with a drift are equal only if their clocks are, as bounds of labels are of absolute times.
//     So a loop that sleeps forever would not come back to one: the drift is looked at after a while
//     (maxDrifts). If the program does not read the clock there is none.
//
// Tickers, timers of bubbles, and time without order look at a drawn duration.

// A drawnDue says that a timer's deadline is one of many. Immutable.
type drawnDue struct {
	label  *symbolic.Term
	lo, hi int64 // what remains differs by a number between these
}

// farDue is how far bounds of durations may be that are computed with.
const farDue = math.MaxInt64 / 8

// armDrawn notes that g waits for d, which has label t.
func (m *Machine) armDrawn(g *goroutine, t *symbolic.Term, d int64) {
	g.due = nil
	if t == nil {
		return
	}
	b := m.sym.labels[t].bound
	period := g.system && g.wait.obj != 0 && m.word(g.wait.obj, tmPeriod) != 0
	//mutant: so may a bubble [env TestDraws/TestLookJitterBubble]: drop 4
	if b.kind != integer || b.hi > farDue || b.lo < -farDue || !m.bounded(g) || m.cfg.Run || period {
		m.sym.look(t)
		return
	}
	d = max(d, 0)
	g.due = &drawnDue{t, max(b.lo, 0) - d, max(b.hi, 0) - d}
	m.noteRemains(m.remains(g))
}

// remains returns what remains to the deadline of timer g, here and at least and at most in other executions.
func (m *Machine) remains(g *goroutine) (here, least, most int64) {
	here = m.deadline(g) - m.clock
	if u := g.due; u != nil {
		return here, here + u.lo, here + u.hi
	}
	return here, here, here
}

// checkDue looks at deadlines that are drawn, if they decide what can happen in the present state.
func (m *Machine) checkDue(p *passing) {
	var timers []*goroutine
	for _, s := range m.living() {
		if g := m.gs[s]; timed(g) && m.bounded(g) && m.numAlternatives(g) > 0 {
			timers = append(timers, g)
		}
	}
	for _, g := range timers {
		here, least, most := m.remains(g)
		//mutant: a timer that is due might not be [env TestDraws/TestLookJitterNow|TestDraws/TestLookJitterLater]: false
		if here <= 0 && most > 0 { // it is due, and might not be
			m.lookDue(g)
		}
		//mutant: nor may one that is not due [env TestDraws/TestLookJitter(Now|Later|Short)$]: false
		if here > 0 && !p.quiet && least <= m.cfg.Slack-m.debt { // it might be in its turn
			m.lookDue(g)
		}
		if !p.quiet || here != p.first-m.clock {
			continue
		}
		for _, q := range timers {
			//mutant: timers fire in one order [env TestDraws/TestLookJitterStop]: "(g.due != nil || q.due != nil)" -> "false"
			if _, other, _ := m.remains(q); q != g && (g.due != nil || q.due != nil) && other <= most {
				m.lookDue(g)
				m.lookDue(q)
			}
		}
	}
}

// lookDue looks at what timer g waits for, if that was drawn.
func (m *Machine) lookDue(g *goroutine) {
	if g.due != nil {
		m.sym.look(g.due.label)
	}
}

// lookDrift looks at what the clock shows.
func (m *Machine) lookDrift() {
	if m.drift != nil {
		m.sym.look(m.drift)
	}
}

// maxDrifts is how many timers fire on a path where the clock drifts before what was drawn is looked at.
const maxDrifts = 64

// fired notes that timer g fires, before the clock is moved.
func (m *Machine) fired(g *goroutine) {
	if m.drift != nil {
		//mutant: time that drifts is drawn as often as one likes [env TestDraws/TestLookJitterOften]: "m.drifted++; m.drifted > maxDrifts" -> "false"
		if m.drifted++; m.drifted > maxDrifts {
			m.lookDrift()
		}
	}
	u := g.due
	if u == nil {
		return
	}
	here, least, most := m.remains(g)
	g.due = nil
	if here <= 0 {
		return // so it is whatever was drawn
	}
	least, most = max(least, 0), max(most, 0) // so much passes
	//mutant: debt may be kept [env TestDraws/TestLookJitterDebt]: false
	if least == 0 && m.debt > 0 {
		m.sym.look(u.label)
	}
	for _, s := range m.living() {
		q := m.gs[s]
		switch {
		case q == g:
		//mutant: a drawn duration says nothing of queues [env TestDraws/TestLookJitterQueue]
		case m.cfg.InTurn && waitsInQueue(q) && least <= m.cfg.Slack:
			m.sym.look(u.label)
		case timed(q) && m.bounded(q):
			if q.system && q.wait.obj != 0 && m.word(q.wait.obj, tmPeriod) != 0 {
				//mutant: nor of ticks that are missed [env TestDraws/TestLookJitterTicker]
				m.sym.look(u.label)
			}
			m.saveGoroutine(q)
			v := &drawnDue{u.label, here - most, here - least}
			if q.due != nil {
				//mutant: bounds of drawn durations do not add up [env TestDraws/TestLookJitterSum]: "q.due.lo + v.lo, q.due.hi +" -> "v.lo,"
				v = &drawnDue{m.sym.joined(bound{}, u.label, q.due.label), q.due.lo + v.lo, q.due.hi + v.hi}
			}
			//mutant: nor of what remains to other timers [env TestDraws/TestLookJitterShifted]
			q.due = v
		}
	}
	if m.link.clockUsed {
		m.drifts(u.label, least-here, most-here)
	}
}

// drifts notes that the clock differs by a number between lo and hi, which has label t, as well.
func (m *Machine) drifts(t *symbolic.Term, lo, hi int64) {
	if m.drift != nil {
		b := m.sym.labels[m.drift].bound
		lo, hi = lo+b.lo, hi+b.hi
	}
	if max(-lo, hi) > farDue {
		m.sym.look(t)
	}
	//mutant: the clock does not drift [env TestDraws/TestLookJitterElapsed]
	m.drift = m.sym.joined(integers(lo, hi), m.drift, t)
}

// shownDrawn gives what the clock shows in r, in seconds, nanoseconds and since the start, its labels.
func (m *Machine) shownDrawn(g *goroutine, r Regs, t int64) {
	if m.drift == nil || g.bubble != 0 {
		return
	}
	b := m.sym.labels[m.drift].bound
	r.setLabel(m, g, 0, m.sym.joined(integers((t+b.lo)/1e9, (t+b.hi)/1e9), m.drift))
	r.setLabel(m, g, 1, m.sym.joined(integers(0, 1e9-1), m.drift))
	r.setLabel(m, g, 2, m.sym.joined(integers(r.I(2)+b.lo, r.I(2)+b.hi), m.drift))
}

// readingOf returns the label of the monotonic reading of the Time in words i and following of r, and its
// bounds; ok is false if it has none, or nothing is known of one that is drawn.
func (m *Machine) readingOf(g *goroutine, r Regs, i int) (label *symbolic.Term, b bound, ok bool) {
	wall, label := r.sym(m, g, i+timeWall), r.sym(m, g, i+timeExt)
	v := r.I(i + timeExt)
	switch {
	case r.U(i+timeWall)&timeMono == 0, label == nil && wall != nil:
		return label, b, false
	case label == nil:
		return nil, integers(v, v), true
	}
	b = m.sym.labels[label].bound
	return label, b, b.kind == integer && b.lo > -farDue && b.hi < farDue
}

// subtractDrawn is called before Sub of the Times in r: it returns the difference's label. That is one of
// the clock's Times, so that bounds of the readings say all.
func (m *Machine) subtractDrawn(g *goroutine, r Regs) *symbolic.Term {
	x, a, ok1 := m.readingOf(g, r, 0)
	y, b, ok2 := m.readingOf(g, r, timeWords)
	switch {
	case !m.drawnTimes(g, r, 2*timeWords):
		return nil
	case !ok1 || !ok2 || m.link.ticked() || x == nil: // what lies before the clock may lie after it
		m.lookTimes(g, r, 2*timeWords)
		return nil
	}
	return m.sym.joined(integers(a.lo-b.hi, a.hi-b.lo), x, y)
}

// drawnTimes reports whether one of the first n words of r has a label.
func (m *Machine) drawnTimes(g *goroutine, r Regs, n int) bool {
	for i := range n {
		if r.sym(m, g, i) != nil {
			return true
		}
	}
	return false
}

func (m *Machine) lookTimes(g *goroutine, r Regs, n int) {
	for i := range n {
		m.sym.look(r.sym(m, g, i))
	}
}

// notesAlike reports whether an operation Clock notes the same for all values that its operands may have, or
// what makes no difference:
//
//	a Duration     that comes from the clock, or is computed of such: its value is kept as that of one
//	               (step_spans.go), here and with other values. What is none here is none there.
//	a comparison   that comes out the same within the bounds, and would, however much time passes that can
func (s *symbols) notesAlike(g *goroutine, in *bytecode.Instr, word int64) bool {
	m, how := s.m, in.C
	if how&bytecode.ClockNumber != 0 {
		how &^= bytecode.ClockLater
	}
	a, b := int64(*g.reg(uint32(in.A))), int64(0)
	if how&(bytecode.ClockCompared|bytecode.ClockFlow) != 0 && in.B != bytecode.NoReg {
		b = int64(*g.reg(uint32(in.B)))
	}
	const number, known = bytecode.ClockNumber, bytecode.ClockLeft | bytecode.ClockRight
	switch {
	case m.link.manySpans():
		return false
	case how&bytecode.ClockFlow != 0:
		if how&known == 0 && m.spanOf(a) == 0 && (word&bytecode.FlowPlain != 0 || m.spanOf(b) == 0) {
			return true
		}
		op := token.Token(word & bytecode.FlowOp)
		return how&number == 0 && (op == token.ADD || op == token.SUB)
	case how&^number == bytecode.ClockSpan:
		return how&number == 0 || m.spanOf(a) == 0
	case how&^(bytecode.ClockGrows|bytecode.ClockShrinks|known) != bytecode.ClockCompared:
		return false
	}
	x, y := s.boundOf(g, in.A, integer), s.boundOf(g, in.B, integer)
	if x.kind != integer || y.kind != integer || word < 1 {
		return false
	}
	near := func(v int64) int64 { return min(max(v, -farDue), farDue) }
	n := int64(max(m.spanOf(a), m.spanOf(b), 1))
	apart := max(near(x.lo)-near(y.hi), near(y.lo)-near(x.hi)) - 1
	if apart <= 0 || m.moves(g) && m.reaches(min(apart, farDue/word)*word/n) {
		return false
	}
	if m.loopsBack(g) { // needsTime
		g.looked.label = s.joined(bound{}, g.looked.label, g.shadow[g.fp+uint32(in.A)], g.shadow[g.fp+uint32(in.B)])
	}
	return true
}

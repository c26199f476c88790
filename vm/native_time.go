package vm

import (
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bounds"
)

// Natives of package time (load/overlay/_src/time): the virtual clock, sleeping
// and the hidden goroutines of timers. A goroutine's deadline is its label.

var timeNatives = []Native{
	{Name: "time.now", Peek: peekLook, Fn: timeNow},
	{Name: "time.runtimeNow", Peek: peekLook, Fn: timeNow},
	{Name: "time.hbMoves", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.moves(g) && !m.cfg.VisibleLooks) // otherwise two clock reads differ
		return Next
	}},
	{Name: "(time.Time).After", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		c := m.compareTimes(g, r)
		m.noteTie(g, c == 0)
		r.SetBool(0, c > 0)
		return Next
	}},
	{Name: "(time.Time).Before", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.compareTimes(g, r) < 0)
		return Next
	}},
	{Name: "(time.Time).Compare", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, uint64(m.compareTimes(g, r)))
		return Next
	}},
	{Name: "(time.Time).Add", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.addToTime(r)
		return Next
	}},
	{Name: "(time.Time).Sub", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, uint64(m.subtractTimes(g, r)))
		return Next
	}},
	{Name: "(time.Time).Equal", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		//mutant: Equal at a moment is not named [env TestPrograms/clockequal]
		m.equalTimes(g, r)
		r.SetBool(0, m.compareTimes(g, r) == 0)
		return Next
	}},
	{Name: "time.hbApart", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.observeApart(r.U(0), r.U(1))
		//mutant: numbers of times are not of the clock [env TestPrograms/clockelapsednumber]
		m.noteElapsed(g)
		m.takenApart(g, r.U(0), r.U(1))
		return Next
	}},
	{Name: "time.hbText", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.spanText(g, r.I(0))
		return Next
	}},
	{Name: "time.hbMade", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.observeApart(r.U(0), r.U(1))
		m.made(r.U(0), r.U(1))
		return Next
	}},
	{Name: "time.hbCounted", Labels: true, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		label, again := m.draw(g, ClockCounted, bounds.Bound{})
		if again {
			return Stop
		}
		m.takeClock()
		m.counted = m.counted || label == nil
		r.Set(0, uint64(m.clock)+1)
		//mutant: nor has the clock of the runtime [env TestDraws/TestLookOfClockNanotime]
		r.setLabel(m, g, 0, label)
		return Next
	}},
	{Name: "time.runtimeNano", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.readClock()
		m.noteElapsed(g)
		m.observeTime()
		r.Set(0, uint64(m.clockOf(g))+1)
		return Next
	}},
	{Name: "time.runtimeIsBubbled", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, g.bubble != 0)
		return Next
	}},
	//mutant: random durations of timers are not looked at [env TestDraws/TestLookJitter$]: "\"time.hbArm\", Fn" -> "\"time.hbArm\", Labels: true, Fn"
	{Name: "time.hbArm", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		now := m.clockOf(g)
		if g.bubble == 0 {
			now = max(now, m.shown)
		}
		d := now + max(r.I(0), 0)
		if m.cfg.Run && g.system && g.label != 0 {
			d = m.nextTick(g, r.I(0))
		}
		if d < now {
			d = math.MaxInt64
		}
		g.label = uint64(d)
		m.noteArmed(r.I(0))
		if m.cfg.Armed != nil {
			m.cfg.Armed(r.I(0))
		}
		return Next
	}},
	{Name: "time.hbArming", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if m.cfg.VisibleArming && m.bounded(g) {
			op.Kind = trace.Clock
		}
		return 1
	}, Fn: nop},
	{Name: "time.hbSleep", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		op.Kind = trace.Sleep
		m.noteWaiting(g)
		return int(b2u(!m.spent(g) && (g.bubble == 0 || m.isBubbleTurn(g))))
	}, Fn: elapse},
	{Name: "time.hbFire", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		op.Kind = trace.Timer
		m.noteWaiting(g)
		op.Access[0] = accessOf(r.U(0), tmSize, true)
		op.N = 1
		if c := m.word(r.U(0), tmChan); c != 0 {
			op.Access[1] = accessOf(c, 8, true)
			op.N = 2
		}
		return int(b2u(m.canFire(g) && (g.bubble == 0 || m.isBubbleTurn(g))))
	}, Fn: elapse},
	{Name: "time.hbSend", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		c := r.U(0)
		if h := m.chanHdr(c); m.isEarly(h) {
			if h[chLen/8] == 0 {
				m.sendEarly(g, c, r.U(1))
				m.serve(c, false)
			}
			return Next
		}
		m.heap.WillWrite(uint32(c >> 32))
		m.chanHdr(c)[chLen/8] = 1
		m.setWord(c, chBuf+16, r.U(1))
		if m.cfg.OrderedTime && m.facts.ClockUsed || m.cfg.Run {
			m.setWord(c, chBuf+8, uint64(m.clockOf(g))+1)
		}
		m.serve(c, false)
		return Next
	}},
	{Name: "time.hbDrain", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		c := r.U(0)
		full := m.chanHdr(c)[chLen/8] != 0
		if full {
			m.heap.WillWrite(uint32(c >> 32))
			m.chanHdr(c)[chLen/8] = 0
			m.setWord(c, chBuf+8, 0)
			m.setWord(c, chBuf+16, 0)
		}
		r.SetBool(0, full)
		return Next
	}},
	{Name: "time.hbGo", Labels: true, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if c := m.word(r.U(1), tmChan); c != 0 {
			if e := uint32(m.chanHdr(c)[chElem/8] >> 32); m.layouts.At(e).Times[0]&1 != 0 {
				m.layTick = e
			} else {
				m.layEarly = e
			}
		}
		n := m.startG(g, r.U(0), []uint64{r.U(1), r.U(2)}, true)
		n.wait.obj = r.U(1)
		if m.labeled() {
			//mutant: a timer has no label [env TestDraws/TestLookJitter(Func|Reset)$]
			n.Shadow[n.FP+1] = r.sym(m, g, 2)
		}
		//mutant: timers of initialisers fire later [models TestInitialisers/timer]: false
		if m.word(r.U(1), tmChan) == 0 && m.forks() { // AfterFunc
			return Stop
		}
		return Next
	}},
	{Name: "time.hbKill", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		for _, s := range m.living() {
			if q := m.gs[s]; q.system && q.status != gEnded && q.wait.obj == r.U(0) {
				m.saveGoroutine(q)
				q.status = gEnded
				m.alives.ended++
				q.pending = trace.Op{G: q.ID, Kind: trace.End}
			}
		}
		return Next
	}},
	{Name: "time.hbChange", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		m.syncOp(op, trace.SyncAccess, r.U(0), tmSize, true, true)
		if c := m.word(r.U(0), tmChan); c != 0 {
			m.syncOp(op, trace.SyncAccess, c, 8, true, true)
		}
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		//mutant: initialisers stop timers in time [models TestInitialisers]: "m.choosesEarly(1)" -> "false"
		if m.choosesEarly(1) {
			g.PC-- // once more
			return Stop
		}
		return Next
	}},
}

// timeNow returns seconds, nanoseconds and the monotonic time. The last result is 0 in a synctest bubble, as
// natively, because the bubble has another clock.
func timeNow(m *Machine, g *goroutine, r Regs) Ctl {
	m.readClock()
	if m.looksOfStep++; !m.auto && (m.looksOfStep > maxLooks || m.idleLooks > maxIdleLooks || m.idleRounds > maxIdleRounds && m.endlessRounds(g)) {
		m.cutForTime(g)
		g.status = gReady
		g.pending = trace.Op{G: g.ID, Kind: trace.Crash, Func: g.Fn.ID, PC: uint32(g.PC)}
		return Stop
	}
	if m.cfg.Run {
		m.clock += nanosPerLoop
	}
	if g.looked.waits {
		elapse(m, g, r)
		m.noteHeldUp(g)
	}
	g.looked.waits, g.looked.woken, g.looked.stale, g.looked.reads, g.looked.until = false, false, false, false, 0
	g.looked.label = nil
	at := m.look(g)
	t := m.epoch(g) + at
	r.Set(0, uint64(t/1e9))
	r.Set(1, uint64(t%1e9))
	r.Set(2, 0)
	if g.bubble == 0 {
		r.Set(2, uint64(at)+1)
	}
	return Next
}

// readClock records a clock read. A loop that reads the clock may wait for time to pass: it ends
// natively, although time does not pass here.
func (m *Machine) readClock() {
	m.clockReads++
	if f := m.times; f.mu != nil {
		f.note(&f.read)
	}
	m.clockStep = m.steps
}

// takeClock records that the program has the time as a number, which is part of states from then
// on.
func (m *Machine) takeClock() {
	m.readClock()
	m.cfg.absolute.elapsed.Store(true)
	m.observeTime()
}

// noteTie records that code of the library compared two equal times: the clock was just read, and shows a
// deadline that has passed. Natively it shows a later time.
func (m *Machine) noteTie(g *goroutine, equal bool) {
	if equal && m.clockRead() && g.bubble == 0 && !m.compares(g) {
		//mutant: the library's deadlines are not doubted [test ./cmd/hbcheck TestScripts/httptimeout]: "true" -> "m.tied"
		m.tied = true
	}
}

// DoubtsClock is called when a bug has been found. If numbers have been made from clock reads, or the library
// has compared clock reads, two reads may have had the same value. The bug may exist only because of that:
// natively at least a nanosecond passes between two reads. In these cases DoubtsClock returns true, and the
// search has to begin again (NeedsRefining).
func (v Environment) DoubtsClock() bool {
	m := v.m
	if !m.counted && !m.tied || m.cfg.VisibleLooks || m.cfg.OrderedTime && m.cfg.Slack == 0 {
		return false
	}
	m.cfg.late.note(1)
	return true
}

// Clock returns the time that g's clock shows: the nanoseconds since the program began, or, in a bubble,
// since its time began.
func (v Report) Clock(id trace.GID) int64 {
	if g := v.m.gOf(id); g.bubble != 0 {
		return v.m.clockOf(g)
	}
	return max(v.m.clock, v.m.shown)
}

// ClockStep returns the number of the last step of the path that has read the clock, counted from
// 1, or 0.
func (v Report) ClockStep() int { return v.m.clockStep }

// epoch returns the time in nanoseconds since 1970 at which g's clock starts.
func (m *Machine) epoch(g *goroutine) int64 {
	if g.bubble != 0 {
		return bubbleTime
	}
	return startTime
}

// sendEarly puts the present time into c.
func (m *Machine) sendEarly(g *goroutine, c, loc ptr) {
	m.heap.WillWrite(uint32(c >> 32))
	m.chanHdr(c)[chLen/8] = 1
	at := m.clockOf(g)
	wall, ext := timeOf(m.epoch(g)+at, at+1)
	m.setWord(c, chBuf, wall)
	m.setWord(c, chBuf+8, ext)
	m.setWord(c, chBuf+16, loc)
	if m.labeled() {
		m.sym.Store(c+chBuf, 8, nil)
		m.sym.Store(c+chBuf+8, 8, nil)
	}
}

// tickTime turns a tick that g has received into its Time. A tick has the time of its sending if
// timers are ordered and the clock is part of the state.
func (m *Machine) tickTime(g *goroutine, t *uint64) {
	if m.cfg.Run {
		m.clock += nanosPerLoop
	}
	w := (*[2]uint64)(unsafe.Pointer(t))
	at := m.clockOf(g)
	if sent := int64(w[1]) - 1; sent >= 0 {
		at = sent
	}
	w[0], w[1] = timeOf(m.epoch(g)+at, at+1)
	if g.bubble != 0 {
		w[0], w[1] = timeOf(m.epoch(g)+at, 0)
	}
	//mutant: ticks are exact [env TestPrograms/clocktick]
	m.tickShown(g, w[0], w[1])
}

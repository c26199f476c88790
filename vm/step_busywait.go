package vm

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A loop that reads the clock until a certain time waits for time to pass, as a Sleep does. In terms of
// step_time.go: all goroutines wait, so time passes to that time. The comparison that ends the loop has
// determined it (compared).
//
// A look of goroutine g in a loop is a wait if, since g's last look,
//
//  1. g has returned to the same state of its own (ownState) by operations without effect (reads,
//     Gosched, selects that take their default, pairs of locking and unlocking), and has printed
//     nothing. So the iteration can be omitted, as in await_eliminate.go. The next iteration does the
//     same, unless time has passed or another goroutine has interfered: it has changed memory that
//     the iteration reads, has changed a channel, or has begun to wait on one (which is a step, too);
//     and
//  2. no other goroutine has executed an operation with an effect in the meantime; and
//  3. a comparison has determined the time that it needs.
//
// Until then the look is pending as a Sleep. If another goroutine executes an operation with an effect, the
// Sleep becomes a look at which no time passes, because the iteration may now find something new. So the loop
// iterates at most once for each such operation. Looks of such loops are visible operations that depend on
// everything. When the first such loop is found, the search begins again with them.

// loopsBack reports whether g is at a look in a loop.
func (m *Machine) loopsBack(g *goroutine) bool { return g.looked.state != (por.Hash{}) }

// idleKinds are the kinds of operations that an iteration may have.
var idleKinds = []trace.Kind{
	trace.Read, trace.AtomicLoad, trace.Yield, trace.Clock, trace.Inspect,
	trace.Lock, trace.Unlock, trace.RLock, trace.RUnlock,
}

// waitAtLook makes g's look a wait until g.looked.until.
func (m *Machine) waitAtLook(g *goroutine) {
	m.cfg.late.note(0)
	if m.labeled() {
		m.sym.Look(g.looked.label)
	}
	g.looked.waits = true
	g.label = uint64(g.looked.until)
	m.noteArmed(g.looked.until - m.clock)
}

// noteHeldUp names a behaviour that is not tried at a look of g that has waited until now: g might read the
// clock just before this time, and be delayed while time passes. Then a goroutine that wakes up now, or
// within the slack, changes memory before g reads it.
func (m *Machine) noteHeldUp(g *goroutine) {
	if !g.looked.reads || !m.bounded(g) || m.cfg.Slack == 0 {
		return
	}
	for _, s := range m.living() {
		q := m.gs[s]
		if q == g || q.status != gReady || !timed(q) {
			continue
		}
		if m.deadline(q)-m.clock <= m.cfg.Slack {
			m.assume(g, ClockSome)
			return
		}
	}
}

// needsTime records that the comparison that g has just made has another outcome at time t.
func (m *Machine) needsTime(g *goroutine, t int64) {
	m.needsTimeTimed(g, t)
	l := &g.looked
	earlier := l.until == 0 || t < l.until
	if l.state != (por.Hash{}) && t > m.clock && t < math.MaxInt64/8 && earlier {
		l.until = t
	}
}

// noteEffect is called when g has executed an operation of kind k; idle says that the operation has only
// polled a channel. If the operation may have an effect, g does not wait for time, and goroutines that wait
// for time read the clock again.
func (m *Machine) noteEffect(g *goroutine, k trace.Kind, idle bool) {
	if m.busy == nil {
		return
	}
	if idle || slices.Contains(idleKinds, k) {
		if m.loopsBack(g) && !g.looked.reads && k != trace.Clock && k != trace.Yield {
			m.saveGoroutine(g)
			g.looked.reads, g.serial.valid = true, false
		}
		return
	}
	if k != trace.Sleep {
		lookers := m.lookers[:0]
		for _, q := range m.lookers {
			if q.looker = m.loopsBack(q) && int(q.slot) < len(m.gs); !q.looker {
				continue
			}
			lookers = append(lookers, q)
			if q == g || q.looked.stale || q.looked.woken || q.timed.full() && g.timed.full() {
				continue
			}
			m.saveGoroutine(q)
			q.serial.valid = false
			if q.looked.waits && q.status == gReady {
				q.looked.waits, q.looked.woken = false, true
				q.pending.Kind, q.label = trace.Clock, 0
			} else {
				q.looked.stale = true
			}
		}
		m.lookers = lookers
	}
	if g.looked != (lookBack{}) && !g.looked.waits && !g.looked.woken {
		g.looked = lookBack{}
	}
}

// roundOf is called when g reaches a look in a loop. It reports whether the loop has run its rounds
// and waits.
func (m *Machine) roundOf(g *goroutine) bool {
	if !m.timedHere(g) || !m.untilMoment(g) {
		return false
	}
	l := &g.timed
	if at := m.callers(g); l.at != at || l.until == 0 {
		*l = timedLoop{at: at}
	}
	//mutant: loops until a moment run one round [env TestTimedLoops]: "l.rounds+1, timedRounds+1" -> "l.rounds+3, timedRounds+1"
	l.rounds = min(l.rounds+1, timedRounds+1)
	if until := l.until; l.full() && until > m.clock {
		//mutant: loops until a moment are not named [env TestTimedLoops]
		m.assumeAlways(g, TimedLoop)
		state, _ := m.busy.ownState(g, math.MaxInt)
		g.looked = lookBack{state: state, out: len(m.out), until: until, waits: true}
		m.noteLooker(g)
		return true
	}
	l.until = 0
	return false
}

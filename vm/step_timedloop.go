package vm

import (
	"math"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/vm/hash"
)

// A loop that works until a moment (for time.Now().Before(end) { ... }) natively runs thousands of
// rounds, of which a few show all behaviours. A path on which no time passes runs them forever, and
// is cut (cutForTime). So when a path has been cut in a loop, the search begins again, and there the
// loop is timed: after timedRounds rounds its next look at the clock waits for the moment at which a
// comparison of the last round has another outcome, like the look of a loop without effect
// (step_busywait.go). The behaviours that are not tried then are named: TimedLoop.
//
// While such a loop waits, an operation of another goroutine that has an effect lets it run one more
// round, as it may now find something new; but not an operation of a goroutine that has run its own
// rounds, because otherwise two of them would continue forever.

// vainRounds is the number of comparisons with another outcome at a later time that a path may have
// before loops that end by them are timed. A loop that sleeps now and then does not reach it.
const vainRounds = 64

// timedRounds is the number of rounds that a timed loop runs before time passes.
const timedRounds = 3

// A timedLoop is the record of a goroutine in a timed loop.
type timedLoop struct {
	at     uint64 // the look and its callers; 0: in no loop
	rounds uint8  // looks there since the loop began, at most timedRounds+1
	until  int64  // the earliest moment with another outcome of a comparison since the last look
}

// full reports whether l has run its rounds.
func (l *timedLoop) full() bool { return l.rounds > timedRounds }

// loopPlaces are places in the source, noted on any path of any replica.
type loopPlaces struct {
	mu   sync.Mutex
	list []string
}

// add records a place.
func (l *loopPlaces) add(place string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, ok := slices.BinarySearch(l.list, place); !ok {
		l.list = slices.Insert(l.list, i, place)
	}
}

// all returns the places, sorted.
func (l *loopPlaces) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// set replaces the places.
func (l *loopPlaces) set(list []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = list
}

// needsTimed reports whether a path was cut in a loop that is not timed yet.
func (m *Machine) needsTimed() bool {
	return slices.ContainsFunc(m.cfg.endless.all(), func(p string) bool { return !slices.Contains(m.cfg.timed, p) })
}

// timedPlaces returns the places of loops that are timed, or will be.
func (m *Machine) timedPlaces() []string {
	list := append(m.cfg.endless.all(), m.cfg.timed...)
	slices.Sort(list)
	return slices.Compact(list)
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
		g.looked = lookBack{state: m.busy.ownState(g), out: len(m.out), until: until, waits: true}
		return true
	}
	l.until = 0
	return false
}

// needsTimeTimed is needsTime for a timed loop.
func (m *Machine) needsTimeTimed(g *goroutine, t int64) {
	if t > m.clock {
		m.vainRounds++
	}
	l := &g.timed
	if l.at != 0 && t > m.clock && t < math.MaxInt64/8 && (l.until == 0 || t < l.until) {
		l.until = t
	}
}

// timedHere reports whether the loop that g is in is timed.
func (m *Machine) timedHere(g *goroutine) bool {
	return len(m.cfg.timed) > 0 && slices.Contains(m.cfg.timed, m.place(g))
}

// endlessRounds reports whether g is in a loop that ends by time, and that is not timed yet. g is on a
// path with many comparisons on which no time has passed.
func (m *Machine) endlessRounds(g *goroutine) bool { return !m.timedHere(g) && m.untilMoment(g) }

// untilMoment reports whether g, which is at a look, is in a loop that only time ends: the loop has no
// counter, and does not also wait for another goroutine. Only in such a loop is it certain that the moment
// comes.
func (m *Machine) untilMoment(g *goroutine) bool {
	for _, a := range m.StaticView().Activations(g.ID, nil) {
		if a.Instr == nil || a.Instr.Block() == nil {
			continue
		}
		if known, ok := m.untilMoments[a.Instr]; ok {
			return known
		}
		if loop, ends := observable.EndsByTime(a.Instr); loop {
			if m.untilMoments == nil {
				m.untilMoments = make(map[ssa.Instruction]bool)
			}
			m.untilMoments[a.Instr] = ends
			return ends
		}
	}
	return false
}

// callers returns a number for the instructions that are executing on g's stack.
func (m *Machine) callers(g *goroutine) uint64 {
	x := uint64(1)
	for _, a := range m.StaticView().Activations(g.ID, nil) {
		x = hash.Mix(x, uint64(a.Func)<<32|uint64(a.PC))
	}
	return x | 1
}

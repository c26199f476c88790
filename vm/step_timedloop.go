package vm

import (
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/vm/hash"
)

// A loop that works until a moment (for time.Now().Before(end) { ... }) natively runs thousands of rounds,
// and a few of them show all behaviours. A path on which no time passes runs rounds forever, and is cut
// (cutForTime). So when a path has been cut in a loop, the search begins again, and there the loop is timed.
// After timedRounds rounds its next clock read waits for the moment at which a comparison of the last round
// has another outcome, like the clock read of a loop without effect (step_busywait.go). The behaviours that
// are not tried then are named: TimedLoop.
//
// While such a loop waits, an operation with an effect by another goroutine lets it run one more round, as it
// may now find something new. An operation of a goroutine that has itself run its rounds does not do so,
// because otherwise two such loops would continue forever.

// maxIdleRounds bounds the comparisons of a path, since time last passed, that would have another
// outcome at a later time. Loops that end by such comparisons are timed when a path exceeds the
// bound. A loop that sleeps now and then does not exceed it.
const maxIdleRounds = 64

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

// needsTimeTimed is needsTime for a timed loop.
func (m *Machine) needsTimeTimed(g *goroutine, t int64) {
	if t > m.clock {
		m.idleRounds++
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

package vm

import (
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Numbers that are made of what the clock shows (ClockCounted) are one value tried, as what is drawn is:
//
//	s.lastUsed = time.Now().UnixNano()      nothing depends on it, unless it is asked for
//
// So they have a label (drawn.go). Clock comes before the instruction that makes the number, where it is
// known what of, and Counted after it, where it is:
//
//	Clock t; UnixNano(t); Counted n
//
//  1. On paths that differ from this one by how much has passed at looks and before timers, and by nothing
//     else, what Times are compared with comes out the same, or is explored (step_look.go). Numbers made of
//     Times and Durations differ, and what is computed of them: that has a label.
//  2. So claim 1 of drawn.go holds with such an execution for the other one: an instruction whose effect
//     depends on a number of the clock's reads a word with a label, and is a look.
//  3. What is wrong on a path on which a number was looked at may be wrong only for two looks at the clock
//     that have shown the same. The search begins again after such a look, without a label there
//     (needsDrawn), and asks DoubtsClock then.
//
// A text that is made of a Duration, and one that is taken for a key, have no label: they are named at once.

// counts is executed by Clock, where a number is made of what the clock shows; how is its C.
func (m *Machine) counts(g *goroutine, how uint16) Ctl {
	if how&bytecode.ClockLater == 0 {
		m.assumeCounted(g)
		return Next
	}
	a, ok := m.countedHere(g)
	switch {
	case !ok || m.cfg.Run:
	case !m.labelsDrawn(a):
		//mutant: what was looked at of the clock has labels still [env TestDraws/TestLookOfClock]
		m.assumeCounted(g)
	case !m.tracking:
		m.track()
		m.sym.drawn = true
		return Stop // once more
	default:
		g.counts = true
	}
	return Next
}

// labelCounted is Counted: register i of g has the number, which grows at the rate.
func (m *Machine) labelCounted(g *goroutine, i uint16, rate float64) {
	if !g.counts {
		return
	}
	g.counts = false
	if a, ok := m.countedHere(g); ok {
		//mutant: numbers of the clock have no labels [env TestDraws/TestLookOfClock]
		g.shadow[g.fp+uint32(i)] = m.sym.label([]Assumption{a}, bound{}, rate)
		//mutant: nor have registers then [env TestDraws/TestLookOfClock]
		g.unlabeled = false
	}
}

// countedHere is what is assumed of a number that is made where g is; ok is false if that is in no code of
// the user's.
func (m *Machine) countedHere(g *goroutine) (a Assumption, ok bool) {
	pos, _, ok := m.userFrame(g)
	pos.Column, pos.Offset = 0, 0
	return Assumption{ClockCounted, pos}, ok
}

package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Draws: random values, and values made of clock reads, on which the machine tries one value. They have
// labels (package shadow, labels.go).

// needsDrawn reports whether the behaviour has depended on a label (a look) of a draw that the
// verdict does not name yet.
//
// The verdict names the draws in cfg.looked. In a test of package time itself, the look and the draw may be
// at different places. Then a restart would change nothing.
func (m *Machine) needsDrawn() bool {
	//mutant: the search does not begin again after a look [test ./cmd/hbcheck TestScripts/elapsed]: "!slices.Contains(m.cfg.looked, a)" -> "false"
	return slices.ContainsFunc(m.cfg.drawn.all(), func(a Assumption) bool { return !slices.Contains(m.cfg.looked, a) })
}

// labelsDrawn reports whether a draw at this place gets a label.
func (m *Machine) labelsDrawn(a Assumption) bool {
	if m.cfg.Watch != nil || !m.facts.Labels {
		return false
	}
	//mutant: what initialisers draw is not known [test ./vm TestBaseDrawn]: "!slices" -> "false && !slices"
	if !slices.Contains(m.drew, a) {
		m.drew = append(m.drew, a)
	}
	//mutant: draws with a look get new labels [test ./vm TestServedLabels]: " && !m.sym.Served(draw(a))" -> ""
	return !slices.Contains(m.cfg.looked, a) && !m.sym.Served(draw(a))
}

// labeled reports whether shadows are labels.
func (m *Machine) labeled() bool { return m.tracking && m.sym.Drawn }

// draw records that a native of g draws one of many values. It returns the value's label, or nil if
// the draw is outside of the user's code, or the verdict names the draw. If again is set, the
// native has to return Stop, and is executed again.
func (m *Machine) draw(g *goroutine, what Assumed, b bounds.Bound) (label *symbolic.Term, again bool) {
	if m.cfg.Run {
		return nil, false
	}
	pos, _, ok := m.userFrame(g)
	if !ok {
		return nil, false
	}
	pos.Column, pos.Offset = 0, 0
	a := Assumption{what, pos}
	if !m.labelsDrawn(a) {
		//mutant: what is looked at has labels still [env TestDraws/TestLookBranch]
		m.noteAssumed(what, pos)
		return nil, false
	}
	if !m.tracking {
		m.track()
		m.sym.Drawn = true
		g.PC--
		return nil, true
	}
	return m.sym.Label(draw(a), b, 0), false
}

// draw returns the assumption a in the form of the shadows.
func draw(a Assumption) shadow.Draw { return shadow.Draw{What: int(a.What), Pos: a.Pos} }

// sortedAssumptions returns a list in an order that does not depend on its history.
func sortedAssumptions(list []Assumption) []Assumption {
	slices.SortFunc(list, func(a, b Assumption) int {
		switch {
		case shadow.DrawsBefore(draw(a), draw(b)):
			return -1
		case shadow.DrawsBefore(draw(b), draw(a)):
			return 1
		}
		return 0
	})
	return slices.Compact(list)
}

// drawnAt returns the draws at which there was a look, for Config.looked.
func (m *Machine) drawnAt() []Assumption {
	return sortedAssumptions(append(slices.Clone(m.cfg.looked), m.cfg.drawn.all()...))
}

package vm

import (
	"slices"
	"sync"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Draws: random values, and values made of clock reads, on which the machine tries one value. They have
// labels (package shadow, labels.go).

// drawnLooks lists the draws at which any path of any replica has looked.
type drawnLooks struct {
	mu     sync.Mutex
	looked []Assumption
}

func (l *drawnLooks) add(a Assumption) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.looked, a) {
		l.looked = append(l.looked, a)
	}
}

func (l *drawnLooks) list() []Assumption {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.looked)
}

// needsDrawn reports whether the behaviour has depended on a label (a look).
//
// A place that is in cfg.looked already is named. In a test of package time itself, the look and the draw
// may be at different places, and then a restart would change nothing.
func (m *Machine) needsDrawn() bool {
	//mutant: the search does not begin again after a look [test ./cmd/hbcheck TestScripts/elapsed]: "!slices.Contains(m.cfg.looked, a)" -> "false"
	return slices.ContainsFunc(m.cfg.drawn.list(), func(a Assumption) bool { return !slices.Contains(m.cfg.looked, a) })
}

// labelsDrawn reports whether a draw at this place gets a label.
func (m *Machine) labelsDrawn(a Assumption) bool {
	if m.cfg.Watch != nil || !m.facts.labels {
		return false
	}
	//mutant: what initialisers draw is not known [test ./vm TestBaseDrawn]: "!slices" -> "false && !slices"
	if !slices.Contains(m.drew, a) {
		m.drew = append(m.drew, a)
	}
	return !slices.Contains(m.cfg.looked, a)
}

// labeled reports whether shadows are labels.
func (m *Machine) labeled() bool { return m.tracking && m.sym.Drawn }

// set replaces the list.
func (l *drawnLooks) set(list []Assumption) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.looked = list
}

// draw records that g draws one of many values, in a native. It returns the value's label. The label is nil
// if the value has none: the draw is outside of the user's code, or it is named here. If again is set, the
// native has to return Stop: it is executed again.
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
	return sortedAssumptions(append(slices.Clone(m.cfg.looked), m.cfg.drawn.list()...))
}

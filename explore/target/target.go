// Package target has the situations at which samples are aimed: a race at two lines, a deadlock of several,
// an order. They are written as race cache.go:31 cache.go:57, and On translates the lines into a machine's
// operations.
package target

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// goalWords are the words for goals, with the numbers of places that may follow.
var goalWords = []struct {
	word        string
	goal        por.Goal
	least, most int
}{
	{"race", por.Meet, 1, 2},
	{"deadlock", por.Cross, 1, 8},
	{"before", por.Precede, 2, 2},
	{"between", por.Interpose, 3, 3},
}

// Words describes what Parse accepts.
const Words = "race PLACE [PLACE], deadlock PLACE..., before PLACE PLACE, or between PLACE PLACE PLACE, where PLACE is FILE:LINE"

// Parse parses a goal and its places, separated by spaces or commas: race cache.go:31 cache.go:57.
func Parse(s string, place func(string) (oracle.Place, error)) (t Target, err error) {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' })
	if len(words) == 0 {
		return t, fmt.Errorf("want %s", Words)
	}
	for _, g := range goalWords {
		if g.word != words[0] {
			continue
		}
		var list []oracle.Place
		for _, w := range words[1:] {
			p, err := place(w)
			if err != nil {
				return t, err
			}
			list = append(list, p)
		}
		if len(list) < g.least || len(list) > g.most {
			return t, fmt.Errorf("want %s", Words)
		}
		return New(g.goal, list...), nil
	}
	return t, fmt.Errorf("want %s", Words)
}

// New returns a target whose places have one line each; for a Cross, these are the places of the
// inner acquisitions.
func New(goal por.Goal, list ...oracle.Place) Target {
	t := Target{Goal: goal}
	switch {
	case goal == por.Cross:
		t.Places = [][]oracle.Place{list}
	case goal == por.Meet && len(list) == 1:
		t.Places, t.Anywhere = [][]oracle.Place{list}, true
	default:
		for _, p := range list {
			t.Places = append(t.Places, []oracle.Place{p})
		}
	}
	return t
}

// String returns t as Parse reads it.
func (t *Target) String() string {
	var words []string
	for _, g := range goalWords {
		if g.goal == t.Goal {
			words = append(words, g.word)
		}
	}
	for i, list := range t.Places {
		if i > 0 && t.Goal == por.Cross {
			break
		}
		for _, p := range list {
			words = append(words, fmt.Sprintf("%s:%d", p.File, p.Line))
		}
	}
	return strings.Join(words, " ")
}

// In reports whether prog and its imports have all places of t; missing is the first place that they
// lack.
func (t *Target) In(prog *load.Program) (missing oracle.Place, ok bool) {
	for _, list := range t.Places {
		for _, p := range list {
			if !p.In(prog) {
				return p, false
			}
		}
	}
	return missing, true
}

// On returns the targets for an explorer, on m. The place of an operation depends only on its program
// point, or, if that is in the standard library, on the caller.
func On(m describe.Machine, list []Target) (targets []por.Target) {
	type point struct{ fn, pc uint32 }
	for _, t := range list {
		known := map[point]por.Places{}
		targets = append(targets, por.Target{Goal: t.Goal, At: func(g trace.GID, op *trace.Op) por.Places {
			at := point{op.Func, op.PC}
			if places, ok := known[at]; ok {
				return places
			}
			own := m.UserPos(g, op)
			places := t.at(own)
			if m.Pos(*op) == own {
				known[at] = places
			}
			return places
		}})
	}
	return targets
}

// at returns the places that pos is at.
func (t *Target) at(pos token.Position) (places por.Places) {
	for i, list := range t.Places {
		if slices.ContainsFunc(list, func(p oracle.Place) bool { return p.Has(pos) }) {
			places |= 1 << i
		}
	}
	if t.Anywhere {
		places |= 1 << 2
	}
	return places
}

// A Target is a situation at which samples are aimed (por.Target), with places in the source.
type Target struct {
	Goal   por.Goal
	Places [][]oracle.Place // by number; see por.Goal
	// Anywhere is set for a Meet with one place: the other operation may be anywhere.
	Anywhere bool
}

package search

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// RaceReporter asks a Racer after every step on behalf of a RaceVisitor, if the system
// and the visitor are such.
type RaceReporter struct {
	Sys por.Racer
	v   por.RaceVisitor
}

func NewRaceReporter(sys por.System, v por.Visitor) RaceReporter {
	r := por.CapabilitiesOf(sys).Racer
	w, _ := v.(por.RaceVisitor)
	if r == nil || w == nil {
		return RaceReporter{}
	}
	return RaceReporter{r, w}
}

// After is called behind each step and reports whether to go on.
func (r *RaceReporter) After(path trace.Schedule) bool {
	return r.Sys == nil || !r.Sys.Raced() || r.v.Raced(path)
}

// A RaceSet is a set of pairs of program points whose race is known.
type RaceSet map[PointPair]struct{}

// PointPair is a pair of program points whose race is known.
type PointPair struct {
	f1, pc1, f2, pc2 uint32
	k1, k2           trace.Kind
}

// Add reports whether the pair was not known.
func (s RaceSet) Add(a, b *trace.Op) bool {
	pair := PointPair{a.Func, a.PC, b.Func, b.PC, a.Kind, b.Kind}
	if b.Func < a.Func || b.Func == a.Func && b.PC < a.PC {
		pair = PointPair{b.Func, b.PC, a.Func, a.PC, b.Kind, a.Kind}
	}
	_, known := s[pair]
	s[pair] = struct{}{}
	return !known
}

package por

import "hbcheck.dev/hbcheck/trace"

// A Racer is a System that also follows the happens-before relation of the
// present path, and so finds races between accesses that are far apart.
type Racer interface {
	// Raced reports whether the step executed last was the second access of a race.
	Raced() bool
}

// A RaceVisitor is a Visitor that wants to know what a Racer finds.
type RaceVisitor interface {
	// Raced is called behind a step, the last of path, after which Raced of the
	// system is true. It can happen more than once for the same race.
	Raced(path trace.Schedule) bool
}

// racer asks a Racer after every step on behalf of a RaceVisitor, if the system
// and the visitor are such.
type racer struct {
	sys Racer
	v   RaceVisitor
}

func newRacer(sys System, v Visitor) racer {
	r, _ := sys.(Racer)
	w, _ := v.(RaceVisitor)
	if r == nil || w == nil {
		return racer{}
	}
	return racer{r, w}
}

// after is called behind each step and reports whether to go on.
func (r *racer) after(path trace.Schedule) bool {
	return r.sys == nil || !r.sys.Raced() || r.v.Raced(path)
}

// A raceSet is a set of pairs of program points whose race is known.
type raceSet map[racePair]struct{}

// racePair is a pair of program points whose race is known.
type racePair struct {
	f1, pc1, f2, pc2 uint32
	k1, k2           trace.Kind
}

// add reports whether the pair was not known.
func (s raceSet) add(a, b *trace.Op) bool {
	pair := racePair{a.Func, a.PC, b.Func, b.PC, a.Kind, b.Kind}
	if b.Func < a.Func || b.Func == a.Func && b.PC < a.PC {
		pair = racePair{b.Func, b.PC, a.Func, a.PC, b.Kind, a.Kind}
	}
	_, known := s[pair]
	s[pair] = struct{}{}
	return !known
}

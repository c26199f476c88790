package search

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// RaceReporter asks a por.Racer after every step on behalf of a por.RaceVisitor. The zero value,
// for other systems and visitors, does nothing.
//
// Races are found in two ways: a Racer finds accesses that the memory model does not
// order, however far apart; ReportRaces finds accesses that are both pending in one state.
type RaceReporter struct {
	racer   por.Racer       `saved:"-"`
	visitor por.RaceVisitor `saved:"-"`
}

// NewRaceReporter returns the reporter for a system and a visitor.
func NewRaceReporter(sys por.System, v por.Visitor) RaceReporter {
	r := por.CapabilitiesOf(sys).Racer
	w, _ := v.(por.RaceVisitor)
	if r == nil || w == nil {
		return RaceReporter{}
	}
	return RaceReporter{r, w}
}

// Follow switches the detection of races on or off: see por.Racer.
func (r *RaceReporter) Follow(races bool) {
	if r.racer != nil {
		r.racer.Follow(races)
	}
}

// Active reports whether r has a Racer.
func (r *RaceReporter) Active() bool { return r.racer != nil }

// Glide makes the next step glide: see por.Racer, which r must have.
func (r *RaceReporter) Glide(n int) { r.racer.Glide(n) }

// Glided returns the number of accesses over which the last step has glided.
func (r *RaceReporter) Glided() int {
	if r.racer == nil {
		return 0
	}
	return r.racer.Glided()
}

// Racy reports whether the last step was the second access of a race.
func (r *RaceReporter) Racy() bool { return r.racer != nil && r.racer.Raced() }

// After is called after each step, the last of path, and reports whether the search is to continue.
func (r *RaceReporter) After(path trace.Schedule) bool {
	return r.racer == nil || !r.racer.Raced() || r.visitor.Raced(path)
}

// A RaceSet is a set of pairs of program points whose race is known.
type RaceSet map[PointPair]struct{}

// PointPair is a pair of program points, the lesser one first.
type PointPair struct {
	f1, pc1, f2, pc2 uint32
	k1, k2           trace.Kind
}

// Add adds the program points of a and b, and reports whether they are new.
func (s RaceSet) Add(a, b *trace.Op) bool {
	pair := PointPair{a.Func, a.PC, b.Func, b.PC, a.Kind, b.Kind}
	if b.Func < a.Func || b.Func == a.Func && b.PC < a.PC {
		pair = PointPair{b.Func, b.PC, a.Func, a.PC, b.Kind, a.Kind}
	}
	_, known := s[pair]
	s[pair] = struct{}{}
	return !known
}

// Has reports whether a race of two program points is known.
func (s RaceSet) Has(f1, pc1, f2, pc2 uint32) bool {
	for p := range s {
		if p.f1 == f1 && p.pc1 == pc1 && p.f2 == f2 && p.pc2 == pc2 || p.f1 == f2 && p.pc1 == pc2 && p.f2 == f1 && p.pc2 == pc1 {
			return true
		}
	}
	return false
}

// pendingAccesses are the pending accesses of the current state.
//
// Between two calls most goroutines have not moved, so of n² pairs only those with a goroutine
// that has moved are compared.
type pendingAccesses struct {
	list     []trace.GID     // goroutines of these accesses
	fresh    []int           // indices of accesses that were not pending at the last call of ReportRaces
	previous []pendingAccess // by goroutine
	round    uint64          // number of calls of ReportRaces
}

// pendingAccess is the pending operation of a goroutine at the given round.
type pendingAccess struct {
	op    trace.Op
	round uint64
}

// ReportRaces reports the pairs of enabled goroutines whose pending operations race. It does not compare
// pairs again that were pending at the last call, and compares nothing if all operations are atomic,
// because two atomic accesses do not race.
func (s *Driver) ReportRaces() {
	if len(s.Enabled) < 2 {
		return
	}
	p := &s.pending
	p.list, p.fresh = p.list[:0], p.fresh[:0]
	p.round++
	plain := false
	for _, g := range s.Enabled {
		op := s.peek(g)
		if op.N == 0 {
			continue
		}
		plain = plain || op.Kind.Plain()
		for int(g) >= len(p.previous) {
			p.previous = append(p.previous, pendingAccess{})
		}
		if b := &p.previous[g]; b.round != p.round-1 || b.op != *op {
			b.op = *op
			p.fresh = append(p.fresh, len(p.list))
		}
		p.previous[g].round = p.round
		p.list = append(p.list, g)
	}
	if !plain {
		return
	}
	for _, i := range p.fresh {
		for j := range p.list {
			a, b := &p.previous[p.list[min(i, j)]].op, &p.previous[p.list[max(i, j)]].op
			if i == j || !a.Races(b) {
				continue
			}
			if s.ReportRace(a, b); s.Halted {
				return
			}
		}
	}
}

// ReportRace reports the race of a and b, both pending, unless a race of their program points is
// known.
func (s *Driver) ReportRace(a, b *trace.Op) {
	if s.KnownRaces.Add(a, b) {
		s.StopUnless(s.Visitor.Race(s.Path, *a, *b))
	}
}

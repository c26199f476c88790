package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// confluentClocks has the vector clocks of confluence. Each goroutine has a place in the clocks. When a
// goroutine has ended, its place is reused (vacate), because an initialiser may start thousands of
// goroutines.
type confluentClocks struct {
	m      *Machine
	places map[uint32]uint32 // by slot
	owners []uint32          // slots of the goroutines that have the places
	clocks [][]uint32        // clocks[p][q]: number of the events of q's owner that come before the next one of p's
	free   []uint32          // places that new goroutines get
}

// A use is a goroutine's last access to a part of an object.
type use struct {
	place, at uint32
	trace.Access
}

// forget gives new clocks to the goroutines that have not ended.
func (s *confluentClocks) forget() {
	s.places, s.owners, s.clocks, s.free = map[uint32]uint32{}, nil, nil, nil
	for _, slot := range s.m.living() {
		if slot == 0 || s.m.gs[slot].status != gEnded {
			s.add(slot, nil)
		}
	}
}

// add assigns the goroutine in slot a place, and a clock that begins with the events of clock. If another
// goroutine had the place before, the new one's events have greater numbers.
func (s *confluentClocks) add(slot uint32, clock []uint32) {
	if n := len(s.free); n > 0 {
		place := s.free[n-1]
		s.free = s.free[:n-1]
		s.places[slot], s.owners[place] = place, slot
		had := clockAt(s.clocks[place], place)
		s.clocks[place] = slices.Clone(clock)
		s.join(place, nil)
		s.clocks[place][place] = had
		return
	}
	s.places[slot] = uint32(len(s.clocks))
	s.owners, s.clocks = append(s.owners, slot), append(s.clocks, slices.Clone(clock))
}

// vacate frees the places of those ended goroutines whose events come before the next event of each
// goroutine that has not ended. Then their events also come before those of all goroutines that
// will be started.
func (s *confluentClocks) vacate() {
	ended := func(slot uint32) bool { return slot > 0 && s.m.gs[slot].status == gEnded }
	for place, slot := range s.owners {
		if !ended(slot) {
			continue
		}
		n := clockAt(s.clocks[place], uint32(place))
		unknown := func(q uint32) bool {
			//mutant: initialisers' goroutines get places whose events may come later [models TestConfluent/unjoined]: "!ended(q)" -> "false"
			return !ended(q) && clockAt(s.clocks[s.places[q]], uint32(place)) < n
		}
		if !slices.ContainsFunc(s.owners, unknown) {
			s.free = append(s.free, uint32(place))
		}
	}
	for _, place := range s.free {
		delete(s.places, s.owners[place])
	}
}

// place returns the place of g, which has not ended.
func (s *confluentClocks) place(g *goroutine) uint32 {
	place, ok := s.places[g.slot]
	if !ok {
		panic("BUG: a goroutine of an initialiser moves, and has no clock")
	}
	return place
}

// started gives clocks to the goroutines from slot n on. The events of their parents come before their own.
func (s *confluentClocks) started(n int) {
	for slot := n; slot < len(s.m.gs); slot++ {
		if _, ok := s.places[uint32(slot)]; ok {
			continue
		}
		var clock []uint32
		if place, ok := s.places[uint32(s.m.slots[s.m.gs[slot].parent])]; ok {
			clock = s.clocks[place]
		}
		s.add(uint32(slot), clock)
	}
}

// tick counts an event of g.
func (s *confluentClocks) tick(g *goroutine) {
	place := s.place(g)
	s.join(place, nil)
	s.clocks[place][place]++
}

// join puts the events of clock before the next one of the goroutine at place.
func (s *confluentClocks) join(place uint32, clock []uint32) {
	c := s.clocks[place]
	for len(c) < max(len(clock), int(place)+1) {
		c = append(c, 0)
	}
	for i, n := range clock {
		c[i] = max(c[i], n)
	}
	s.clocks[place] = c
}

// before reports whether u comes before the newest event of g.
func (s *confluentClocks) before(u use, g *goroutine) bool {
	place := s.place(g)
	return u.place == place || u.at <= clockAt(s.clocks[place], u.place)
}

func clockAt(clock []uint32, place uint32) uint32 {
	if int(place) < len(clock) {
		return clock[place]
	}
	return 0
}

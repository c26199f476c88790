package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Ideals: prefixes of a rendezvous that are downward closed sets of events (section 4 of
// docs/research/optimal.md).

// Programs in which one event schedules more sets than maxIdeals, or sets with more events than maxListed,
// are left to clockvector. (Without these limits, executions of servers and their clients, with thousands of
// steps, needed seconds and gigabytes for the sets of one event.)
const (
	maxIdeals = 100_000
	maxListed = 1_000_000 // some 0.05 s, and 25 MB
)

// looksForIdeals is the cost of a call of scheduleIdeals, in inspected events (por.Stats.Looked).
const looksForIdeals = 8

// scheduleIdeals schedules to frame i the sets that end in event e and after which q, and h if it
// is not nil, have begun and not ended.
//
// Example for phase 2: g2 receives what g1 sends, and then arrives at another receive. The
// interval of that send has ended before g2's second one begins, so the two never wait at the
// same time.
func (s *searcher) scheduleIdeals(i, e int, q, h *interval) {
	s.Stats.Looked += looksForIdeals
	x := s.frames[i].depth
	pending := append(s.scratch.pair[:0], q)
	if h != nil {
		pending = append(pending, h)
	}
	s.scratch.pair = pending
	// Phase 1: the events before the arrivals. (x does not happen before any of them: see beginsWithout.)
	root := x // some events of the prefix of x may not be needed
	if outer := s.frames[i].outer; outer >= 0 {
		root = s.frames[outer].depth
	}
	multiWay := false
	arrived := append(s.scratch.clock[:0], s.Clock(e)...) // the events before e and the arrivals
	s.scratch.clock = arrived
	for _, p := range pending {
		multiWay = multiWay || p.multiWay
		if p.from >= 0 {
			s.Join(arrived, p.from)
		}
	}
	// Phase 2: there has to be a time at which both wait, unless one is executed before the other
	// arrives.
	for _, p := range pending {
		if p.until <= e && s.Before(p.until, arrived) {
			return
		}
	}
	// Phase 3: for a select also events that no arrival needs, in all combinations that are
	// down-closed.
	s.scratch.events = s.scratch.events[:0]
	//mutant: nothing but the arrivals is needed [selectFrom 5901]: false
	if multiWay {
		for j := root; j < e; j++ {
			if j != x && s.compatible(j, x, pending) && !s.Before(j, arrived) {
				s.scratch.events = append(s.scratch.events, j)
			}
		}
	}
	s.enumerateIdeals(i, e, arrived, len(s.scratch.events)-1)
}

// compatible reports whether an operation of the pending intervals depends on event j, and j can be
// executed during these and without x.
func (s *searcher) compatible(j, x int, pending []*interval) bool {
	c := s.Clock(j)
	if s.Before(x, c) {
		return false
	}
	about := false
	for _, p := range pending {
		if p.until < len(s.Events) && s.Before(p.until, c) {
			return false
		}
		about = about || s.DependentOp(&s.Events[j], p.op, false)
	}
	return about
}

// enumerateIdeals schedules to frame i the down-closed set with clock c, with and without each of
// scratch.events[:k+1].
//
// k only decreases, from late events to early ones. Joining an event adds all events that happen before
// it, and never a later one that was omitted, so each down-closed set is enumerated once.
func (s *searcher) enumerateIdeals(i, e int, c []uint32, k int) {
	for k >= 0 && s.Before(s.scratch.events[k], c) {
		k--
	}
	switch {
	case s.Halted:
		return
	case k < 0:
		s.ideals, s.listed = s.ideals+1, s.listed+e+1-s.frames[i].depth
		//mutant: sets may be as long as they are [test ./internal/progen TestListed]: " || s.listed > maxListed" -> ""
		if s.ideals > maxIdeals || s.listed > maxListed {
			s.Unsupported, s.Halted = true, true
		}
		s.scheduleReversal(int32(i), c, e+1, candidate{q: trace.NoGID})
		return
	}
	s.enumerateIdeals(i, e, c, k-1)
	with := slices.Clone(c)
	s.Join(with, s.scratch.events[k])
	s.enumerateIdeals(i, e, with, k-1)
}

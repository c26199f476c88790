package vm

import "maps"

// Machines of several processes that explore one program together have no tables in common. Each is made
// equal to the machine of the search (Learn). If a machine learns something by itself in a piece, its results
// do not count, because its numbers could differ from those that the machine of the search assigns later.
//
//	the machine of the search    Save ─────▶ Learn    another machine
//	                                         explores a piece
//	                                         Knows?   no: the search explores the piece itself, and learns

// Facts are the part of a Saved that changes the behaviour or the assumptions of a machine on other paths.
type Facts struct {
	Numbers                 uint64
	Cutoffs, Shrinks, Aged  bool
	ReadsClock, Late        bool
	Dates, Ticks, SinceTick map[int64]bool
	Spans                   map[int64]int32
	Seeds                   map[uint64]bool
	Jumps                   []int64
	Flags                   []bool
	Looked                  []Assumption
	Endless                 []string
}

// Facts returns a copy of those facts.
func (s *Saved) Facts() Facts {
	return Facts{Numbers: s.Numbers, Cutoffs: s.Cutoffs, Shrinks: s.Shrinks, Aged: s.Aged, ReadsClock: s.ClockReads > 0, Late: s.Late,
		Dates: maps.Clone(s.Dates), Ticks: maps.Clone(s.Ticks), SinceTick: maps.Clone(s.SinceTicks), Spans: maps.Clone(s.Spans),
		Seeds: maps.Clone(s.Seeds), Jumps: s.Jumps, Flags: s.Flags, Looked: s.Looked, Endless: s.Endless}
}

// Learn gives m, which is in its initial state, the knowledge of the saved machine. Afterwards s belongs to
// m. If over becomes true it stops, with ErrStopped.
func (m *Machine) Learn(s *Saved, over func() bool) error {
	if err := m.Regrow(s, over); err != nil {
		return err
	}
	m.clockReads = max(m.clockReads, min(s.ClockReads, 1))
	return m.remember(s)
}

// Numbered returns the count of all numbers that the machine has assigned: if it is the same, there is no new
// name.
func (v StaticView) Numbered() uint64 { return v.m.numbers() }

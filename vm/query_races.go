package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/race"
)

// A Race is two accesses of one execution that nothing orders; Second has just been executed.
//
// Locations of the detector are addresses. Some operations order goroutines by locations that no
// access touches (race.Hidden).
type Race struct {
	Obj, Off      uint32 // the first byte both touch
	First, Second RaceSide
}

// A RaceSide is one access of a Race.
type RaceSide struct {
	G     trace.GID
	Kind  trace.Kind
	Write bool
	Site  uint32 // number of its call stack: the same stack has the same number in every execution
}

// Raced reports whether the step executed last was the second access of a race.
func (m *Machine) Raced() bool { return m.race != nil && len(m.race.Races()) > 0 }

// Follow implements por.Racer.
func (m *Machine) Follow(races bool) { m.raceless = !races }

// Races returns the races whose second access was the last step.
func (v Report) Races() []Race {
	m := v.m
	if !m.Raced() {
		return nil
	}
	var list []Race
	for _, r := range m.race.Races() {
		at := r.At &^ race.Hidden
		list = append(list, Race{uint32(at >> 32), uint32(at), m.raceSide(&r.First), m.raceSide(&r.Second)})
	}
	return list
}

func (m *Machine) raceSide(s *race.Side) RaceSide {
	return RaceSide{G: m.gs[s.G].ID, Kind: trace.Kind(s.Tag), Write: s.Write, Site: uint32(s.Stack)}
}

// SiteStack returns the call stack with number site, innermost frame first.
func (v Report) SiteStack(site uint32) []SourceFrame {
	m := v.m
	var frames []SourceFrame
	for s := race.Stack(site); s != 0; {
		var c race.Call
		c, s = m.race.Stacks.Top(s)
		frames = m.addFrame(frames, c.Func, int32(c.PC))
	}
	return frames
}

// CreationStack returns the call stack of the go statement that started g. Without Config.Races only its
// innermost frame is known.
func (v Report) CreationStack(id trace.GID) []SourceFrame {
	m := v.m
	g := m.gOf(id)
	switch {
	case g.parent == trace.NoGID:
		return nil
	case m.race != nil:
		return m.Report().SiteStack(uint32(m.race.Born(g.slot)))
	}
	return []SourceFrame{*m.frame(m.link.Code[g.goFunc], g.goPC)}
}

// Time returns the number of releases by g, which has been started on the present path: a step of g at time
// t happens before the later actions of a goroutine that knows t (Known). It is 0 without Config.Races.
func (m *Machine) Time(g trace.GID) uint32 {
	if m.race == nil {
		return 0
	}
	return m.race.Time(uint32(m.slots[g]))
}

// Known returns the last time of h that g knows: 0 if g knows none. Both have been started on the
// present path.
func (v Report) Known(g, h trace.GID) uint32 {
	m := v.m
	if m.race == nil {
		return 0
	}
	return m.race.Known(uint32(m.slots[g]), uint32(m.slots[h]))
}

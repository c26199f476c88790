package por

import "hbcheck.dev/hbcheck/trace"

// woken is called when event e, the newest one, is somebody returning from Wait of a Cond. Where it comes instead of a
// Lock x of the same mutex, that is seen when the goroutine is signalled, with what has happened before the Signal. But returning
// depends on the Cond, too, and so on other Signals, which x does not depend on and which may come before it there
// as they do here. So the past with these is offered: what e depends on without what x happens before. (The same cannot be
// seen as other things of this kind are, in a race of e with x, as the Unlock of x is between them.)
func (s *optimal) woken(e int) {
	ev := &s.events[e]
	arrived := int32(-1)
	for _, m := range s.moved[ev.undo:] {
		if m.g == ev.g {
			arrived = m.last
			break
		}
	}
	for i := len(s.frames) - 1; i >= 0; i-- {
		x := s.frames[i].depth
		if x >= e || s.at[x] != int32(i) || s.events[x].op.Kind == trace.Unlock || !s.before(x, s.clock(e)) ||
			int(arrived) >= x && s.before(x, s.clock(int(arrived))) || !mayDepend(s.dep, &s.events[x], &ev.op) {
			continue
		}
		s.both = append(s.both[:0], make([]uint32, s.width)...)
		if arrived >= 0 {
			s.join(s.both, int(arrived))
		}
		for j := x + 1; j < e; j++ {
			if !s.before(x, s.clock(j)) && s.dependent(&s.events[j], ev) {
				s.join(s.both, j)
			}
		}
		s.offer(int32(i), s.both, e, item{q: ev.g})
	}
}

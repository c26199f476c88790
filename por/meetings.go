package por

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Operations on channels, in Optimal. One event can be an operation of two goroutines; who executes it, and whether it is possible, depends on who stands
// where; and a select stands before several things at once. So for them a past is not looked for together with the operation
// that it is a past of. An item is only a set S of events behind the frame's state, with all that happened before them. Behind S each
// operation on channels is executed for which all of S is needed (whole) and that the frame's operation x depends on. It does not
// depend on anything in S: that would be a past by itself, and be the first part of this one. What is offered as S is
//
//   - nothing;
//   - what happens before an operation on channels that is executed behind x and depends on it;
//   - what happens before the arrivals of a goroutine, or of two that may meet, who stand there together without x, whether they stand there still or not
//     (stay). A select may need more: x takes what one of its cases finds; that others find nothing, because they have been
//     received, has nothing to do with x. So of the events that selects are about all sets are offered that can have been executed by
//     then (cuts); not more than maxCuts for an event.
//
// A select depends on everything that is about one of its channels (Go locks them all), so each event that changes whether one of its
// cases is ready orders all of them. Three things are different from other operations all the same:
//
//   - Its alternatives depend on different things: on what concerns whom they meet. Behind a past those are executed that come
//     behind all of it (behind).
//   - Somebody it can meet may have come by a part of the past, and with him something else that it depends on (mattered).
//   - Two selects do not meet if both are ready otherwise, so a part of the past that is only about the one who is met can make a meeting impossible, and
//     another part possible again. If x is ready by itself, then what is only about others belongs to S, and not to the parts that are added one by one: behind S x
//     itself is executed, meeting the one who needs all of S. Nothing is lost by that: without a meeting x is independent of these events, so all of them are seen behind
//     it. If x is not ready it can meet who stands there whether he is ready or not, so each part leaves something to execute, which shows the next one. A part about
//     x itself can make it ready; so such parts come first, and those about others are added only where x is not ready then (concerns).
//   - Of two parts of a past that do not depend on each other one may disable it. Behind that one the search goes on without it, and
//     meets the other, too. So that is the only way: a past is not explored if fewer events disable x (see earlier).

// maxCuts is how many sets of events are offered because of one event. Programs in which there are more are left to ClockVector.
const maxCuts = 100_000

// meet fills in what frame i, the newest one, has to know if its operation is one on channels.
func (s *optimal) meet(i int) {
	f := &s.frames[i]
	alone := s.ready(f.g)
	for c := range f.n {
		if p, ok := s.sys.Partner(f.g, c); ok && !alone && !slices.Contains(f.mates, p) {
			f.mates = append(f.mates, p)
		}
		f.labels = append(f.labels, s.label(f.g, c))
	}
	if op := s.next(f.g); op.several() {
		if f.head >= 0 { // what is below is its frame with less of a past
			b := &s.frames[i-1]
			f.base, f.parks, f.cases = b.base, b.parks, append(f.cases, b.cases...)
		} else {
			f.base = f.depth
			f.cases, f.parks = s.sys.Cases(f.g, f.cases)
		}
	}
	if s.rivals(f) {
		s.offer(int32(i), nil, 0, item{q: trace.NoGID})
	}
}

// ready reports whether g, which stands before an operation on channels, can go on without meeting anybody.
func (x *execution) ready(g trace.GID) bool {
	x.cases, _ = x.sys.Cases(g, x.cases[:0])
	return slices.ContainsFunc(x.cases, func(k Case) bool {
		return k.Chan != 0 && (k.Closed || k.Send && k.Len < k.Room || !k.Send && k.Len > 0)
	})
}

// rivals reports whether an operation on channels is possible now that f's depends on and that others execute.
func (s *optimal) rivals(f *past) bool {
	depends := func(g trace.GID) bool {
		return g == f.g || s.dep.dependent(s.next(g), s.next(f.g)) || slices.ContainsFunc(f.mates, func(q trace.GID) bool { return s.dep.dependent(s.next(g), s.next(q)) })
	}
	for _, g := range s.order {
		if g == f.g || !s.known[g] || !channel(s.pending[g].Kind) || !s.able(g) {
			continue
		}
		if depends(g) {
			return true
		}
		for c := range int(s.next(g).ways) {
			if p, met := s.sys.Partner(g, c); met && depends(p) {
				return true
			}
		}
	}
	return false
}

// stay is a time for which a goroutine stands before an operation on channels.
type stay struct {
	g           trace.GID
	op          *intended
	from, until int // the events by which it arrives, or -1, and leaves
	several     bool
}

// stays lists those which had not ended before event x, the chosen one of a frame.
func (s *optimal) stays(x int) []stay {
	s.staying = s.staying[:0]
	add := func(g trace.GID, op *intended, from int32, until int) {
		if channel(op.Kind) && op.blocks() {
			s.staying = append(s.staying, stay{g, op, int(from), until, op.Kind == trace.Select || op.N > 1 || op.Wide})
		}
	}
	for j := x; j < len(s.events); j++ {
		end := len(s.moved)
		if j+1 < len(s.events) {
			end = s.events[j+1].undo
		}
		for k := s.events[j].undo; k < end; k++ {
			if m := &s.moved[k]; m.known {
				add(m.g, &m.pending, m.last, j)
			}
		}
	}
	for _, g := range s.order {
		if s.known[g] {
			add(g, &s.pending[g], s.last[g], math.MaxInt)
		}
	}
	return s.staying
}

// arrivals offers the pasts that end in the newest event e and behind which an operation on channels may be possible that x
// makes impossible.
func (s *optimal) arrivals(e int) {
	ev := &s.events[e]
	some := channel(ev.op.Kind) && len(s.fronts) > 0
	for _, m := range s.moved[ev.undo:] {
		some = some || channel(s.pending[m.g].Kind) && s.pending[m.g].blocks()
	}
	if !some {
		return
	}
	s.cut = 0
	for i := len(s.frames) - 1; i >= 0 && !s.halted; i-- {
		x := s.frames[i].depth
		if x >= e || s.at[x] != int32(i) || s.frames[i].quiet || s.before(x, s.clock(e)) {
			continue
		}
		if k := &s.events[x].op; !channel(k.Kind) && !k.tangled {
			continue
		}
		all := s.stays(x)
		for a := range all {
			q := &all[a]
			if !s.shows(e, q) {
				continue
			}
			if !q.lonely() {
				s.cuts(i, e, q, nil)
			}
			for b := range all {
				if h := &all[b]; h.g != q.g && q.meets(h) {
					s.cuts(i, e, q, h)
				}
			}
		}
	}
}

// lonely reports whether q needs somebody to meet. (If the channel has been closed nothing makes its operation impossible any more.)
func (q *stay) lonely() bool {
	return (q.op.Kind == trace.Send || q.op.Kind == trace.Recv) && q.op.N == 1 && q.op.place.room == 0
}

// meets reports whether the two might meet if they stand there at the same time.
func (q *stay) meets(h *stay) bool {
	return (q.several || h.several || q.op.Kind != h.op.Kind && q.op.place.room == 0) && overlap(q.op.touches(), h.op.touches())
}

// shows reports whether q arrives by event e, or stands there before it and e is about its operation.
func (s *optimal) shows(e int, q *stay) bool {
	return q.from == e || q.several && q.until != e && s.dependentOp(&s.events[e], q.op, false)
}

// cuts offers to frame i the pasts that end in event e and behind which q, and h if it is not nil, have arrived and not left.
func (s *optimal) cuts(i, e int, q, h *stay) {
	x := s.frames[i].depth
	here := append(s.pair[:0], q)
	if h != nil {
		here = append(here, h)
	}
	s.pair = here
	conflict, several := false, false
	base := append(s.both[:0], s.clock(e)...)
	s.both = base
	for _, p := range here {
		conflict = conflict || p.until == x || mayDepend(s.dep, &s.events[x], p.op)
		several = several || p.several
		if p.from >= 0 {
			s.join(base, p.from)
		}
	}
	if !conflict || s.before(x, base) {
		return
	}
	for _, p := range here {
		if p.until <= e && s.before(p.until, base) {
			return
		}
	}
	s.some = s.some[:0]
	if several {
		for j := x + 1; j < e; j++ {
			if s.fits(j, x, here) && !s.before(j, base) {
				s.some = append(s.some, j)
			}
		}
	}
	s.combine(i, e, base, len(s.some)-1)
}

// fits reports whether event j is about what those here stand before, and can happen while they do, and without x.
func (s *optimal) fits(j, x int, here []*stay) bool {
	c := s.clock(j)
	if s.before(x, c) {
		return false
	}
	about := false
	for _, p := range here {
		if p.until < len(s.events) && s.before(p.until, c) {
			return false
		}
		about = about || s.dependentOp(&s.events[j], p.op, false)
	}
	return about
}

// combine offers the events before what has the clock c, with and without each of s.some[:k+1].
func (s *optimal) combine(i, e int, c []uint32, k int) {
	for k >= 0 && s.before(s.some[k], c) {
		k--
	}
	switch {
	case s.halted:
		return
	case k < 0:
		if s.cut++; s.cut > maxCuts {
			s.beyond, s.halted = true, true
		}
		s.offer(int32(i), c, e+1, item{q: trace.NoGID})
		return
	}
	s.combine(i, e, c, k-1)
	with := slices.Clone(c)
	s.join(with, s.some[k])
	s.combine(i, e, with, k-1)
}

// ways lists the operations on channels that can be executed now, for which everything is needed that has been executed since f's state.
func (s *optimal) ways(f *past) []move {
	s.plan = s.plan[:0]
	for _, g := range s.order {
		if !s.known[g] || !s.able(g) || !channel(s.next(g).Kind) {
			continue
		}
		for c := range int(s.next(g).ways) {
			l := s.label(g, c)
			if g == f.g && len(s.events) == f.depth && slices.Contains(f.labels, l) {
				continue
			}
			p, met := s.sys.Partner(g, c)
			if !met {
				p = trace.NoGID
			}
			if s.whole(f, g, p) {
				s.plan = append(s.plan, move{g, l})
			}
		}
	}
	return s.plan
}

// whole reports whether all events since f's state would happen before what g executes next, meeting p.
func (s *optimal) whole(f *past, g, p trace.GID) bool {
	c := append(s.both[:0], make([]uint32, s.width)...)
	s.both = c
	for _, q := range [2]trace.GID{g, p} {
		if q != trace.NoGID && s.lastEvent(q) >= 0 {
			s.join(c, s.lastEvent(q))
		}
	}
	for j := len(s.events) - 1; j >= f.depth; j-- {
		if s.before(j, c) {
			continue
		}
		if !s.dependentOp(&s.events[j], s.next(g), false) && (p == trace.NoGID || !s.dependentOp(&s.events[j], s.next(p), false)) {
			return false
		}
		s.join(c, j)
	}
	return true
}

// behind reports whether event y comes behind all of the past that f's operation has so far.
func (s *optimal) behind(f *past, y int) bool {
	if !channel(s.events[y].op.Kind) {
		return true
	}
	c := s.clock(y)
	for h := f.head; h >= 0; h = s.head[h] {
		if !s.before(int(h), c) {
			return false
		}
	}
	return true
}

// mattered reports whether f's operation depended on y in f's state, too: somebody may have come since who could be met, and
// what matters to him matters now.
func (s *optimal) mattered(f *past, y int) bool {
	if !channel(s.events[y].op.Kind) || s.lastEvent(f.g) == y {
		return true
	}
	e := &s.events[y]
	if s.dependentOp(e, s.next(f.g), f.printed) {
		return true
	}
	return slices.ContainsFunc(f.mates, func(q trace.GID) bool { return s.dependentOp(e, s.stood(q, f.depth), false) })
}

// concerns reports whether event y is about what f's goroutine stands before itself, and not only whom it can meet.
func (s *optimal) concerns(f *past, y int) bool {
	return len(f.mates) == 0 || s.lastEvent(f.g) == y || s.dependentOp(&s.events[y], s.stood(f.g, f.depth), f.printed)
}

// stood returns what q stood before when depth events had been executed.
func (s *optimal) stood(q trace.GID, depth int) *intended {
	for j := depth; j < len(s.events); j++ {
		switch e := &s.events[j]; {
		case e.g == q:
			return &e.op
		case e.with.Kind != trace.None && e.mate == q:
			return &e.with
		}
	}
	return s.next(q)
}

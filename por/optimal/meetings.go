package optimal

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Operations on channels, in Optimal. One event can be an operation of two goroutines; who executes it, and whether it is possible, depends on who stands
// where; and a select stands before several things at once. So for them a past is not looked for together with the operation
// that it is a past of. An item is only a set S of events behind the frame's state, with all that happened before them. Behind S each
// operation on channels is executed for which all of S is needed (whole) and that is the frame's operation x or that x depends on. Nothing in S is about
// what x touches itself: that would be a past by itself, and be the first part of this one. What is offered as S is
//
//   - nothing;
//   - what happens before an operation on channels that is executed behind x and depends on it; and, if it does so only because of whom x has met, that
//     operation, too: x may meet him behind it (besides, within);
//   - what happens before the arrivals of a goroutine, or of two that may meet, who stand there together without x, whether they stand there still or not
//     (stay). A select may need more: x takes what one of its cases finds; that others find nothing, because they have been
//     received, has nothing to do with x. So of the events that selects are about all sets are offered that can have been executed by
//     then (cuts); not more than maxCuts for an event.
//
// A select depends on everything that is about one of its channels (Go locks them all), so each event that changes whether one of its
// cases is ready orders all of them. What it meets somebody for depends on more: on what he waits for besides. Two selects do not meet
// if both are ready otherwise, so an event that x has nothing to do with by itself can make a meeting impossible, and
// another one possible again. Such events are never parts that are added to a past one by one, because there may be nothing to execute behind
// one of them that would show the next. They are in S, which is offered to the frame without them. Proof that all of these sets are found: let x be executed in way a behind S.
// If x is ready by itself, then it has been explored without S in a way that depends on nothing in S; so all of S is executed behind that, and the last event of S
// offers it, because it is about whom a meets. If not, x waits for somebody whether he is ready or not. Let S0 be the largest part of S behind which x has been explored, in some way b. (There is
// one, or x would be disabled.) If b depends on something in S but not in S0, let e be the first such event that is executed behind b: what happened
// before e, with e and S0, is offered, and x can be executed in way b behind that; so S0 was not the largest. If it does not, all of S is executed behind b, as above.
//
// As its ways depend on different things, x may be executed in several of them, behind different S, in front of one and the same y with a past to which x does not belong. Of these
// executions the one counts in which x is executed in its first way (labels[0]): events of x are planned in all others. The first way meets nobody, if there is such a way, so
// it is possible whatever S is; else x is not ready by itself, and the first way is possible as long as the one it meets stands there. What an event of S that comes behind the
// first way shows without it, nobody has seen; so that is looked for behind the S of which it is the last event (novel).
//
// Of two parts of a past that do not depend on each other one may disable x. Behind that one the search goes on without it, and
// meets the other, too. So that is the only way: a past is not explored if fewer events disable x (see earlier).

// maxCuts is how many sets of events are offered because of one event. Programs in which there are more are left to ClockVector.
const maxCuts = 100_000

// meet fills in what frame i, the newest one, has to know if its operation is one on channels.
func (s *optimal) meet(i int) {
	f := &s.frames[i]
	for c := range f.n {
		f.labels = append(f.labels, s.Label(f.g, c))
	}
	first := 0
	for c := range f.n {
		if _, met := s.Sys.Partner(f.g, c); !met {
			first = c
			break
		}
	}
	f.labels[0], f.labels[first] = f.labels[first], f.labels[0]
	if p, met := s.Sys.Partner(f.g, first); met {
		f.met = *s.Next(p)
	}
	if op := s.Next(f.g); op.MultiWay() {
		if f.head >= 0 { // what is below is its frame with less of a past
			b := &s.frames[i-1]
			f.base, f.parks, f.cases = b.base, b.parks, append(f.cases, b.cases...)
		} else {
			f.base = f.depth
			f.cases, f.parks = s.Sys.Cases(f.g, f.cases)
		}
	}
	if s.rivals(f) {
		s.offer(int32(i), nil, 0, item{q: trace.NoGID})
	}
}

// rivals reports whether an operation on channels is possible now that f's depends on and that others execute.
func (s *optimal) rivals(f *past) bool {
	for _, g := range s.Order {
		if g == f.g || !s.Exists[g] || !s.Pending[g].Kind.Channels() || !s.able(g) {
			continue
		}
		if s.rival(f, g) {
			return true
		}
		for c := range int(s.Next(g).Alternatives) {
			if p, met := s.Sys.Partner(g, c); met && s.rival(f, p) {
				return true
			}
		}
	}
	return false
}

// rival reports whether f's operation is g's, too, or depends on it.
func (s *optimal) rival(f *past, g trace.GID) bool {
	return g == f.g || s.Dep.Dependent(s.Next(g), s.Next(f.g))
}

// stay is a time for which a goroutine stands before an operation on channels.
type stay struct {
	g           trace.GID
	op          *hb.NextOp
	from, until int // the events by which it arrives, or -1, and leaves
	several     bool
}

// stays lists those which had not ended before event x, the chosen one of a frame.
func (s *optimal) stays(x int) []stay {
	s.staying = s.staying[:0]
	add := func(g trace.GID, op *hb.NextOp, from int32, until int) {
		if op.Kind.Channels() && op.Blocks() {
			s.staying = append(s.staying, stay{g, op, int(from), until, op.Kind == trace.Select || op.N > 1 || op.Wide})
		}
	}
	for j := x; j < len(s.Events); j++ {
		end := len(s.UndoLog)
		if j+1 < len(s.Events) {
			end = s.Events[j+1].UndoStart
		}
		for k := s.Events[j].UndoStart; k < end; k++ {
			if m := &s.UndoLog[k]; m.Exists {
				add(m.G, &m.Pending, m.Last, j)
			}
		}
	}
	for _, g := range s.Order {
		if s.Exists[g] {
			add(g, &s.Pending[g], s.Last[g], math.MaxInt)
		}
	}
	return s.staying
}

// arrivals offers the pasts that end in the newest event e and behind which an operation on channels may be possible that x
// makes impossible.
func (s *optimal) arrivals(e int) {
	ev := &s.Events[e]
	some := ev.Op.Kind.Channels() && len(s.Snapshots) > 0
	for _, m := range s.UndoLog[ev.UndoStart:] {
		some = some || s.Pending[m.G].Kind.Channels() && s.Pending[m.G].Blocks()
	}
	if !some {
		return
	}
	s.cut = 0
	for i := len(s.frames) - 1; i >= 0 && !s.Halted; i-- {
		x := s.frames[i].depth
		if x >= e || s.at[x] != int32(i) || s.frames[i].quiet || s.Before(x, s.Clock(e)) {
			continue
		}
		if k := &s.Events[x].Op; !k.Kind.Channels() && !k.DependsOnAll {
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
	return (q.op.Kind == trace.Send || q.op.Kind == trace.Recv) && q.op.N == 1 && q.op.Slot.Capacity == 0
}

// meets reports whether the two might meet if they stand there at the same time.
func (q *stay) meets(h *stay) bool {
	return (q.several || h.several || q.op.Kind != h.op.Kind && q.op.Slot.Capacity == 0) && hb.Overlap(q.op.Touches(), h.op.Touches())
}

// shows reports whether q arrives by event e, or stands there before it and e is about its operation.
func (s *optimal) shows(e int, q *stay) bool {
	return q.from == e || q.several && q.until != e && s.DependentOp(&s.Events[e], q.op, false)
}

// cuts offers to frame i the pasts that end in event e and behind which q, and h if it is not nil, have arrived and not left.
func (s *optimal) cuts(i, e int, q, h *stay) {
	x := s.frames[i].depth
	here := append(s.pair[:0], q)
	if h != nil {
		here = append(here, h)
	}
	s.pair = here
	root := x // the past it has already may not be needed
	if of := s.frames[i].of; of >= 0 {
		root = s.frames[of].depth
	}
	conflict, several := false, false
	base := append(s.both[:0], s.Clock(e)...)
	s.both = base
	for _, p := range here {
		conflict = conflict || p.until == x || hb.MayBeReversed(s.Dep, &s.Events[x], p.op)
		several = several || p.several
		if p.from >= 0 {
			s.Join(base, p.from)
		}
	}
	if !conflict || s.Before(x, base) {
		return
	}
	for _, p := range here {
		if p.until <= e && s.Before(p.until, base) {
			return
		}
	}
	s.some = s.some[:0]
	if several {
		for j := root; j < e; j++ {
			if j != x && s.fits(j, x, here) && !s.Before(j, base) {
				s.some = append(s.some, j)
			}
		}
	}
	s.combine(i, e, base, len(s.some)-1)
}

// fits reports whether event j is about what those here stand before, and can happen while they do, and without x.
func (s *optimal) fits(j, x int, here []*stay) bool {
	c := s.Clock(j)
	if s.Before(x, c) {
		return false
	}
	about := false
	for _, p := range here {
		if p.until < len(s.Events) && s.Before(p.until, c) {
			return false
		}
		about = about || s.DependentOp(&s.Events[j], p.op, false)
	}
	return about
}

// combine offers the events before what has the clock c, with and without each of s.some[:k+1].
func (s *optimal) combine(i, e int, c []uint32, k int) {
	for k >= 0 && s.Before(s.some[k], c) {
		k--
	}
	switch {
	case s.Halted:
		return
	case k < 0:
		if s.cut++; s.cut > maxCuts {
			s.Unsupported, s.Halted = true, true
		}
		s.offer(int32(i), c, e+1, item{q: trace.NoGID})
		return
	}
	s.combine(i, e, c, k-1)
	with := slices.Clone(c)
	s.Join(with, s.some[k])
	s.combine(i, e, with, k-1)
}

// ways lists the operations on channels that can be executed now, that f's depends on, and for which everything is needed that has been executed since f's state:
// those of others, and its own alternatives.
func (s *optimal) ways(f *past) (others, own []hb.Transition) {
	s.plan = s.plan[:0]
	for _, g := range s.Order {
		if !s.Exists[g] || !s.able(g) || !s.Next(g).Kind.Channels() {
			continue
		}
		for c := range int(s.Next(g).Alternatives) {
			p, met := s.Sys.Partner(g, c)
			if !met {
				p = trace.NoGID
			}
			switch l := s.Label(g, c); {
			case g == f.g && len(s.Events) == f.depth, g != f.g && !s.rival(f, g) && !(met && s.rival(f, p)), !s.whole(f, g, p):
			case g == f.g:
				own = append(own, hb.Transition{G: g, Label: l})
			default:
				s.plan = append(s.plan, hb.Transition{G: g, Label: l})
			}
		}
	}
	return s.plan, own
}

// besides reports whether event e depends on event x only because of whom x has met.
func (s *optimal) besides(x, e int) bool {
	op := &s.Events[x].Op
	ev := &s.Events[e]
	return s.Events[x].PartnerOp.Kind != trace.None && !s.Dep.Dependent(op, &ev.Op) && !(ev.PartnerOp.Kind != trace.None && s.Dep.Dependent(op, &ev.PartnerOp))
}

// novel reports whether one event e comes last of those up to event end, apart from x, that happened before what has the clock c, and whether f's operation x, executed in the first way,
// comes before it: then nobody has seen what e shows if it comes without x.
func (s *optimal) novel(f *past, x int, c []uint32, end int) bool {
	e := end - 1
	for e >= f.depth && (e == x || !s.Before(e, c)) {
		e--
	}
	if e < f.depth || !s.DependentOp(&s.Events[e], &f.met, false) {
		return false
	}
	last := s.Clock(e)
	if s.Before(x, last) {
		last = s.apart(e, x)
	}
	for j := f.depth; j < e; j++ {
		if j != x && s.Before(j, c) && !s.Before(j, last) {
			return false
		}
	}
	return true
}

// apart returns the clock that event e would have without x, which it depends on directly.
func (s *optimal) apart(e, x int) []uint32 {
	c := append(s.without[:0], make([]uint32, s.Width)...)
	s.without = c
	ev := &s.Events[e]
	for _, m := range s.UndoLog[ev.UndoStart:] { // e is the newest event
		if m.Last >= 0 && int(m.Last) != x {
			s.Join(c, int(m.Last))
		}
	}
	for j := e - 1; j >= 0; j-- {
		if j != x && !s.Before(j, c) && !s.Before(x, s.Clock(j)) && s.Dependent(&s.Events[j], ev) {
			s.Join(c, j)
		}
	}
	c[ev.G] = s.Keys[e].N
	return c
}

// within executes the operation of frame at's goroutine, in the given ways, behind events that it depends on only because of whom it meets. What else it meets them
// behind of is a matter of frame at, too.
func (s *optimal) within(at int, own []hb.Transition) {
	f := s.push()
	root := &s.frames[at]
	op := s.Next(root.g)
	f.mark, f.depth, f.g, f.head, f.of = s.mark(&op.Op), len(s.Events), root.g, root.head, int32(at)
	f.n, f.next, f.quiet, f.gone = len(own), 1, false, len(s.gone)
	for _, m := range own {
		f.labels = append(f.labels, m.Label)
	}
	if len(own) > 1 {
		s.Stats.Choices++
	}
	s.alternative(len(s.frames)-1, 0)
}

// whole reports whether all events since f's state would happen before what g executes next, meeting p.
func (s *optimal) whole(f *past, g, p trace.GID) bool {
	c := append(s.both[:0], make([]uint32, s.Width)...)
	s.both = c
	for _, q := range [2]trace.GID{g, p} {
		if q != trace.NoGID && s.LastEvent(q) >= 0 {
			s.Join(c, s.LastEvent(q))
		}
	}
	for j := len(s.Events) - 1; j >= f.depth; j-- {
		if s.Before(j, c) {
			continue
		}
		if !s.DependentOp(&s.Events[j], s.Next(g), false) && (p == trace.NoGID || !s.DependentOp(&s.Events[j], s.Next(p), false)) {
			return false
		}
		s.Join(c, j)
	}
	return true
}

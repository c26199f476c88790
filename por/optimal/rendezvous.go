package optimal

import (
	"math"
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Channels (section 4 of docs/research/optimal.md). One event can be an operation of two goroutines, it
// may need the pending operations of other goroutines, and a select waits for several
// events at once. So the causal prefix of an operation x on channels is not found together with
// the operation y that follows it. A candidate is a set S of events after the frame's state,
// down-closed; y is found when S has been executed.
//
// The rules of section 4, and their procedures:
//
//	R3  after S, operations that need all of S are executed: x, or one on
//	    which x depends                                                        channelHeads, needsAll
//	    if that is x itself, it has a frame of its own                         exploreAfterPrefix
//	R4  x depends on no event of S                                             executePrefix
//	R5  each S is taken once, whatever is in a reversal                        fingerprint
//	R6  the first alternative of x has no partner, if there is such a one      initChannelFrame
//
//	S1  the empty set, if x conflicts with a possible operation                conflictPossible
//	S2  the events before a conflicting event after x                          reverseRaces
//	    and that event, if they conflict only because of x's partner           dependsOnlyViaPartner
//	S3  the events before the arrivals of goroutines at operations that can
//	    be executed without x, whether they still wait there or not            scheduleRendezvous
//
//	pending intervals:   g1 ──────[═══════════)────      a goroutine arrives at "[" and executes
//	                     g2 ───────────[════════════     the operation at ")"
//	                               x   ^
//	                                   in this interval both wait. S has the events before the
//	                                   arrivals; without x, they could communicate before x.
//
// # Why S may have to be larger (rule S3)
//
// A select depends on all operations of its channels (Go locks them all, rule R2): each event that changes
// whether one of its cases is ready. Its partner's operation may depend on more. Two selects do not
// communicate if both have other ready cases. So an event on which x does not depend can make a rendezvous
// impossible, and another event can make it possible again. Such events are not added to a prefix one by one:
// after one of them, there may be no operation that shows the next. So all down-closed sets of them that can
// have been executed by then are scheduled (enumerateIdeals). Claim 8: all necessary sets are found.
//
// # Why a rendezvous counts once
//
// The alternatives of x have different dependences, so x may be executed in several of them, after
// different S, before one y whose prefix does not contain x. Only the execution in which x has its
// first alternative counts (R6): in all others its events are in a reversal. If x has an
// alternative without a partner, that is the first one; then it is possible after every S.
// Otherwise x is not ready without a partner, and the first alternative is possible as long as its
// partner waits. Claim 9: if an event of S comes after x's first alternative in every exploration,
// its races are sought after S (unseenAtFirstAlternative).

// initChannelFrame fills in the data of frame i, the newest one, for an operation on channels.
//
// Alternatives are kept by their labels: the system's numbers depend on the
// other waiting goroutines, and differ after a prefix.
func (s *searcher) initChannelFrame(i int) {
	f := &s.frames[i]
	for c := range f.numAlternatives {
		f.alternatives = append(f.alternatives, s.Label(f.g, c))
	}
	first := 0
	for c := range f.numAlternatives {
		if _, hasPartner := s.Partner(f.g, c); !hasPartner {
			//mutant: the first alternative counts, even if it has a partner [meeting]: "first = c" -> "first = 0"
			first = c
			break
		}
	}
	// Rule R6.
	f.alternatives[0], f.alternatives[first] = f.alternatives[first], f.alternatives[0]
	if p, ok := s.Partner(f.g, first); ok {
		f.firstPartnerOp = *s.Next(p)
	}
	if op := s.Next(f.g); op.MultiWay() {
		if f.newestHead >= 0 { // the frame below has the same operation, with a smaller part of its prefix
			b := &s.frames[i-1]
			f.baseDepth, f.mayPark, f.cases = b.baseDepth, b.mayPark, append(f.cases, b.cases...)
		} else {
			f.baseDepth = f.depth
			f.cases, f.mayPark = s.Cases(f.g, f.cases)
		}
	}
	if s.conflictPossible(f) {
		s.scheduleReversal(int32(i), nil, 0, candidate{q: trace.NoGID}) // rule S1
	}
}

// conflictPossible reports whether another goroutine can execute, in the current state, an operation on
// channels on which f's operation depends.
//
// Partners count, too: x may depend on the operation of the sender h from which g would receive, though g's
// own operation is on another channel (g is a select).
func (s *searcher) conflictPossible(f *frame) bool {
	for _, g := range s.Order {
		if g == f.g || !s.Exists[g] || !s.Pending[g].Kind.Channels() || !s.isEnabled(g) {
			continue
		}
		if s.conflictsWith(f, g) {
			return true
		}
		for c := range int(s.Next(g).Alternatives) {
			if p, ok := s.Partner(g, c); ok && s.conflictsWith(f, p) {
				return true
			}
		}
	}
	return false
}

// conflictsWith reports whether f's operation is g's pending one or depends on it.
func (s *searcher) conflictsWith(f *frame, g trace.GID) bool {
	return g == f.g || s.DependentOps(s.Next(g), s.Next(f.g))
}

// An interval is a pending interval: the time from the arrival of a goroutine at an operation on channels
// until the operation is executed.
//
// It is [from, until): the goroutine waits at op after event from, and waits no more after event
// until. op is the operation at the arrival. multiWay: op waits for several events, like a select.
type interval struct {
	g           trace.GID
	op          *hb.NextOp
	from, until int // the event by which it arrives (-1: at the start), and the event that executes op
	multiWay    bool
}

// intervals lists the pending intervals that had not ended before event x, the chosen one of a
// frame. The order of the list, and so that of candidates, depends on the events only.
func (s *searcher) intervals(x int) []interval {
	list := s.scratch.intervals[:0]
	add := func(g trace.GID, op *hb.NextOp, from int32, until int) {
		if op.Kind.Channels() && op.Blocks() {
			multiWay := op.Kind == trace.Select || op.N > 1 || op.Wide
			list = append(list, interval{g: g, op: op, from: int(from), until: until, multiWay: multiWay})
		}
	}
	// An event's part of the undo log has the pending operations of its participants, and the events of their
	// arrivals. These operations end with the event.
	for _, j := range s.WaitEnds(x) {
		participants := s.Participants(int(j))
		for k := range participants {
			if p := &participants[k]; p.Exists {
				add(p.G, &p.Pending, p.Last, int(j))
			}
		}
	}
	// These have not ended yet.
	for _, g := range s.Order {
		if s.Exists[g] {
			add(g, &s.Pending[g], s.Last[g], math.MaxInt)
		}
	}
	s.scratch.intervals = list
	return list
}

// beginsWithout reports whether q, an interval that had not ended before event x, begins without x. An
// operation on channels that x itself has executed depends on x. A goroutine that arrives because of x never
// waits without it.
func (s *searcher) beginsWithout(x int, q *interval) bool {
	//mutant: rendezvous: intervals that x ends begin without it for selects only [selecting]: "!s.Before(x, s.Clock(q.from))" -> "q.from < x"
	//mutant: rendezvous: what arrives because of x would wait without it [selecting]: true
	return (q.from < 0 || !s.Before(x, s.Clock(q.from))) && !s.Events[x].ComesBefore(q.op)
}

// conflicts reports whether x may make q's operation impossible.
func (s *searcher) conflicts(x int, q *interval) bool {
	//mutant: rendezvous: only what x ends conflicts with it [selecting]: "s.MayBeReversed(&s.Events[x], q.op)" -> "q.until == x"
	return s.MayBeReversed(&s.Events[x], q.op)
}

// scheduleRendezvous is rule S3 for the newest event e, if e concerns channels: it schedules sets
// that end in e. After each of these sets an operation on channels may be possible that x, the
// operation of a frame, makes impossible.
//
// It considers an interval q if event e can be the last one of such a set: e is the arrival of
// q, or changes whether a select is ready (exposes). The partner h may have arrived at any
// time. Neither the intervals that e exposes nor the pairs that may communicate depend on x, except that x
// must come before their ends; so they are listed once, for the earliest frame.
//
// Cost: pairs of intervals, for each event, and the pairs that may communicate, for each event and frame on
// channels. Where many goroutines wait, this is most of the cost of a search, so it is counted
// (por.Stats.Looked) for auto.
func (s *searcher) scheduleRendezvous(e int) {
	s.ideals, s.listed = 0, 0
	frames := s.channelFrames(e)
	if len(frames) == 0 {
		return
	}
	all := s.intervals(s.frames[frames[len(frames)-1]].depth)
	exposed := s.exposed(e, all)
	if len(exposed) == 0 {
		return
	}
	for _, frame := range frames {
		i := int(frame)
		x := s.frames[i].depth
		if s.Halted {
			break
		}
		for k := range exposed {
			q := &all[exposed[k].q]
			if q.until < x || !s.beginsWithout(x, q) {
				continue
			}
			s.Stats.Looked += uint64(1 + len(exposed[k].partners))
			conflicts := s.conflicts(x, q)
			if !q.needsPartner() && conflicts {
				s.scheduleIdeals(i, e, q, nil)
			}
			for _, b := range exposed[k].partners {
				if h := &all[b]; h.until >= x && s.beginsWithout(x, h) && (conflicts || s.conflicts(x, h)) {
					s.scheduleIdeals(i, e, q, h)
				}
			}
		}
	}
}

// channelFrames returns those of concurrentFrames whose operations are on channels, and whose races are
// sought. (An operation that depends on all others is never concurrent.)
func (s *searcher) channelFrames(e int) []int32 {
	var list []int32
	if s.Short(e) {
		list = s.concurrentFrames(e)
	} else {
		s.concurrent = s.ConcurrentOnChannels(e, s.concurrent[:0])
		list = s.framesOf(s.concurrent)
	}
	return slices.DeleteFunc(list, func(i int32) bool {
		return s.frames[i].noReversals || !s.Events[s.frames[i].depth].Op.Kind.Channels()
	})
}

// An exposure is an interval that event e exposes, and those with which its operation may communicate, as
// indexes of a list.
type exposure struct {
	q        int
	partners []int
}

// exposed lists the intervals of a list that event e exposes.
func (s *searcher) exposed(e int, all []interval) []exposure {
	list := s.scratch.exposed[:0]
	for a := range all {
		q := &all[a]
		if !s.exposes(e, q) {
			continue
		}
		n := len(list)
		list = slices.Grow(list, 1)[:n+1]
		list[n].q, list[n].partners = a, list[n].partners[:0]
		s.Stats.Looked += uint64(len(all))
		for b := range all {
			if h := &all[b]; h.g != q.g && q.mayCommunicate(h) {
				list[n].partners = append(list[n].partners, b)
			}
		}
	}
	s.scratch.exposed = list
	return list
}

// concernsChannels reports whether event e has brought a goroutine to an operation on channels, or is itself
// such an operation while there are selects.
func (s *searcher) concernsChannels(e int) bool {
	ev := &s.Events[e]
	if ev.Op.Kind.Channels() && len(s.Snapshots) > 0 {
		return true
	}
	participants := s.Participants(e)
	for k := range participants {
		if op := &s.Pending[participants[k].G]; op.Kind.Channels() && op.Blocks() {
			return true
		}
	}
	return false
}

// needsPartner reports whether q's operation is possible with a partner only. (If the channel has
// been closed nothing makes it impossible any more.)
func (q *interval) needsPartner() bool {
	return (q.op.Kind == trace.Send || q.op.Kind == trace.Recv) && q.op.N == 1 && q.op.Slot.Capacity == 0
}

// mayCommunicate reports whether the two might communicate if both are pending at the same time.
//
// Two operations of the same kind on a channel never communicate, nor do a send and a receive on
// a buffer.
func (q *interval) mayCommunicate(h *interval) bool {
	sendAndReceive := q.op.Kind != h.op.Kind && q.op.Slot.Capacity == 0
	return (q.multiWay || h.multiWay || sendAndReceive) && hb.Overlap(q.op.Touches(), h.op.Touches())
}

// exposes reports whether q begins with event e, or has begun before and depends on e.
func (s *searcher) exposes(e int, q *interval) bool {
	return q.from == e || q.multiWay && q.until != e && s.DependentOp(&s.Events[e], q.op, false)
}

// channelHeads is rule R3: it lists operations on channels, of other goroutines and the alternatives of x
// itself. They are possible in the current state, f's operation x depends on them, and they need all events
// since f's state.
//
// The alternatives of x itself are separate, because they are not heads: x after S is a frame of its own
// (rule R3).
func (s *searcher) channelHeads(f *frame) (others, own []hb.Transition) {
	others = s.scratch.transitions[:0]
	for _, g := range s.Order {
		if !s.Exists[g] || !s.isEnabled(g) || !s.Next(g).Kind.Channels() {
			continue
		}
		if g == f.g && len(s.Events) == f.depth {
			continue // the frame itself explores x without a prefix
		}
		for c := range int(s.Next(g).Alternatives) {
			p, ok := s.Partner(g, c)
			if !ok {
				p = trace.NoGID
			}
			conflicts := g == f.g || s.conflictsWith(f, g) || ok && s.conflictsWith(f, p)
			switch t := (hb.Transition{G: g, Label: s.Label(g, c)}); {
			//mutant: all that is possible after a prefix needs it [selecting]: ", !s.needsAll(f, g, p)" -> ""
			case !conflicts, !s.needsAll(f, g, p):
			case g == f.g:
				own = append(own, t)
			default:
				others = append(others, t)
			}
		}
	}
	s.scratch.transitions = others
	return others, own
}

// needsAll reports whether all events since f's state would happen before g's pending operation,
// with p as partner.
//
// c is the clock that the operation would have. It tries the events from newest to oldest: an event that is
// already in c is needed by a later one. An event that is not in c, and on which the operation does not
// depend directly, is not needed.
func (s *searcher) needsAll(f *frame, g, p trace.GID) bool {
	c := append(s.scratch.clock[:0], make([]uint32, s.Width)...)
	s.scratch.clock = c
	for _, q := range [2]trace.GID{g, p} {
		if q != trace.NoGID && s.LastEvent(q) >= 0 {
			s.Join(c, s.LastEvent(q))
		}
	}
	for j := len(s.Events) - 1; j >= f.depth; j-- {
		if s.Before(j, c) {
			continue
		}
		ev := &s.Events[j]
		if !s.DependentOp(ev, s.Next(g), false) && (p == trace.NoGID || !s.DependentOp(ev, s.Next(p), false)) {
			return false
		}
		s.Join(c, j)
	}
	return true
}

// exploreAfterPrefix executes the operation of frame i, in the given alternatives, after events on
// which it depends only through its partners. Longer prefixes of it are candidates of frame i.
//
// The frame continues the chain of frame i: its newest head is that of frame i, because S has no
// head.
func (s *searcher) exploreAfterPrefix(i int, own []hb.Transition) {
	f := s.pushFrame()
	outer := &s.frames[i]
	op := s.Next(outer.g)
	f.at, f.depth, f.g, f.newestHead = s.checkpoint(&op.Op), len(s.Events), outer.g, outer.newestHead
	f.numAlternatives, f.nextAlternative, f.outer = len(own), 1, int32(i)
	f.noReversals, f.numDropped = false, len(s.dropped)
	for _, t := range own {
		f.alternatives = append(f.alternatives, t.Label)
	}
	if len(own) > 1 {
		s.Stats.Choices++
	}
	s.exploreAlternative(len(s.frames)-1, 0)
}

// dependsOnlyViaPartner reports whether events e and x are dependent only because of x's partner.
//
// Example: x receives from c, its partner is a select that sends to c or receives from d; e
// closes d. x depends on e only because the select does.
func (s *searcher) dependsOnlyViaPartner(x, e int) bool {
	op, ev := &s.Events[x].Op, &s.Events[e]
	if s.Events[x].PartnerOp.Kind == trace.None || s.DependentOps(op, &ev.Op) {
		return false
	}
	return ev.PartnerOp.Kind == trace.None || !s.DependentOps(op, &ev.PartnerOp)
}

// Let S be the events up to index end, without x, that happen before an event with the given clock.
// unseenAtFirstAlternative reports whether S has a single last event e, and e comes after f's
// operation x if x is executed in its first alternative. Then no exploration has found the races of
// e without x (claim 9).
func (s *searcher) unseenAtFirstAlternative(f *frame, x int, clock []uint32, end int) bool {
	e := end - 1
	for e >= f.depth && (e == x || !s.Before(e, clock)) {
		e--
	}
	//mutant: all that comes after a prefix is new [mixing]: drop 2
	if e < f.depth || !s.DependentOp(&s.Events[e], &f.firstPartnerOp, false) {
		return false
	}
	last := s.Clock(e)
	if s.Before(x, last) {
		last = s.clockWithout(e, x)
	}
	for j := f.depth; j < e; j++ {
		if j != x && s.Before(j, clock) && !s.Before(j, last) {
			return false
		}
	}
	return true
}

// clockWithout returns the clock that e, the newest event, has without event x, on which e depends directly.
func (s *searcher) clockWithout(e, x int) []uint32 {
	c := append(s.scratch.without[:0], make([]uint32, s.Width)...)
	s.scratch.without = c
	ev := &s.Events[e]
	participants := s.Participants(e)
	for k := range participants {
		if last := int(participants[k].Last); last >= 0 && last != x {
			s.Join(c, last)
		}
	}
	for j := e - 1; j >= 0; j-- {
		if j != x && !s.Before(j, c) && !s.Before(x, s.Clock(j)) && s.Dependent(&s.Events[j], ev) {
			s.Join(c, j)
		}
	}
	c[ev.G] = s.ID(e).N
	return c
}

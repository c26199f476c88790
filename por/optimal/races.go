package optimal

import (
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Races: lines 20 to 27 of docs/research/optimal.md. The arrival of y's goroutine at y decides which of three
// procedures finds that y could come before x:
//
//	x ... e ... y       y is executed after x, arrives after x      line 21, reverseRaces
//	x ... e=arrival     y arrives after x, may never be executed    line 23, reverseArrivals
//	arrival ... x=e     y waits already when x is executed          line 26, reverseWaiting
//
// If y can be disabled, the second and third procedures find this, and the first one leaves it to
// them (foundAtArrival). If y cannot be disabled, only the first one finds it.

// findReversals is FindReversals (line 20) for the newest event. first reports whether the event is
// the first alternative of its operation; further alternatives have the same races.
//
// The order of its parts decides the order of candidates, and so that of executions.
//
// Example of line 21: x = 1 in g1 beside x = 2 in g2. The second write is in a race with the
// first one when it is executed: S = {}, q = g2.
func (s *searcher) findReversals(first bool) {
	e := len(s.Events) - 1
	if s.Events[e].DependsOnOutput && s.frameOf[e] >= 0 {
		s.frames[s.frameOf[e]].dependsOnOutput = true
	}
	if len(s.Races) > 0 {
		s.reverseRaces(e, first)
	}
	s.reverseArrivals(e)
	//mutant: arrivals at channels are not reversed [selecting]: false
	if s.concernsChannels(e) {
		s.scheduleRendezvous(e)
	}
	if s.frameOf[e] >= 0 {
		s.reverseWaiting(e)
	}
}

// reverseRaces is line 21 and, for operations on channels, rule S2.
//
// Example of an e that x has enabled: x sends into a buffer, and e receives that element. It depends on x,
// but the two do not race.
func (s *searcher) reverseRaces(e int, first bool) {
	ev, pending := &s.Events[e], &s.Participants(e)[0].Pending
	for _, x := range s.Races {
		switch {
		case ev.Op.Kind.Channels():
			//mutant: timers are tried before what comes before the next rest [test ./explore TestRests]: "ComesBefore(pending)" -> "ComesBefore(pending) && false"
			//mutant: no timer comes before what is executed while goroutines can run [test ./internal/progen TestTimers]: "s.Events[x].ComesBefore(pending)" -> "pending.Kind == trace.Timer"
			if s.Events[x].ComesBefore(pending) || ev.PartnerOp.Kind == trace.None && !s.MayBeReversed(&s.Events[x], &ev.Op) {
				continue // the event is a timer that x keeps from firing (rests.go), or x has enabled it
			}
			s.scheduleReversal(s.frameOf[x], s.Clock(e), e, candidate{q: trace.NoGID})
			//mutant: an operation depends on nothing through its partner [meeting]: false
			if s.dependsOnlyViaPartner(int(x), e) {
				s.scheduleReversal(s.frameOf[x], s.Clock(e), e+1, candidate{q: trace.NoGID, mayFail: true})
			}
		case first && !s.foundAtArrival(int(x), e) && !s.outOfOrder(s.frameOf[x], int(x), e):
			s.scheduleReversal(s.frameOf[x], s.Clock(e), e, candidate{q: ev.G}) // line 22
		}
	}
}

// foundAtArrival reports whether e's race with x has been
// found when its goroutine arrived (line 23), because e can be disabled. Claim 6 (b) has the exceptions.
func (s *searcher) foundAtArrival(x, e int) bool {
	y, op := &s.Events[e].Op, &s.Events[x].Op
	switch {
	case y.Awaits == trace.AwaitWrite && !s.overtaken(x, e):
		return true
	case !hb.Blocks(y.Kind) && y.Awaits != trace.AwaitRead:
		return false
	}
	waitsForSeveral := y.N > 1 || y.Wide // an event on which x does not depend may have enabled e since
	onlyOutput := s.Events[e].DependsOnOutput && op.Kind == trace.Output
	//mutant: a writer depends on one reader [readers]: drop 3
	return !waitsForSeveral && !onlyOutput && !op.CommutesWithPeers()
}

// overtaken reports whether an event after x happens before e, but not before the arrival of e's
// goroutine at e. Suppose that x is a read, and e an atomic update that waits. Then e may come
// after another goroutine's read, which is independent of x.
//
// Example: x reads v in g1; g2 waits in a loop `for !v.CompareAndSwap(0, 1) {}`, and g3 reads v after g2 has
// come there. The update depends on both reads; g3's read had not been executed when the update's goroutine
// arrived.
func (s *searcher) overtaken(x, e int) bool {
	arrival := s.Arrival(e)
	for j := x + 1; j < e; j++ {
		if s.Before(j, s.Clock(e)) && (arrival < 0 || !s.Before(j, s.Clock(arrival))) {
			return true
		}
	}
	return false
}

// reverseArrivals is lines 23 and 24. Operations on channels have rule S3 instead.
//
// The participants of e have arrived at their pending operations.
func (s *searcher) reverseArrivals(e int) {
	participants := s.Participants(e)
	for k := range participants {
		q := participants[k].G
		y := &s.Pending[q]
		//mutant: arrivals are not reversed [toySystems]: true
		if !y.Blocks() || y.Kind.Channels() {
			continue
		}
		for _, i := range s.concurrentFrames(e) {
			if s.MayBeReversed(&s.Events[s.frames[i].depth], y) {
				s.scheduleReversal(i, s.Clock(e), e+1, candidate{q: q})
			}
		}
	}
}

// concurrentFrames returns the frames whose operations have been executed before event e and do not
// happen before it, latest first. While a candidate is explored a frame's operation is not executed. The
// cost is proportional to the number of events that do not happen before e, or to the number of frames if the
// path is short.
func (s *searcher) concurrentFrames(e int) []int32 {
	if s.Short(e) {
		c, list := s.Clock(e), s.concurrent[:0]
		//mutant: the latest frame of a short path is left out [toySystems]: "len(s.frames) - 1" -> "len(s.frames) - 2"
		for i := len(s.frames) - 1; i >= 0; i-- {
			//mutant: in short paths operations that happen before the event are concurrent [toySystems]: "!s.Before" -> "true || s.Before"
			if x := s.frames[i].depth; x < e && s.frameOf[x] == int32(i) && !s.Before(x, c) {
				list = append(list, int32(i))
			}
		}
		s.concurrent = list
		return list
	}
	s.concurrent = s.Concurrent(e, s.concurrent[:0])
	return s.framesOf(s.concurrent)
}

// framesOf replaces events by the frames whose operations they are. Other events are left out.
func (s *searcher) framesOf(events []int32) []int32 {
	list := events[:0]
	for _, x := range events {
		if i := s.frameOf[x]; i >= 0 && s.frames[i].depth == int(x) {
			list = append(list, i)
		}
	}
	return list
}

// reverseWaiting is lines 26 and 27.
//
// S is empty: y was pending in P, so it needs no event after P. Example: g1: mu.Lock
// (x) while g2 already waits at mu.Lock (y): x is executed and disables y.
func (s *searcher) reverseWaiting(e int) {
	ev, mayBlock := &s.Events[e], s.MayBlock
	for _, g := range s.Order {
		if !mayBlock[g] {
			continue
		}
		y := &s.Pending[g]
		if ev.Op.Kind.Channels() && y.Kind.Channels() {
			continue // rule S1
		}
		//mutant: operations that wait are not reversed [toySystems]: "Last[g]) != e" -> "Last[g]) < -1"
		if y.Blocks() && int(s.Last[g]) != e && s.Exists[g] && s.MayBeReversed(ev, y) {
			q := g
			if y.Kind.Channels() {
				q = trace.NoGID
			}
			s.scheduleReversal(s.frameOf[e], s.Clock(e), e, candidate{q: q})
		}
	}
}

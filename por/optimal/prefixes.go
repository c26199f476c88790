package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Candidates: scheduling them, their fingerprints, and their order in causal prefixes (claim 2).

// scheduleReversal is ScheduleReversal (line 28) for the operation x of frame i. It completes candidate c
// with the set S: the events up to index end, without x, that happen before an event with the given clock.
//
// The sets of all candidates of a frame are in one list. A new set is written at the end of the frame's
// transitions, and removed if the candidate is refused. Candidates that differ only in the last operation
// share one set (nameHead).
//
//	transitions:  │ a  b │ a │ c  a  d │          one part for each set S
//	candidate:    lo    hi                        {lo, hi, q}: a, b, then q's operation
//
// If x is executed after a set of rule R3 (frame.outer), its longer prefixes belong to the outer
// frame: they begin in that frame's state, so S also has that set.
func (s *searcher) scheduleReversal(i int32, clock []uint32, end int, c candidate) {
	if i < 0 || s.frames[i].noReversals {
		return
	}
	x := s.frames[i].depth
	if outer := s.frames[i].outer; outer >= 0 {
		i = outer
	}
	f := &s.frames[i]
	c.lo = len(f.transitions)
	complete := c.q != trace.NoGID // rule R5
	if !s.appendPrefix(f, x, clock, end, complete) {
		f.transitions = f.transitions[:c.lo]
		return
	}
	c.hi = len(f.transitions)
	if onChannels := c.q == trace.NoGID; onChannels && f.firstPartnerOp.Kind != trace.None {
		c.lastUnseen = s.unseenAtFirstAlternative(f, x, clock, end)
	}
	var key uint64
	//mutant: optimal: outcomes show nothing twice [branches]: drop 2
	if f.mayRepeat || s.branched { // line 30
		key = s.fingerprint(f, x, clock, end, c)
		//mutant: a candidate is explored as often as it is found [readers]: "; known " -> "; known && false "
		if _, known := f.known[key]; known {
			f.transitions = f.transitions[:c.lo]
			return
		}
	}
	if !s.addCandidate(int(i), c, key) {
		f.transitions = f.transitions[:c.lo]
	}
}

// appendPrefix appends S to f's transitions and reports whether that is a candidate. If complete is set,
// S has to contain all events after x that are in a reversal.
//
// By line 29 a candidate is found once (claim 3). Several explorations may show the same candidate; it is
// found in the one that executed the events outside of S by default. For channels, fingerprints have this
// role (rule R5).
//
// Example of a refusal: the four goroutines of section 10, x = 1, a = 1, read a, read x.
//
//	x=1  a=1  ra  rx        rx races with x=1: S = {}                      accepted
//	x=1  ra  a=1  rx        ra was put before a=1, in a reversal. S = {}   refused: the same S again
func (s *searcher) appendPrefix(f *frame, x int, clock []uint32, end int, complete bool) bool {
	for j := f.depth; j < end; j++ {
		if j == x {
			continue
		}
		if s.Before(j, clock) {
			if s.Events[j].EndsExecution { // no event can happen after it
				return false
			}
			f.transitions = append(f.transitions, s.Events[j].Transition)
			//mutant: what is in a reversal does not matter [toySystems]: false
		} else if complete && s.inReversal[j] {
			s.traceRefused(f, j)
			return false // line 29
		}
	}
	return true
}

// addCandidate adds c to frame i (line 31); key is its fingerprint if it may be found twice, otherwise 0.
// It reports whether the frame keeps it. A candidate that the frame does not keep is explored at once, or
// shared with other workers.
//
// A frame that is shared with other workers keeps no candidates, so this case comes first. The fingerprint of
// a candidate that is explored at once is kept, too, because the candidate would be found again.
func (s *searcher) addCandidate(i int, c candidate, key uint64) bool {
	f := &s.frames[i]
	if s.Tracing() {
		s.traceScheduled(f, &c, f.transitions[c.lo:c.hi])
	}
	// The fingerprints of a shared frame are with its node.
	if i <= s.shared {
		s.worker.addCandidate(i, c, f.transitions[c.lo:c.hi], key)
		return false
	}
	if key != 0 {
		if f.known == nil {
			f.known = make(map[uint64]struct{})
		}
		f.known[key] = struct{}{}
		s.retain(f, keyBytes)
	}
	if !s.mayRetain(f) {
		//mutant: candidates there is no memory for are dropped [toySystems]
		s.eager = append(s.eager, eagerReversal{i, c, slices.Clone(f.transitions[c.lo:c.hi])})
		return false
	}
	s.retain(f, c.bytes())
	f.candidates = append(f.candidates, c)
	return true
}

// fingerprint hashes a candidate, independently of the order of its events in this execution. It also sorts
// the candidate's transitions into such an order: by the sums of the events' clocks, because an event has a
// larger clock than those that happen before it, and then by goroutine.
//
// It hashes the goroutine, number, alternative and clock of each event. Two sets with equal events and clocks
// lead to the same state. The sum of the hashes does not depend on the order of the events. x is left out of
// the clocks, because x is not executed before the events when the candidate is explored. The result is never
// 0, which means no fingerprint (addCandidate).
func (s *searcher) fingerprint(f *frame, x int, clock []uint32, end int, c candidate) uint64 {
	var sum uint64
	ages := s.scratch.ages[:0]
	for j := f.depth; j < end; j++ {
		if j == x || !s.Before(j, clock) {
			continue
		}
		ev, d := &s.Events[j], hb.Digest{}
		//mutant: events have the fingerprints they have after x [meeting]: false
		if s.Before(x, s.Clock(j)) {
			d = s.DigestWith(j, s.clockWithout(j, x))
		} else {
			d = s.DigestOf(j)
		}
		sum += d.Hash
		age := d.Age
		// This is an insertion sort of the transitions; ages has their keys.
		i := len(ages)
		for i > 0 && (ages[i-1] > age || ages[i-1] == age && s.Precedes(ev.G, f.transitions[c.lo+i-1].G)) {
			i--
		}
		ages = slices.Insert(ages, i, age)
		copy(f.transitions[c.lo+i+1:c.lo+len(ages)], f.transitions[c.lo+i:])
		//mutant: optimal: a prefix forgets outcomes [branches]: "f.transitions[c.lo+i] = ev.Transition" -> "tr := ev.Transition\n\t\tif ev.Op.Kind == trace.Branch {\n\t\t\ttr.Label = 0\n\t\t}\n\t\tf.transitions[c.lo+i] = tr"
		f.transitions[c.lo+i] = ev.Transition
	}
	s.scratch.ages = ages
	last := por.Mix(uint64(c.q)<<1 + 1)
	if c.named {
		last = por.Mix(last ^ c.label)
	}
	return max(1, sum+last)
}

// alternativesOf lists the alternatives of q's pending operation.
//
// The result is valid until the next call of this function or of channelHeads.
func (s *searcher) alternativesOf(q trace.GID) []hb.Transition {
	s.scratch.transitions = s.scratch.transitions[:0]
	for c := range int(s.Next(q).Alternatives) {
		s.scratch.transitions = append(s.scratch.transitions, hb.Transition{G: q, Label: s.Label(q, c)})
	}
	return s.scratch.transitions
}

// dependsOn reports whether f's operation x, in the current state, depends on the newest event y
// (line 37). By (A3) the answer is the same as before S and y.
func (s *searcher) dependsOn(f *frame, y int) bool {
	// The goroutine of x has taken part in y: y is an alternative of x (rule R3), or x is its
	// partner.
	//mutant: ended: optimal does not depend on what stops a timer [counted]: drop 2
	if s.LastEvent(f.g) == y || s.Next(f.g).Terminated() {
		return true
	}
	return s.DependentOp(&s.Events[y], s.Next(f.g), f.dependsOnOutput)
}

// outOfOrder is called when event e is found to be in a race with x, the operation of frame i. It reports
// whether line 38 would certainly refuse y, the operation of e executed without x before it, as a head.
//
// The goroutine of the frame's newest head h, which is the last event before the frame, comes after the
// goroutine of y. h happens before y if y depends on h, or if h happens before an event of S. The events of S
// do not happen after x, so their clocks will not change. y certainly has the dependences of e only if y is
// the same access after every prefix; line 38 decides about all other operations.
//
// Data races of refused heads are reported, too (reportRace), so line 38 also decides about accesses that are
// not atomic.
func (s *searcher) outOfOrder(i int32, x, e int) bool {
	if i < 0 || s.frames[i].newestHead < 0 || s.frames[i].outer >= 0 {
		return false
	}
	ev, h := &s.Events[e], int(s.frames[i].newestHead)
	//mutant: early order: what depends on the newest head is out of order [toySystems]: drop 3
	//mutant: early order: all goroutines are out of order [toySystems]: drop 2
	if !fixed(&ev.Op) || !s.Precedes(ev.G, s.Events[h].G) || s.Dependent(&s.Events[h], ev) {
		return false
	}
	for j := h + 1; j < e; j++ {
		if j != x && s.Before(h, s.Clock(j)) && s.Before(j, s.Clock(e)) {
			//mutant: early order: what comes after the newest head otherwise is out of order [counted]: "return false" -> "break"
			return false
		}
	}
	return true
}

// fixed reports whether op is the same access of memory in every state that its goroutine reaches in the same
// way. A failing compare-and-swap is not fixed. A successful one is: it writes, and so has at least the
// dependences of a failing one.
func fixed(op *hb.NextOp) bool {
	//mutant: early order: accesses are the same in other states [counted]: drop 3
	return atomics.Has(op.Kind) && op.N == 1 && op.Commutes == 0 && op.Awaits == trace.NoAwait && !op.DependsOnAll
}

var atomics = trace.KindsWhere(func(r *trace.Row) bool { return r.On == trace.OnMemory && !r.Plain })

// inCanonicalOrder reports whether event y may follow the heads of f (line 38). Happens-before may
// allow several heads next. The head of the first goroutine comes next, in an order of goroutines
// that does not depend on the search.
//
// It walks from the newest head to older ones, up to the first head that happens before y. Before that head
// was executed y could not have been next, so the older heads may belong to any goroutine.
func (s *searcher) inCanonicalOrder(f *frame, y int) bool {
	c := s.Clock(y)
	for h := f.newestHead; h >= 0 && !s.Before(int(h), c); h = s.prevHead[h] {
		if s.Precedes(s.Events[y].G, s.Events[h].G) {
			//mutant: heads come in any order [toySystems]: true
			return false
		}
	}
	return true
}

package dpor

import (
	"slices"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Lines 6 to 10: the races of the newest event, and what they add to backtrack sets. A race is
// reversed in the state before its first event:
//
//	E = E' e  a  b  p        e and p race. a happens after e, b does not.
//	v = notdep(e, E).p  =  b p         the events of E after e that do not happen after e, then p
//	I(v) = {b's goroutine, p's, ...}   those that can come first in v: b, and p unless b → p
//
//	line 9: if one of I(v) is in backtrack(E'), the other order is explored anyway.
//	line 10: otherwise any one of them is added. (POPL 2005 requires p's goroutine, or all.)

// raceCandidate is a race to be reported to the visitor. One of its events was executed in the node: after
// seq, the pending operations of p and q race.
type raceCandidate struct {
	seq  []hb.Transition
	p, q trace.GID
}

// findRaces is lines 6 to 10 for the newest event, and for the pending operations.
//
// The paper has only the first of the four cases, because its processes are never disabled.
//
//  1. Events on which the newest one, p, depends directly.
//  2. Operations at which goroutines have arrived by p, if these may be disabled: they may
//     never be executed, so the race would not be found as one of events.
//  3. Operations that were pending before p and still are: p has come first, and may have
//     disabled them for good.
//  4. Another operation of p's partner (claim 7 of Source).
func (s *source) findRaces() {
	n := len(s.exec.Events) - 1
	p := &s.exec.Events[n]
	for _, e := range s.exec.Races {
		s.reverseRace(int(e), n)
		if s.ctx != nil {
			s.ctx.noteRace(int(e), n)
		}
	}
	if s.ctx != nil {
		s.ctx.endSections(n)
	}
	for _, m := range s.exec.Participants(n) { // goroutines that have arrived at an operation
		//mutant: source: who arrives is not looked at [toySystems]: false
		//mutant: source: no goroutine arrives before a channel [sleeping]: "Blocks() " -> "Blocks() && !s.exec.Pending[m.G].Kind.Channels() "
		if s.exec.Pending[m.G].Blocks() {
			s.reverseRacesOfPending(n, m.G)
		}
	}
	for _, q := range s.exec.Order { // goroutines that were pending before
		a, op := s.exec.Last[q], &s.exec.Pending[q]
		//mutant: source: who is before what is executed is not looked at [toySystems]: "int(a) != n" -> "int(a) < -1"
		//mutant: source: no goroutine is before a channel [sleeping]: "int(a) != n && " -> "int(a) != n && !op.Kind.Channels() && "
		if int(a) != n && s.exec.Exists[q] && op.Blocks() && s.exec.MayBeReversed(p, op) {
			s.backtrackForPending(n, q)
		}
	}
	// The partner could have done something else.
	//mutant: source: who is met could do nothing else [sleeping]: false
	if f := s.nodes[n]; p.PartnerOp.Kind != trace.None && slices.Contains(f.enabled, p.Partner) {
		s.addGoroutine(f, p.Partner)
	}
}

// reverseRace is lines 7 to 10: event p is in a race with e.
//
// If the first of two accesses ends the program there is no state in which both are pending, so
// nothing is reported; but the second one can still come first.
func (s *source) reverseRace(e, p int) {
	first, second := &s.exec.Events[e], &s.exec.Events[p]
	f := s.nodes[e]
	if s.Tracing() {
		s.Tracef(len(s.Path), "race with %s", s.Describe(&first.Op.Op))
	}
	if first.Op.Races(&second.Op.Op) && !second.EndsExecution && !first.EndsExecution {
		f.raceCandidates = append(f.raceCandidates, raceCandidate{s.notdep(e, p), first.G, second.G})
	}
	if !first.EndsExecution && hb.Enables(first, &second.Op.Op) {
		// An Unlock and the Lock that waits for it: the search finds the race between the two Locks
		// instead.
		return // the race cannot be reversed
	}
	s.initials = s.initials[:0]
	for j := e + 1; j <= p; j++ {
		if (j == p || !s.exec.Before(e, s.exec.Clock(j))) && s.addInitial(f, j) {
			return
		}
	}
	s.addOneInitial(f)
}

// notdep is notdep(e, E), E being the events before p.
//
// Virtual events (EndsExecution) are left out, because no event can follow them.
func (s *source) notdep(e, p int) (v []hb.Transition) {
	for j := e + 1; j < p; j++ {
		if !s.exec.Before(e, s.exec.Clock(j)) && !s.exec.Events[j].EndsExecution {
			v = append(v, s.exec.Events[j].Transition)
		}
	}
	return v
}

// addInitial adds event j to the initials of a sequence unless one of them happens before it. It reports
// whether line 9 applies: the goroutine of that initial is in the backtrack set of f, so nothing need be
// added for the other initials.
//
// It is called in the order of execution. If any event of the sequence happens before j, then the first of
// these events is an initial. So it is enough to compare j with initials.
func (s *source) addInitial(f *sourceNode, j int) (covered bool) {
	c := s.exec.Clock(j)
	for _, i := range s.initials {
		if s.exec.Before(i, c) {
			return false
		}
	}
	s.initials = append(s.initials, j)
	return f.persistent || slices.Contains(f.backtrack, s.exec.Events[j].G)
}

// addOneInitial is line 10: no goroutine of an initial is in the backtrack set (addInitial), so it adds
// one.
//
// If none of them is enabled in f, then the only initial is p, and e has enabled p: all events that do not
// happen after e are possible without e. Then there is no other order.
func (s *source) addOneInitial(f *sourceNode) {
	s.candidates = s.candidates[:0]
	for _, i := range s.initials {
		if g := s.exec.Events[i].G; slices.Contains(f.enabled, g) {
			s.candidates = append(s.candidates, g)
		}
	}
	if len(s.candidates) == 0 {
		return
	}
	g := s.candidates[0]
	if s.ctx != nil {
		g = s.ctx.preferShortest(f, s.candidates, g)
	}
	s.addGoroutine(f, g)
}

// By event n, the newest one, q has arrived at an operation, enabled or not. reverseRacesOfPending
// finds its races: the operation might be executed instead of an earlier event x, after the events
// that happen before q's arrival.
//
// The arrival has n's clock, so the events needed for q to be there are { j : j → n } and
// n itself. In the other sequence, the pending operation follows these in place of x.
func (s *source) reverseRacesOfPending(n int, q trace.GID) {
	c := s.exec.Clock(n)
	first := n // the first event after i that happens before n, or n itself; always an initial
	for i := n - 1; i >= 0; i-- {
		if s.exec.Before(i, c) {
			first = i
			continue
		}
		f := s.nodes[i]
		if f.persistent || slices.Contains(f.backtrack, s.exec.Events[first].G) {
			continue
		}
		if s.exec.MayBeReversed(&s.exec.Events[i], &s.exec.Pending[q]) && !s.coveredBefore(f, first, n) {
			s.addOneInitial(f)
		}
	}
}

// coveredBefore collects the initials of the events that happen before event n, from event first on. It
// stops and returns true if one of them is covered (addInitial).
func (s *source) coveredBefore(f *sourceNode, first, n int) bool {
	c := s.exec.Clock(n)
	s.initials = s.initials[:0]
	for j := first; j <= n; j++ {
		if s.exec.Before(j, c) && s.addInitial(f, j) {
			return true
		}
	}
	return false
}

// backtrackForPending considers the executions in which q's operation is executed first in the
// state before event e, in which it is pending. It makes the backtrack set of that state sufficient
// for them. If all events on which this operation depends also depend on e, it adds q; otherwise
// any goroutine may have to come before the operation, so it adds all.
func (s *source) backtrackForPending(e int, q trace.GID) {
	f := s.nodes[e]
	switch {
	case f.persistent:
	case slices.Contains(f.enabled, q) && dependsOnAllOf(&s.exec.Events[e], &s.exec.Pending[q]):
		s.addGoroutine(f, q)
	default:
		for _, g := range f.enabled {
			s.addGoroutine(f, g)
		}
	}
}

// addGoroutine adds g to the backtrack set of f.
func (s *source) addGoroutine(f *sourceNode, g trace.GID) {
	if f.persistent || slices.Contains(f.backtrack, g) {
		return
	}
	f.backtrack = append(f.backtrack, g)
	if s.Tracing() {
		s.Tracef(len(s.Path), "backtrack set after step %d: %s", f.Depth, search.Goroutines(f.backtrack))
	}
}

// dependsOnAllOf reports whether e depends on every operation on which op, an operation without
// partner, depends.
//
// False is always safe and costs executions. The dependences of operations on channels change with the
// goroutines that wait there, so for them it returns false.
func dependsOnAllOf(e *hb.Event, op *hb.NextOp) bool {
	if e.Op.DependsOnAll {
		return true
	}
	commutes := op.Commutes != 0 || e.Op.Commutes != 0
	onWaitGroup := op.Kind == trace.WgWait || e.Op.Kind == trace.WgAdd
	if op.DependsOnAll || op.Kind.Channels() || commutes || onWaitGroup {
		return false
	}
	for i := range op.Access[:op.N] {
		a := &op.Access[i]
		if !slices.ContainsFunc(e.Op.Access[:e.Op.N], func(b trace.Access) bool { return b.Write && b.Contains(a) }) {
			return false
		}
	}
	return true
}

// reportRaces reports to the visitor the races with an event that was executed in f.
//
// Two racing events may both be pending only after the state before the first one and the events that the
// second one needs (notdep): these events are executed, the two compared, and the system is rewound.
func (s *source) reportRaces(f *sourceNode) {
	for _, r := range f.raceCandidates {
		if s.Halted {
			break
		}
		if s.replay(r.seq) {
			a, b := s.Sys.Next(r.p), s.Sys.Next(r.q)
			if a.Races(&b) {
				s.ReportRace(&a, &b)
			}
		}
		s.rewindTo(f)
	}
	f.raceCandidates = f.raceCandidates[:0]
}

// replay executes seq, and reports whether it could.
func (s *source) replay(seq []hb.Transition) bool {
	for _, t := range seq {
		c, ok := s.alternativeOf(t)
		if !ok {
			return false
		}
		s.Repeat(trace.Step{G: t.G, Choice: c})
		if s.exec.Events[len(s.exec.Events)-1].EndsExecution {
			return false
		}
	}
	return true
}

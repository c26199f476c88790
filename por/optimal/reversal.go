package optimal

import (
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Exploring the reversal of a race: its prefix (line 33), its head, and the rest of the execution.

// exploreReversal is ExploreReversal (line 32) for candidate c of frame i.
func (s *searcher) exploreReversal(i int, c candidate) {
	s.traceExplored(&s.frames[i], &c)
	if !s.executePrefix(i, c) || !c.named && !s.nameHead(i, &c) {
		return
	}
	choice, ok := s.choiceOf(hb.Transition{G: c.q, Label: c.label})
	if !ok {
		s.traceGivenUp("it is disabled")
		return // line 34
	}
	f := &s.frames[i]
	ok = s.execute(c.q, choice, -1, true) // line 36
	y := len(s.Events) - 1
	switch {
	case s.Halted,
		//mutant: a head need not conflict with the operation [all]: "\t\tok && !s.dependsOn(f, y),  // line 37\n" -> ""
		ok && !s.dependsOn(f, y),  // line 37
		!s.inCanonicalOrder(f, y), // line 38
		//mutant: a select is disabled by any set [selecting]: "s.LastEvent(f.g) != y && s.disabledByProperSubset(f, y)" -> "false"
		s.LastEvent(f.g) != y && s.disabledByProperSubset(f, y):
		s.traceGivenUp("no head, or not the next one")
		return
	}
	//mutant: heads are forgotten [counted]
	s.prevHead[y] = f.newestHead
	g := f.g
	s.findReversals(!c.notFirst || s.Events[y].Op.Kind.Channels())
	switch {
	case !ok:
		if s.Events[y].EndsExecution && s.Events[y].DependsOnOutput {
			s.continueWithoutHead(y, c.q, g)
		}
	case s.LastEvent(g) == y: // x has become y
		s.runToEnd(trace.NoGID, -1)
	default:
		s.runToEnd(g, int32(y)) // line 39
	}
}

// executePrefix is line 33: it executes the set S of candidate c. It reports whether the
// exploration of c continues.
//
// The transitions are in an order of happens-before, and name alternatives by labels, so they can
// be executed one after the other (claim 4). If one cannot, although mayFail is not set, the
// dependence relation is wrong.
func (s *searcher) executePrefix(i int, c candidate) bool {
	f := &s.frames[i]
	for _, t := range f.transitions[c.lo:c.hi] {
		choice, ok := s.choiceOf(t)
		if !ok {
			if c.mayFail {
				return false
			}
			panic("BUG: an event of a causal prefix cannot be executed without events outside of the prefix")
		}
		//mutant: a prefix contains heads [selectFrom 13401]: "|| c.q == trace.NoGID && s.dependsOn(f, len(s.Events)-1) " -> ""
		if !s.execute(t.G, choice, -1, true) || c.q == trace.NoGID && s.dependsOn(f, len(s.Events)-1) { // rule R4
			return false
		}
	}
	switch {
	case c.q != trace.NoGID:
		s.reportRace(f, c.q)
	//mutant: what comes without x shows nothing new [meeting]: false
	case c.lastUnseen:
		s.findReversals(true)
	}
	return !s.Halted
}

// nameHead is line 35 and rule R3: it names the first of the operations that follow S in candidate
// c, and schedules the others. It reports whether it has named one.
//
// Example: S is followed by q's Signal, which can wake either of two goroutines. The first
// alternative is executed now; the second becomes a candidate with the same S, and is notFirst:
// its race with x has been reported.
func (s *searcher) nameHead(i int, c *candidate) bool {
	var heads, own []hb.Transition
	if c.q == trace.NoGID {
		heads, own = s.channelHeads(&s.frames[i])
	} else {
		heads = s.alternativesOf(c.q)
	}
	for k, t := range heads {
		if k > 0 || len(own) > 0 {
			s.addCandidate(i, candidate{lo: c.lo, hi: c.hi, q: t.G, named: true, label: t.Label, notFirst: true}, 0)
		}
	}
	if len(own) > 0 {
		s.exploreAfterPrefix(i, own)
		return false
	}
	if len(heads) == 0 {
		return false
	}
	c.q, c.label = heads[0].G, heads[0].Label
	return true
}

// choiceOf returns the number of the alternative that t names.
//
// Labels are stable, numbers are not: the third sender in the queue of a channel is the second if another
// sender is absent.
func (s *searcher) choiceOf(t hb.Transition) (choice int, ok bool) {
	for c := range int(s.Next(t.G).Alternatives) {
		if s.Label(t.G, c) == t.Label {
			return c, true
		}
	}
	return 0, false
}

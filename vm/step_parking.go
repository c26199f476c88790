package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// The moment at which a goroutine parks (rule 4 of step_partners.go) makes a difference twice: to an
// operation that does not wait, which finds parked goroutines, and to steps that happen when all wait. So an
// explorer can postpone parking until then. If n workers arrive at one channel, the explorer need not choose
// which of them have already parked.
//
//	q: <-c                      arrives, and parks some time later
//	g: select { case c <- 1:    finds q, if that has parked
//	   default: }
//
//	at once:  q has arrived ─park─▶ q is parked      two states, beside all that the others do
//	put off:  g: default │ g finds q, which parks right before
//
// Claim: with steps PutOff and Meetings instead of each park where it is enabled, every execution leads
// to the same state, except for parks that no operation notices. Take an execution, and the last park in
// it that can be moved to a later place, of q. Let y be the step after it.
//
//  1. y is a step of q, or a rendezvous with q that is executed by an operation that waits. It is possible
//     without the park, and leads to the same state: only partners of operations that do not
//     wait depend on it, and q is not parked after y. So the park is omitted.
//  2. y is an operation that does not wait and finds q. They are a meeting, which is listed as q can park
//     there.
//  3. y depends on whether all others wait: time passes (by rule 2 of step_time.go, or in a bubble) or a
//     goroutine waits for the rest of its bubble. Directly before y, no other goroutine of the parking
//     one's bubble, or outside of all bubbles, could do anything else, because otherwise y would be
//     impossible. So PutOff keeps the park, or the first of several. Their order makes no difference.
//  4. y is any other step. If it makes another case of q ready, q parks later, if at all: a
//     goroutine with a ready case is no partner of operations that do not wait, parked or not.
//     Otherwise the park can come after y. An operation that does not wait finds another goroutine,
//     or another case of q, whether q has parked or not. If it does not find q although q has
//     parked, it takes its default in both orders.
//  5. There is no y: the park is the end of the execution. All others wait, so 3 holds.
//
// A park wakes a loop that polls and waits for time (step_busywait.go). While there is such a loop,
// nothing is postponed, because the loop iterates once more after each park that comes before an
// iteration.
//
// A parked goroutine remains parked until a step of its own. So the listed steps are a subset of all steps,
// and nothing new can happen.
//
// With a reduction (system_reduction.go), which depends on waiting goroutines, nothing is postponed.

// PutsOff implements por.Parker.
func (m *Machine) PutsOff() bool { return m.reduction == nil && !m.auto }

// PutOff implements por.Parker.
func (m *Machine) PutOff(enabled []trace.GID) []trace.GID {
	//mutant: parking: no loop that waits is woken [env TestPollPrograms]: "m.busy != nil" -> "false"
	if m.busy != nil && slices.ContainsFunc(m.living(), func(s uint32) bool { return m.gs[s].looked.waits }) {
		return enabled
	}
	busy, parks := m.busyIn[:0], m.parksIn[:0] // 0 is outside of all bubbles
	for i, id := range enabled {
		g := m.gOf(id)
		switch {
		case m.parksOnly(g):
			parks = append(parks, i)
		//mutant: parking: who waits for time holds up others [parkings]: "timed(g) && !m.isDue(g), " -> ""
		case timed(g) && !m.isDue(g), g.system && g.pending.Kind == trace.Clock: // g waits: see passingNow
		case !slices.Contains(busy, g.bubble):
			busy = append(busy, g.bubble)
		}
	}
	m.parksIn = parks
	enabled = without(enabled, parks, func(id trace.GID) bool {
		b := m.gOf(id).bubble
		//mutant: parking: no goroutine parks when all wait [parkings]: "busy, b) " -> "busy, b) || len(enabled) > 1 "
		//mutant: parking: who is outside holds up a bubble [parkings]: "slices.Contains(busy, b)" -> "len(busy) > 0"
		if slices.Contains(busy, b) {
			return true
		}
		busy = append(busy, b) // one goroutine of the bubble is enough
		return false
	})
	m.busyIn = busy
	return enabled
}

// parksOnly reports whether parking is the only alternative of g, which is enabled.
func (m *Machine) parksOnly(g *goroutine) bool { return m.canPark(g) && m.viewOf(g).n == 1 }

// ParksLast implements por.Parker.
func (m *Machine) ParksLast(id trace.GID) bool {
	g := m.gOf(id)
	return m.canPark(g) && m.viewOf(g).n > 1
}

// canPark reports whether the last alternative of g is to park.
func (m *Machine) canPark(g *goroutine) bool {
	switch g.pending.Kind {
	case trace.Send, trace.Recv, trace.Select:
		return g.status == gReady && m.viewOf(g).parks
	}
	return false
}

// Meetings implements por.Parker.
func (m *Machine) Meetings(id trace.GID, buf []por.Meeting) []por.Meeting {
	m.eachMeeting(m.gOf(id), func(q *goroutine, choice int, _ chanAlt) {
		park := trace.Step{G: q.ID, Choice: m.viewOf(q).n - 1}
		buf = append(buf, por.Meeting{Park: park, Choice: choice})
	})
	return buf
}

// MeetingOrbits implements por.Parker.
func (m *Machine) MeetingOrbits(id trace.GID, buf []por.Orbit) []por.Orbit {
	g := m.gOf(id)
	m.eachMeeting(g, func(q *goroutine, _ int, a chanAlt) {
		//mutant: symmetry: all who park and are met are equal [parkings]: "m.firstEqual(q)" -> "0"
		buf = append(buf, por.Orbit{G: m.firstEqual(g), Partner: m.firstEqual(q), Case: a.caseIndex, PartnerCase: a.partnerCase})
	})
	return buf
}

// eachMeeting calls f, if g's operation does not wait, for each alternative with a goroutine q that
// the operation would have if q had parked.
func (m *Machine) eachMeeting(g *goroutine, f func(q *goroutine, choice int, a chanAlt)) {
	if g.status != gReady || g.pending.Kind != trace.TrySelect {
		return
	}
	var arr [8]chanCase
	cases := m.chanCases(g, arr[:0])
	for _, s := range m.living() {
		q := m.gs[s]
		if !m.about(q, cases) || !m.canPark(q) {
			continue
		}
		q.parked = true
		alts := m.alts[:0]
		m.chanAlternatives(g, &alts)
		m.alts = alts
		q.parked = false
		for choice, a := range alts {
			if a.partner == int(q.slot) {
				//mutant: parking: who is met has one alternative [parkings]: "f(q, choice, a)" -> "f(q, choice, a); break"
				f(q, choice, a)
			}
		}
	}
}

// about reports whether the operation of q may be on the channel of a case.
func (m *Machine) about(q *goroutine, cases []chanCase) bool {
	on := func(c chanCase) bool { return c.ch != 0 && q.pending.Access[0].Obj == uint32(c.ch>>32) }
	//mutant: parking: no select is met [parkings]: "== trace.Select ||" -> "!= trace.Select &&"
	return q.pending.Kind == trace.Select || slices.ContainsFunc(cases, on)
}

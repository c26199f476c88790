package stateful

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// parking postpones parks until they make a difference (por.Parker). An alternative can then be a meeting:
// two steps, where the first step parks the partner of the second one. It is an alternative of the goroutine
// that makes the second step.
//
//  1. The search explores a reduced system, with the enabled goroutines and alternatives that remain after
//     putOff and addAlternatives. Its executions are those of the system, except for parks that nothing
//     notices. Persistent sets are those of the reduced system: a meeting of other goroutines is two of
//     their steps, one after the other, and adds no dependence.
//  2. Fairness: a goroutine that can park, and takes part in a meeting, has to move in a fair loop; it moves
//     by parking. A goroutine that can park and takes part in no meeting has parked before the loop.
//  3. With a bound on preemptions nothing is postponed: a late park might cost one.
type parking struct {
	sys por.Parker    `saved:"-"` // nil: nothing is postponed
	buf []por.Meeting `saved:"-"`
}

// Choices from meets on are meetings.
const meets = 1 << 30

func (p *parking) init(sys por.System, cfg por.Config, policy *SyncPolicy) {
	if x := por.CapabilitiesOf(sys).Parker; x != nil && policy != nil && !cfg.LimitPreempt && !cfg.WholeCalls && x.PutsOff() {
		p.sys = x
	}
}

// putOff removes from enabled the goroutines whose only alternative is postponed.
func (p *parking) putOff(enabled []trace.GID) []trace.GID {
	if p.sys == nil {
		return enabled
	}
	return p.sys.PutOff(enabled)
}

// alternatives returns the number of alternatives of g that are not meetings.
func (p *parking) alternatives(sys por.System, g trace.GID) int {
	n := sys.Alternatives(g)
	if n > 1 && p.sys != nil && p.sys.ParksLast(g) {
		n--
	}
	return n
}

// meetings returns the meetings of g. The result is valid until the next call.
func (p *parking) meetings(g trace.GID) []por.Meeting {
	if p.sys == nil {
		return nil
	}
	p.buf = p.sys.Meetings(g, p.buf[:0])
	return p.buf
}

// addMeetings appends the alternatives of g that are meetings.
func (p *parking) addMeetings(g trace.GID, alts []trace.Step) []trace.Step {
	for i := range p.meetings(g) {
		alts = append(alts, trace.Step{G: g, Choice: meets + i})
	}
	return alts
}

// meeting returns the two steps of a if a is a meeting.
func (p *parking) meeting(a trace.Step) (park, meet trace.Step, ok bool) {
	if a.Choice < meets {
		return park, meet, false
	}
	p.buf = p.sys.Meetings(a.G, p.buf[:0])
	x := p.buf[a.Choice-meets]
	return x.Park, trace.Step{G: a.G, Choice: x.Choice}, true
}

package stateful

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// parking puts parks off until they make a difference (por.LateParker). An alternative can be a meeting
// then: two steps, the first of which parks the partner of the second one. It is one of the goroutine
// that makes the second step.
//
//  1. The system that is searched is another one: what is enabled, and the alternatives, are what putOff
//     and addAlternatives leave. Its executions are those of the system, but for parks that nothing
//     notices. So what a persistent set is asked of is this one: a meeting of others is two of their
//     steps one after the other, with which nothing depends on it that did not before.
//  2. Fairness: who can park and is met has to move, which it does by parking. Who can park and is not
//     met has parked before the loop.
//  3. With a bound on preemptions nothing is put off: who parks late might cost one.
type parking struct {
	sys por.LateParker `saved:"-"` // nil: nothing is put off
	buf []por.Meeting  `saved:"-"`
}

// meets and what is above it are choices that are meetings.
const meets = 1 << 30

func (p *parking) init(sys por.System, cfg por.Config, policy *SyncPolicy) {
	if x := por.CapabilitiesOf(sys).LateParker; x != nil && policy != nil && !cfg.LimitPreempt && x.PutsOff() {
		p.sys = x
	}
}

// putOff takes those out of enabled whose only alternative is put off.
func (p *parking) putOff(enabled []trace.GID) []trace.GID {
	if p.sys == nil {
		return enabled
	}
	return p.sys.PutOff(enabled)
}

// alternatives returns how many alternatives of g are no meetings.
func (p *parking) alternatives(sys por.System, g trace.GID) int {
	n := sys.Alternatives(g)
	if n > 1 && p.sys != nil && p.sys.ParksLast(g) {
		n--
	}
	return n
}

// meetings returns what g can do besides, until it is called again.
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

// meeting returns the two steps of a if that is a meeting.
func (p *parking) meeting(a trace.Step) (park, meet trace.Step, ok bool) {
	if a.Choice < meets {
		return park, meet, false
	}
	p.buf = p.sys.Meetings(a.G, p.buf[:0])
	x := p.buf[a.Choice-meets]
	return x.Park, trace.Step{G: a.G, Choice: x.Choice}, true
}

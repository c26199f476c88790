package mhb

import (
	"slices"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// The operation in question is on a channel. A goroutine that waits at a channel takes part in operations
// of others, so T_c does not wait alone. Members are T_c, the goroutines with which it could communicate
// now, and those with which a member could communicate. All other goroutines are walked.
//
//	T_c: select { case c <- 1: case <-done: }     member: <-c
//	T_1: x = 1; <-d                               T_2: select { case d <- 2: case <-done: }
//
// No choice is needed before the select of T_c: neither T_1 nor T_2 reaches an operation on c, sends to
// done, or closes it, while T_c and its partner wait.
//
// Claim: the operations that T_c can execute now are a persistent set under two conditions. No member but T_c
// is enabled, and no walk reaches an operation that disturbs a case of a member (Case.disturbed). Let E be an
// execution from the present state without the operations that T_c can execute now.
//
//  1. No member takes part in a step of E. Otherwise let s be the first such step. What a member can do
//     depends on the channels of its cases, and on the goroutines that wait at these. All those that wait
//     there opposite of a member now are members, and only T_c is enabled. So before s a channel has
//     changed or a goroutine has come to one, by a step of another goroutine, which the walks have reached
//     (see the package): it would disturb the case.
//  2. So no step of E needs or changes what members have in their registers. It may be an operation on the
//     channel of a case that does not disturb it: that commutes with what T_c can do by the table below.
//  3. Of the other goroutines, only those that wait at the same channels notice T_c's step, because
//     another of their cases may be ready then. A select whose other case can be executed counts
//     (selects).
//  4. Nothing but channels decides what operations on channels do (State.Cases).
type meeting struct {
	members []trace.GID // T_c first
	cases   []Case      // cases of all members
	buf     []Case

	channels []static.Set // by case: its channels in the points-to analysis
}

// A Case is one direction of one channel of an operation. T_c may also close it.
type Case struct {
	Chan      uint32
	Send      bool
	Closes    bool // the event is T_c's close, not a case
	Len, Room int
	Closed    bool
}

// communicates reports whether an operation of kind k, which communicates or closes, may need no choice. A
// select with default always needs one: it depends on which goroutines wait.
func communicates(k trace.Kind) bool {
	switch k {
	case trace.Send, trace.Recv, trace.Select, trace.Close:
		return true
	}
	return false
}

// meet finds the members for op, the pending operation of g. It reports whether a persistent set is still
// possible.
func (o *Oracle) meet(s State, g trace.GID, op *trace.Op) bool {
	m := &o.meeting
	m.members, m.cases = append(m.members[:0], g), m.cases[:0]
	ok := true
	if m.cases, ok = s.Cases(g, m.cases); !ok {
		return false
	}
	for i := 0; i < len(m.cases); i++ {
		c := m.cases[i]
		if c.Closes || c.Closed || c.Room > 0 {
			continue // the case has no partners
		}
		for _, h := range o.now.live {
			if slices.Contains(m.members, h) || !s.Next(h).Kind.Communicates() {
				continue
			}
			m.buf, ok = s.Cases(h, m.buf[:0])
			if !slices.ContainsFunc(m.buf, func(d Case) bool { return d.Chan == c.Chan && d.Send != c.Send }) {
				continue
			}
			//mutant: channels: partners have no timers [channels timerOfPartner]: drop 1
			//mutant: channels: there is no competitor [channels competitor]: drop 2
			if !ok || s.CanMove(h) {
				return false
			}
			m.members = append(m.members, h)
			//mutant: channels: partners have no cases [channels competitorComes]
			m.cases = append(m.cases, m.buf...)
		}
	}
	o.now.live = slices.DeleteFunc(o.now.live, func(h trace.GID) bool { return slices.Contains(m.members, h) })
	return true
}

// disturbed reports whether c may be affected by another goroutine that reaches an operation of kind k on
// its channel. Select stands for a select with another executable case, for which it matters whether this
// case is ready; TrySelect stands for all operations that inspect the channel.
//
//	case                  not disturbed by                as
//	closed and empty      all                             nothing changes it any more
//	no buffer             those of the same direction     they need a partner, who disturbs it
//	buffer, can proceed   the opposite direction          it stays able to, and first in first out
//	receive that can      close                           what was sent is received before
//	buffer, waits         the same direction              it waits as well, until another disturbs it
//	close                 Recv                            it takes what was sent, or waits
func (c *Case) disturbed(k trace.Kind) bool {
	same := k == trace.Send && c.Send || k == trace.Recv && !c.Send
	switch {
	case c.Closed && c.Len == 0:
		return false
	//mutant: channels: those that try see nothing [channels tried]
	case k == trace.TrySelect:
		return true
	case c.Closes:
		//mutant: channels: closing makes no select ready [channels closedElsewhere]: "trace.Recv" -> "trace.Recv && k != trace.Select"
		//mutant: channels: closing and sending commute [channels closeAndSend]: "trace.Recv" -> "trace.Recv && k != trace.Send"
		//mutant: channels: closing twice commutes [channels closeTwice]: "trace.Recv" -> "trace.Recv && k != trace.Close"
		return k != trace.Recv
	case k == trace.Close:
		//mutant: channels: sending and closing commute [channels sendAndClose]: drop 1
		//mutant: channels: closing an empty channel changes nothing [channels closedMeanwhile]: drop 2
		return c.Send || c.Len == 0
	//mutant: channels: an empty channel has something [channels sentMeanwhile]: "!c.Send && c.Len" -> "!c.Send && c.Room"
	//mutant: channels: a full channel has room [channels receivedMeanwhile]: "Len < c.Room" -> "Room > 0"
	case c.Send && c.Len < c.Room, !c.Send && c.Len > 0:
		//mutant: channels: two that send commute [channels secondSender]: drop 2
		//mutant: channels: what a select has ready does not matter [channels readyElsewhere]: drop 1
		return k == trace.Select || same
	}
	//mutant: channels: no partner comes [channels partnerComes]: false
	return k != trace.Select && !same
}

// communication is Skip for an operation on channels. It uses the walks for all operations, which collect
// the goroutines that reach each channel.
func (o *Oracle) communication(s State, g trace.GID, op *trace.Op) string {
	if !o.has(Channels) || !o.meet(s, g, op) {
		return ""
	}
	m := &o.meeting
	m.channels = m.channels[:0]
	for i := range m.cases {
		m.channels = append(m.channels, s.Objects(m.cases[i].Chan))
	}
	if list, ok := o.closure(s, g, o.collect, o.disturbs); ok {
		return reason(list)
	}
	return ""
}

// disturbs reports whether a goroutine can reach an operation that disturbs a case.
func (o *Oracle) disturbs(x *summary) bool {
	m := &o.meeting
	for i := range x.syncs {
		e := &x.syncs[i]
		if !onChannels(e.kind) {
			continue
		}
		for k := range m.cases {
			c := &m.cases[k]
			//mutant: channels: a channel that is not certain is none [channels unknownSender]: " || !e.on.known && o.within(e.on.objs, m.channels[k])" -> ""
			mayBe := e.on.known && uint32(e.on.p>>32) == c.Chan || !e.on.known && o.within(e.on.objs, m.channels[k])
			if mayBe && c.disturbed(e.kind) {
				o.Witness = e.at
				return true
			}
		}
	}
	//mutant: channels: no goroutine looks at them by reflection [reflected lengthLater]: false
	return o.fa.Inspects(x.reached) || o.reflects(x.reached)
}

// reflects reports whether set may contain an access to a channel of a case by reflection, or through an
// unsafe.Pointer.
func (o *Oracle) reflects(set static.Set) bool {
	f := o.fut.F
	for _, n := range f.Acc.OfKey(0) {
		if f.Sets.Has(set, n) && slices.ContainsFunc(o.meeting.channels, func(objs static.Set) bool { return o.within(f.Acc.At(n).Objs, objs) }) {
			return true
		}
	}
	return false
}

// onChannels reports whether k is one of the kinds that comesTo notes.
func onChannels(k trace.Kind) bool { return communicates(k) || k == trace.TrySelect }

// comesTo notes that the goroutine can reach an operation of kind k on channel r.
func (w *walk) comesTo(k trace.Kind, r ref) {
	if w.t.collects && !(r.known && r.p >= private) { // see renaming
		w.mayExecute(k, r)
	}
}

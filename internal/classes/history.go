package classes

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// history is an execution so far.
type history struct {
	sys    por.System
	rel    Relation
	events []event
	count  []int // events each goroutine has taken part in

	class, rf Class
}

// event is one step of the execution.
type event struct {
	side         // the operation
	with    side // the partner's
	step    trace.Step
	partner trace.GID // trace.NoGID: none
	name    Class     // the same in all executions in which this event exists
	place   place     // of a send or a receive on a channel with a buffer
	again   bool      // the event closes a channel that is closed already
}

// side is the operation of one of the goroutines of an event.
type side struct {
	op       trace.Op
	wide     []trace.Access // its accesses, if they do not fit in op
	receives bool           // it commutes with other receives: if there is an element, the element is the partner's
}

// sideOf returns the pending operation of g.
func (h *history) sideOf(g trace.GID) side {
	s := side{op: h.sys.Next(g)}
	if h.rel.Touches != nil && s.op.Wide {
		s.wide = h.rel.Touches(g, nil)
	}
	h.onlyReads(g, &s.op, s.wide)
	s.receives = s.op.Commutes == trace.Receives
	return s
}

// dependentSides reports whether the order of the operations a and b of different goroutines matters.
func (h *history) dependentSides(a, b *side) bool {
	switch {
	case a.receives && b.receives:
		return false // neither changes a channel; if there is an element, a partner sends it
	case a.wide != nil || b.wide != nil:
		return overlap(a.touches(), b.touches())
	}
	return h.rel.Dependent(&a.op, &b.op)
}

func (s *side) touches() []trace.Access {
	if s.wide != nil {
		return s.wide
	}
	return s.op.Access[:s.op.N]
}

func overlap(list, other []trace.Access) bool {
	for _, a := range list {
		if slices.ContainsFunc(other, func(b trace.Access) bool { return (a.Write || b.Write) && a.Overlaps(b) }) {
			return true
		}
	}
	return false
}

// place identifies the element of a send or a receive.
type place struct {
	room  int  // capacity of the channel; 0: the operation is not on a buffer
	index int  // number of elements sent, or received, before
	none  bool // the channel is closed, and nothing is sent, or received
}

// step executes s and adds its event to both sums.
func (h *history) step(s trace.Step) {
	e := event{side: h.sideOf(s.G), step: s, partner: trace.NoGID}
	label := uint64(s.Choice)
	if h.rel.Label != nil {
		label = h.rel.Label(s.G, s.Choice)
	}
	e.name = seed.with(uint64(s.G)).with(uint64(h.next(s.G))).with(label)
	if h.rel.Partner != nil {
		if p, ok := h.rel.Partner(s.G, s.Choice); ok {
			e.partner, e.with = p, h.sideOf(p)
			e.name = e.name.with(uint64(p)).with(uint64(h.next(p)))
		}
	}
	e.place = h.place(&e.op)
	if e.op.Kind == trace.Close && h.rel.Buffer != nil {
		_, _, e.again = h.rel.Buffer(&e.op)
	}
	h.class = h.class.plus(e.name.after(h.before(&e)))
	h.rf = h.rf.plus(e.name.after(h.sources(&e)))
	h.events = append(h.events, e)
	h.sys.Step(s.G, s.Choice)
}

// next returns g's next index and uses it up.
func (h *history) next(g trace.GID) int {
	for int(g) >= len(h.count) {
		h.count = append(h.count, 0)
	}
	h.count[g]++
	return h.count[g]
}

// undo removes the last event; the sums were class and rf before it.
func (h *history) undo(class, rf Class) {
	n := len(h.events) - 1
	e := &h.events[n]
	h.count[e.step.G]--
	if e.partner != trace.NoGID {
		h.count[e.partner]--
	}
	h.events = h.events[:n]
	h.class, h.rf = class, rf
}

// before returns a sum over the events on which e depends. It omits the events of the same goroutine,
// because they follow from e's index.
func (h *history) before(e *event) Class {
	var sum Class
	for i := range h.events {
		if f := &h.events[i]; h.dependent(f, e) {
			sum = sum.plus(f.name)
		}
	}
	return sum
}

func (h *history) dependent(f, e *event) bool {
	if f.step.G == e.step.G {
		return false
	}
	if f.place.room > 0 && e.place.room > 0 && f.op.Access[0] == e.op.Access[0] {
		return sameElement(f, e)
	}
	if f.place.room > 0 && e.op.Kind == trace.Close && e.op.Access[0] == f.op.Access[0] {
		return h.needsClose(f, e)
	}
	if e.place.room > 0 && f.op.Kind == trace.Close && e.op.Access[0] == f.op.Access[0] {
		return h.needsClose(e, f)
	}
	fMeets, eMeets := f.partner != trace.NoGID, e.partner != trace.NoGID
	samePartner := fMeets && (f.partner == e.step.G || f.partner == e.partner) || f.step.G == e.partner
	return samePartner || h.dependentSides(&f.side, &e.side) ||
		eMeets && h.dependentSides(&f.side, &e.with) ||
		fMeets && h.dependentSides(&f.with, &e.side) ||
		fMeets && eMeets && h.dependentSides(&f.with, &e.with)
}

// place returns the element of op.
func (h *history) place(op *trace.Op) (p place) {
	if h.rel.Buffer == nil || op.N == 0 || op.Kind != trace.Send && op.Kind != trace.Recv {
		return p
	}
	length, room, closed := h.rel.Buffer(op)
	p.room = room
	received := 0
	for i := range h.events {
		if f := &h.events[i]; f.op.N > 0 && f.op.Access[0] == op.Access[0] && f.op.Kind == trace.Recv && !f.place.none {
			received++
		}
	}
	if op.Kind == trace.Send {
		p.index, p.none = received+length, closed // some may have been sent before the first event
	} else {
		p.index, p.none = received, length == 0
	}
	return p
}

// sameElement reports whether the order of f and e, on one channel, matters.
func sameElement(f, e *event) bool {
	if f.op.Kind == e.op.Kind {
		return !f.place.none || !e.place.none
	}
	send, recv := f.place, e.place
	if f.op.Kind == trace.Recv {
		send, recv = recv, send
	}
	return !send.none && (send.index == recv.index || send.index == recv.index+recv.room)
}

// needsClose reports whether the order of f, a send or a receive, and e, which closes its channel, matters.
func (h *history) needsClose(f, e *event) bool {
	return !h.rel.OneCloses || f.op.Kind == trace.Send || f.place.none && !e.again
}

// sources returns a sum over the events from which e reads: the last write to each location it
// reads. A synchronising operation reads from all events on which it depends.
func (h *history) sources(e *event) Class {
	reads, known := readsOf(&e.op)
	if fx, ok := h.sys.(por.Effects); ok && known && reads == nil && fx.Updates(&e.op) {
		known = false // op reads, too
	}
	if !known || e.partner != trace.NoGID {
		return h.before(e)
	}
	var sum Class
	for i, a := range reads {
		for _, f := range slices.Backward(h.events) {
			if writes(&f.op, a) {
				sum = sum.plus(f.name.with(uint64(i)))
				break
			}
		}
	}
	return sum
}

// readsOf returns the locations that op reads, if it accesses memory.
func readsOf(op *trace.Op) (reads []trace.Access, known bool) {
	switch op.Kind {
	case trace.Write, trace.AtomicStore:
		return nil, true
	case trace.ReadWrite:
		return op.Access[:1], true
	case trace.Read, trace.AtomicLoad, trace.AtomicRMW:
		return op.Access[:op.N], true
	}
	return nil, false
}

// writes reports whether op writes to a.
func writes(op *trace.Op, a trace.Access) bool {
	return slices.ContainsFunc(op.Access[:op.N], func(b trace.Access) bool { return b.Write && b.Overlaps(a) })
}

// path returns the schedule of the execution.
func (h *history) path() trace.Schedule {
	var s trace.Schedule
	for i := range h.events {
		s = append(s, h.events[i].step)
	}
	return s
}

var seed = Class{0x9e3779b97f4a7c15, 0xd1b54a32d192ed03}

// with returns a hash of c and x.
func (c Class) with(x uint64) Class {
	return Class{mix(c[0] ^ mix(x+seed[0])), mix(c[1] + mix(x^seed[1]))}
}

// after returns a hash of an event and the sum of those before it.
func (c Class) after(sum Class) Class { return c.with(sum[0]).with(sum[1]) }

func (c Class) plus(d Class) Class { return Class{c[0] + d[0], c[1] + d[1]} }

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

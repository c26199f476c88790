package hb

import "hbcheck.dev/hbcheck/trace"

// Channels with a buffer. Sends are ordered among each other, and so are receives. The k-th receive takes
// what the k-th send has put there, and a channel with room for C elements has room for the (k+C)-th send when the k-th
// receive has been executed (the two rules of the Go memory model). A send and a receive of which
// neither is the case commute. As sends keep their order, and receives theirs, k is the same in all executions of a class.
//
// None of the two can be executed before the other if they depend on each other, so only sends race with sends, and receives
// with receives. If one such operation x is enabled, so is the other, y, in its place: it needs room, or an
// element, where x has found that. So as with a lock all that matters is that y's goroutine has arrived.
// That does not hold of closing, which needs no room; behind it a send does not either, and a receive that came first would have
// let the send succeed. So closing is ordered with all receives, although it commutes with those that find an element.

// slot says which element a send or a receive is about.
type slot struct {
	Capacity uint32 // C; 0: there is no buffer
	index    uint32 // k, from 0
	Empty    bool   // the channel is closed, and nothing is sent, or received
}

// slotOf returns the place of g's next operation op.
func (x *Execution) slotOf(g trace.GID, op *trace.Op) slot {
	length, room, closed := x.Sys.Buffer(g)
	if room == 0 {
		return slot{}
	}
	p := slot{Capacity: uint32(room), index: x.received[op.Access[0].Obj]}
	if op.Kind == trace.Send {
		p.index += uint32(length)
		p.Empty = closed
	} else {
		p.Empty = closed && length == 0
	}
	return p
}

// consumes reports whether op takes an element out of a buffer.
func consumes(op *NextOp) bool {
	return op.Kind == trace.Recv && op.Slot.Capacity > 0 && !op.Slot.Empty
}

// sameElement reports whether the order of a and b, on one channel with a buffer, matters.
func sameElement(a, b *NextOp) bool {
	if a.Kind == b.Kind {
		return !a.Slot.Empty || !b.Slot.Empty
	}
	send, recv := &a.Slot, &b.Slot
	if a.Kind == trace.Recv {
		send, recv = recv, send
	}
	return !send.Empty && (send.index == recv.index || send.index == recv.index+recv.Capacity)
}

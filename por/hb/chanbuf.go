package hb

import "hbcheck.dev/hbcheck/trace"

// Channels with a buffer. Sends are ordered among each other, and so are receives. A send and a
// receive depend on each other by two rules of the Go memory model, C the capacity of the channel:
//
//   - the k-th receive takes the element of the k-th send;
//   - the (k+C)-th send needs the room that the k-th receive has made.
//
// Other pairs of a send and a receive commute. As sends keep their order, and
// receives theirs, k is the same in all executions of a class.
//
//	C = 2:   send 0 → recv 0 → send 2 → recv 2 → send 4 ...
//	         send 1 → recv 1 → send 3 → recv 3 → send 5 ...
//
// Claim 1: only sends race with sends, and receives with receives. Proof: of a send and a receive
// that depend on each other neither can be executed before the other.
//
// Claim 2: two such operations x and y can be reversed once the goroutine of y has arrived, as with
// a lock. Proof: if x is enabled, so is y in its place: it needs room, or an element, where x has
// found that.
//
// Closing is the last send, which needs no room. It is ordered with the sends and with the receives that find
// nothing, and with all receives if it comes after C sends or more.
//
// Claim 3: a send y can be reversed with closing x once the goroutine of y has arrived. Proof: x is in the place of
// the s-th send, s from 0. If s < C, there is room for y in its place. Otherwise y may need a receive; then x
// depends on that, too. (Let c <- 1 be done with C = 1, and let three goroutines close, receive and send.)
//
// Claim 4: a receive y that finds nothing, after closing, x, is no race with it. Proof: y is the s-th receive, and
// sends depend on x, so before x there are no more than s elements, which the receives before y have taken.
//
// Claim 5: a receive that finds an element commutes with closing. Proof: the element has been sent before either,
// as a send after closing sends nothing.
//
// That closing depends on the one receive that would make room for y is not enough: which one a receive is may
// change while its goroutine waits, and races of receives are sought when it arrives.

// A slot identifies the element of a buffer that a send or a receive accesses, or that closing takes the place of.
//
// index counts from the beginning of the execution, not from the present contents: see the
// drawing above.
type slot struct {
	Capacity uint32 // C; 0: there is no buffer
	index    uint32 // k, from 0
	Empty    bool   // the channel is closed, and nothing is sent, or received
}

// slotOf returns the slot of op, g's pending operation.
//
// A receive accesses the element whose index is the number of earlier receives; a send, and closing, access
// the one after all elements in the buffer.
func (x *Execution) slotOf(g trace.GID, op *trace.Op) slot {
	length, room, closed := x.sys.Buffer(g)
	if room == 0 {
		return slot{}
	}
	//mutant: what is received is not counted [sending]: "x.received[op.Access[0].Obj]" -> "0"
	p := slot{Capacity: uint32(room), index: x.received[op.Access[0].Obj]}
	if op.Kind != trace.Recv {
		p.index += uint32(length)
		p.Empty = closed
	} else {
		p.Empty = closed && length == 0
	}
	return p
}

// consumes reports whether op removes an element from a buffer.
func consumes(op *NextOp) bool {
	return op.Kind == trace.Recv && op.Slot.Capacity > 0 && !op.Slot.Empty
}

// sameElement reports whether the order of a and b, on one channel with a buffer, makes a
// difference.
//
// Two sends (closing is one), or two receives, keep their order unless both find the channel closed, in which case
// they have no effect. The claims above are about the other pairs.
func sameElement(a, b *NextOp) bool {
	if (a.Kind == trace.Recv) == (b.Kind == trace.Recv) {
		//mutant: sends commute with sends [sending]: false
		//mutant: receives of nothing do not commute [counted]: true
		return !a.Slot.Empty || !b.Slot.Empty
	}
	send, recv := &a.Slot, &b.Slot
	if a.Kind == trace.Recv {
		send, recv = recv, send
	}
	if a.Kind == trace.Close || b.Kind == trace.Close {
		//mutant: a send that closing was before has room [sending]: "|| send.index >= send.Capacity" -> ""
		return recv.Empty || send.index >= send.Capacity
	}
	//mutant: a receive does not need the send [sending]: drop 2
	//mutant: a send does not need the room [sending]: drop 3
	return !send.Empty && (send.index == recv.index || send.index == recv.index+recv.Capacity)
}

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
// Claim 1: sends race only with sends, and receives only with receives. Proof: if a send and a
// receive depend on each other, only one order of them is possible.
//
// Claim 2: two such operations x and y can be reversed once the goroutine of y has arrived, as with
// a lock. Proof: wherever x is enabled, y is enabled, too: y needs room (or an element), and x has
// found it there.
//
// Claim 2 does not hold for a close. A close needs no room; a send after it needs none either; and a receive
// that came first would have let the send succeed. So a close is ordered with all receives, although it
// commutes with receives that find an element. The exception is a channel that one goroutine sends to and
// closes: see closing.go.

// A slot identifies the element of a buffer that a send or a receive accesses. With Relation.OneCloses a
// close has a slot, too, without an element.
//
// index counts from the beginning of the execution, not from the present contents: see the
// drawing above.
type slot struct {
	Capacity uint32 // C; 0: there is no buffer
	index    uint32 // k, from 0
	Empty    bool   // the channel is closed, and nothing is sent, received or closed
	Found    bool   // there is an element to receive
}

// slotOf returns the slot of op, g's pending operation.
//
// A receive accesses the element whose index is the number of earlier receives; a send accesses the
// one after all elements in the buffer.
func (x *Execution) slotOf(g trace.GID, op *trace.Op) slot {
	length, room, closed := x.sys.Buffer(g)
	if room == 0 {
		return slot{}
	}
	//mutant: what is received is not counted [sending]: "x.received[op.Access[0].Obj]" -> "0"
	p := slot{Capacity: uint32(room), index: x.received[op.Access[0].Obj]}
	switch op.Kind {
	case trace.Close:
		p.Empty = closed
	case trace.Send:
		p.index += uint32(length)
		p.Empty = closed
	default:
		p.Empty, p.Found = closed && length == 0, length > 0
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
// Two sends, or two receives, keep their order unless both find the channel closed: then they have
// no effect. Claims 1 and 2 above are about the other pairs.
func sameElement(a, b *NextOp) bool {
	if a.Kind == trace.Close || b.Kind == trace.Close {
		return a.Kind != trace.Recv && b.Kind != trace.Recv || needsClose(a, b)
	}
	if a.Kind == b.Kind {
		//mutant: sends commute with sends [sending]: false
		return !a.Slot.Empty || !b.Slot.Empty
	}
	send, recv := &a.Slot, &b.Slot
	if a.Kind == trace.Recv {
		send, recv = recv, send
	}
	//mutant: a receive does not need the send [sending]: drop 2
	//mutant: a send does not need the room [sending]: drop 3
	return !send.Empty && (send.index == recv.index || send.index == recv.index+recv.Capacity)
}

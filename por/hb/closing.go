package hb

import "hbcheck.dev/hbcheck/trace"

// Closing a channel with a buffer, beside receives that find an element there. In
//
//	g1: c <- 1; c <- 2; close(c)        g2: for range c {}
//
// the two receives commute with the close: it takes nothing from the buffer, and they find their elements
// with or without it. Only the last receive, which finds nothing, needs the close. So one execution is
// enough, if one goroutine sends to c and closes it (Relation.OneCloses). With a second sender g3 it is
// not: its send succeeds if a receive makes room for it, and then the close; after the close it
// panics. Whether close and receive depend on each other must not depend on g3, which is ordered with
// neither, so they do then.
//
// Claim. If the search notices no channel with a buffer that one goroutine is about to close, and
// another one is about to close or send to, in the same execution or in different ones, then the
// program has none, and the search is complete.
//
// Proof. 1. The name of a channel (por.Effects.Identity) and that of a goroutine are the same in all
// executions. For each channel c let o(c) be the goroutine that the search has seen about to close it,
// and that alone has been about to send to it.
// 2. Let S be the program, and T the program in which another goroutine than o(c) stops for good when it
// comes to a send to c or to its close; without o(c) all that come to close it. In T close and receive of an
// element are independent in all states: the close needs no room, and no other goroutine sends. So the
// search of T is complete, also for the operations to which goroutines come.
// 3. In the explored executions of S nothing stops in T. So they are executions of T, and the search of T
// would have been the same: what goroutines come to in T has been noticed.
// 4. Suppose that in an execution of S a goroutine comes to an operation at which it stops in T. In the
// shortest one it does so by the last event, so that this is also an execution of T. With 3 the search has
// noticed that operation, and c would have two goroutines.

// senders are the goroutines that come to sends to a channel with a buffer, or to its close, by the
// identity of the channel.
type senders map[uint64]sender

type sender struct {
	first           trace.GID
	several, closes bool
}

// note notes that g may send to channel c, or close it, and reports whether several goroutines do so and one
// closes it.
func (s *senders) note(c uint64, n sender) (refuted bool) {
	if *s == nil {
		*s = make(senders)
	}
	old, known := (*s)[c]
	if known {
		//mutant: a second sender makes no difference to a close [closings]: false
		n.several = n.several || old.several || n.first != old.first
		n.closes = n.closes || old.closes
		n.first = old.first
	}
	if n != old || !known {
		(*s)[c] = n
	}
	return n.several && n.closes
}

// noteSender notes n, at which g has arrived, if it sends to channels with buffers, or closes one.
func (x *Execution) noteSender(g trace.GID, n *NextOp) {
	if !x.rel.OneCloses {
		return
	}
	note := func(obj uint32, closes bool) {
		if x.seen.senders.note(x.sys.Identity(obj), sender{first: g, closes: closes}) {
			x.refute(OneCloses)
		}
	}
	switch n.Kind {
	case trace.Send:
		if n.Slot.Capacity > 0 {
			note(n.Access[0].Obj, false)
		}
	case trace.Close:
		if n.Slot.Capacity > 0 {
			note(n.Access[0].Obj, true)
		}
	case trace.Select, trace.TrySelect:
		cases, _ := x.sys.Cases(g, x.cases[:0])
		x.cases = cases
		for _, c := range cases {
			//mutant: a select is no second sender [closings]: "c.Send && " -> "false && "
			if c.Send && c.Room > 0 {
				note(c.Chan, false)
			}
		}
	}
}

// needsClose reports whether the order of a and b, the close of a channel with a buffer and a receive from
// it, makes a difference: the receive finds nothing, and without the close it would wait.
func needsClose(a, b *NextOp) bool {
	if a.Kind == trace.Recv {
		a, b = b, a
	}
	//mutant: a receive of nothing does not need the close [closings]: drop 2
	//mutant: a receive of nothing needs the second close [closings]: drop 1
	return !a.Slot.Empty && !b.Slot.Found
}

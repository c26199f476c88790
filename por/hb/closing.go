package hb

import "hbcheck.dev/hbcheck/trace"

// Closing a channel with a buffer, beside receives that find an element there. In
//
//	g1: c <- 1; c <- 2; close(c)        g2: for range c {}
//
// the two receives that find an element commute with the close, as the close takes nothing from the
// buffer. Only the last receive, which finds nothing, needs the close. So one execution is enough
// if a single goroutine sends to c and closes it (Relation.OneCloses). With a second sender g3 it
// is not enough: its send may succeed after a receive has made room for it, and before the close;
// after the close it panics. Whether a close and a receive depend on each other must not depend on
// g3, which is ordered with neither. So with a second sender they always depend on each other.
//
// Claim. Call a channel with a buffer shared if one goroutine is about to close it, and another one is about
// to close it or to send to it; the two may be in the same execution or in different ones. Suppose that the
// search notices no shared channel. Then the program has no shared channel, and the search is complete.
//
// Proof. 1. The name of a channel (por.Effects.Identity) and that of a goroutine are the same in all
// executions. If the search has seen a goroutine that was about to close channel c, let o(c) be that
// goroutine. No other one has been about to send to c or to close it.
// 2. Let S be the program. Let T be the program in which each goroutine except o(c) stops for good before it
// sends to c or closes c; if c has no o(c), goroutines stop only before they close c. In T the close and the
// receive of an element are independent in all states: the close needs no room, and no other goroutine sends.
// So the search of T is complete, also for the operations to which goroutines come.
// 3. In the explored executions of S, no goroutine comes to an operation at which it would stop in T. So they
// are executions of T, and the search of T would have been the same. So the search has noticed every
// operation to which goroutines come in T.
// 4. Suppose that in an execution of S a goroutine comes to an operation at which it stops in T. In the
// shortest such execution only the last event brings it there, so this is also an execution of T. By 3 the
// search has noticed that operation, which contradicts the assumption of the claim.

// senders are the goroutines that come to sends to a channel with a buffer, or to its close, by the
// identity of the channel.
type senders map[uint64]sender

type sender struct {
	first           trace.GID
	several, closes bool
}

// note records that g may send to channel c, or close it. It reports whether several goroutines do so and one
// of them closes c.
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

// noteSender records n, the operation at which g has arrived, if n sends to channels or closes one.
func (x *Execution) noteSender(g trace.GID, n *NextOp) {
	if !x.rel.OneCloses && !x.rel.OnlyReceived || !n.Kind.Channels() {
		return
	}
	note := func(obj, room uint32, closes bool) {
		if x.rel.OnlyReceived && !closes {
			x.noteSend(obj)
		}
		if x.rel.OneCloses && room > 0 && x.seen.senders.note(x.sys.Identity(obj), sender{first: g, closes: closes}) {
			x.refute(OneCloses)
		}
	}
	switch n.Kind {
	case trace.Send, trace.Close:
		if n.N > 0 {
			note(n.Access[0].Obj, n.Slot.Capacity, n.Kind == trace.Close)
		}
	case trace.Select, trace.TrySelect:
		cases, _ := x.sys.Cases(g, x.cases[:0])
		x.cases = cases
		for _, c := range cases {
			//mutant: a select is no second sender [closings]: "c.Send && " -> "false && "
			if c.Send && c.Chan != 0 {
				note(c.Chan, uint32(c.Room), false)
			}
		}
	case trace.Timer, trace.SyncAccess:
		if n.N == 2 && x.rel.OnlyReceived { // a timer sends
			x.noteSend(n.Access[1].Obj)
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

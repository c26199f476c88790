package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// Channels to which no goroutine sends, such as that of a context. In
//
//	n times:  go func() { select { case <-ctx.Done(): ...; case <-time.After(d): ... } }()
//	cancel()
//
// a receive, and a select that receives, is a read of whether the channel is closed, and the close is a
// write. So with Relation.OnlyReceived the selects commute: one execution instead of n!.
//
// The search learns in its first execution to which channels goroutines send (Execution.sent). If an event
// has read one of these before, the search begins again, at once, with that knowledge (Relation.Sent). From
// the end of the first execution on (Freeze) the set does not change, so that the relation does not depend on
// the order in which several workers explore. If a goroutine is about to send to another channel that an
// event has read, in the same execution or in different ones, OnlyReceived is Wrong.
//
// Claim. Suppose that the search does not notice such a channel. Then it is complete.
//
// Proof. 1. The name of a channel (por.Effects.Identity) is the same in all executions. Let R be the
// channels that an event of the search has read, in the sense above, and S the program. Let T be the
// program in which each goroutine stops for good before it sends to a channel of R.
// 2. In T no goroutine sends to a channel c of R: no element is in it, and no goroutine waits to send. So
// receives from c, as operations or as cases of selects, with default or without, are possible if c is
// closed, find no partner, and change nothing. Only a goroutine that sends could see that another one waits
// there. So operations that share only such channels, and both only receive from these, are independent in
// all states of T. So the search of T with this relation is complete, also for the operations to which
// goroutines come.
// 3. In the explored executions of S no goroutine comes to an operation at which it would stop in T. So they
// are executions of T, and the search of T would have been the same.
// 4. Suppose that in an execution of S a goroutine comes to an operation at which it stops in T. In the
// shortest such execution only the last event brings it there, so this is also an execution of T. By 2 and 3
// the search has noticed that operation, which contradicts the assumption.
//
// (A channel to which goroutines send counts as usual from the beginning: none of its receives is an event
// before the set has it, or the assumption is Wrong. An element that was sent before the search, or by a
// goroutine that was alone, shows in the buffer when a goroutine arrives at a receive.)

// channels is a set of channels by identity.
type channels map[uint64]bool

func (s *channels) add(c uint64) {
	if *s == nil {
		*s = make(channels)
	}
	(*s)[c] = true
}

// A Sent is a set of channels to which goroutines send. It does not change.
type Sent struct {
	Channels []uint64 // by identity, sorted
	Again    int      // how many searches have begun with such sets
}

// mostAgain is the largest Sent.Again.
const mostAgain = 16

// Freeze ends the first execution of a search: the set of channels to which goroutines send is complete.
func (x *Execution) Freeze() { x.frozen = true }

// Sent returns the channels to which goroutines send, for the executions of other workers (SetSent), or for
// another search.
func (x *Execution) Sent() *Sent {
	s := &Sent{Again: 1}
	if x.rel.Sent != nil {
		s.Again += x.rel.Sent.Again
	}
	for c := range x.sent {
		s.Channels = append(s.Channels, c)
	}
	slices.Sort(s.Channels)
	return s
}

// SetSent makes x use the set of another execution of the same search.
func (x *Execution) SetSent(s *Sent) {
	x.sent, x.frozen = s.set(), true
	x.Invalidate()
}

func (s *Sent) set() channels {
	if s == nil {
		return nil
	}
	set := make(channels, len(s.Channels))
	for _, c := range s.Channels {
		set[c] = true
	}
	return set
}

// knowing returns r with the channels of s, if that is enough after the assumptions in a were refuted before
// the end of the first execution.
func (r Relation) knowing(s *Sent, a Assumption) (Relation, bool) {
	if a != OnlyReceived || s == nil || s.Again > mostAgain {
		return r, false
	}
	r.Sent = s
	return r, true
}

// mayReceive reports whether operations of kind k may receive.
func mayReceive(k trace.Kind) bool {
	return k == trace.Recv || k == trace.Select || k == trace.TrySelect
}

// onlyReads makes the accesses of n, g's pending operation, to channels to which no goroutine sends those of
// reads. list has these accesses, of n or in its extra.
//
// Execution.Pending may have a read of a channel to which a goroutine came to send later. It conflicts with
// all events on the channel, which are no reads.
func (x *Execution) onlyReads(g trace.GID, n *NextOp, list []trace.Access) {
	if !x.rel.OnlyReceived {
		return
	}
	switch n.Kind {
	case trace.Recv:
		if n.N == 0 {
			return
		}
		//mutant: what was sent before the search is not received [onlyReceived]: "length > 0" -> "false && length > 0"
		if length, _, _ := x.sys.Buffer(g); length > 0 {
			x.noteSend(list[0].Obj)
		}
	case trace.Select, trace.TrySelect:
		x.waits, _ = x.sys.Cases(g, x.waits[:0])
		for i := range x.waits {
			//mutant: what was sent before the search is not selected [onlyReceived]: "> 0" -> "> 1<<40"
			if x.waits[i].Len > 0 {
				x.noteSend(x.waits[i].Chan)
			}
		}
	default:
		return
	}
	// A select may have an access to a channel of no case: its partner waits there, too.
	for i := range list {
		//mutant: all receives are reads [onlyReceived]: "x.sends(list[i].Obj)" -> "false"
		//mutant: no receive reads [onlyReceived]: "x.sends(list[i].Obj)" -> "true"
		list[i].Write = x.sends(list[i].Obj)
	}
}

// sends reports whether goroutines send to channel c, as far as is known.
func (x *Execution) sends(c uint32) bool { return x.sent[x.sys.Identity(c)] }

// noteSend notes that a goroutine has arrived at an operation that sends to channel c, or has sent.
func (x *Execution) noteSend(c uint32) {
	id := x.sys.Identity(c)
	if x.sent[id] {
		return
	}
	if x.frozen {
		x.seen.sends.add(id)
	} else {
		x.sent.add(id)
		x.Invalidate()
	}
	//mutant: a late sender makes no difference [onlyReceived]: "x.seen.reads[id]" -> "false"
	if x.seen.reads[id] {
		x.refute(OnlyReceived)
	}
}

// noteReads notes the channels from which the event of op only receives.
func (x *Execution) noteReads(op *NextOp) {
	if !x.rel.OnlyReceived || !mayReceive(op.Kind) {
		return
	}
	for _, a := range op.Touches() {
		if a.Write {
			continue
		}
		id := x.sys.Identity(a.Obj)
		x.seen.reads.add(id)
		//mutant: a late receiver makes no difference [test ./explore TestJobsLateSender]: "x.seen.sends[id] ||" -> "false ||"
		//mutant: a goroutine that receives, and sends next, is no sender [onlyReceived]: " || x.sent[id]" -> ""
		if x.seen.sends[id] || x.sent[id] {
			x.refute(OnlyReceived)
		}
	}
}

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
// a receive, or a select that receives, only reads whether the channel is closed, and the close writes that.
// So with Relation.OnlyReceived the selects commute: one execution instead of n!.
//
// In its first execution the search learns to which channels goroutines send (Execution.sent). If an earlier
// event has read such a channel, the search restarts at once, and knows these channels from the beginning
// (Relation.Sent). The set is complete at the end of the first execution (Freeze), so that the relation does
// not depend on the order in which workers explore. Later, OnlyReceived is Wrong if an event has read a
// channel outside of the set, and a goroutine is about to send to it, in the same execution or another one.
//
// Claim. The search is complete if OnlyReceived does not turn out to be Wrong.
//
// Proof. 1. The name of a channel (por.Effects.Identity) is the same in all executions. Let S be the
// program, and R the channels that some event of the search reads, as above. Let T be the program in which
// each goroutine stops for good before it sends to a channel of R.
// 2. In T no goroutine sends to a channel c of R: c has no elements, and no goroutine waits to send to c. So
// a receive from c, alone or as a case of a select, is possible if c is closed. It finds no partner, and
// changes nothing. Only a sender could notice a goroutine that waits there. So two operations are
// independent in all states of T if they share only channels of R, and only receive from these. Hence the
// search of T with this relation is complete, also for the operations at which goroutines arrive.
// 3. In the explored executions of S no goroutine arrives at an operation at which it would stop in T. So
// they are executions of T, and a search of T would have explored the same.
// 4. Suppose that in some execution of S a goroutine arrives at an operation at which it stops in T. In the
// shortest such execution it arrives by the last event, so this is also an execution of T. By 2 and 3
// the search has found that operation, and OnlyReceived is Wrong: a contradiction.
//
// (A channel of the set is treated like any channel in the whole search: if a receive from it is an event
// before the set contains it, OnlyReceived is Wrong. If an element was sent before the search, or by a
// goroutine that was alone, it is in the buffer when a goroutine arrives at a receive.)

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
	Again    int      // number of searches that have begun with such sets
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

// knowing returns r with the channels of s, for a restart after assumption a was refuted in the first
// execution. It reports false if the restart needs another relation.
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

// onlyReads turns accesses of g's pending operation n into reads, if they are to channels to which no
// goroutine sends. list has n's accesses to channels, or n's extra accesses.
//
// Execution.Pending may have a read of a channel to which a goroutine came to send later. The read conflicts
// with all events on the channel, because these are not reads.
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
	// A select may access a channel that none of its cases has, because its partner waits at that channel.
	for i := range list {
		//mutant: all receives are reads [onlyReceived]: "x.sends(list[i].Obj)" -> "false"
		//mutant: no receive reads [onlyReceived]: "x.sends(list[i].Obj)" -> "true"
		list[i].Write = x.sends(list[i].Obj)
	}
}

// sends reports whether goroutines are known to send to channel c.
func (x *Execution) sends(c uint32) bool { return x.sent[x.sys.Identity(c)] }

// noteSend records that a goroutine has sent to channel c, or has arrived at an operation that may.
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

// noteReads records the channels from which the event of op only receives.
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
		//mutant: a late receiver makes no difference [test ./por/hb TestLateSends]: "x.seen.sends[id] ||" -> "false ||"
		//mutant: a goroutine that receives, and sends next, is no sender [onlyReceived]: " || x.sent[id]" -> ""
		if x.seen.sends[id] || x.sent[id] {
			x.refute(OnlyReceived)
		}
	}
}

package hb

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// The participants of an event are the goroutine that executes it, and those with which it
// communicates, or which it starts or wakes. The log keeps their state before the event, so that the event
// can be undone, and the arrival of a goroutine at its operation is known.
//
//	events:          e0      e1      e2      e3
//	undoLog:         g0    │ g0 g2 │ g2    │ g1 g0          each with its Last and Pending before
//	                 │       │       │       │
//	Event.undoStart: 0       1       3       4

// A Participant is a goroutine that has taken part in an event, with its state before the event.
type Participant struct {
	G       trace.GID
	Last    int32 // the event by which it had arrived at its pending operation, or -1
	Exists  bool  // the goroutine had been started
	Pending NextOp
}

// Participants returns the goroutines that have taken part in event i; the first one executed it.
// The result is valid until an event is executed. Elements are large: loops go by index.
func (x *Execution) Participants(i int) []Participant {
	end := len(x.undoLog)
	if i+1 < len(x.Events) {
		end = x.Events[i+1].undoStart
	}
	return x.undoLog[x.Events[i].undoStart:end]
}

// addWaitEnd adds event i, the newest one, to WaitEnds if it belongs there.
func (x *Execution) addWaitEnd(i int) {
	list := x.Participants(i)
	for k := range list {
		if p := &list[k]; p.Exists && p.Pending.Kind.Channels() && p.Pending.Blocks() {
			x.waitEnds = append(x.waitEnds, int32(i))
			return
		}
	}
}

// WaitEnds returns, in order, the events from event i on by which a goroutine has left an operation on
// channels that can be disabled.
func (x *Execution) WaitEnds(i int) []int32 {
	k, _ := slices.BinarySearch(x.waitEnds, int32(i))
	return x.waitEnds[k:]
}

// Arrival returns the event by which event i's goroutine arrived at the operation of event i, or -1 if the
// goroutine was there at the start.
func (x *Execution) Arrival(i int) int { return int(x.undoLog[x.Events[i].undoStart].Last) }

// Previous returns the last event before the newest one in which g has taken part, or -1 if there is none.
func (x *Execution) Previous(g trace.GID) int {
	for _, p := range x.Participants(len(x.Events) - 1) {
		if p.G == g {
			return int(p.Last)
		}
	}
	return x.LastEvent(g)
}

// TookPart reports whether g has taken part in the newest event.
func (x *Execution) TookPart(g trace.GID) bool { return x.LastEvent(g) == len(x.Events)-1 }

// addWoken makes the goroutines that event i, which does not block, has started or woken take
// part in it.
//
//	go f()           f's goroutine did not exist: it takes part
//	c.Signal()       those that were at CondWait and are not any more
//	wg.Done()        none: a Wait that can return now depends on the Done by its access
func (x *Execution) addWoken(i int, notifies bool) {
	wgAdd := x.Events[i].Op.Kind == trace.WgAdd
	if notifies {
		for _, q := range x.condWaiters {
			if x.sys.Next(q).Kind != trace.CondWait {
				x.addParticipant(q, i)
			}
		}
	}
	for _, q := range x.advanced {
		// A goroutine at Wait is only enabled by an Add that makes the counter zero.
		if !notifies && !wgAdd || !x.Exists[q] {
			x.addParticipant(q, i)
		}
	}
}

// addParticipant makes g take part in event i.
//
// Join comes first: g's past happens before i. Then g's last event is i, and
// its next operations happen after i.
func (x *Execution) addParticipant(g trace.GID, i int) {
	if x.Last[g] >= 0 {
		x.Join(x.Clock(i), int(x.Last[g]))
	}
	n := len(x.undoLog)
	x.undoLog = slices.Grow(x.undoLog, 1)[:n+1]
	u := &x.undoLog[n]
	u.G, u.Last, u.Exists, u.Pending = g, x.Last[g], x.Exists[g], x.Pending[g]
	x.Last[g] = int32(i)
	x.recordPending(g)
	x.waitArrival = x.waitArrival || x.Pending[g].Kind == trace.WgWait
	x.Unsupported = x.Unsupported || x.rel.aboutReads() && !supported(&x.Pending[g].Op)
	x.snapshotSelect(g, i)
}

// findCondWaiters collects the goroutines that wait for a Signal.
func (x *Execution) findCondWaiters() {
	x.condWaiters = x.condWaiters[:0]
	for _, g := range x.Order {
		if x.Exists[g] && x.Pending[g].Kind == trace.CondWait {
			x.condWaiters = append(x.condWaiters, g)
		}
	}
}

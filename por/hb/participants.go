package hb

import "hbcheck.dev/hbcheck/trace"

// The participants of an event are the goroutine that executes it, and those that it communicates
// with, starts or wakes. What was known of each before is kept, so that an event can be undone, and
// so that it can be asked when a goroutine had arrived at what it executes.
//
//	events:          e0      e1      e2      e3
//	undoLog:         g0    │ g0 g2 │ g2    │ g1 g0          each with its Last and Pending before
//	                 │       │       │       │
//	Event.undoStart: 0       1       3       4

// A Participant is a goroutine that has taken part in an event, with what was known of it before.
type Participant struct {
	G       trace.GID
	Last    int32 // the event by which it had come to its pending operation, or -1
	Exists  bool  // it had been started
	Pending NextOp
}

// Participants returns the goroutines that have taken part in event i, the one that executed it
// first. They are valid until an event is executed, and large: loops go by index.
func (x *Execution) Participants(i int) []Participant {
	end := len(x.undoLog)
	if i+1 < len(x.Events) {
		end = x.Events[i+1].undoStart
	}
	return x.undoLog[x.Events[i].undoStart:end]
}

// Arrival returns the event by which event i's goroutine had arrived at the operation that it
// executes in event i; -1: it was there at the start.
func (x *Execution) Arrival(i int) int { return int(x.undoLog[x.Events[i].undoStart].Last) }

// Previous returns the last event but for the newest one that g has taken part in; -1: none.
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

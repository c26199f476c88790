package check

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// TestKinds passes all kinds of operations through the comparison with the promises of the analyses, so
// that a new kind is not forgotten. The promises that an operation fulfils have to be for events of its
// object, and an operation that waits for another goroutine has to fulfil one.
func TestKinds(t *testing.T) {
	channel := []static.EventKind{static.SendEvent, static.RecvEvent, static.WaitEvent}
	events := map[trace.Object][]static.EventKind{
		trace.OnLock:      {static.LockEvent, static.WaitEvent},
		trace.OnCond:      append([]static.EventKind{static.LockEvent}, channel...),
		trace.OnChannel:   channel,
		trace.OnWaitGroup: {static.JoinEvent},
		trace.OnOnce:      {static.OnceEvent},
	}
	// The analyses promise nothing about the clock, bubbles, connections and endless waits, nor about a
	// writer that announces itself: the event that it waits for has happened by then.
	promisesNothing := []trace.Kind{trace.LockPending, trace.SemAcquire, trace.IOWait, trace.Sleep, trace.Timer, trace.Spin}
	for k := range trace.NumKinds {
		row := k.Row()
		kinds, _ := fulfilledBy(k)
		for _, e := range kinds {
			if !slices.Contains(events[row.On], e) {
				t.Errorf("fulfilledBy: %v fulfils a promise of an event of kind %v, which is none of a %v", k, e, row.On)
			}
		}
		waits := row.Blocks || row.Communicates
		if want := waits && !slices.Contains(promisesNothing, k) || k == trace.Park; want != (len(kinds) > 0) {
			t.Errorf("fulfilledBy says that %v fulfils promises of events %v, want some: %v. "+
				"If the analyses promise nothing of it, it belongs to promisesNothing", k, kinds, want)
		}
	}
}

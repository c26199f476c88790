package check

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// TestKinds walks all kinds of operations through the comparison with what the analyses promise: a
// new kind has to find its place. What it fulfils has to be an event of the object that the kind is
// on, and what waits for another goroutine has to fulfil something.
func TestKinds(t *testing.T) {
	channel := []static.EventKind{static.SendEvent, static.RecvEvent, static.WaitEvent}
	events := map[trace.Object][]static.EventKind{
		trace.OnLock:      {static.LockEvent, static.WaitEvent},
		trace.OnCond:      append([]static.EventKind{static.LockEvent}, channel...),
		trace.OnChannel:   channel,
		trace.OnWaitGroup: {static.JoinEvent},
		trace.OnOnce:      {static.OnceEvent},
	}
	// The analyses promise nothing of the clock, of bubbles, connections and of endless waits; what a pending
	// writer waits for is known to have come when it announces itself.
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

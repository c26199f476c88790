package trace_test

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestRows: every kind has a row, and no row contradicts itself.
func TestRows(t *testing.T) {
	// As in testing/synctest: goroutines outside of the bubble may hold a lock.
	undurable := []trace.Kind{trace.Lock, trace.RLock, trace.LockPending, trace.WakeLock, trace.OnceEnter,
		trace.IOWait, trace.Spin}
	names := map[string]bool{}
	for k := range trace.NumKinds {
		r := k.Row()
		wrong := func(text string) { t.Helper(); t.Errorf("%v: %s", k, text) }
		if r.Name == "" || names[r.Name] {
			wrong("its name is empty or that of another kind")
		}
		names[r.Name] = true
		synchronises := r.Acquires != 0 || r.Releases != 0
		byAccess := r.Commutes == trace.ByAccess
		switch {
		case r.Tries && r.Blocks:
			wrong("it gives up, or waits?")
		case r.Plain && (r.On != trace.OnMemory || synchronises):
			wrong("plain accesses are to memory and do not synchronise")
		case r.Shared && r.On != trace.OnLock:
			wrong("only locks are shared")
		case r.Communicates && r.On != trace.OnChannel, r.On == trace.OnChannel && !r.Channels:
			wrong("is it about channels?")
		case r.Ends != (r.Commutes == trace.Never):
			wrong("does it end the program?")
		case synchronises && r.On == trace.OnNothing:
			wrong("it synchronises through nothing")
		case !byAccess && synchronises:
			wrong("what synchronises does not commute with everything")
		case byAccess && r.On == trace.OnNothing && k != trace.None && k != trace.Spin:
			wrong("it accesses nothing and yet does not commute")
		case r.Durable && !r.Blocks:
			wrong("it never waits and yet is durably blocked")
		case r.Blocks && !r.Durable && !slices.Contains(undurable, k):
			wrong("it waits: set Durable, or add it to this test's list of those for which synctest.Wait waits")
		case r.Wait != "" && !r.Blocks:
			wrong("it never waits and yet says what for")
		case r.Blocks && r.Wait == "" && k != trace.Timer: // a timer's goroutine is in no dump
			wrong("it waits and does not say what for")
		}
		for _, f := range r.Funcs {
			if g, ok := r.Func(f.Name); !ok || g != f {
				wrong(f.Name + " is listed twice")
			}
		}
	}
}

// TestObjects: every sort of object has a row, which does not contradict itself, and operations.
func TestObjects(t *testing.T) {
	names, used := map[string]bool{}, map[trace.Object]bool{}
	for k := range trace.NumKinds {
		used[k.Row().On] = true
	}
	for o := range trace.NumObjects {
		r := o.Row()
		if r.Name == "" || names[r.Name] {
			t.Errorf("object %d has no row, or its name %q is that of another one", o, r.Name)
		}
		if names[r.Name] = true; r.Primitive && !r.Placed {
			t.Errorf("%v: goroutines wait at it, wherever it is?", o)
		}
		if !used[o] {
			t.Errorf("%v: no operation is on it", o)
		}
	}
}

// TestSets: the sets made from the table are its columns.
func TestSets(t *testing.T) {
	for k := range trace.NumKinds {
		r := k.Row()
		if k.Plain() != r.Plain || k.Blocks() != r.Blocks || k.Channels() != r.Channels ||
			k.Communicates() != r.Communicates || k.Memory() != (r.On == trace.OnMemory) {
			t.Errorf("%v: a set differs from the table", k)
		}
	}
	if trace.NumKinds > 64 {
		t.Error("a set of kinds has 64 bits")
	}
}

// TestKindsOf: a function executes its operations in the order of their steps.
func TestKindsOf(t *testing.T) {
	for k := range trace.NumKinds {
		for _, f := range k.Row().Funcs {
			if list := trace.KindsOf(f.Name); len(list) <= f.Step || list[f.Step] != k {
				t.Errorf("%s executes %v; %v is step %d", f.Name, list, k, f.Step)
			}
		}
	}
}

package describe

import (
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestKinds applies the code that describes bugs to all kinds of operations, so that a new kind has
// to find its place. An operation on a channel or a WaitGroup can be one side of a race with
// another such operation, and then has a verb of its own. Any other operation races only with an
// access to memory.
func TestKinds(t *testing.T) {
	verbs := map[trace.Kind]Verb{
		trace.Close: Closes, trace.Send: Sends, trace.WgAdd: AddsToGroup, trace.WgWait: WaitsForGroup,
	}
	noSides := []trace.Kind{trace.Recv, trace.Select, trace.TrySelect}
	for k := range trace.NumKinds {
		row := k.Row()
		if _, ok := verbs[k]; ok != (row.On == trace.OnChannel || row.On == trace.OnWaitGroup) && !slices.Contains(noSides, k) {
			t.Errorf("%v has a verb of its own: %v", k, ok)
		}
		for _, writes := range []bool{false, true} {
			want, ok := verbs[k]
			switch {
			case ok:
			case row.Plain && writes:
				want = Writes
			case row.Plain:
				want = Reads
			case writes:
				want = AtomicallyWrites
			default:
				want = AtomicallyReads
			}
			if got := (&Access{Event: Event{Kind: k}, Writes: writes}).Verb(); got != want {
				t.Errorf("%v (writes: %v) has verb %v, want %v", k, writes, got, want)
			}
		}

		// Programs mostly defer the operations that release a lock or lower a counter.
		method, ok := deferredCalls[k]
		if want := row.On == trace.OnLock && row.Releases != 0 || k == trace.WgAdd; ok != want {
			t.Errorf("%v may be a deferred call: %v, want %v", k, ok, want)
		}
		found := !ok
		for _, f := range row.Funcs {
			found = found || strings.HasSuffix(f.Name, "."+method)
		}
		if !found {
			t.Errorf("%v is no call of %s", k, method)
		}
	}
}

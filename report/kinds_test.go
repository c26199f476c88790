package report

import (
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestKinds walks all kinds of operations through what is said of a kind: a new kind has to find
// its place. A replay file names it, and what gives up instead of waiting is explained where it may
// be taken for synchronisation, as is what only lets time pass.
func TestKinds(t *testing.T) {
	for k := range trace.NumKinds {
		row := k.Row()
		if got, err := parseKind(k.String()); err != nil && k != trace.None || err == nil && got != k {
			t.Errorf("a replay file with %v has %v (%v)", k, got, err)
		}
		_, explained := noOrder[k]
		passesTime := row.On == trace.OnClock && row.Acquires == 0 || k == trace.Yield
		if want := row.Tries || passesTime; explained != want {
			t.Errorf("%v is said to order nothing: %v, want %v", k, explained, want)
		}
	}
}

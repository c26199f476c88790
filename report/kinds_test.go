package report

import (
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// TestKinds: every kind of operation has its texts. A replay file names it. A kind that gives up instead of
// waiting, or that only lets time pass, is explained where it may be taken for synchronisation.
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

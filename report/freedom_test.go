package report

import (
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
)

// TestOvertakes: a deadline that has passed does not count as a timer to wait for.
func TestOvertakes(t *testing.T) {
	for _, tt := range []struct {
		wait time.Duration
		want string
	}{
		{time.Second, " (needs a timer of 1s to fire while g1 could run; --time=any shows how)"},
		{-time.Second, " (needs time to pass while g1 could run; --time=any shows how)"},
	} {
		bug := &bug.Bug{Warning: true, Overtakes: &bug.Overtaking{Wait: tt.wait, Runner: "g1"}}
		if got := new(Text).needs(bug); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.wait, got, tt.want)
		}
	}
}

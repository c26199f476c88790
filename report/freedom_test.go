package report

import (
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
)

// TestNeeds: the order of a map is named only if it makes the bug a warning.
func TestNeeds(t *testing.T) {
	order := &bug.Ranging{Keys: []string{"a", "b"}}
	for _, tt := range []struct {
		bug  bug.Bug
		want string
	}{
		{bug.Bug{OnlyPermitted: true}, " (needs maps in an order that gc never has: here a map begins with a, b; " + gcOrders + ")"},
		{bug.Bug{Always: true}, " (in every schedule explored the entry returns and leaves it behind; --leaks=error makes this an error)"},
		{bug.Bug{Overtakes: &bug.Overtaking{Wait: time.Second, Runner: "g1"}}, " (needs a timer of 1s to fire while g1 could run; --time=any shows how)"},
		{bug.Bug{}, ""},
	} {
		b := tt.bug
		b.Warning, b.Order = true, order
		if got := new(Text).needs(&b); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

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

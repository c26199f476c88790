package page

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/report"
)

// told returns the history of the failure of s.
func told(t *testing.T, s *Schedule) (h *history, message, detail string) {
	t.Helper()
	message, detail, _ = strings.Cut(report.Message(s.Bug), "\n")
	if h = newHistory(s.Bug, message, detail); h == nil {
		t.Fatalf("no history:\n%s\n%s", message, detail)
	}
	return h, message, detail
}

// TestHistory: operations are where the schedule calls them, those of the longest order have their places,
// and operations outside of the schedule are left to the text.
func TestHistory(t *testing.T) {
	s := explored(t, "./testdata/history")
	h, message, detail := told(t, s)
	var got []string
	for _, r := range h.rows {
		for _, o := range r.ops {
			got = append(got, fmt.Sprintf("%s %s %d-%d", r.lane, o.label(), o.call, o.ret))
		}
	}
	if want := "g1 1  Dec() 1-2 g1 2  Inc() 3-4 g2 ✗  Get() 1 0-5"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %v", got, want)
	}
	x := h.columns()
	for k := range x {
		if k > 0 && x[k] <= x[k-1] {
			t.Errorf("columns %v", x)
		}
	}
	for _, change := range [][2]string{{"Inc()", "Add()"}, {"├─ Dec()", "   Dec()"}, {"  g2 ", "  h2 "}, {"  g1 ", "  note "}} {
		if newHistory(s.Bug, message, strings.Replace(detail, change[0], change[1], 1)) != nil {
			t.Errorf("%v: a history that is not that of the schedule", change)
		}
	}
	if newHistory(s.Bug, "another failure", detail) != nil {
		t.Error("a failure that is about no history has one")
	}
}

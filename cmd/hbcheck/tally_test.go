package main

import (
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
)

// TestTally: entries that are undecided after a pass are counted again in the next one, and those that only
// make assumptions are ok.
func TestTally(t *testing.T) {
	begin := time.Unix(0, 0)
	x := &tally{passes: 3, end: begin.Add(10 * time.Minute), accept: new(exploreFlags).accept}
	assumes := &explore.Result{Verdict: explore.Incomplete, Incomplete: []explore.Reason{{Cause: explore.CauseAssumed}}}
	result := func(v explore.Verdict) *explore.Result { return &explore.Result{Verdict: v} }
	for _, tt := range []struct {
		begin int
		add   attempt
		want  string
	}{
		{4, attempt{result: result(explore.OK)}, "pass 1 of 3: 1 of 4 entries (1 ok), at most 9m0s left"},
		{0, attempt{late: true, result: result(explore.Incomplete)}, "pass 1 of 3: 2 of 4 entries (1 ok, 1 open), at most 8m0s left"},
		{0, attempt{result: result(explore.Fail)}, "pass 1 of 3: 3 of 4 entries (1 ok, 1 FAIL, 1 open), at most 7m0s left"},
		{0, attempt{}, "pass 1 of 3: 4 of 4 entries (1 ok, 1 FAIL, 2 open), at most 6m0s left"},
		{1, attempt{result: assumes}, "pass 2 of 3: 1 of 1 entries (2 ok, 1 FAIL, 1 open), at most 5m0s left"},
	} {
		if begin = begin.Add(time.Minute); tt.begin > 0 {
			x.begin(tt.begin)
		}
		x.add(&tt.add)
		if got := x.line(begin); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

package schedule

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/trace"
)

// TestStraighten: of a schedule with hundreds of preemptions only the few that the bug needs
// remain, after the number of executions that halving takes.
func TestStraighten(t *testing.T) {
	work := strings.Repeat("load z; inc z;", 100)
	f := faketest.New("go 1; go 2; join 1; join 2; assert x==2", work+"load x; load z; inc x;"+work, work+"load x; load z; inc x;"+work)
	var s trace.Schedule
	for f.Pending(0) != "join 1" {
		s = append(s, f.Take(0))
	}
	for f.Can(1) || f.Can(2) { // in turn
		for g := 1; g <= 2; g++ {
			if f.Can(g) {
				s = append(s, f.Take(g))
			}
		}
	}
	for f.Can(0) {
		s = append(s, f.Take(0))
	}
	if f.State.Failed == "" {
		t.Fatal("it does not fail")
	}
	f.State, f.Steps = faketest.New("").State, 0
	c := shrinker{m: f, left: 1 << 30, over: func() bool { return false }, shows: func() bool { return f.State.Failed != "" }}
	long, ok := c.attempt(s)
	if !ok || long.preemptions < 700 {
		t.Fatalf("%v, %d preemptions", ok, long.preemptions)
	}
	c.left = 0
	best := c.straighten(long)
	if best.preemptions != long.preemptions {
		t.Error("it goes on when nothing is left")
	}
	c.left = 60 * len(s)
	best = c.straighten(long)
	if best.preemptions > 2 || c.left <= 0 {
		t.Errorf("%d preemptions, %d steps left", best.preemptions, c.left)
	}
	if v, ok := c.attempt(best.steps); !ok || v.preemptions != best.preemptions {
		t.Errorf("again: %v, %d preemptions", ok, v.preemptions)
	}
}

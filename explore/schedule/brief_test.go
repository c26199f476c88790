package schedule

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// TestBrief: narrating a very long schedule describes its beginning and its end, and repeats all of
// it.
func TestBrief(t *testing.T) {
	code := []string{"go 1; " + strings.Repeat("store x 1;", describe.MaxObserved) + "join 1; fail now", "end"}
	f := faketest.New(code...)
	var path trace.Schedule
	for f.Status() == por.Running {
		list := f.Enabled(nil)
		path = append(path, f.Take(int(list[len(list)-1]))) // goroutine 1 soon ends
	}
	bugs, _ := bug.AtLeaf(f, f.Status(), f.Ending(), nil)
	if len(bugs) != 1 || bugs[0].Kind != bug.Failure {
		t.Fatalf("%+v", bugs)
	}
	b := bugs[0]
	b.Schedule = path
	f = faketest.New(code...)
	if err := Narrate(f, b, nil); err != nil {
		t.Fatal(err)
	}
	all := steps(b.Events)
	n, told := len(all), 0
	for i, e := range all {
		if e.Brief != (i >= toldFirst && i < n-toldLast) || e.Name == "" {
			t.Fatalf("step %d of %d: %+v", i+1, n, e)
		}
		if !e.Brief {
			told++
		}
	}
	if n <= describe.MaxObserved || told != toldFirst+toldLast {
		t.Fatalf("%d of %d steps are told", told, n)
	}
	rec := Recording{Kind: b.Kind, Pos: b.Pos, Same: func(x *bug.Bug) bool { return x.Detail == b.Detail }, Events: b.Events}
	if events, again, err := Replay(f, rec); err != nil || again == nil || len(steps(events)) != n {
		t.Errorf("%v: %v, %d steps", err, again, len(events))
	}
}

package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// TestManyGoroutines: if there are too many goroutines for lanes, their steps are drawn with names, so
// that a report grows with the steps and not with steps times goroutines; only some goroutines are listed.
func TestManyGoroutines(t *testing.T) {
	const n = 2000
	b := &bug.Bug{Kind: bug.Deadlock, Detail: bug.MainBlocked{Goroutine: "main", Others: n - 1}, G: "main", Loop: -1}
	for i := range n {
		name := "main"
		if i > 0 {
			name = fmt.Sprintf("g%d", i)
		}
		e := ev(trace.GID(i), name, trace.Recv, "c", "", "main", at("wide.go", 7, 2), 0, false)
		e.Blocked = true
		b.Events = append(b.Events, e)
		g := describe.Goroutine{ID: trace.GID(i), Name: name, Parent: trace.NoGID}
		g.For = "chan receive"
		b.Goroutines = append(b.Goroutines, g)
	}
	var out bytes.Buffer
	r := &explore.Result{Package: "p", Entry: "main", Verdict: explore.Fail, Bugs: []*bug.Bug{b}}
	if err := (&Text{W: &out}).Result(r, nil); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 100*n {
		t.Errorf("%d bytes", out.Len())
	}
	for _, want := range []string{"       ✗ g3     recv  c  wide.go:7  ◂ blocked\n", "goroutine 4 [chan receive, g3]", "(1996 goroutines more; -v shows all)", "(1968 more goroutines blocked)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String()[:2000])
		}
	}
	if strings.Contains(out.String(), "goroutine 5 [") {
		t.Error("too many stacks")
	}
}

// TestLongNames: few goroutines whose names are long are drawn with names, too: no line of a report is
// wider than a page.
func TestLongNames(t *testing.T) {
	draw := func(n int) string {
		var events []describe.Event
		for i := range n {
			events = append(events, ev(trace.GID(i), fmt.Sprintf("g1.1.%d", i+1), trace.Recv, "c", "", "main", at("wide.go", 7, 2), 0, false))
		}
		var out bytes.Buffer
		lanes(&out, events, true, nil, 0)
		return out.String()
	}
	if got := draw(10); !strings.Contains(got, "g1.1.9  g1.1.10\n") {
		t.Errorf("ten goroutines have no lanes:\n%s", got)
	}
	for line := range strings.Lines(draw(36)) {
		if len([]rune(line)) > 150 {
			t.Errorf("%d columns: %s", len([]rune(line)), line)
		}
	}
}

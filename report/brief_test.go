package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// TestInBrief: in a run of many entries the first bug with a text is written in full, up to a number of
// lines; every bug has its position, its cause and its replay.
func TestInBrief(t *testing.T) {
	var b bytes.Buffer
	w := &Text{W: &b, Paths: Paths{Base: dir}, Brief: true}
	write := func(entry, message string, line int) string {
		b.Reset()
		found := deposit()
		found.Detail, found.Pos = bug.TestFailed{Message: message}, at("bank_test.go", line, 3)
		r := &explore.Result{Package: "example.com/bank", Entry: entry, Verdict: explore.Fail, FirstOnly: true, Bugs: []*bug.Bug{found}}
		if err := w.Result(r, []Files{{Replay: entry + ".hbr"}}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for _, part := range []string{"--- FAIL: " + entry, fmt.Sprintf("bank_test.go:%d:3: HB005", line), entry + ".hbr"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: there is no %q:\n%s", entry, part, text)
			}
		}
		return text
	}
	full := func(text string) bool { return strings.Contains(text, "g1  g2") }
	if s := write("TestA", "cannot close: timeout, x/a.go:3", 1); !full(s) {
		t.Errorf("the first one is not in full:\n%s", s)
	}
	// The same text but for paths.
	if s := write("TestB", "cannot close: timeout, x/b.go:9", 2); full(s) || !strings.Contains(s, "TestA says the same") || strings.Count(s, "\n") > 1 {
		t.Errorf("the same text once more:\n%s", s)
	}
	for i, x := range []string{"one, want 2"} {
		if s := write(fmt.Sprint("TestC", i), x, 3+i); !full(s) {
			t.Errorf("another one is not in full:\n%s", s)
		}
	}
	long := ""
	for i := range 3 {
		long = write(fmt.Sprint("TestD", i), fmt.Sprintf("%d is %s", i, strings.Repeat("ö", 300)), 10+i)
	}
	if full(long) || !strings.Contains(long, "why: ") || len(long) > 700 {
		t.Errorf("one of many is in full:\n%s", long)
	}
	w.Verbose = true
	if s := write("TestE", "cannot close: timeout, x/c.go:4", 20); !full(s) {
		t.Errorf("with -v:\n%s", s)
	}
}

// TestOneCase: bugs with other texts that need the same case of the same select may be one, and are told so.
func TestOneCase(t *testing.T) {
	var b bytes.Buffer
	w := &Text{W: &b, Paths: Paths{Base: dir}, Brief: true}
	write := func(entry, message string, line, preemptions int) string {
		b.Reset()
		found := deposit()
		found.Detail, found.Pos, found.Preemptions = bug.TestFailed{Message: message}, at("bank_test.go", line, 3), preemptions
		found.Events = slices.Clone(found.Events)
		e := &found.Events[0]
		e.Kind, e.What, e.Picks = trace.Select, "<-closed, <-done → <-done", true
		r := &explore.Result{Package: "example.com/bank", Entry: entry, Verdict: explore.Fail, FirstOnly: true, Bugs: []*bug.Bug{found}}
		if err := w.Result(r, []Files{{Replay: entry + ".hbr"}}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const same = "TestA needs the same case of the same select: it may be one bug."
	if s := write("TestA", "cannot close", 1, 0); strings.Contains(s, same) {
		t.Errorf("the first one:\n%s", s)
	}
	if s := write("TestB", "not closed in time", 2, 0); !strings.Contains(s, same) || strings.Contains(s, "g1  g2") {
		t.Errorf("another text:\n%s", s)
	}
	if s := write("TestC", "still open", 3, 1); strings.Contains(s, same) {
		t.Errorf("it needs a preemption, too:\n%s", s)
	}
}

// TestTimers: among tests that fail only if a timer is early, those with the earliest timers come first,
// and those whose timers take an hour are only counted.
func TestTimers(t *testing.T) {
	early := func(entry string, wait time.Duration) earlyTimer {
		return earlyTimer{entry, &bug.Bug{Kind: bug.Failure, Overtakes: &bug.Overtaking{Wait: wait}}}
	}
	text := &Text{}
	text.summary.early = []earlyTimer{early("TestHour", time.Hour), early("TestB", time.Second), early("TestA", time.Millisecond), early("TestDay", 24*time.Hour)}
	var b bytes.Buffer
	text.timers(&b)
	if want := "for that long: TestA (1ms, HB005), TestB (1s, HB005), 2 with timers of a minute or more; -v shows each\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %s, want an end of %s", &b, want)
	}
	text.summary.early = text.summary.early[:1]
	text.summary.early[0].bug.Kind, text.summary.early[0].bug.Detail = bug.Leak, bug.LeftBehind{Func: "f"}
	for ok, want := range map[int]string{1: "shows how)\n", 2: "shows how), in TestHour\n"} {
		text.summary.ok = ok
		var b bytes.Buffer
		if text.timers(&b); !strings.HasSuffix(b.String(), want) {
			t.Errorf("%d entries: got %s, want an end of %s", ok, &b, want)
		}
	}
}

// TestFewSubtests: a run of many entries names some failing subtests of each, and counts the others.
func TestFewSubtests(t *testing.T) {
	found := deposit()
	found.Detail = bug.TestFailed{Message: "no"}
	r := &explore.Result{Package: "example.com/bank", Entry: "TestA", Verdict: explore.Fail, FirstOnly: true, Bugs: []*bug.Bug{found}}
	for i := range 6 {
		r.Subtests = append(r.Subtests, fmt.Sprint("TestA/", i))
	}
	found.Tests = r.Subtests[:5]
	for _, brief := range []bool{true, false} {
		var b bytes.Buffer
		w := &Text{W: &b, Paths: Paths{Base: dir}, Brief: brief}
		if err := w.Result(r, []Files{{Replay: "a.hbr"}}); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		want, more := 5, false
		if brief {
			want, more = 3, true
		}
		if n := strings.Count(s, "--- FAIL: TestA/"); n != want || strings.Contains(s, "    and 2 more\n") != more {
			t.Errorf("brief %v: %d subtests:\n%s", brief, n, s)
		}
	}
}

// TestLeftTogether: the goroutines that the same entries leave are on one line.
func TestLeftTogether(t *testing.T) {
	var b bytes.Buffer
	w := &Text{W: &b, Paths: Paths{Base: dir}, Brief: true}
	for entry, lines := range map[string][]int{"TestA": {1, 2, 3}, "TestB": {1, 2}} {
		r := &explore.Result{Package: "example.com/bank", Entry: entry}
		for _, line := range lines {
			r.Bugs = append(r.Bugs, &bug.Bug{Kind: bug.Leak, Warning: true, Pos: at("leak.go", line, 5), G: "g1", Loop: -1,
				Detail: bug.LeftBehind{Func: fmt.Sprint("run", line), Waiting: describe.Waiting{For: "select"}}})
		}
		if err := w.Result(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	b.Reset()
	w.end(&b)
	for _, want := range []string{"in 2 entries: leak.go:1:5: HB003: warning: goroutine left behind: run1 waits forever in select; so are run2 at leak.go:2:5 (",
		"in 1 entry: leak.go:3:5: HB003: warning: goroutine left behind: run3 waits forever in select (TestA)\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q:\n%s", want, b.String())
		}
	}
}

package report

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por"
)

func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		want     string
	}{
		{true, "\rTestA  12 481 exec  9 states  833 steps/s  [#####---------------]  ~26%  depth 41  1 bug\rTestA  12 481 exec  9 states  714 steps/s  [#####---------------]  ~26%  depth 41  1 bug \r" +
			"                                                              \r"},
		{false, "TestA  12 481 exec  9 states  32 steps/s  ~26%  depth 41  1 bug\n"},
	} {
		var b bytes.Buffer
		now := time.Unix(0, 0)
		p := &Progress{W: &b, Terminal: tt.terminal, Now: func() time.Time { return now }}
		x := explore.Progress{Progress: por.Progress{Stats: por.Stats{Executions: 12481, States: 9, Transitions: 1000}, Depth: 41, Fraction: 0.26}}
		p.Start("TestA")
		for _, ms := range []int{100, 1200, 1300, 1400, 31000, 31010} {
			if !tt.terminal || ms < 31000 {
				now = time.Unix(0, int64(ms)*1e6)
				p.Update(x)
			}
			x.Bugs = 1
		}
		p.Clear()
		got := b.String()
		if tt.terminal {
			// The width of the last line decides how much is cleared.
			got, tt.want = trimBlank(got), trimBlank(tt.want)
		}
		if got != tt.want {
			t.Errorf("terminal %v:\n got %q\nwant %q", tt.terminal, got, tt.want)
		}
	}
}

// TestProgressResumed: the totals include the work of earlier processes, but the rates do not. The number
// of samples is known, so the line has no estimates ("about").
func TestProgressResumed(t *testing.T) {
	x := explore.Progress{Progress: por.Progress{Stats: por.Stats{Executions: 7500, Transitions: 50000}, Estimate: 10000}}
	x.Before = por.Stats{Executions: 5000, Transitions: 40000}
	want := "TestA  7500 exec  250/s  1000 steps/s  [###############-----]  75% of 10 000  ETA 10s  depth 0  0 bugs"
	if got := progressLine("TestA", 10*time.Second, x, true); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestProgressWidth: a line is no longer than the width of the terminal, because a longer one could not be
// rewritten.
func TestProgressWidth(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(0, 0)
	p := &Progress{W: &b, Terminal: true, Width: func() int { return 21 }, Now: func() time.Time { return now }}
	p.Start("TestA")
	now = time.Unix(2, 0)
	p.Update(explore.Progress{})
	if got, want := b.String(), "\rTestA  0 exec  0/s  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLoaded: a line about loading appears after a second, and disappears when there are results.
func TestLoaded(t *testing.T) {
	var b bytes.Buffer
	now := time.Unix(0, 0)
	p := &Progress{W: &b, Terminal: true, Now: func() time.Time { return now }}
	p.Start("loading")
	for i := range 3 {
		now = time.Unix(0, int64(i)*9e8)
		p.Loaded(i+1, 3)
	}
	p.Clear()
	if got, want := trimBlank(b.String()), "\rloading  3 of 3 packages"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func trimBlank(s string) string {
	return string(bytes.TrimRight([]byte(s), " \r"))
}

func TestProgressEstimate(t *testing.T) {
	x := explore.Progress{Progress: por.Progress{Stats: por.Stats{Executions: 12481, Transitions: 400000}, Depth: 41, Estimate: 48000, Error: 9100}}
	for _, tt := range []struct {
		estimate float64
		want     string
	}{
		{48000, "TestA  12 481 exec  3120/s  100 000 steps/s  ~26% of 48 000 ± 9100  ETA 11s  depth 41  0 bugs"},
		{5e11, "TestA  12 481 exec  3120/s  100 000 steps/s  ~0% of 500 000 000 000 ± 9100  depth 41  0 bugs"},
		{1e18, "TestA  12 481 exec  3120/s  100 000 steps/s  depth 41  0 bugs"}, // too large to show
		{0, "TestA  12 481 exec  3120/s  100 000 steps/s  depth 41  0 bugs"},
	} {
		x.Estimate = tt.estimate
		if got := progressLine("TestA", 4*time.Second, x, false); got != tt.want {
			t.Errorf("estimate %g:\n got %s\nwant %s", tt.estimate, got, tt.want)
		}
	}
}

// TestProgressRun: the progress of a run of several entries comes first on a terminal, and alone elsewhere,
// however short the entries are.
func TestProgressRun(t *testing.T) {
	for terminal, want := range map[bool]string{
		true:  "\r2 of 100  TestA  7 exec  70/s  0 steps/s  depth 0  0 bugs\r4 of 100                                                 ",
		false: "300 of 100\n600 of 100\n",
	} {
		var b bytes.Buffer
		now := time.Unix(0, 0)
		done := 0
		p := &Progress{W: &b, Terminal: terminal, Now: func() time.Time { return now }, Run: func() string { return fmt.Sprintf("%d of 100", done) }}
		for ms := range 60_000 / 100 {
			p.Start("TestA")
			now = now.Add(100 * time.Millisecond)
			if done++; terminal && ms == 1 {
				p.Update(explore.Progress{Progress: por.Progress{Stats: por.Stats{Executions: 7}}})
				continue
			}
			if p.Tick(); terminal && ms == 3 {
				break
			}
		}
		if got := b.String(); trimBlank(got) != trimBlank(want) {
			t.Errorf("terminal %v:\n got %q\nwant %q", terminal, got, want)
		}
	}
}

package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestSpin14: static facts change no verdict, no bug and no final state. The savings are exactly those of
// testdata/spin14.golden.
func TestSpin14(t *testing.T) {
	deep.Skip(t, "all programs with all kinds of facts")
	w := workspace(t)
	jpf := explorers.Lookup("jpf")
	var out strings.Builder
	for _, s := range Spin14Programs() {
		rows, err := w.ExploreSpin14(context.Background(), &s, Spin14Options{Timeout: time.Hour, Size: "small", Kinds: Spin14Kinds(), POR: jpf})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", strings.TrimSpace(s.Program+" "+s.Small))
		for _, r := range rows {
			for _, problem := range r.Check() {
				t.Error(problem)
			}
			st := &r.Result.Stats
			fmt.Fprintf(&out, "  %-4s %s: %d choices, %d states, %d matched, %d steps, %d final", r.Result.Hybrid, r.Result.Verdict, st.Choices, st.States, st.Matched, st.Transitions, len(r.Result.Finals))
			for i, e := range r.Eliminated() {
				fmt.Fprintf(&out, "%s %s %d", []string{"; eliminated", ","}[min(i, 1)], e.Name, e.Count)
			}
			fmt.Fprintln(&out)
		}
	}
	const golden = "testdata/spin14.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != string(want) {
		g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range max(len(g), len(w)) {
			if i >= len(g) || i >= len(w) || g[i] != w[i] {
				t.Fatalf("%s:%d differs (-update rewrites it). Got\n%s\nwant\n%s", golden, i+1, strings.Join(g[min(i, len(g)):], "\n"), strings.Join(w[min(i, len(w)):], "\n"))
			}
		}
	}
}

// TestCheckNotices: a column that differs from the others is reported.
func TestCheckNotices(t *testing.T) {
	row := func(f func(*explore.Result), left *Spin14Row) *Spin14Row {
		r := &explore.Result{Verdict: explore.OK, Hybrid: oracle.FieldAccess, Finals: []por.Hash{{1, 2}, {3, 4}}}
		r.Stats.Choices = 10
		f(r)
		return &Spin14Row{Spin14Program: &Spin14Program{Program: "p"}, Result: r, Left: left}
	}
	same := func(*explore.Result) {}
	first := row(same, nil)
	for _, c := range []struct {
		change  func(*explore.Result)
		problem string
	}{
		{same, ""},
		{func(r *explore.Result) { r.Stats.Choices = 9 }, ""},
		{func(r *explore.Result) { r.Stats.Choices = 11 }, "11 choices"},
		{func(r *explore.Result) { r.Verdict = explore.Fail }, "verdict"},
		{func(r *explore.Result) {
			r.Bugs = []*bug.Bug{{Kind: bug.Deadlock, Detail: bug.WaitCycle{Goroutines: "main"}}}
		}, "finds"},
		{func(r *explore.Result) { r.Finals = r.Finals[:1] }, "final states"},
		{func(r *explore.Result) {
			r.Incomplete = []explore.Reason{{Text: "stopped", Cause: explore.CauseStopped}}
		}, "stopped"},
	} {
		got := row(c.change, first).Check()
		if c.problem == "" && len(got) > 0 || c.problem != "" && !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.problem) }) {
			t.Errorf("problems %q, want %q", got, c.problem)
		}
	}
}

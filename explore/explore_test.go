package explore

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

func options(name string) Options {
	e := explorers.Lookup(name)
	return Options{POR: e, Match: true, All: true}
}

// entryOf returns an entry of that name with the machine f.
func entryOf(f *faketest.Machine, name string) Entry {
	return Entry{Package: "example.com/fake", Name: name, New: func(func() bool) (describe.Machine, error) { return f, nil }}
}

func run(t *testing.T, f *faketest.Machine, opts Options) *Result {
	t.Helper()
	before := f.State
	r, err := Run(context.Background(), entryOf(f, "F"), opts)
	if err != nil {
		t.Fatal(err)
	}
	if f.State != before || len(f.Marks) > 0 {
		t.Error("the machine is not left as it was found")
	}
	return r
}

// bugs returns a line for each of the bugs of r.
func bugs(r *Result) string {
	var s []string
	for _, b := range r.Bugs {
		s = append(s, fmt.Sprintf("%s %s:%d: %+v [%s]", b.Kind.Code(), b.Pos.Filename, b.Pos.Line, b.Detail, faketest.Schedule(b.Events)))
	}
	return strings.Join(s, "\n")
}

const racyInc = "read x; inc x"

// TestBugs: each kind of bug is found once, at its position, with the simplest schedule.
func TestBugs(t *testing.T) {
	tests := []struct {
		name    string
		code    []string
		verdict Verdict
		want    string
	}{
		{"none", []string{"go 1; join 1", "lock a; " + racyInc + "; unlock a"}, OK, ""},
		{"crossed locks", []string{"go 1; lock a; lock b; unlock b; unlock a; join 1", "lock b; lock a; unlock a; unlock b"}, Fail,
			"HB001 file.go:3: {Goroutines:main g1} [main*2 g1*1]"},
		{"no sender", []string{"go 1; hang", "lock a; unlock a"}, Fail,
			"HB001 file.go:2: {Goroutine:main Waiting:{For:hang On:} Others:0} [main*1 g1*3]"},
		{"leak", []string{"go 1; print done", "hang"}, Fail,
			"HB003 file.go:101: {Func:f1 Waiting:{For:hang On:}} [main*3]"},
		{"lost update", []string{"go 1; go 2; join 1; join 2; assert x==2",
			"load x; store x 1; end", "load x; store x 1; end"}, Fail,
			"HB005 file.go:1: {Message:x==2: x is 1} [main*2 g2*4 g1*4 main*4]"},
		{"race", []string{"go 1; read x", "write x 1"}, Fail,
			"HB002 file.go:2: {What:x First:0 Second:1 At:file.go:101} [main*2 g1*1]"},
		{"panic in the middle", []string{"go 1; store x 1; store x 0; join 1", "await x; panic boom"}, Fail,
			"HB004 file.go:102: {Text:panic: boom} [main*2 g1*2]\n" + "HB001 file.go:4: {Goroutine:main Waiting:{For:join On:1} Others:1} [main*3]"},
		{"spin", []string{"go 1; join 1", "spin x"}, Fail,
			"HB006 file.go:101: {Goroutines:g1 MainEnded:false} [main*1 g1*1]"},
		{"spin after main", []string{"go 1", "spin x"}, Fail,
			"HB006 file.go:101: {Goroutines:g1 MainEnded:true} [main*2 g1*1]"},
	}
	for _, tt := range tests {
		for _, name := range []string{"full", "jpf"} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				r := run(t, faketest.New(tt.code...), options(name))
				got := strings.Split(bugs(r), "\n")
				want := strings.Split(tt.want, "\n")
				slices.Sort(got)
				slices.Sort(want)
				if r.Verdict != tt.verdict || !slices.Equal(got, want) {
					t.Errorf("%s\n got %s\nwant %s", r.Verdict, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
				}
				for _, b := range r.Bugs {
					if b.Kind != bug.Livelock && !b.Minimal {
						t.Errorf("%+v: the schedule is not minimal", b.Detail)
					}
				}
			})
		}
	}
}

// TestFirst: without All the search stops at the first bug.
func TestFirst(t *testing.T) {
	opts := options("full")
	opts.All = false
	r := run(t, faketest.New("go 1; read x; write y 1", "write x 1; read y"), opts)
	if len(r.Bugs) != 1 || !r.FirstOnly {
		t.Errorf("%d bugs, first only %v", len(r.Bugs), r.FirstOnly)
	}
}

// TestOutcomes: the store buffer has three outcomes, and each order of two prints is an outcome.
func TestOutcomes(t *testing.T) {
	opts := options("jpf")
	opts.Outcomes = true
	r := run(t, faketest.New("go 1; go 2; join 1; join 2", "print a", "print b"), opts)
	var got []string
	for _, o := range r.Outcomes {
		got = append(got, fmt.Sprintf("%q %s", o.Output, o.Ending))
		if len(o.Events) == 0 || o.Count == 0 {
			t.Error("no witness")
		}
	}
	slices.Sort(got)
	if want := []string{`"ab" exit 0`, `"ba" exit 0`}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestIncomplete(t *testing.T) {
	code := []string{"go 1; go 2; join 1; join 2", racyInc, "lock a; unlock a"}
	for _, tt := range []struct {
		name string
		code []string
		opts func(*Options)
		want []Reason
	}{
		{"executions", code[:], func(o *Options) { o.MaxExecs = 1 }, []Reason{{Bound: por.Reason{Bound: por.BoundExecutions, Limit: 1}}}},
		{"unsupported", []string{"refuse net.Dial (dial.go:1:2)"}, func(o *Options) {}, []Reason{{Cause: CauseUnsupported, Text: "net.Dial (dial.go:1:2)"}}},
		{"assumption", []string{"assume no"}, func(o *Options) {}, []Reason{{Cause: CauseImpossible}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := options("full")
			tt.opts(&opts)
			r := run(t, faketest.New(tt.code...), opts)
			if !slices.Equal(r.Incomplete, tt.want) || r.Verdict != Incomplete {
				t.Errorf("%s %+v, want %s %+v", r.Verdict, r.Incomplete, Incomplete, tt.want)
			}
		})
	}
}

// TestCancel: the cause of the context is the reason.
func TestCancel(t *testing.T) {
	long := strings.Repeat("store x 1;", 40) + "end"
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("interrupted"))
	f := faketest.New("go 1; go 2; join 1", long, long)
	r, err := Run(ctx, entryOf(f, "F"), options("full"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Incomplete, func(x Reason) bool { return x.Bound.Text == "interrupted" }) || r.Verdict != Incomplete {
		t.Errorf("%s %v", r.Verdict, r.Incomplete)
	}
}

func TestAllowLeak(t *testing.T) {
	opts := options("full")
	opts.AllowLeak = regexp.MustCompile(`fake\.f1$`)
	if r := run(t, faketest.New("go 1", "hang"), opts); r.Verdict != OK {
		t.Errorf("accepted leak: %s %s", r.Verdict, bugs(r))
	}
	if r := run(t, faketest.New("go 1", "spin x"), opts); r.Verdict != OK {
		t.Errorf("accepted endless loop: %s %s", r.Verdict, bugs(r))
	}
	opts.AllowLeak = regexp.MustCompile(`f2`)
	if r := run(t, faketest.New("go 1", "hang"), opts); r.Verdict != Fail {
		t.Errorf("not accepted: %s", r.Verdict)
	}
}

// TestMinimise: a bug found after many switches is reported with the fewest that it needs.
func TestMinimise(t *testing.T) {
	// g1 has no part in the panic.
	f := faketest.New("go 1; go 2; go 3; join 1; join 2; join 3",
		"store z 1; store z 2; store z 3", "store x 1; store y 1; store x 0", "await x; await y; panic boom")
	opts := options("full")
	boom := func(r *Result) *bug.Bug {
		i := slices.IndexFunc(r.Bugs, func(b *bug.Bug) bool { return b.Kind == bug.Panic })
		if i < 0 {
			t.Fatal(bugs(r))
		}
		return r.Bugs[i]
	}
	b := boom(run(t, f, opts))
	if got := faketest.Schedule(b.Events); got != "main*3 g2*2 g3*3" || b.Preemptions != 1 || !b.Minimal {
		t.Errorf("%s, %d preemptions", got, b.Preemptions)
	}
	opts.NoMinimise = true
	if long := boom(run(t, f, opts)); len(long.Schedule) <= len(b.Schedule) {
		t.Errorf("nothing to minimise: %s", faketest.Schedule(long.Events))
	}
}

// TestReplay: a recording shows its bug again, and a changed program is detected at the first step
// that differs.
func TestReplay(t *testing.T) {
	code := []string{"go 1; go 2; join 1; join 2; assert x==2", "load x; store x 1; end", "load x; store x 1; end"}
	for _, code := range [][]string{code, {"go 1; read x", "write x 1"}, {"go 1; lock a; lock b; unlock b; unlock a; join 1", "lock b; lock a; unlock a; unlock b"}} {
		r := run(t, faketest.New(code...), options("jpf"))
		b := r.Bugs[0]
		rec := schedule.Recording{Kind: b.Kind, Pos: b.Pos, Same: func(x *bug.Bug) bool { return x.Detail == b.Detail }, Events: b.Events}
		events, again, err := schedule.Replay(faketest.New(code...), rec)
		if err != nil || again == nil {
			t.Fatalf("%+v: %v %v", b.Detail, again, err)
		}
		if faketest.Schedule(events) != faketest.Schedule(b.Events) || again.Preemptions != b.Preemptions {
			t.Errorf("%+v: replayed %s, recorded %s", b.Detail, faketest.Schedule(events), faketest.Schedule(b.Events))
		}
		changed := slices.Clone(code)
		changed[1] = strings.Replace(code[1], "write x", "read x", 1)
		changed[1] = strings.Replace(changed[1], "store x 1", "lock a", 1)
		changed[1] = strings.Replace(changed[1], "lock b", "lock c", 1)
		if changed[1] == code[1] || strings.Contains(changed[1], "lock c") {
			continue
		}
		var d *schedule.Divergence
		if _, _, err = schedule.Replay(faketest.New(changed...), rec); !errors.As(err, &d) {
			t.Errorf("%+v: the change is not noticed: %v", b.Detail, err)
		}
	}
}

// TestIgnoredBug: an accepted bug does not stop the search and does not count.
func TestIgnoredBug(t *testing.T) {
	opts := options("full")
	opts.All = false
	ig := &ignore.Comment{Kind: bug.Race, Pos: token.Position{Filename: "file.go", Line: 2}, Reason: "test"}
	opts.Ignores = []*ignore.Comment{ig}
	r := run(t, faketest.New("go 1; read x; join 1", "write x 1"), opts)
	if r.Verdict != OK || !ig.Used {
		t.Errorf("%s %s", r.Verdict, bugs(r))
	}
}

package explore

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeoutStart: building the program does not count as time of the exploration; what the
// machine executes before the search does. The clock is that of a bubble.
func TestTimeoutStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := options("full")
		opts.Timeout = time.Second
		f := newFake("store x 1")
		slow := f.entry("F")
		slow.New = func(func() bool) (Machine, error) {
			time.Sleep(time.Hour)
			return f, nil
		}
		if r, err := Run(t.Context(), slow, opts); err != nil || r.Verdict != OK {
			t.Errorf("a program that is built slowly: %v, %v", r.Verdict, err)
		}
		endless := f.entry("F")
		endless.New = func(interrupted func() bool) (Machine, error) {
			for n := 0; !interrupted(); n++ {
				if n > 20 {
					t.Fatal("initialisation is not interrupted")
				}
				time.Sleep(time.Second / 10)
			}
			return f, nil
		}
		r, err := Run(t.Context(), endless, opts)
		if err != nil {
			t.Fatal(err)
		}
		timeUp := func(x Reason) bool { return x.Bound.Text == "stopped after 1s (--timeout)" }
		if r.Verdict != Incomplete || !slices.ContainsFunc(r.Incomplete, timeUp) {
			t.Errorf("%v %+v", r.Verdict, r.Incomplete)
		}
	})
}

// TestOverAtOnce: after the time is up a search takes no step more, and a bug that it has found is
// described from the schedule that there is.
func TestOverAtOnce(t *testing.T) {
	long := strings.Repeat("store x 1;", 40) + "fail now"
	for _, name := range []string{"full", "random"} {
		ctx, cancel := context.WithCancel(context.Background())
		f := newFake("go 1; go 2; join 1", long, strings.Repeat("store x 2;", 40)+"end")
		opts := options(name)
		opts.Match = false
		opts.MaxExecs = 1000
		s, err := prepare(ctx, f.entry("F"), opts)
		if err != nil {
			t.Fatal(err)
		}
		inner := s.cfg.Over
		asked := 0
		s.cfg.Over = func() bool {
			if asked++; asked == 150 { // in the second execution
				cancel()
			}
			return inner()
		}
		found := s.search()
		if asked > 151 || found.Transitions != 150 {
			t.Errorf("%s: asked %d times in %d steps", name, asked, found.Transitions)
		}
		if err := s.finish(found); err != nil {
			t.Fatal(err)
		}
		before := f.steps
		s.narrate()
		r := s.result
		if r.Verdict != Fail || len(r.Bugs) != 1 || len(r.Bugs[0].Events) == 0 || r.Bugs[0].Minimal {
			t.Fatalf("%s: %v %+v", name, r.Verdict, r.Bugs)
		}
		if steps, most := f.steps-before, uint64(len(r.Bugs[0].Schedule)); steps != most {
			t.Errorf("%s: %d steps to describe a schedule of %d", name, steps, most)
		}
	}
}

// TestOverMinimising: simplifying a schedule ends when it is told to, after no more than a step.
func TestOverMinimising(t *testing.T) {
	f := newFake("go 1; go 2; join 1; join 2; assert x==2", "load x; inc x", "load x; inc x")
	opts := options("random")
	opts.NoMinimise, opts.Match = true, false
	r := run(t, f, opts)
	i := slices.IndexFunc(r.Bugs, func(b *Bug) bool { return b.Kind == Failure })
	if i < 0 {
		t.Fatalf("%v", r.Bugs)
	}
	for limit := 1; limit < 200; limit += 7 {
		b := *r.Bugs[i]
		asked, since := 0, f.steps
		over := func() bool {
			if asked++; asked <= limit {
				since = f.steps
			}
			return asked > limit
		}
		minimise(f, &b, opts, bugBudget, over)
		if asked > limit && f.steps > since+1 {
			t.Errorf("%d steps after the end", f.steps-since)
		}
		if err := narrate(f, &b); err != nil {
			t.Errorf("after %d questions: %v", limit, err)
		}
	}
}

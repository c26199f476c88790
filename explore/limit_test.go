package explore

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/internal/faketest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
)

// TestTimeoutStart: the time of the exploration does not include building the program, but includes
// what the machine executes before the search. The clock is that of a bubble.
func TestTimeoutStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := options("full")
		opts.Timeout = time.Second
		f := faketest.New("store x 1")
		slow := entryOf(f, "F")
		slow.New = func(func() bool) (describe.Machine, error) {
			time.Sleep(time.Hour)
			return f, nil
		}
		if r, err := Run(t.Context(), slow, opts); err != nil || r.Verdict != OK {
			t.Errorf("a program that is built slowly: %v, %v", r.Verdict, err)
		}
		endless := entryOf(f, "F")
		endless.New = func(interrupted func() bool) (describe.Machine, error) {
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

// TestInitialising: the share of an entry begins when its packages are initialised, which has a bound of its
// own, also for the searches of a portfolio. The clock is that of a bubble.
func TestInitialising(t *testing.T) {
	for _, portfolio := range []bool{false, true} {
		testInitialising(t, portfolio)
	}
}

func testInitialising(t *testing.T, portfolio bool) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ takes, timeout, most, want time.Duration }{
			{2 * time.Second, time.Second, 3 * time.Second, 0},
			{2 * time.Second, time.Second, 0, time.Second},
			{5 * time.Second, time.Second, 3 * time.Second, 3 * time.Second},
			{5 * time.Second, 4 * time.Second, 3 * time.Second, 4 * time.Second},
		} {
			opts := options("full")
			opts.Timeout, opts.Share, opts.Initialising = tt.timeout, true, tt.most
			f := faketest.New("store x 1")
			e := entryOf(f, "F")
			e.New = func(interrupted func() bool) (describe.Machine, error) {
				for begin := time.Now(); time.Since(begin) < tt.takes && !interrupted(); {
					time.Sleep(time.Second / 10)
				}
				return f, nil
			}
			if portfolio {
				p := opts
				p.Timeout, p.Share, p.Initialising = 0, false, 0
				opts.Portfolio = &Portfolio{Searches: []Options{p}}
			}
			r, err := Run(t.Context(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			stopped := time.Duration(0)
			for _, x := range r.Incomplete {
				if text, ok := strings.CutSuffix(strings.TrimPrefix(x.Bound.Text, "stopped after "), ", its share (--budget)"); ok {
					if stopped, err = time.ParseDuration(text); err != nil {
						t.Fatal(err)
					}
				}
			}
			if stopped != tt.want || (r.Verdict == OK) != (tt.want == 0) {
				t.Errorf("portfolio %v, %+v: %v, stopped after %v", portfolio, tt, r.Verdict, stopped)
			}
		}
	})
}

// TestBeginning: what an entry itself does before its first operation takes time from its share, though it
// takes place while the machine is made; also if searches of a portfolio share the time. The clock is that
// of a bubble.
func TestBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			begins, want time.Duration
			verdict      Verdict
		}{
			{500 * time.Millisecond, 1600 * time.Millisecond, OK},
			{5 * time.Second, 2200 * time.Millisecond, Incomplete},
		} {
			for _, portfolio := range []bool{false, true} {
				opts := options("full")
				opts.Timeout, opts.Share, opts.Initialising = time.Second, true, time.Minute
				f := faketest.New("store x 1")
				e := entryOf(f, "F")
				e.Source = &load.Entry{Name: "F"}
				e.New = func(interrupted func() bool) (describe.Machine, error) {
					wait := func(d, poll time.Duration) {
						for begin := time.Now(); time.Since(begin) < d && !interrupted(); {
							time.Sleep(poll)
						}
					}
					wait(time.Second, time.Second/10) // for the packages
					defer e.Source.Enter()()
					wait(tt.begins, 3*time.Second/10) // at the end of the share there is no poll
					return f, nil
				}
				if portfolio {
					p := opts
					p.Timeout, p.Share, p.Initialising = 0, false, 0
					opts.Portfolio = &Portfolio{Searches: []Options{p}}
				}
				begin := time.Now()
				r, err := Run(t.Context(), e, opts)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took != tt.want || r.Verdict != tt.verdict || r.Stats.Load != time.Second {
					t.Errorf("portfolio %v, beginning for %v: %v after %v, %v of them for the packages", portfolio, tt.begins, r.Verdict, took, r.Stats.Load)
				}
			}
		}
	})
}

// TestUntil: several searches share one time, and a search ends with it. While machines are made, the shared
// time stands still, for at most a given time in all. The clock is that of a bubble.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		shared := &limit{ctx: t.Context(), timeout: 10 * time.Second, extra: 3 * time.Second}
		shared.start()
		own := &limit{ctx: shared.ctx, timeout: 20 * time.Second}
		own.start()
		sleep := func(n int) { time.Sleep(time.Duration(n) * time.Second) }
		ends := func(want int) {
			t.Helper()
			if end, ok := own.until(); !ok || end.Sub(begin) != time.Duration(want)*time.Second {
				t.Errorf("after %v it ends after %v, want %d s", time.Since(begin), end.Sub(begin), want)
			}
		}
		ends(10)
		one := shared.hold()
		sleep(1)
		two := shared.hold()
		one()
		sleep(1)
		two()
		ends(12)
		three := shared.hold()
		sleep(9)
		three()
		ends(13)
		sleep(1)
		if own.done() {
			t.Error("done after 12 s")
		}
		sleep(1)
		synctest.Wait()
		if why := own.reason(); why != "stopped after 10s (--timeout)" || shared.held != 3*time.Second {
			t.Errorf("after 13 s: %q, it stood for %v", why, shared.held)
		}
		own.release()
		shared.release()
	})
}

// TestOverAtOnce: after the time is up a search takes no more steps, and describes a bug that it
// has found from the schedule known by then.
func TestOverAtOnce(t *testing.T) {
	long := strings.Repeat("store x 1;", 40) + "fail now"
	for _, name := range []string{"full", "random"} {
		ctx, cancel := context.WithCancel(context.Background())
		f := faketest.New("go 1; go 2; join 1", long, strings.Repeat("store x 2;", 40)+"end")
		opts := options(name)
		opts.Match = false
		opts.MaxExecs = 1000
		s, err := prepare(ctx, entryOf(f, "F"), opts)
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
		before := f.Steps
		s.narrate()
		r := s.result
		if r.Verdict != Fail || len(r.Bugs) != 1 || len(r.Bugs[0].Events) == 0 || r.Bugs[0].Minimal {
			t.Fatalf("%s: %v %+v", name, r.Verdict, r.Bugs)
		}
		if steps, most := f.Steps-before, uint64(len(r.Bugs[0].Schedule)); steps != most {
			t.Errorf("%s: %d steps to describe a schedule of %d", name, steps, most)
		}
	}
}

// TestOverMinimising: simplifying a schedule takes at most one more step after the request to end.
func TestOverMinimising(t *testing.T) {
	f := faketest.New("go 1; go 2; join 1; join 2; assert x==2", "load x; inc x", "load x; inc x")
	opts := options("random")
	opts.NoMinimise, opts.Match = true, false
	r := run(t, f, opts)
	i := slices.IndexFunc(r.Bugs, func(b *bug.Bug) bool { return b.Kind == bug.Failure })
	if i < 0 {
		t.Fatalf("%v", r.Bugs)
	}
	for limit := 1; limit < 200; limit += 7 {
		b := *r.Bugs[i]
		asked, since := 0, f.Steps
		over := func() bool {
			if asked++; asked <= limit {
				since = f.Steps
			}
			return asked > limit
		}
		schedule.Minimise(f, &b, opts.POR, opts.bounds(), bugBudget, over)
		if asked > limit && f.Steps > since+1 {
			t.Errorf("%d steps after the end", f.Steps-since)
		}
		if err := schedule.Narrate(f, &b, nil); err != nil {
			t.Errorf("after %d questions: %v", limit, err)
		}
	}
}

// TestUntold: if there is no time to narrate a bug, its report has only the findings of the search. Its
// schedule, which is not executed again, shows the bug.
func TestUntold(t *testing.T) {
	for _, name := range []string{"full", "random"} {
		code := []string{"go 1; go 2; join 1; join 2; assert x==2", "load x; inc x", "load x; inc x"}
		ctx, cancel := context.WithCancel(t.Context())
		f := faketest.New(code...)
		opts := options(name)
		opts.Match = false
		s, err := prepare(ctx, entryOf(f, "F"), opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.finish(s.search()); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(s.result.Bugs, func(b *bug.Bug) bool { return b.Kind == bug.Failure })
		if i < 0 {
			t.Fatalf("%s: %v", name, s.result.Bugs)
		}
		b := s.result.Bugs[i]
		found := slices.Clone(b.Schedule)
		cancel()
		s.limit.late = time.Now().Add(-1)
		before := f.Steps
		s.narrate()
		if !b.Untold || b.Warning || !slices.Equal(b.Schedule, found) || f.Steps != before {
			t.Fatalf("%s: untold %v, schedule %v, found %v, %d steps", name, b.Untold, b.Schedule, found, f.Steps-before)
		}
		rec := schedule.Recording{Kind: b.Kind, Pos: b.Pos, Same: func(x *bug.Bug) bool { return x.Detail == b.Detail }, Events: b.Events}
		_, again, err := schedule.Replay(faketest.New(code...), rec)
		if err != nil || again == nil || again.Untold {
			t.Fatalf("%s: %v, %v", name, again, err)
		}
		told := *b
		if err := schedule.Narrate(f, &told, nil); err != nil || faketest.Schedule(told.Events) != faketest.Schedule(again.Events) || told.Preemptions != again.Preemptions {
			t.Errorf("%s: %v: told %s, replayed %s", name, err, faketest.Schedule(told.Events), faketest.Schedule(again.Events))
		}
	}
}

// TestReserve: a search ends early by the cost of narrating its longest schedule, but by at most a
// quarter of its time.
func TestReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			longest int
			each    time.Duration
			ends    time.Duration // before the time is up
		}{
			{longNarrating - 1, time.Second, 0},
			{longNarrating, time.Millisecond, 2 * time.Second},
			{100_000, time.Millisecond, 15 * time.Second},
		} {
			l := &limit{ctx: t.Context(), timeout: time.Minute}
			l.start()
			began := time.Now()
			for !l.passed() {
				time.Sleep(time.Millisecond)
				l.reserve(tt.longest, uint64(time.Since(began)/tt.each)+1, began)
			}
			left := time.Minute - time.Since(began)
			if left < tt.ends-100*time.Millisecond || left > tt.ends+100*time.Millisecond {
				t.Errorf("%+v: ended %v before", tt, left)
			}
			if l.reason() != "stopped after 1m0s (--timeout)" {
				t.Error(l.reason())
			}
			l.release()
		}
	})
}

// TestSavingTime: a search that has to be saved continues for a moment after its time. The moment
// is a small part of its time.
func TestSavingTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ timeout, most time.Duration }{{5 * time.Second, time.Second / 2}, {time.Hour, mostSaving}} {
			l := &limit{ctx: t.Context(), timeout: tt.timeout}
			l.saving.Add(1)
			l.start()
			began, tick := time.Now(), tt.timeout/5000
			for !l.passed() {
				time.Sleep(tick)
			}
			if took := time.Since(began) - tt.timeout; took < tt.most || took > tt.most+10*tick {
				t.Errorf("%v: it continued for %v", tt.timeout, took)
			}
			l.release()
		}
	})
}

// TestCutBeforeSaved: the result says that an execution was cut because time was up, even while the
// search may continue because it has to be saved.
func TestCutBeforeSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limit{ctx: t.Context(), timeout: 10 * time.Second}
		l.start()
		defer l.release()
		time.Sleep(l.timeout)
		synctest.Wait()
		l.saving.Add(1)
		if !l.ending() || l.passed() {
			t.Fatal("the search may not go on")
		}
		c := &collector{limit: l}
		if c.cut(&describe.Ending{Unsupported: "interrupted", Interrupted: true}) {
			t.Error("the search goes on")
		}
		want := []Reason{{Cause: CauseStopped, Text: "stopped after 10s (--timeout)"}}
		if !slices.Equal(c.incomplete.List, want) {
			t.Errorf("%+v", c.incomplete.List)
		}
	})
}

// TestExtend: the share of an entry in the time of a run is extended once, if there is a bug to describe. A
// time that the user has set, and a share that has passed, are not extended.
func TestExtend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, share := range []bool{true, false} {
			whole := &limit{ctx: t.Context(), timeout: 10 * time.Minute}
			whole.start()
			entry := &limit{ctx: whole.ctx, timeout: time.Second, share: share}
			entry.start()
			own := &limit{ctx: entry.ctx, timeout: 5 * time.Minute}
			own.start()
			own.extend()
			own.extend()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if own.done() == share {
				t.Errorf("share %v: done %v after 2 s", share, own.done())
			}
			time.Sleep(narrateShare)
			synctest.Wait()
			if own.extend(); !own.done() || own.reason() == "" {
				t.Errorf("share %v: not done after 62 s", share)
			}
			own.release()
			entry.release()
			whole.release()
		}
	})
}

// TestOutOfTime: if time is up after a search that its work has ended, the verdict names the time.
func TestOutOfTime(t *testing.T) {
	cut := por.Reason{Bound: por.BoundSteps, Limit: 10, Count: 2}
	list := []por.Reason{{Bound: por.BoundPoll, Text: workLimit}, cut}
	got := outOfTime(list, false, "stopped after 1s")
	if want := []por.Reason{{Bound: por.BoundPoll, Text: "stopped after 1s"}, cut}; !slices.Equal(got, want) || list[0].Text != workLimit {
		t.Errorf("%v, want %v", got, want)
	}
	got = outOfTime([]por.Reason{{Bound: por.BoundSampled, Count: 3}, cut}, true, "stopped after 1s")
	if want := []por.Reason{{Bound: por.BoundPoll, Text: "stopped after 1s"}, cut}; !slices.Equal(got, want) {
		t.Errorf("samples: %v, want %v", got, want)
	}
}

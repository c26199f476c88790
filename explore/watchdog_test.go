package explore

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A watchdog measures how much is executed between two checks of whether to stop. Its clock is the
// work of the machine: back edges, calls and steps, each of which takes 20 ns to a microsecond.
type watchdog struct {
	m    describe.Machine
	last uint64
	most uint64 // between two checks
	in   string // the phase in which that was
	at   string // the present phase
}

// mostUnwatched is the maximum work without a check: some 10 ms.
const mostUnwatched = 1 << 16

func (w *watchdog) asked() {
	if w.m == nil {
		return
	}
	now := w.m.Counters().Instructions
	if d := now - w.last; now > w.last && d > w.most { // those of a saved search are fewer
		w.most, w.in = d, w.at
	}
	w.last = now
}

// watched are programs with much work in one step, many steps, or much to narrate.
var watched = map[string]string{
	"long steps": `package main
import "sync"
func main() {
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			m := make(map[int]int)
			for i := range 200_000 { m[i%1000] += i }
			n += len(m)
			mu.Unlock()
		})
	}
	wg.Wait()
	if n > 0 { panic("found") }
}`,
	"many steps": `package main
import ("sync"; "sync/atomic")
func main() {
	var a atomic.Int32
	var wg sync.WaitGroup
	for range 2 { wg.Go(func() { for range 1500 { a.Add(1); a.Load() } }) }
	wg.Wait()
	if a.Load() > 0 { panic("found") }
}`,
	"recursion": `package main
import "sync/atomic"
func deep(n int) int { if n == 0 { return 0 }; return deep(n-1) + 1 }
func main() {
	var a atomic.Int32
	go func() { a.Add(1) }()
	a.Add(1)
	if deep(300_000) > 0 { panic("found") }
}`,
}

// TestWatchdog: every phase of an exploration checks often whether it has to end: making the
// machine, searching with and without facts, minimising, narrating.
func TestWatchdog(t *testing.T) {
	names := []string{"optimal", "jpf"}
	if !deep.Quick() {
		names = append(names, "source", "clockvector", "full", "random", "pos", "context", "graph")
	}
	for program, src := range watched {
		prog := vmtest.Load(t, src)
		for _, name := range names {
			w := &watchdog{at: "making the machine"}
			var inside func() bool
			e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				inside = interrupted
				m, err := describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: func() bool { w.asked(); return interrupted() }})
				w.m = m
				return m, err
			}}
			opts := Options{POR: explorers.With(name), MaxExecs: 3, MaxSteps: 20_000, Hybrid: oracle.MHB, LazyAnalysis: true}
			opts.Match = opts.POR.Stateful && !opts.POR.Stateless
			s, err := prepare(context.Background(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			s.limit.asked = w.asked
			w.at = "searching"
			w.last = w.m.Counters().Instructions
			found := s.search()
			if inside == nil || found.Transitions == 0 {
				t.Fatalf("%s, %s: %+v", program, name, found)
			}
			if err := s.finish(found); err != nil {
				t.Fatal(err)
			}
			if len(s.result.Bugs) == 0 {
				t.Errorf("%s, %s: no bug to narrate: %+v", program, name, s.result.Incomplete)
			}
			w.at = "telling"
			w.asked()
			s.narrate()
			w.asked()
			if w.most > mostUnwatched {
				t.Errorf("%s, %s: %d operations without a check, %s", program, name, w.most, w.in)
			}
		}
	}
}

// TestHurry: when hurried, an exploration that has to end waits for nothing.
func TestHurry(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hurry := make(chan struct{})
	l := &limit{ctx: WithHurry(ctx, hurry)}
	l.saving.Add(1)
	if l.narrationOver() || l.passed() {
		t.Error("it ends by itself")
	}
	cancel()
	if l.narrationOver() || l.passed() {
		t.Error("it does not wait for what is to be saved and told")
	}
	close(hurry)
	if !l.narrationOver() || !l.passed() {
		t.Error("it does not hurry")
	}
}

// TestWatchedResume: reading a saved search, executing again what it has executed, and going back to its
// state check often whether to end. An exploration that ends there leaves the file as it is, and the next one
// continues it.
func TestWatchedResume(t *testing.T) {
	prog := vmtest.Load(t, watched["many steps"])
	for _, name := range []string{"optimal", "jpf"} {
		dir := t.TempDir()
		keep := func(resume bool) *Keep {
			return &Keep{Dir: dir, Header: saved.Header{{Name: "name", Value: name}}, Resume: resume}
		}
		var w *watchdog
		// explore explores until the search has checked for the n-th time whether to end.
		explore := func(n, executions int, k *Keep) (asked int, r *Result) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w = &watchdog{at: "resuming"}
			ask := func() {
				if asked++; asked == n {
					cancel()
				}
				w.asked()
			}
			e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				m, err := describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: func() bool { ask(); return interrupted() }})
				w.m = m
				return m, err
			}}
			opts := Options{POR: explorers.With(name), MaxExecs: uint64(executions), MaxSteps: 20_000, NoMinimise: true, All: true, Keep: k}
			opts.Match, opts.phase = opts.POR.Stateful && !opts.POR.Stateless, "search"
			e, opts, _, err := opts.Keep.resumed(ctx, e, opts, "search")
			if err != nil {
				t.Fatal(err)
			}
			s, err := prepare(ctx, e, opts)
			if err != nil {
				t.Fatal(err)
			}
			if s.keeper != nil {
				s.limit.saving.Add(-1) // the end waits for nothing
				s.keeper.waited = false
			}
			s.limit.asked, w.last = ask, w.m.Counters().Instructions
			if err := s.finish(s.search()); err != nil {
				t.Fatal(err)
			}
			return asked, s.result
		}
		_, whole := explore(0, 4, &Keep{Dir: t.TempDir()})
		k := keep(false)
		points := 0
		k.Points = func() bool { points++; return points == 3_500 }
		if _, r := explore(0, 4, k); r.Stats.Executions != whole.Stats.Executions {
			t.Fatalf("%s: saving makes a difference: %+v", name, r.Stats)
		}
		file := filepath.Join(dir, "search.hbs")
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check := func(at int) {
			t.Helper()
			if w.most > mostUnwatched {
				t.Errorf("%s, stopped at check %d: %d operations without a check", name, at, w.most)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) {
				t.Errorf("%s, stopped at check %d: the file is another one: %v", name, at, err)
			}
		}
		least := 0 // checks until the search continues
		for n := 1; ; n += 1 + n/3 {
			k := keep(true)
			k.Points = func() bool { least = max(least, n); return false }
			_, r := explore(n, 4, k)
			check(n)
			if least > 0 {
				break
			}
			if r.Verdict != Incomplete || len(r.Bugs) > 0 || r.Stats.Executions > 0 || !r.stopped() {
				t.Errorf("%s, stopped at check %d: %v, %d executions, %v", name, n, r.Verdict, r.Stats.Executions, r.Incomplete)
			}
		}
		if least < 1000 {
			t.Errorf("%s: only %d checks until the search continues", name, least)
		}
		if _, r := explore(0, 4, keep(true)); r.Verdict != whole.Verdict || r.Stats.Executions != whole.Stats.Executions || len(r.Bugs) != len(whole.Bugs) {
			t.Errorf("%s: %v, %d executions, %d bugs, want %v, %d, %d", name, r.Verdict, r.Stats.Executions, len(r.Bugs),
				whole.Verdict, whole.Stats.Executions, len(whole.Bugs))
		}
	}
}

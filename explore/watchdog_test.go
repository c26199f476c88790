package explore

import (
	"context"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A watchdog measures how much is executed between two checks of whether to stop. Its clock is the
// work of the machine: back edges, calls and steps, each of which takes 20 ns to a microsecond.
type watchdog struct {
	m    Machine
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
	if d := now - w.last; d > w.most {
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
			e := Entry{Name: "main", New: func(interrupted func() bool) (Machine, error) {
				inside = interrupted
				m, err := NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: func() bool { w.asked(); return interrupted() }})
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
				t.Errorf("%s, %s: nothing to tell: %+v", program, name, s.result.Incomplete)
			}
			w.at = "telling"
			w.asked()
			s.narrate()
			w.asked()
			if w.most > mostUnwatched {
				t.Errorf("%s, %s: %d are executed without a look, %s", program, name, w.most, w.in)
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
	if l.untold() || l.passed() {
		t.Error("it ends by itself")
	}
	cancel()
	if l.untold() || l.passed() {
		t.Error("it does not wait for what is to be saved and told")
	}
	close(hurry)
	if !l.untold() || !l.passed() {
		t.Error("it does not hurry")
	}
}

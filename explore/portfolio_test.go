package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// portfolioPrograms get their answers in different phases: in an attempt, by a sample, by the first search
// while the second runs, and by the second.
var portfolioPrograms = []struct{ name, src, want string }{
	{"attempt", `package main
import "sync"
func main() {
	var mu sync.Mutex
	for range 2 { go func() { mu.Lock(); mu.Unlock() }() }
}`, "optimal"},
	{"sample", `package main
import ("sync"; "sync/atomic")
func main() {
	var n [8]atomic.Int32
	var wg sync.WaitGroup
	for i := range int32(4) { wg.Go(func() { for j := range n { n[j].Store(i) } }) }
	wg.Wait()
	if n[0].Load() == 0 && n[1].Load() == 0 && n[2].Load() == 0 { panic("the first is the last") }
}`, "pos"},
	{"second", `package main
import ("sync"; "sync/atomic")
func main() {
	var a, b atomic.Int32
	var wg sync.WaitGroup
	for i := range int32(3) { wg.Go(func() { for range 5 { a.Add(i); b.Store(i) } }) }
	wg.Wait()
	if a.Load() != 15 { panic("lost") }
}`, "jpf"},
	{"first", `package main
import "sync"
func main() {
	var wg sync.WaitGroup
	for range 4 {
		var mu sync.Mutex
		for range 2 { wg.Go(func() { for range 2 { mu.Lock(); mu.Unlock() } }) }
	}
	wg.Wait()
}`, "optimal"},
	{"second attempt", `package main
import "sync"
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 7 { wg.Go(func() { mu.Lock(); mu.Unlock() }) }
	wg.Wait()
}`, "jpf"},
	{"given up", `package main
import "sync/atomic"
func main() {
	var n, stop atomic.Int32
	go func() { for stop.Load() == 0 { n.Store(n.Load() ^ 1) } }()
	stop.Store(1)
}`, "jpf"},
}

func portfolioOf(match bool) *Portfolio {
	sample := func(name string) Options { return Options{POR: explorers.With(name), MaxExecs: 50, MaxSteps: 10_000} }
	return &Portfolio{
		Samples: []Options{sample("random"), sample("pos")},
		Searches: []Options{
			{POR: explorers.With("optimal"), MaxSteps: 2000, StopTruncated: true},
			{POR: explorers.With("jpf"), Match: match, Hybrid: oracle.MHB, LazyAnalysis: true},
		},
	}
}

// rare is a program whose bug takes one preemption, at one of many places, and which has too many
// executions for all other searches.
const rare = `package main
import "sync/atomic"
func main() {
	var a, b, c, torn atomic.Int32
	done := make(chan bool)
	for i := range int32(3) {
		go func() {
			for j := range int32(9) { c.Store(c.Load()*3 + i + j) }
			done <- true
		}()
	}
	go func() {
		for range 9 { a.Add(1); b.Add(1) }
		done <- true
	}()
	go func() {
		if a.Load() == 5 && b.Load() == 4 && a.Load() == 5 && b.Load() == 4 && c.Load() == 0 && a.Load() == 5 { torn.Store(1) }
		done <- true
	}()
	for range 5 { <-done }
	if torn.Load() == BUG { panic("torn") }
}`

// TestLadder: searching by increasing preemptions finds the bug, with the same result whatever the
// speed of the searches. Without the bug the result has the progress of the search.
func TestLadder(t *testing.T) {
	deep.Skip(t, "it executes more than a million steps")
	var delay func()
	explore := func(src string, p *Portfolio) *Result {
		prog := vmtest.Load(t, src)
		p.Graded = &Options{POR: explorers.With("jpf"), Match: true, LimitPreempt: true}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			delay()
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
		}}
		r, err := Run(context.Background(), e, Options{Portfolio: p})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var found uint64
	var left Graded
	for run := range 2 {
		r := rand.New(rand.NewPCG(2, uint64(run)))
		delay = func() { time.Sleep(time.Duration(r.IntN(50*run+1)) * time.Millisecond) }
		res := explore(strings.Replace(rare, "BUG", "1", 1), portfolioOf(true))
		if res.Verdict != Fail || res.POR != "jpf" || res.Within == nil || *res.Within != 1 || res.Bugs[0].Preemptions != 1 {
			t.Fatalf("%s by %s, within %v", res.Verdict, res.POR, res.Within)
		}
		steps := res.Stats.Transitions
		p := portfolioOf(true)
		p.Searches[0].MaxExecs, p.Searches[1].MaxStates = 40_000, 5_000
		res = explore(strings.Replace(rare, "BUG", "2", 1), p)
		g := res.Graded
		if res.Verdict != Incomplete || res.Within != nil || g == nil || g.Preempt < 0 || g.Next == 0 {
			t.Fatalf("%s, %+v", res.Verdict, g)
		}
		if c := res.Choices; c == nil || c.Pos.Line != 8 || c.What != "c" {
			t.Errorf("most choices are %+v, want those of c in line 8", c)
		}
		if run == 0 {
			found, left = steps, *g
			t.Logf("%d steps; %+v", steps, left)
		}
		if steps != found || !reflect.DeepEqual(*g, left) {
			t.Errorf("run %d: %d steps, %+v", run, steps, *g)
		}
	}
}

// long is a program whose bug takes two switches in the middle of an execution of a thousand steps.
const long = `package main
import ("sync"; "sync/atomic")
func main() {
	var n, a atomic.Int32
	var wg sync.WaitGroup
	work := func() { for range 150 { a.Store(a.Load() + 1) } }
	for range 2 {
		wg.Go(func() {
			work()
			n.Store(n.Load() + 1)
			work()
		})
	}
	wg.Wait()
	if n.Load() != 2 { panic("lost") }
}`

// TestDraw: if executions are so long that few are drawn in the beginning, more are drawn later.
// They find bugs that searches do not reach; the answer is the same whatever the speed of the
// searches.
func TestDraw(t *testing.T) {
	prog := vmtest.Load(t, long)
	first := ""
	for run := range 2 {
		r := rand.New(rand.NewPCG(3, uint64(run)))
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			time.Sleep(time.Duration(r.IntN(50*run+1)) * time.Millisecond)
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
		}}
		p := portfolioOf(true)
		p.Graded = &Options{POR: explorers.With("jpf"), Match: true, LimitPreempt: true}
		p.Searches[0].MaxExecs, p.Searches[1].MaxStates = 100_000, 100_000
		res, err := Run(context.Background(), e, Options{Portfolio: p})
		if err != nil || len(res.Bugs) == 0 {
			t.Fatal(res, err)
		}
		got := fmt.Sprintf("%s by %s, within %v: %d executions, %d steps; %d preemptions", res.Verdict, res.POR,
			res.Within, res.Stats.Executions, res.Stats.Transitions, res.Bugs[0].Preemptions)
		if first == "" {
			first = got
			t.Log(got)
		}
		if got != first || res.POR != "random" && res.POR != "pos" || res.Within != nil {
			t.Errorf("run %d: %s\nbefore %s", run, got, first)
		}
	}
}

// TestPortfolio: the answer is that of the search that takes the least work alone. It is the same
// whatever the speed of the searches, and with several workers.
func TestPortfolio(t *testing.T) {
	for _, tt := range portfolioPrograms {
		t.Run(tt.name, func(t *testing.T) {
			prog := vmtest.Load(t, tt.src)
			var delay func()
			e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				delay()
				return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
			}}
			var first string
			for run := range deep.Pick(2, 8) {
				r := rand.New(rand.NewPCG(1, uint64(run)))
				delay = func() { time.Sleep(time.Duration(r.IntN(30*run+1)) * time.Millisecond) }
				procs := runtime.GOMAXPROCS(1 + run%3)
				p := portfolioOf(true)
				p.Searches[0].Jobs = max(1, run-3) // 1 to 4
				opts := Options{Portfolio: p, Progress: func(Progress) { runtime.Gosched() }}
				res, err := Run(context.Background(), e, opts)
				runtime.GOMAXPROCS(procs)
				if err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprintf("%s %s: %d executions, %d states, %d steps, %d bugs, %d sampled", res.Verdict, res.POR,
					res.Stats.Executions, res.Stats.States, res.Stats.Transitions, len(res.Bugs), res.Sampled)
				if first == "" {
					first = got
					t.Log(got)
				}
				if got != first {
					t.Errorf("run %d: %s\nbefore %s", run, got, first)
				}
				if res.POR != tt.want {
					t.Errorf("the answer is that of %s, want %s", res.POR, tt.want)
				}
			}
		})
	}
}

// TestInterruptedSample: a portfolio that is interrupted while it draws executions says so. It does
// not mention the bounds of the sample, which are not the user's.
func TestInterruptedSample(t *testing.T) {
	prog := vmtest.Load(t, long)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	p := portfolioOf(true)
	for i := range p.Samples {
		e := *p.Samples[i].POR
		search := e.Run
		e.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
			cancel(errors.New("that is enough"))
			cfg.LimitPreempt = true
			return search(sys, v, cfg)
		}
		p.Samples[i].POR = &e
	}
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	r, err := Run(ctx, e, Options{Portfolio: p})
	if err != nil {
		t.Fatal(err)
	}
	want := []Reason{{Cause: CauseBound, Bound: por.Reason{Bound: por.BoundPoll, Text: "that is enough"}}}
	if r.Verdict != Incomplete || !reflect.DeepEqual(r.Incomplete, want) {
		t.Errorf("%s: %v, want %v", r.Verdict, r.Incomplete, want)
	}
}

// TestLateLong: if much of the time is over when the first search turns out to have long executions, no
// search starts for which later ones would wait.
func TestLateLong(t *testing.T) {
	prog := vmtest.Load(t, strings.ReplaceAll(long, "150", "1500"))
	p := portfolioOf(true)
	p.Graded = &Options{POR: explorers.With("jpf"), Match: true, LimitPreempt: true}
	first := *p.Searches[0].POR
	search, slow := first.Run, true
	first.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
		if slow {
			time.Sleep(600 * time.Millisecond)
		}
		slow = false
		return search(sys, v, cfg)
	}
	p.Searches[0].POR = &first
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	done := make(chan error, 1)
	go func() {
		_, err := Run(context.Background(), e, Options{Portfolio: p, Timeout: 2 * time.Second})
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(5 * time.Minute):
		t.Fatal("it does not end")
	}
}

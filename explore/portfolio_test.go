package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// portfolioPrograms have answers in different phases: in the attempt, by a sample, by the first
// search beside the second, and by the second.
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
}`, "random"},
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
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 6 { wg.Go(func() { mu.Lock(); mu.Unlock() }) }
	wg.Wait()
}`, "optimal"},
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

// TestPortfolio: the answer is that of the search that alone takes the least work, and is the same
// however fast the searches are.
func TestPortfolio(t *testing.T) {
	for _, tt := range portfolioPrograms {
		t.Run(tt.name, func(t *testing.T) {
			prog := vmtest.Load(t, tt.src)
			var delay func()
			e := Entry{Name: "main", New: func(interrupted func() bool) (Machine, error) {
				delay()
				return NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
			}}
			var first string
			for run := range 4 {
				r := rand.New(rand.NewPCG(1, uint64(run)))
				delay = func() { time.Sleep(time.Duration(r.IntN(30*run+1)) * time.Millisecond) }
				procs := runtime.GOMAXPROCS(1 + run%3)
				opts := Options{Portfolio: portfolioOf(true), Progress: func(Progress) { runtime.Gosched() }}
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

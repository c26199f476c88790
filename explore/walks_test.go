package explore

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// longRare is a program with executions of thousands of steps, of which about one in twenty has the bug.
const longRare = `package main
import ("sync"; "sync/atomic")
func main() {
	var mu sync.Mutex
	n := 0
	work := func() {
		for range 60 { mu.Lock(); n++; mu.Unlock() }
	}
	var a, b atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { work(); a.Store(1); b.Store(1) })
	}
	wg.Go(func() {
		work()
		if a.Load() == 1 && b.Load() == 0 { panic("a without b") }
	})
	wg.Wait()
}`

// TestWalks: where executions are long, walks beside the searches find a bug that the first samples have
// missed, with the same result whatever the speed of the searches.
func TestWalks(t *testing.T) {
	prog := vmtest.Load(t, longRare)
	var steps uint64
	for run := range 2 {
		r := rand.New(rand.NewPCG(2, uint64(run)))
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			time.Sleep(time.Duration(r.IntN(50*run+1)) * time.Millisecond)
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
		}}
		p := portfolioOf(true)
		for i := range p.Samples {
			p.Samples[i].POR, p.Samples[i].RaiseSteps, p.Samples[i].Seed = explorers.With("surw"), true, 1
		}
		for i := range p.Searches {
			p.Searches[i].RaiseSteps = true
		}
		x, err := Run(context.Background(), e, Options{Portfolio: p, NoMinimise: true})
		if err != nil {
			t.Fatal(err)
		}
		if x.Verdict != Fail || x.POR != "surw" || x.Sampled < 5 {
			t.Fatalf("%s by %s, %d sampled", x.Verdict, x.POR, x.Sampled)
		}
		if run == 0 {
			steps = x.Stats.Transitions
		} else if x.Stats.Transitions != steps {
			t.Errorf("%d steps, before %d", x.Stats.Transitions, steps)
		}
	}
}

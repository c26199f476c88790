package explore

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestOneEnds: if no execution has ended yet, the first sample draws a complete one, even if that exceeds
// the work of a sample.
func TestOneEnds(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "sync"
func main() {
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { for range 2000 { mu.Lock(); n++; mu.Unlock() } })
	}
	wg.Wait()
}`)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	p := portfolioOf(true)
	drawn := uint64(0)
	for i := range p.Samples {
		e := *p.Samples[i].POR
		search := e.Run
		e.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
			r := search(sys, v, cfg)
			drawn += r.Executions
			cancel(errors.New("that is enough"))
			return r
		}
		p.Samples[i].POR, p.Samples[i].MaxSteps = &e, 1_000_000
	}
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	r, err := Run(ctx, e, Options{Portfolio: p})
	if err != nil {
		t.Fatal(err)
	}
	if drawn == 0 || r.Sampled != drawn {
		t.Errorf("%d executions drawn, %d counted", drawn, r.Sampled)
	}
}

// oneByOne is a program in which goroutines take turns: it has one execution, of as many steps as wanted.
const oneByOne = `package main
func main() {
	done, n := make(chan bool), 0
	for range 10 {
		go func() {
			for range ROUNDS {
				n++
			}
			done <- true
		}()
		<-done
	}
}`

// TestFirstEnds: if the only execution is long, the first search explores it and nothing is drawn.
func TestFirstEnds(t *testing.T) {
	r := exploreTurns(t, "300")
	if r.Verdict != OK || r.POR != "optimal" || r.Stats.Executions != 1 || r.Sampled > 0 {
		t.Errorf("%v by %s: %d executions, %d sampled", r.Verdict, r.POR, r.Stats.Executions, r.Sampled)
	}
	if r.Stats.Transitions < aloneWork || r.Work > attemptWork {
		t.Errorf("%d steps, %d work", r.Stats.Transitions, r.Work)
	}
}

// TestFirstEndsLong: if the only execution is very long, one is drawn to find its length, and then the first
// search explores it.
func TestFirstEndsLong(t *testing.T) {
	r := exploreTurns(t, "1500")
	if r.Verdict != OK || r.POR != "optimal" || r.Stats.Executions != 1 || r.Sampled > 2 {
		t.Errorf("%v by %s: %d executions, %d sampled", r.Verdict, r.POR, r.Stats.Executions, r.Sampled)
	}
	if r.Stats.Transitions < 2*attemptWork {
		t.Errorf("%d steps", r.Stats.Transitions)
	}
}

func exploreTurns(t *testing.T, rounds string) *Result {
	t.Helper()
	prog := vmtest.Load(t, strings.ReplaceAll(oneByOne, "ROUNDS", rounds))
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	p := portfolioOf(true)
	first := p.Samples[0]
	first.MaxExecs, first.LimitPreempt = 1, true
	p.First = &first
	for _, list := range [][]Options{p.Samples, p.Searches} {
		for i := range list {
			list[i].MaxSteps, list[i].StopTruncated = 1_000_000, false
		}
	}
	p.First.MaxSteps = 1_000_000
	r, err := Run(context.Background(), e, Options{Portfolio: p})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFarRead: the first sample of executions of more than farPath steps comes before a search of many of
// them, and predicts a race of an early access and a late one.
func TestFarRead(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "sync"
func main() {
	var mu sync.Mutex
	n, audited := 0, 0
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 3500 {
				if g == 1 && i == 5 { audited++ }
				mu.Lock()
				n++
				if g == 3 && i == 3495 { audited++ }
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}`)
	r := runFar(t, prog)
	if r.Verdict != Fail || r.Work > fewRead*2*farPath {
		t.Errorf("%v after %d steps", r.Verdict, r.Work)
	}
}

// runFar explores an entry with long executions.
func runFar(t *testing.T, prog *load.Program) *Result {
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	p := portfolioOf(true)
	p.Samples[0].POR = explorers.With("surw")
	whole := p.Searches[1]
	whole.WholeCalls = true
	p.Whole = &whole
	first := p.Samples[0]
	first.MaxExecs, first.LimitPreempt = 1, true
	p.First = &first
	for _, x := range []*Options{p.First, p.Whole, &p.Samples[0], &p.Samples[1], &p.Searches[0], &p.Searches[1]} {
		x.MaxSteps, x.StopTruncated = 1_000_000, false
	}
	r, err := Run(context.Background(), e, Options{Portfolio: p})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFarWhole: if executions have more than farPath steps, because one goroutine takes nearly all of them,
// the search with uninterrupted calls needs a few executions, and comes before the first sample.
func TestFarWhole(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "sync"
func main() {
	var mu sync.Mutex
	var m sync.Map
	start := make(chan bool)
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			<-start
			m.Store(g, g)
			mu.Lock()
			m.Load(1-g)
			mu.Unlock()
		})
	}
	for range 30_000 {
		mu.Lock()
		mu.Unlock()
	}
	close(start)
	wg.Wait()
}`)
	r := runFar(t, prog)
	if r.Verdict != OK || r.POR != "jpf" || r.Sampled > 1 || r.Work > 4*farPath {
		t.Errorf("%v by %s: %d sampled executions, %d steps", r.Verdict, r.POR, r.Sampled, r.Work)
	}
}

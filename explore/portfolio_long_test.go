package explore

import (
	"context"
	"errors"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
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

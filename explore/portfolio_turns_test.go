package explore

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/strategy"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// late is a program whose bug depends on the first step, which a depth-first search changes last.
const late = `package main
import "sync"
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	x, first := 1, -1
	for i := range 4 {
		wg.Go(func() {
			for range 4 {
				mu.Lock()
				x = (x*3 + i) % 7
				if first < 0 { first = i }
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if first == 2 { panic("found") }
}`

// TestTurns: while several searches run, none gets far ahead of another, though one is much slower.
// So when one finds a bug, the other has next to nothing left to do before the bug is reported.
func TestTurns(t *testing.T) {
	prog := vmtest.Load(t, late)
	p := portfolioOf(true)
	p.Samples = nil
	var at [2]atomic.Uint64 // work of the searches after their last poll
	var found, left uint64  // work of the second when it ends, and of the first at that time
	for i := range p.Searches {
		x := *p.Searches[i].POR
		search := x.Run
		x.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
			poll := cfg.Poll
			cfg.Poll = func(q por.Progress) string {
				if i == 0 && q.Work() > aloneWork {
					time.Sleep(100 * time.Microsecond)
				}
				at[i].Store(q.Work())
				return poll(q)
			}
			r := search(sys, v, cfg)
			if i == 1 {
				found, left = r.Work(), at[0].Load()
			}
			return r
		}
		p.Searches[i].POR = &x
	}
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	r, err := Run(context.Background(), e, Options{Portfolio: p})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Fail || r.POR != "jpf" || found < 4*strategy.OneTurn {
		t.Fatalf("%s by %s after %d, want a bug that jpf finds after several turns", r.Verdict, r.POR, found)
	}
	const most = strategy.OneTurn + strategy.OneTurn/4 // searches poll every 256 steps
	if end := at[0].Load(); left+most < found || end > left+most {
		t.Errorf("found after %d; the other search has worked %d by then, and %d when the bug counts", found, left, end)
	}
}

package explore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/vm"
)

// crowded has some hundred thousand states and about 10^17 classes of executions.
const crowded = `package main
import "sync"
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	x := 1
	for i := range 5 {
		wg.Go(func() { for range 6 { mu.Lock(); x = (x*3 + i) % 7; mu.Unlock() } })
	}
	wg.Wait()
}`

// TestSlow: once an estimate shows that the first search will not end soon, it does only a fraction of the
// work of the search beside it. The answer is that of the other search, and the same with several workers.
func TestSlow(t *testing.T) {
	deep.Skip(t, "it executes some million steps")
	prog := vmtest.Load(t, crowded)
	var before string
	for _, jobs := range []int{1, 3} {
		opts := Options{Portfolio: portfolioOf(true)}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
		}}
		p := &portfolio{ctx: context.Background(), entry: e, opts: &opts, begin: time.Now()}
		s, err := p.prepare(nil, p.options(opts.Portfolio.Searches[0]), "0", nil)
		if err != nil {
			t.Fatal(err)
		}
		lead := &contender{s: s, helped: jobs > 1}
		best, found, err := p.contest(lead)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(best.opts.POR.Name, found.Executions, found.States, found.Transitions, p.worked)
		if before == "" {
			before = got
		}
		worked := lead.found.Work()
		t.Logf("%s; the first search has worked %d", got, worked)
		most := judgedAt + (p.worked-judgedAt)/slowWeight
		if best.opts.POR.Name != "jpf" || got != before || !lead.slow || p.worked < judgedAt*3/2 || jobs == 1 && worked > most+most/50 {
			t.Errorf("%d workers: %s, before %s; the first search has worked %d, at most %d is wanted", jobs, got, before, worked, most)
		}
		best.limit.release()
	}
}

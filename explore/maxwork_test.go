package explore

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// manyOrders is a program with too many orders, and too many states, for any search.
const manyOrders = `package main
import ("sync"; "sync/atomic")
func main() {
	var n [4]atomic.Int64
	var wg sync.WaitGroup
	for g := range int64(4) {
		wg.Go(func() { for i := range int64(ROUNDS) { n[i%4].Store(n[(i+1)%4].Load()*7 + g) } })
	}
	wg.Wait()
}`

func mainOf(t *testing.T, src string) Entry {
	prog := vmtest.Load(t, src)
	return Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
}

// withinWork explores e twice, with a bound on the work: the results are the same, incomplete, and within
// one poll of the bound.
func withinWork(t *testing.T, e Entry, most, slack uint64, opts func() Options) {
	t.Helper()
	var first *Result
	for run := range 2 {
		o := opts()
		o.MaxWork = most
		if o.Portfolio != nil && run > 0 { // the searches that can be exhaustive are slower
			for i := range o.Portfolio.Searches {
				x := *o.Portfolio.Searches[i].POR
				search := x.Run
				x.Run = func(sys por.System, v por.Visitor, cfg por.Config) por.Result {
					poll := cfg.Poll
					cfg.Poll = func(p por.Progress) string {
						time.Sleep(20 * time.Microsecond)
						return poll(p)
					}
					return search(sys, v, cfg)
				}
				o.Portfolio.Searches[i].POR = &x
			}
		}
		r, err := Run(context.Background(), e, o)
		if err != nil {
			t.Fatal(err)
		}
		work := r.Stats.Work()
		if o.Portfolio != nil {
			work = r.Work
		}
		if r.Verdict != Incomplete || !slices.ContainsFunc(r.Incomplete, func(why Reason) bool { return why.Bound.Text == workBound }) {
			t.Errorf("%v: %v", r.Verdict, r.Incomplete)
		}
		if work < most || work > most+slack {
			t.Errorf("work %d, want at least %d and at most %d more", work, most, slack)
		}
		if first == nil {
			first = r
			continue
		}
		if r.Stats.Transitions != first.Stats.Transitions || r.Stats.Executions != first.Stats.Executions || r.Work != first.Work ||
			r.POR != first.POR || r.Sampled != first.Sampled {
			t.Errorf("%s: %d transitions, %d executions, work %d, %d sampled; then %s: %d transitions, %d executions, work %d, %d sampled",
				first.POR, first.Stats.Transitions, first.Stats.Executions, first.Work, first.Sampled,
				r.POR, r.Stats.Transitions, r.Stats.Executions, r.Work, r.Sampled)
		}
	}
}

// TestMaxWork: a bound on the work ends a search, and a portfolio, at the same step on every machine.
func TestMaxWork(t *testing.T) {
	e := mainOf(t, strings.ReplaceAll(manyOrders, "ROUNDS", "12"))
	withinWork(t, e, 50_000, 1_000, func() Options { return Options{POR: explorers.With("optimal")} })
	withinWork(t, e, 150_000, 5_000, func() Options { return Options{Portfolio: portfolioOf(true)} })
}

// TestMaxWorkSuffices: an answer below the bound is the answer without the bound.
func TestMaxWorkSuffices(t *testing.T) {
	e := mainOf(t, strings.ReplaceAll(oneByOne, "ROUNDS", "30"))
	r, err := Run(context.Background(), e, Options{Portfolio: portfolioOf(true), MaxWork: 20_000})
	if err != nil || r.Verdict != OK || r.Work >= 20_000 {
		t.Errorf("%v, %v, work %d", r.Verdict, err, r.Work)
	}
}

// TestMaxWorkLong: if executions are long, the bound holds for the first steps and the searches after them
// together.
func TestMaxWorkLong(t *testing.T) {
	e := mainOf(t, strings.ReplaceAll(manyOrders, "ROUNDS", "900"))
	long := func() Options {
		p := portfolioOf(true)
		for _, list := range [][]Options{p.Samples, p.Searches} {
			for i := range list {
				list[i].MaxSteps, list[i].StopTruncated = 1_000_000, false
			}
		}
		return Options{Portfolio: p}
	}
	withinWork(t, e, 60_000, 1_000, long)
	withinWork(t, e, 400_000, 1_000, long)
}

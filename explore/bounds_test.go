package explore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// longProgram has executions of some 10^5 steps, with locks, channels and atomics. Its arguments
// are the sizes.
const longProgram = `package main
import ("os"; "strconv"; "sync"; "sync/atomic")
func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var mu sync.Mutex
	var a atomic.Int64
	var wg sync.WaitGroup
	ch := make(chan int, 4)
	x := 0
	wg.Go(func() { for range n { mu.Lock(); x++; mu.Unlock(); a.Add(1) } })
	wg.Go(func() { for i := range n { ch <- i; if i%7 == 0 { a.Load() } }; close(ch) })
	for v := range ch { mu.Lock(); x += v; mu.Unlock() }
	wg.Wait()
	if x < 0 { panic("found") }
}`

// TestLongBounds: with each explorer, searches of long executions keep each bound. They end soon
// after they are told to, at a random moment, without a panic and with a verdict that says why they
// are incomplete.
func TestLongBounds(t *testing.T) {
	prog := vmtest.Load(t, longProgram)
	all := explorers.All()
	for _, seed := range deep.Seeds(t, 4, 120) {
		r := rand.New(rand.NewPCG(45, seed))
		x := all[int(seed)%len(all)]
		size := []int{300, 3000, 20_000}[r.IntN(3)]
		o := explore.Options{POR: x, Match: !x.Stateless && r.IntN(2) == 0 || !x.Stateless && !x.Stateful, NoMinimise: true, All: true, Seed: seed}
		if x.Stateful && !o.Match && !x.Stateless {
			o.Match = true
		}
		ctx, cancel := context.WithCancel(t.Context())
		bound, polls := "", 1<<r.IntN(10)
		switch r.IntN(5) {
		case 0:
			o.MaxExecs, bound = 1+r.Uint64N(3), "executions"
		case 1:
			o.MaxSteps, bound = 1+r.IntN(2*size), "steps"
		case 2:
			if o.Match {
				o.MaxStates, bound = 1+r.Uint64N(5000), "states"
			}
		case 3:
			if !x.NoPreemptionBound {
				o.LimitPreempt, o.Preempt, bound = true, r.IntN(2), "preemptions"
			}
		}
		o.Progress = func(explore.Progress) {
			if polls--; polls == 0 {
				cancel()
			}
		}
		what := fmt.Sprintf("seed %d: %s, match %v, size %d, bound on %s", seed, x.Name, o.Match, size, bound)
		res, err := explore.Run(ctx, explore.Entry{Package: "main", Name: "main", New: func(interrupted func() bool) (explore.Machine, error) {
			return explore.NewMachine(prog, prog.Entries[0], vm.Config{Args: []string{"main", fmt.Sprint(size)}, Races: true, Interrupt: interrupted})
		}}, o)
		stopped := ctx.Err() != nil
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		s := res.Stats
		t.Logf("%s: %s, stopped %v, %d executions, %d states, depth %d", what, res.Verdict, stopped, s.Executions, s.States, s.MaxDepth)
		if len(res.Mistakes) > 0 || len(res.Bugs) > 0 {
			t.Errorf("%s: mistakes %q, bugs %v", what, res.Mistakes, res.Bugs)
		}
		switch {
		case o.MaxExecs > 0 && s.Executions > o.MaxExecs, o.MaxStates > 0 && s.States > o.MaxStates, o.MaxSteps > 0 && s.MaxDepth > o.MaxSteps:
			t.Errorf("%s: the bound is not kept: %d executions, %d states, depth %d", what, s.Executions, s.States, s.MaxDepth)
		}
		if stopped && !slices.ContainsFunc(res.Incomplete, func(w explore.Reason) bool { return w.Cause == explore.CauseStopped || w.Cause == explore.CauseBound }) {
			t.Errorf("%s: stopped, and incomplete because of %v", what, res.Incomplete)
		}
		if stopped && res.Verdict != explore.Incomplete {
			t.Errorf("%s: stopped, and %s", what, res.Verdict)
		}
	}
}

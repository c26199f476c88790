package explore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// longProgram has executions of some 10^5 steps (in quick tests 10^4), with locks, channels and atomics. Its
// arguments are the sizes.
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

// TestLongBounds: with each explorer, searches of long executions keep each bound. A search that is
// interrupted at a random moment ends soon, without a panic and with a verdict that says why it is
// incomplete. So does a search that continues one saved at another random moment, or at the end.
func TestLongBounds(t *testing.T) {
	prog := vmtest.Load(t, longProgram)
	all := explorers.All()
	resumed := 0
	seeds, sizes := deep.Seeds(t, 2, 120), deep.Pick([]int{300, 1000, 1500}, []int{300, 3000, 20_000})
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(45, seed))
		x := all[int(seed)%len(all)]
		size := sizes[r.IntN(3)]
		o := explore.Options{POR: x, Match: !x.Stateless && r.IntN(2) == 0 || !x.Stateless && !x.Stateful, NoMinimise: true, All: true, Seed: seed}
		if x.Stateful && !o.Match && !x.Stateless {
			o.Match = true
		}
		bound := ""
		polls := []int{1 << r.IntN(10), 1 << r.IntN(10)}
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
		what := fmt.Sprintf("seed %d: %s, match %v, size %d, bound on %s", seed, x.Name, o.Match, size, bound)
		// run explores until the search has polled polls times.
		run := func(polls int, keep *explore.Keep) *explore.Result {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := o
			o.Keep, o.Progress = keep, func(explore.Progress) {
				if polls--; polls == 0 {
					cancel()
				}
			}
			res, err := explore.Run(ctx, explore.Entry{Package: "main", Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, prog.Entries[0], vm.Config{Args: []string{"main", fmt.Sprint(size)}, Races: true, Interrupt: interrupted})
			}}, o)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			stopped := ctx.Err() != nil
			s := res.Stats
			t.Logf("%s: %s, stopped %v, %d executions, %d states, depth %d", what, res.Verdict, stopped, s.Executions, s.States, s.MaxDepth)
			if len(res.Mistakes) > 0 || len(res.Bugs) > 0 {
				t.Errorf("%s: mistakes %q, bugs %v", what, res.Mistakes, res.Bugs)
			}
			steps := o.MaxSteps
			if x.Stateless {
				steps *= 3 // the others get as many again when they continue without one of three goroutines
			}
			switch {
			case o.MaxExecs > 0 && s.Executions > o.MaxExecs, o.MaxStates > 0 && s.States > o.MaxStates, o.MaxSteps > 0 && s.MaxDepth > steps:
				t.Errorf("%s: the bound is not kept: %d executions, %d states, depth %d", what, s.Executions, s.States, s.MaxDepth)
			}
			if stopped && !slices.ContainsFunc(res.Incomplete, func(w explore.Reason) bool { return w.Cause == explore.CauseStopped || w.Cause == explore.CauseBound }) {
				t.Errorf("%s: stopped, and incomplete because of %v", what, res.Incomplete)
			}
			if stopped && res.Verdict != explore.Incomplete {
				t.Errorf("%s: stopped, and %s", what, res.Verdict)
			}
			return res
		}
		keep := explore.Keep{Dir: t.TempDir()}
		copied := filepath.Join(t.TempDir(), "copied")
		points := 1 << r.IntN(12)
		keep.Points = func() bool { points--; return points == 0 }
		keep.Written = func() { // the process may be killed after this
			if err := os.CopyFS(copied, os.DirFS(keep.Dir)); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		}
		run(polls[0], &keep)
		if _, err := os.Stat(copied); err != nil {
			continue // it was never saved
		}
		res := run(polls[1], &explore.Keep{Dir: copied, Resume: true})
		if resumed++; res.Resumed == nil {
			t.Errorf("%s: what was saved is not continued", what)
		}
	}
	if t.Logf("%d of %d were continued", resumed, len(seeds)); resumed < len(seeds)/4 {
		t.Error("too few searches were saved")
	}
}

package stateful

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// quotient collects the findings of a search up to a permutation of goroutines with equal programs.
type quotient struct {
	toy           *toys.System
	leaves, races map[string]bool
	lassos        int
	restarts      int
}

func (q *quotient) Leaf(_ trace.Schedule, st por.Status) bool {
	here := q.toy.State
	q.toy.State, _ = q.toy.Sorted()
	if st == por.Ended || st == por.Stuck {
		q.leaves[q.toy.Ending()] = true
	}
	q.toy.State = here
	return true
}

func (q *quotient) Race(_ trace.Schedule, a, b trace.Op) bool {
	x := [2]string{fmt.Sprint(q.toy.Class(a.G), a.PC), fmt.Sprint(q.toy.Class(b.G), b.PC)}
	slices.Sort(x[:])
	q.races[fmt.Sprint(x)] = true
	return true
}

func (q *quotient) Livelock(trace.Schedule, int) bool { q.lassos++; return true }
func (q *quotient) Restart()                          { q.restarts++ }

// explored returns the findings of a search of toy.
func explored(toy *toys.System, symmetric bool, run func(por.System, por.Visitor, por.Config) por.Result, cfg por.Config) (*quotient, por.Result) {
	q := &quotient{toy: toy, leaves: map[string]bool{}, races: map[string]bool{}}
	if cfg.Symmetry = symmetric; symmetric {
		return q, run(toys.Symmetric{System: toy}, q, cfg)
	}
	return q, run(toy, q, cfg)
}

// TestSymmetry: with states matched up to symmetry a search finds all ends, races and
// livelocks, with a bound on preemptions, too, and Full stores one state of each orbit of
// the state graph.
func TestSymmetry(t *testing.T) {
	smaller, cycles, livelocks, bounded := 0, 0, 0, 0
	for _, seed := range deep.Seeds(t, 48, 600) {
		toy := equalGoroutines(rand.New(rand.NewPCG(23, seed)))
		graph := toys.NewStateGraph(toy, 3000)
		if graph == nil {
			continue
		}
		orbits := map[toys.State]bool{}
		start := toy.State
		for _, s := range graph.States {
			toy.State = s
			sorted, _ := toy.Sorted()
			orbits[sorted] = true
		}
		toy.State = start
		same := func(how string, got, want *quotient) {
			if !maps.Equal(got.leaves, want.leaves) || !maps.Equal(got.races, want.races) {
				t.Fatalf("seed %d, %s: ends %q races %q, want %q %q\n%s", seed, how, toys.Keys(got.leaves), toys.Keys(got.races),
					toys.Keys(want.leaves), toys.Keys(want.races), toy.Program())
			}
		}
		want, _ := explored(toy, false, Full, por.Config{Match: true})
		for name, run := range map[string]func(por.System, por.Visitor, por.Config) por.Result{"full": Full, "jpf": JPF} {
			got, r := explored(toy, true, run, por.Config{Match: true, Dive: 10 + int(seed%2)*10_000})
			same(name, got, want)
			if name == "jpf" {
				continue
			}
			if (got.lassos > 0) != (want.lassos > 0) {
				t.Fatalf("seed %d: %d livelocks, want %d\n%s", seed, got.lassos, want.lassos, toy.Program())
			}
			states := len(orbits)
			if got.restarts > 0 && len(graph.States) == int(r.States) {
				cycles++
				states = len(graph.States)
			}
			if int(r.States) != states {
				t.Fatalf("seed %d: %d states, of %d there are %d up to exchange\n%s", seed, r.States, len(graph.States), len(orbits), toy.Program())
			}
			if states < len(graph.States) {
				smaller++
			}
			if got.lassos > 0 {
				livelocks++
			}
		}
		for n := range 3 {
			cfg := por.Config{Match: true, LimitPreempt: true, Preempt: n}
			want, all := explored(toy, false, Full, cfg)
			got, r := explored(toy, true, Full, cfg)
			same(fmt.Sprintf("full with %d preemptions", n), got, want)
			got, _ = explored(toy, true, JPF, cfg)
			same(fmt.Sprintf("jpf with %d preemptions", n), got, want)
			if r.States < all.States {
				bounded++
			}
		}
	}
	t.Logf("fewer states in %d programs, %d times with a bound; %d programs with cycles that exchange goroutines, %d with livelocks", smaller, bounded, cycles, livelocks)
	if smaller == 0 || cycles == 0 || livelocks == 0 || bounded == 0 {
		t.Error("the programs do not test it")
	}
}

// equalGoroutines makes a program of two or three equal goroutines, and perhaps another one.
func equalGoroutines(r *rand.Rand) *toys.System {
	code := func() []toys.Instr {
		for {
			c := toys.Random(r, 1, 4, true).Prog[0]
			if !slices.ContainsFunc(c, func(i toys.Instr) bool { return i.Op == toys.Go }) {
				return c
			}
		}
	}
	equal := code()
	if r.IntN(4) == 0 {
		equal[0] = toys.Instr{Op: toys.Load, A: int8(r.IntN(toys.NumVars))}
		equal = append(equal, toys.Instr{Op: toys.Jump, A: 0, B: int8(r.IntN(2))})
	}
	prog := [][]toys.Instr{equal, equal}
	switch r.IntN(3) {
	case 0:
		prog = append(prog, equal)
	case 1:
		prog = append(prog, code())
	}
	return toys.Started(prog...)
}

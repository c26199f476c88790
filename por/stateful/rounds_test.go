package stateful

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// soonInRounds makes searches use rounds early, and rounds short. It returns a function that undoes that.
func soonInRounds(r *rand.Rand) func() {
	before := Rounds
	Rounds = RoundSizes{From: r.Uint64N(30), Work: 1 + r.Uint64N(20), More: 20 + r.Uint64N(100), Each: 2, Check: 1 << r.IntN(8)}
	return func() { Rounds = before }
}

// TestRounds: a search in rounds finds every ending and every race, meets every state, and has the same
// result with any number of workers. It reports the livelocks that one worker reports.
func TestRounds(t *testing.T) {
	pieces, cyclic, dived := 0, 0, 0
	for _, seed := range deep.Seeds(t, 300, 400) {
		r := rand.New(rand.NewPCG(26, seed))
		loops := seed%2 == 0
		original := toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), loops)
		g := toys.NewStateGraph(original, 1500)
		if g == nil {
			continue
		}
		undo := soonInRounds(r)
		for _, policy := range []bool{false, true} {
			for _, bounded := range []bool{false, true} {
				cfg := por.Config{Match: true, LimitPreempt: bounded, Preempt: 1, Dive: []int{1, 3, 7, 0}[r.IntN(4)]}
				run := divingAt(policy, cfg.Dive)
				name := fmt.Sprintf("seed %d, policy %v, bounded %v, dive %d", seed, policy, bounded, cfg.Dive)
				alone := *original
				one, all := toys.Explore(t, &alone, run, cfg)
				var first *toys.Merger
				var counted string
				for jobs := 2; jobs <= 4; jobs++ {
					cfg.Jobs = jobs
					cfg.Another = func() (por.Replica, error) {
						another := *original
						return por.Replica{System: &another}, nil
					}
					toy := *original
					f := toys.NewMerger(&toy)
					res := run(&toy, f, cfg)
					if toy.State != original.State || len(toy.Marks) != 0 {
						t.Fatalf("%s: the system is not left as it was found\n%s", name, toy.Program())
					}
					if len(res.Incomplete) > len(all.Incomplete) {
						t.Fatalf("%s: %s, want %s\n%s", name, toys.Reasons(res), toys.Reasons(all), toy.Program())
					}
					if got, want := toys.Keys(f.Leaves), toys.Keys(one.Leaves); !slices.Equal(got, want) {
						t.Fatalf("%s: %v, want %v\n%s", name, got, want, toy.Program())
					}
					if got, want := toys.Keys(f.Races), toys.Keys(one.Races); !slices.Equal(got, want) && !bounded {
						t.Fatalf("%s: races %v, want %v\n%s", name, got, want, toy.Program())
					}
					if !policy && res.States != all.States {
						t.Fatalf("%s: %d states, want %d\n%s", name, res.States, all.States, toy.Program())
					}
					if (len(f.Lassos) > 0) != (len(one.Lassos) > 0) {
						t.Fatalf("%s: %d livelocks, want %d\n%s", name, len(f.Lassos), len(one.Lassos), toy.Program())
					}
					if len(f.Lassos) > 0 && f.Pieces > 0 && !bounded {
						cyclic++
					}
					res.PeakBytes = 0
					if first == nil {
						first, counted = f, fmt.Sprintf("%+v", res)
					} else if !slices.Equal(f.List, first.List) || fmt.Sprintf("%+v", res) != counted {
						t.Fatalf("%s: with %d workers\n%v\n%+v, with 2\n%v\n%s\n%s", name, jobs, f.List, res, first.List, counted, toy.Program())
					}
				}
				if pieces += first.Pieces; first.Pieces > 0 && cfg.Dive > 0 {
					dived++
				}
			}
		}
		undo()
	}
	if t.Logf("%d pieces, %d searches with cycles, %d with short dives", pieces, cyclic, dived); pieces < 1000 || cyclic < 50 || dived < 100 {
		t.Errorf("only %d pieces, %d searches with cycles, %d with short dives", pieces, cyclic, dived)
	}
}

// TestRoundsCycle: a cycle that begins on the stack of one worker, and is closed in a round, is noticed.
func TestRoundsCycle(t *testing.T) {
	before := Rounds
	defer func() { Rounds = before }()
	loop := []toys.Instr{{Op: toys.Load}, {Op: toys.Load, A: 1}, {Op: toys.Load, A: 2}, {Op: toys.Jump}}
	for from := range uint64(6) {
		toy := toys.New(loop)
		Rounds.From = from
		f := toys.NewMerger(toy)
		Full(toy, f, por.Config{Match: true, Jobs: 2, Another: func() (por.Replica, error) {
			return por.Replica{System: toys.New(loop)}, nil
		}})
		if inRounds := from < 3; len(f.Lassos) == 0 || inRounds != (f.Pieces > 0) {
			t.Errorf("from %d transitions on: %d livelocks, %d walkers' rounds", from, len(f.Lassos), f.Pieces)
		}
	}
}

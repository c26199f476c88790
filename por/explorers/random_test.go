package explorers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// samplers returns the explorers that sample.
func samplers() []*por.Explorer {
	return slices.DeleteFunc(All(), func(e *por.Explorer) bool { return !e.Samples })
}

// TestSamples: findings of samples are real, the same for the same seed, and never exhaustive.
func TestSamples(t *testing.T) {
	differ := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(3, seed))
		toy := toys.Random(r, 2+r.IntN(2), 2+r.IntN(4), seed%2 == 0)
		g := toys.NewStateGraph(toy, 3000)
		if g == nil {
			continue
		}
		for _, e := range samplers() {
			cfg := por.Config{Seed: seed, MaxExecutions: 20, MaxSteps: 60}
			f, res := toys.Explore(t, toy, e.Explore, cfg)
			for l := range f.Leaves {
				if !g.Leaves[l] {
					t.Errorf("seed %d %s: no such ending: %s\n%s", seed, e.Name, l, toy.Program())
				}
			}
			for l := range f.Races {
				if !g.Races[l] {
					t.Errorf("seed %d %s: no such race: %s\n%s", seed, e.Name, l, toy.Program())
				}
			}
			n := res.Executions + res.Blocked + res.Truncated
			if n != 20 || len(res.Incomplete) == 0 || res.Incomplete[len(res.Incomplete)-1].Bound != por.BoundSampled {
				t.Errorf("seed %d %s: %d executions, incomplete %q", seed, e.Name, n, toys.Reasons(res))
			}
			if again, _ := toys.Explore(t, toy, e.Explore, cfg); fmt.Sprint(again.Leaves) != fmt.Sprint(f.Leaves) {
				t.Errorf("seed %d %s: twice the same seed, and\n%v\n%v", seed, e.Name, f.Leaves, again.Leaves)
			}
			cfg.Seed++
			if other, _ := toys.Explore(t, toy, e.Explore, cfg); fmt.Sprint(other.Leaves) != fmt.Sprint(f.Leaves) {
				differ++
			}
		}
	}
	if differ < 50 {
		t.Errorf("other seeds made a difference only %d times", differ)
	}
}

// TestSampleBounds: a sample honours its budget and the other bounds.
func TestSampleBounds(t *testing.T) {
	for _, e := range samplers() {
		f, r := toys.Explore(t, toys.Started(toys.StoreBuffer...), e.Explore, por.Config{})
		if r.Executions != sample.DefaultSamples || len(f.Leaves) != 3 {
			t.Errorf("%s: %d executions, %d endings; want %d, 3", e.Name, r.Executions, len(f.Leaves), sample.DefaultSamples)
		}
		if want := "seed=0 ×10000"; toys.Reasons(r) != want {
			t.Errorf("%s: %q, want %q", e.Name, toys.Reasons(r), want)
		}
		// Without preemption one goroutine comes before the other.
		f, r = toys.Explore(t, toys.Started(toys.StoreBuffer...), e.Explore, por.Config{LimitPreempt: true, MaxExecutions: 200})
		if len(f.Leaves) != 2 || r.Incomplete[0].Bound != por.BoundPreempt {
			t.Errorf("%s: %d endings without preemption, %q", e.Name, len(f.Leaves), toys.Reasons(r))
		}
		// One goroutine waits in a loop for a variable that the other one sets.
		f, r = toys.Explore(t, toys.Started(toys.Spin, []toys.Instr{{Op: toys.Store, A: 0, B: 1}}), e.Explore, por.Config{MaxExecutions: 100, MaxSteps: 20 * search.ChainLimit})
		if r.Executions != 100 || len(f.Leaves) != 1 {
			t.Errorf("%s: spinning: %d executions, %d endings; want 100, 1", e.Name, r.Executions, len(f.Leaves))
		}
	}
}

// unrelated is a write after n operations that concern no other goroutine, and a write of
// another goroutine.
func unrelated(n int) *toys.System {
	var first []toys.Instr
	for range n {
		first = append(first, toys.Instr{Op: toys.Store, A: 1, B: 1})
	}
	return toys.Started(append(first, toys.Instr{Op: toys.Write, A: 0, B: 1}), []toys.Instr{{Op: toys.Write, A: 0, B: 2}})
}

// lateShare is the part of the executions in which the write after the unrelated
// operations is the first one.
func lateShare(t *testing.T, run func(por.System, por.Visitor, por.Config) por.Result, cfg por.Config) float64 {
	toy := unrelated(8)
	late := 0
	v := &leaves{Findings: toys.NewFindings(toy), f: func(path trace.Schedule) {
		if toy.Vars[0] == 2 {
			late++
		}
	}}
	r := run(toy, v, cfg)
	return float64(late) / float64(r.Executions)
}

// leaves calls f at each end of an execution.
type leaves struct {
	*toys.Findings
	f func(path trace.Schedule)
}

func (l *leaves) Leaf(path trace.Schedule, st por.Status) bool {
	l.f(path)
	return true
}

// TestPOSIgnoresUnrelated is the motivation of POS in the paper: the probability of one order of two
// conflicting operations does not fall exponentially with the number of unrelated operations
// before one of them. The write comes first if nine random numbers are all above
// a tenth one, against nine decisions of the random walk.
func TestPOSIgnoresUnrelated(t *testing.T) {
	if got := lateShare(t, With("pos").Run, por.Config{}); got < 0.09 || got > 0.11 {
		t.Errorf("POS: %g, want about 1/10", got)
	}
	if got := lateShare(t, With("random").Run, por.Config{}); got < 1./1024 || got > 1./256 {
		t.Errorf("random walk: %g, want about 1/512", got)
	}
}

// TestPCTGuarantee compares with the bound of the paper, 1/(n k^(d-1)).
func TestPCTGuarantee(t *testing.T) {
	// Depth 1: one goroutine's write before the other's. n = 2.
	if got := lateShare(t, With("pct", "depth", "1").Run, por.Config{}); got < 0.48 || got > 0.52 {
		t.Errorf("depth 1: %g, want about 1/2", got)
	}
	// Depth 2: between two of its operations the first goroutine is interrupted by
	// the other. n = 2, k = 12 with the last steps.
	for _, tt := range []struct {
		depth int
		least float64
	}{{1, 0}, {2, 1. / (2 * 12)}} {
		toy := toys.Started([]toys.Instr{{Op: toys.Write, A: 0, B: 1}, {Op: toys.Store}, {Op: toys.Store}, {Op: toys.Store}, {Op: toys.Read, A: 0}, {Op: toys.OutReg}},
			[]toys.Instr{{Op: toys.Store}, {Op: toys.Store}, {Op: toys.Write, A: 0, B: 2}, {Op: toys.Store}})
		lost := 0
		r := With("pct", "depth", strconv.Itoa(tt.depth)).Run(toy, &leaves{Findings: toys.NewFindings(toy), f: func(trace.Schedule) {
			if toy.Out[0] == 2 {
				lost++
			}
		}}, por.Config{})
		got := float64(lost) / float64(r.Executions)
		if got < tt.least || tt.least == 0 && got > 0 {
			t.Errorf("depth %d: %g, want %g or more", tt.depth, got, tt.least)
		}
	}
}

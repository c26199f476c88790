package por

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/trace"
)

// stateful returns the explorers that store states.
func stateful() []Explorer {
	return slices.DeleteFunc(Explorers(), func(e Explorer) bool { return !e.Stateful })
}

// samplers returns the explorers that sample.
func samplers() []Explorer {
	return slices.DeleteFunc(Explorers(), func(e Explorer) bool { return !e.Samples })
}

// TestSamples: what samples show is real, is the same for the same seed, and is never called exhaustive.
func TestSamples(t *testing.T) {
	differ := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(3, seed))
		toy := randomToy(r, 2+r.IntN(2), 2+r.IntN(4), seed%2 == 0)
		g := buildGraph(toy, 3000)
		if g == nil {
			continue
		}
		for _, e := range samplers() {
			cfg := Config{Seed: seed, MaxExecutions: 20, MaxSteps: 60}
			f, res := explore(t, toy, e.Run, cfg)
			for l := range f.leaves {
				if !g.leaves[l] {
					t.Errorf("seed %d %s: no such ending: %s\n%s", seed, e.Name, l, toy.program())
				}
			}
			for l := range f.races {
				if !g.races[l] {
					t.Errorf("seed %d %s: no such race: %s\n%s", seed, e.Name, l, toy.program())
				}
			}
			n := res.Executions + res.Blocked + res.Truncated
			if n != 20 || len(res.Incomplete) == 0 || res.Incomplete[len(res.Incomplete)-1].Bound != BoundSampled {
				t.Errorf("seed %d %s: %d executions, incomplete %q", seed, e.Name, n, reasons(res))
			}
			if again, _ := explore(t, toy, e.Run, cfg); fmt.Sprint(again.leaves) != fmt.Sprint(f.leaves) {
				t.Errorf("seed %d %s: twice the same seed, and\n%v\n%v", seed, e.Name, f.leaves, again.leaves)
			}
			cfg.Seed++
			if other, _ := explore(t, toy, e.Run, cfg); fmt.Sprint(other.leaves) != fmt.Sprint(f.leaves) {
				differ++
			}
		}
	}
	if differ < 50 {
		t.Errorf("other seeds made a difference only %d times", differ)
	}
}

// TestSampleBounds: the budget, and the other bounds that a sample keeps to.
func TestSampleBounds(t *testing.T) {
	for _, e := range samplers() {
		f, r := explore(t, started(storeBuffer...), e.Run, Config{})
		if r.Executions != DefaultSamples || len(f.leaves) != 3 {
			t.Errorf("%s: %d executions, %d endings; want %d, 3", e.Name, r.Executions, len(f.leaves), DefaultSamples)
		}
		if want := "only a sample of 10000 executions, from seed 0 (--max-executions, --seed)"; reasons(r) != want {
			t.Errorf("%s: %q, want %q", e.Name, reasons(r), want)
		}
		// Without preemption one goroutine comes before the other.
		f, r = explore(t, started(storeBuffer...), e.Run, Config{LimitPreempt: true, MaxExecutions: 200})
		if len(f.leaves) != 2 || r.Incomplete[0].Bound != BoundPreempt {
			t.Errorf("%s: %d endings without preemption, %q", e.Name, len(f.leaves), reasons(r))
		}
		// Somebody spins; the other one sets what it waits for.
		f, r = explore(t, started(spin, []instr{{op: tStore, a: 0, b: 1}}), e.Run, Config{MaxExecutions: 100, MaxSteps: 20 * chainLimit})
		if r.Executions != 100 || len(f.leaves) != 1 {
			t.Errorf("%s: spinning: %d executions, %d endings; want 100, 1", e.Name, r.Executions, len(f.leaves))
		}
	}
}

// unrelated is a write behind n operations that concern nobody, and a write of
// another goroutine.
func unrelated(n int) *toy {
	var first []instr
	for range n {
		first = append(first, instr{op: tStore, a: 1, b: 1})
	}
	return started(append(first, instr{op: tWrite, a: 0, b: 1}), []instr{{op: tWrite, a: 0, b: 2}})
}

// lateShare is the part of the executions in which the write behind the unrelated
// operations is the first one.
func lateShare(t *testing.T, run func(System, Visitor, Config) Result, cfg Config) float64 {
	toy := unrelated(8)
	late := 0
	v := &leaves{findings: newFindings(toy), f: func(path trace.Schedule) {
		if toy.vars[0] == 2 {
			late++
		}
	}}
	r := run(toy, v, cfg)
	return float64(late) / float64(r.Executions)
}

// leaves calls f at each end of an execution.
type leaves struct {
	*findings
	f func(path trace.Schedule)
}

func (l *leaves) Leaf(path trace.Schedule, st Status) bool {
	l.f(path)
	return true
}

// TestPOSIgnoresUnrelated is what the paper motivates POS with: how likely one order of two conflicting
// operations is does not fall exponentially with the unrelated operations in
// front of one of them. The write comes first if nine random numbers are all above
// a tenth one, as against nine decisions of the random walk.
func TestPOSIgnoresUnrelated(t *testing.T) {
	if got := lateShare(t, POS, Config{}); got < 0.09 || got > 0.11 {
		t.Errorf("POS: %g, want about 1/10", got)
	}
	if got := lateShare(t, Random, Config{}); got < 1./1024 || got > 1./256 {
		t.Errorf("random walk: %g, want about 1/512", got)
	}
}

// TestPCTGuarantee compares with the bound of the paper, 1/(n k^(d-1)).
func TestPCTGuarantee(t *testing.T) {
	// Depth 1: one goroutine's write before the other's. n = 2.
	if got := lateShare(t, PCT, Config{Depth: 1}); got < 0.48 || got > 0.52 {
		t.Errorf("depth 1: %g, want about 1/2", got)
	}
	// Depth 2: between two of its operations the first goroutine is interrupted by
	// the other. n = 2, k = 12 with the last steps.
	for _, tt := range []struct {
		depth int
		least float64
	}{{1, 0}, {2, 1. / (2 * 12)}} {
		toy := started([]instr{{op: tWrite, a: 0, b: 1}, {op: tStore}, {op: tStore}, {op: tStore}, {op: tRead, a: 0}, {op: tOutReg}},
			[]instr{{op: tStore}, {op: tStore}, {op: tWrite, a: 0, b: 2}, {op: tStore}})
		lost := 0
		r := PCT(toy, &leaves{findings: newFindings(toy), f: func(trace.Schedule) {
			if toy.out[0] == 2 {
				lost++
			}
		}}, Config{Depth: tt.depth})
		got := float64(lost) / float64(r.Executions)
		if got < tt.least || tt.least == 0 && got > 0 {
			t.Errorf("depth %d: %g, want %g or more", tt.depth, got, tt.least)
		}
	}
}

package explorers

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// exactParts finds the persistent sets of goroutines by exploration.
type exactParts struct {
	sys por.System
	// several: a set of a few goroutines is better than a set of one.
	several bool
}

// Part implements por.Parts.
func (p *exactParts) Part(enabled []trace.GID) []trace.GID {
	var best []trace.GID
	for bits := 1; bits < 1<<len(enabled)-1; bits++ {
		var part []trace.GID
		fit := true
		for i, g := range enabled {
			if bits>>i&1 != 0 {
				part = append(part, g)
				fit = fit && p.sys.Next(g).N > 0 && !p.ends(g)
			}
		}
		if !fit || best != nil && p.better(best, part) {
			continue
		}
		if conflict, complete := lookahead.PersistentSet(p.sys, part, 10000); conflict == nil && complete {
			best = part
		}
	}
	return best
}

// Separate implements por.Parts.
func (p *exactParts) Separate([]trace.GID) ([]trace.GID, por.Separation) { return nil, nil }

// ends reports whether g's operation may end the program, on which all others depend.
func (p *exactParts) ends(g trace.GID) (ends bool) {
	m := p.sys.Mark()
	for c := range p.sys.Alternatives(g) {
		p.sys.Step(g, c)
		ends = ends || len(p.sys.Enabled(nil)) == 0
		p.sys.Rewind(m)
	}
	p.sys.Release(m)
	return ends
}

// better reports whether a is at least as good as b.
func (p *exactParts) better(a, b []trace.GID) bool {
	x, y := len(a), len(b)
	if p.several {
		x, y = x+4*min(1, max(0, 2-x)), y+4*min(1, max(0, 2-y))
	}
	return x <= y
}

// TestPersistentParts: a search that explores persistent sets of goroutines finds all endings and
// races, on cycles of the state graph, too, and on paths that are put aside. Each livelock
// that it reports is real.
func TestPersistentParts(t *testing.T) {
	seeds := deep.Seeds(t, 48, 400)
	n := len(seeds)
	before := stateful.Rounds
	defer func() { stateful.Rounds = before }()
	pieces := 0
	var states, reduced, parts, loops, found uint64
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(17, uint64(seed)))
		toy := toys.Random(r, 3+r.IntN(2), 2+r.IntN(4), seed%3 > 0)
		g := toys.NewStateGraph(toy, 1500)
		if g == nil {
			continue
		}
		live := false
		if len(g.States) < 250 {
			initial := toy.State
			live = g.Livelock(toy)
			toy.State = initial
		}
		for i, cfg := range []por.Config{{}, {Dive: 12}, {Oracle: &exact{sys: toy, plain: true}, AnyGoroutine: true}, {}, {Jobs: 2}} {
			cfg.Match, cfg.Parts = true, &exactParts{toy, seed%2 == 0}
			run := stateful.JPF
			if i == 3 {
				run = stateful.Full
			}
			var f *toys.Findings
			var res por.Result
			if cfg.Jobs > 1 { // in rounds
				stateful.Rounds = stateful.RoundSizes{From: r.Uint64N(20), Work: 1 + r.Uint64N(10), More: 50, Each: 2, Check: 8}
				initial := toy.State
				cfg.Another = func() (por.Replica, error) {
					another := toys.New(toy.Prog...)
					another.State = initial
					return por.Replica{System: another, Parts: &exactParts{another, seed%2 == 0}}, nil
				}
				m := toys.NewMerger(toy)
				res = run(toy, m, cfg)
				f, pieces = m.Findings, pieces+m.Pieces
			} else {
				f, res = toys.Explore(t, toy, run, cfg)
			}
			fail := func(format string, args ...any) {
				t.Helper()
				t.Errorf("seed %d, search %d: "+format+"\n%s", append(append([]any{seed, i}, args...), toy.Program())...)
			}
			if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) {
				fail("endings\n got %v\nwant %v", got, want)
			}
			if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
				fail("races\n got %v\nwant %v", got, want)
			}
			if len(res.Incomplete) > 0 {
				fail("incomplete: %v", res.Incomplete)
			}
			if len(g.States) < 250 && !live && len(f.Lassos) > 0 {
				fail("false livelock %v", f.Lassos)
			}
			if live && i == 0 {
				loops++
				found += uint64(min(1, len(f.Lassos)))
			}
			if i == 3 {
				reduced += res.States
			}
			parts += res.Parts
		}
		states += uint64(len(g.States))
	}
	t.Logf("%d of %d states; %d parts; %d of %d livelocks; %d walkers' rounds", reduced, states, parts, found, loops, pieces)
	if reduced > states*3/4 || parts == 0 || pieces < n {
		t.Error("parts save nothing")
	}
}

// TestOptimalParts: an optimal search in parts finds all endings and races, or is not exhaustive.
// A search that ignores mixed executions misses some.
func TestOptimalParts(t *testing.T) {
	seeds := deep.Seeds(t, 120, 3000)
	n := len(seeds)
	var whole, divided, endless, saved, lost uint64
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(31, uint64(seed)))
		toy := toys.Parted(r, 3+r.IntN(5), seed%4 == 0)
		cfg := por.Config{MaxSteps: 60, MaxExecutions: 2000}
		_, all := toys.Explore(t, toy, With("optimal").Explore, cfg)
		if all.Done() < 6 {
			continue
		}
		g := toys.NewStateGraph(toy, 2000)
		if g == nil || slices.ContainsFunc(toys.Keys(g.Leaves), crashes) {
			continue
		}
		parts := toys.NewParts(toy)
		cfg.Parts = parts
		f, res := toys.Explore(t, toy, With("optimal").Explore, cfg)
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("seed %d: "+format+"\n%s", append(append([]any{seed}, args...), toy.Program())...)
		}
		if len(res.Incomplete) > 0 {
			if len(all.Incomplete) == 0 {
				fail("incomplete: %v", res.Incomplete)
			}
			continue
		}
		if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) {
			fail("endings\n got %v\nwant %v", got, want)
		}
		if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
			fail("races\n got %v\nwant %v", got, want)
		}
		if len(all.Incomplete) > 0 {
			endless++
			continue
		}
		parts.Careless = true
		if f, _ := toys.Explore(t, toy, With("optimal").Explore, cfg); len(f.Leaves) < len(g.Leaves) || len(f.Races) < len(g.Races) {
			lost++
		}
		found := res.Executions + res.PartExecutions
		whole, divided = whole+all.Executions, divided+found
		if found <= all.Executions/2 {
			saved++
		}
	}
	t.Logf("%d of %d executions; half of them, or less, in %d programs; %d programs with endless executions; %d lost something without care",
		divided, whole, saved, endless, lost)
	if divided > whole || saved < uint64(n/300) || lost == 0 {
		t.Error("parts save nothing, or are never mixed")
	}
}

// TestOptimalPartsOnCycles: goroutines that never interact with a part are not ignored when the part
// comes back to a state.
func TestOptimalPartsOnCycles(t *testing.T) {
	toy := toys.New(
		[]toys.Instr{
			{Op: toys.WgAdd, A: 1}, {Op: toys.Go, A: 1}, {Op: toys.Go, A: 2},
			{Op: toys.Choose, A: 2}, {Op: toys.Store, A: 0, B: 1}, {Op: toys.Load, A: 0}, {Op: toys.Jump, A: 3, B: 1},
		},
		[]toys.Instr{{Op: toys.WgWait}, {Op: toys.Store, A: 0, B: 1}}, // conflicts with the stores of the loop
		[]toys.Instr{{Op: toys.Exit}},
	)
	f, res := toys.Explore(t, toy, With("optimal").Explore, por.Config{MaxSteps: 60, MaxExecutions: 50, Parts: toys.NewParts(toy)})
	if res.PartExecutions == 0 {
		t.Error("the loop is no part")
	}
	if len(f.Leaves) == 0 || len(res.Incomplete) == 0 {
		t.Errorf("endings %v, incomplete %v; want an exit, and that the loop is endless", toys.Keys(f.Leaves), res.Incomplete)
	}
}

// crashes reports whether a toy has crashed, in the middle of a step.
func crashes(ending string) bool {
	return strings.HasPrefix(ending, "exit fault=") && !strings.HasPrefix(ending, "exit fault=0")
}

// TestNoParts: a search has no parts if it would not notice that a cycle ignores goroutines, or if
// preemptions are bounded.
func TestNoParts(t *testing.T) {
	toy := toys.Started(toys.RacyInc, toys.RacyInc, []toys.Instr{{Op: toys.Store, A: 1, B: 1}}, []toys.Instr{{Op: toys.Load, A: 1}})
	for _, cfg := range []por.Config{{Match: true}, {}, {Match: true, LimitPreempt: true, Preempt: 1}} {
		want := cfg.Match && !cfg.LimitPreempt
		cfg.Parts = &exactParts{toy, false}
		if _, res := toys.Explore(t, toy, stateful.JPF, cfg); (res.Parts > 0) != want {
			t.Errorf("matching %v, bounded %v: %d parts", cfg.Match, cfg.LimitPreempt, res.Parts)
		}
	}
}

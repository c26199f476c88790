package explorers

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/dpor"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestContextToys: "For each Mazurkiewicz trace T defined by the happens-before relation, Explore(ε, ∅)
// explores a complete execution sequence that either implements T, or reaches the same state as one
// that implements T" (theorem 1); and every race is seen.
func TestContextToys(t *testing.T) {
	testContexts(t, 500, func(seed uint64) *toys.System {
		r := rand.New(rand.NewPCG(2, seed))
		return toys.Random(r, 2+r.IntN(3), 2+r.IntN(4), false)
	})
}

// TestContextCommuting: the same for programs with many dependent operations that commute.
func TestContextCommuting(t *testing.T) {
	testContexts(t, 150, func(seed uint64) *toys.System { return toys.Commuting(rand.New(rand.NewPCG(4, seed))) })
}

func testContexts(t *testing.T, n uint64, generate func(seed uint64) *toys.System) {
	bad := 0
	var executions, source uint64
	for seed := range n {
		toy := generate(seed)
		toys.Forget(toy)
		g := toys.NewStateGraph(toy, 3000)
		if g == nil || g.Executions(toy) < 0 || slices.ContainsFunc(toys.Keys(g.Leaves), func(l string) bool {
			return strings.HasPrefix(l, "exit fault=") && !strings.HasPrefix(l, "exit fault=0")
		}) {
			continue // or it crashes in the middle of a step
		}
		f := toys.NewFindings(toy)
		executions += With("context").Explore(toy, f, por.Config{}).Executions
		source += With("source").Explore(toy, toys.NewFindings(toy), por.Config{}).Executions
		if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: endings\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
		}
		if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
			bad++
			t.Errorf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
		}
		if bad > 2 {
			t.Fatal("enough")
		}
	}
	t.Logf("%d executions, where Source has %d", executions, source)
}

// TestContextPaper: of this program Algorithm 1 loses the ending with 1 in the variable, if
// selections are made as optimization 2 says. See docs/dev/rationale/README.md.
func TestContextPaper(t *testing.T) {
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Write, B: 1}},
		[]toys.Instr{{Op: toys.Store, B: 1}, {Op: toys.Read}, {Op: toys.Write, B: 2}},
		[]toys.Instr{{Op: toys.Read}})
	toys.Forget(toy)
	g := toys.NewStateGraph(toy, 3000)
	for _, c := range []struct {
		cfg     dpor.ContextConfig
		endings int
	}{{dpor.ContextConfig{}, 2}, {dpor.ContextConfig{Paper: true}, 1}} {
		f := toys.NewFindings(toy)
		r := dpor.Context(toy, f, por.Config{}, c.cfg)
		if len(f.Leaves) != c.endings || len(g.Leaves) != 2 || (len(r.Incomplete) > 0) != c.cfg.Paper {
			t.Errorf("%+v: %d endings, want %d of %d; incomplete: %v", c.cfg, len(f.Leaves), c.endings, len(g.Leaves), r.Incomplete)
		}
	}
}

// TestContextExample is example 1: "The execution has explored 3 complete sequences rather than the
// minimal 2, whereas the original Source-DPOR would have explored 6." Here the end of a process is
// a step of its own, and 2 sequences are explored. If only interchangeable events change places, 4
// are explored, as with the least happens-before relation of section 3.
func TestContextExample(t *testing.T) {
	p := []toys.Instr{{Op: toys.Store, A: 0, B: 2}}
	pqr := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Go, A: 3}}, p, p, []toys.Instr{{Op: toys.Load, A: 0}})
	for i, c := range []struct {
		run  *por.Explorer
		want uint64
	}{
		{With("source"), 6},
		{With("context"), 4},
		{With("context", "context", "paper", "context", "unguided"), 2},
		{With("context", "context", "paper"), 2},
		{With("context", "context", "css"), 2},
	} {
		f := toys.NewFindings(pqr)
		if r := c.run.Explore(pqr, f, por.Config{}); r.Executions != c.want || len(f.Leaves) != 2 {
			t.Errorf("%d, %s: %d executions with %d endings, want %d with 2", i, c.run.Name, r.Executions, len(f.Leaves), c.want)
		}
	}
}

// For cutter, a Store to variable 1 needs no choice once all Stores to variable 1 are pending or have been
// executed.
type cutter struct {
	por.Passive
	toy *toys.System
}

func (c cutter) Skip(g trace.GID, op *trace.Op) string {
	if op.Kind == trace.AtomicStore && op.Access[0].Off == 1 && c.toy.Pc[1] > 0 {
		return "the other one has been executed"
	}
	return ""
}

// TestContextCuts: "if no step in O is dependent on l, we block the execution at this point"
// (section 5.3) loses an execution. Here l is the first goroutine's Store to variable 1 after that
// of the second goroutine. Then the second goroutine's Store to variable 0 is never executed before
// that of the first goroutine, so the race between them is not found.
func TestContextCuts(t *testing.T) {
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Store, A: 0, B: 1}, {Op: toys.Store, A: 1, B: 1}},
		[]toys.Instr{{Op: toys.Store, A: 1, B: 1}, {Op: toys.Store, A: 0, B: 2}})
	for _, cuts := range []bool{false, true} {
		f := toys.NewFindings(toy)
		r := dpor.Context(toy, f, por.Config{Oracle: cutter{toy: toy}}, dpor.ContextConfig{Cuts: cuts})
		if want := map[bool]int{false: 2, true: 1}[cuts]; len(f.Leaves) != want || (len(r.Incomplete) > 0) != cuts {
			t.Errorf("cuts %v: %d endings, want %d; incomplete: %v", cuts, len(f.Leaves), want, r.Incomplete)
		}
	}
}

// TestContextCSS: this program loses an execution if events that have commuted stay asleep.
func TestContextCSS(t *testing.T) {
	toy := toys.Commuting(rand.New(rand.NewPCG(4, 986)))
	g := toys.NewStateGraph(toy, 3000)
	for _, css := range []bool{false, true} {
		f := toys.NewFindings(toy)
		r := dpor.Context(toy, f, por.Config{}, dpor.ContextConfig{CSS: css})
		if lost := len(g.Leaves) - len(f.Leaves); (lost > 0) != css || (len(r.Incomplete) > 0) != css {
			t.Errorf("css %v: %d endings lost; incomplete: %v", css, lost, r.Incomplete)
		}
	}
}

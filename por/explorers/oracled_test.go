package explorers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// exact is an oracle with exact answers, from exploring the whole future.
type exact struct {
	por.Passive
	sys   por.System
	plain bool // only asked about plain accesses
}

// Skip implements Oracle.
func (o *exact) Skip(g trace.GID, op *trace.Op) string {
	if op.N == 0 || o.plain && !op.Kind.Plain() {
		return ""
	}
	if conflict, complete := lookahead.PersistentSet(o.sys, []trace.GID{g}, 10000); conflict != nil || !complete {
		return ""
	}
	return "exact"
}

// none is an oracle without facts.
type none struct{ por.Passive }

func (none) Skip(trace.GID, *trace.Op) string { return "" }

// TestOracle: a search with an oracle finds all endings and races,
// with questions about one goroutine or about all of them.
func TestOracle(t *testing.T) {
	kinds := []struct {
		name   string
		oracle func(por.System) por.Oracle
		every  bool
		states uint64
	}{
		{name: "exact", oracle: func(s por.System) por.Oracle { return &exact{sys: s, plain: true} }},
		{name: "exact, any goroutine", oracle: func(s por.System) por.Oracle { return &exact{sys: s, plain: true} }, every: true},
		{name: "look ahead", oracle: func(s por.System) por.Oracle { return lookahead.New(s, none{}, nil) }},
		{name: "look ahead, any goroutine", oracle: func(s por.System) por.Oracle { return lookahead.New(s, none{}, nil) }, every: true},
		{name: "exact, then look ahead, any goroutine", oracle: func(s por.System) por.Oracle { return lookahead.New(s, none{}, &exact{sys: s, plain: true}) }, every: true},
	}
	var states uint64
	for _, seed := range deep.Seeds(t, 60, 1100) {
		r := rand.New(rand.NewPCG(11, uint64(seed)))
		toy := toys.Random(r, 2+r.IntN(3), 3+r.IntN(5), seed%2 == 0)
		g := toys.NewStateGraph(toy, 2500)
		if g == nil {
			continue
		}
		live := false
		if len(g.States) < 250 {
			initial := toy.State
			live = g.Livelock(toy)
			toy.State = initial
		}
		execs := g.Executions(toy)
		for _, match := range []bool{true, false} {
			if !match && (execs < 0 || execs > 300) {
				continue
			}
			for i := range kinds {
				k := &kinds[i]
				f, res := toys.Explore(t, toy, stateful.JPF, por.Config{Match: match, Oracle: k.oracle(toy), AnyGoroutine: k.every})
				fail := func(format string, args ...any) {
					t.Helper()
					t.Errorf("seed %d match=%v %s: "+format+"\n%s", append(append([]any{seed, match, k.name}, args...), toy.Program())...)
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
				if match {
					k.states += res.States
				}
			}
		}
		states += uint64(len(g.States))
	}
	for i, k := range kinds {
		t.Logf("%s: %d of %d states", k.name, k.states, states)
		if k.states >= states/2 || k.every && i < 4 && k.states >= kinds[i-1].states {
			t.Errorf("%s saves nothing", k.name)
		}
	}
}

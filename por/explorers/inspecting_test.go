package explorers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestInspecting: where operations observe all goroutines, each explorer finds all endings, with
// oracles, too: no step of a goroutine is private.
func TestInspecting(t *testing.T) {
	seeds := deep.Seeds(t, 16, 600)
	oracles := []func(por.System) por.Oracle{
		func(por.System) por.Oracle { return nil },
		func(s por.System) por.Oracle { return &exact{sys: s, plain: true} },
		func(s por.System) por.Oracle { return lookahead.New(s, none{}, nil) },
	}
	allEndings(t, seeds, 46, toys.Inspecting, oracles)
}

// allEndings compares the endings that each explorer finds in generated programs with those of their state
// graphs, without an oracle if oracles is nil.
func allEndings(t *testing.T, seeds []uint64, salt uint64, program func(*rand.Rand) *toys.System, oracles []func(por.System) por.Oracle) {
	if oracles == nil {
		oracles = []func(por.System) por.Oracle{func(por.System) por.Oracle { return nil }}
	}
	done := 0
	for _, seed := range seeds {
		toy := program(rand.New(rand.NewPCG(salt, seed)))
		g := toys.NewStateGraph(toy, 1500)
		if g == nil {
			continue
		}
		done++
		execs := g.Executions(toy)
		want := toys.Keys(g.Leaves)
		for _, e := range Exhaustive() {
			for _, match := range []bool{true, false} {
				if match && !e.Stateful || !match && (execs < 0 || execs > 2000) {
					continue
				}
				for k, o := range oracles {
					f, res := toys.Explore(t, toy, e.Explore, por.Config{Match: match, Oracle: o(toy), AnyGoroutine: seed%2 == 0})
					if got := toys.Keys(f.Leaves); !slices.Equal(got, want) || len(res.Incomplete) > 0 {
						t.Fatalf("seed %d %s match=%v oracle %d: %v\n got %v\nwant %v\n%s", seed, e.Name, match, k, res.Incomplete, got, want, toy.Program())
					}
				}
			}
		}
	}
	if t.Logf("%d programs", done); done < len(seeds)/2 {
		t.Error("most programs are too large")
	}
}

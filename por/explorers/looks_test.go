package explorers

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/optimal"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestLooks: optimal assumes that no goroutine looks at all others. It keeps the assumption for
// some programs, in which no goroutine is ever about to look, and refutes it for others. It finds
// all endings and races either way.
func TestLooks(t *testing.T) {
	kept, refuted := 0, 0
	for _, seed := range deep.Seeds(t, 60, 20_000) {
		toy := toys.MayInspect(rand.New(rand.NewPCG(47, seed)))
		g := toys.NewStateGraph(toy, 1500)
		if g == nil || g.Executions(toy) < 0 || g.Executions(toy) > 2000 {
			continue
		}
		for _, any := range []bool{true, false} {
			f, res := toys.Explore(t, toy, With("optimal").Explore, por.Config{AnyGoroutine: any})
			if got, want := toys.Keys(f.Leaves), toys.Keys(g.Leaves); !slices.Equal(got, want) || len(res.Incomplete) > 0 {
				t.Fatalf("seed %d: %v\n got %v\nwant %v\n%s", seed, res.Incomplete, got, want, toy.Program())
			}
			if got, want := toys.Keys(f.Races), toys.Keys(g.Races); !slices.Equal(got, want) {
				t.Fatalf("seed %d: races\n got %v\nwant %v\n%s", seed, got, want, toy.Program())
			}
			if res.FallbackTo == "" {
				kept++
			} else {
				refuted++
			}
		}
	}
	if t.Logf("kept for %d, refuted for %d", kept, refuted); kept < 10 || refuted < 10 {
		t.Error("too few of one kind")
	}
}

// TestLooksWithoutReason: a program that optimal cannot explore is not explored with an assumption
// that cannot be refuted.
func TestLooksWithoutReason(t *testing.T) {
	toy := toys.New([]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Write}}, []toys.Instr{{Op: toys.Read}})
	for _, sure := range []bool{true, false} {
		sys := &overtaking{System: toy, may: !sure}
		r := optimal.Explore(sys, toys.NewFindings(toy), por.Config{})
		if (r.FallbackTo == "source") != sure {
			t.Errorf("surely %v: falls back to %q", sure, r.FallbackTo)
		}
	}
}

// overtaking is a System in which an operation that depends on all others may overtake them.
type overtaking struct {
	*toys.System
	may bool
}

func (*overtaking) Overtakes() bool { return true }
func (o *overtaking) MayLook() bool { return o.may }

package progen_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// TestMisuse: an RWMutex that is locked and unlocked without discipline behaves in the machine as in the
// reference, with all explorers and all oracles.
func TestMisuse(t *testing.T) {
	c := newComparison(t)
	barges := 0
	c.batches(300, func(seeds []uint64) {
		var progs []*progen.Prog
		for _, seed := range seeds {
			progs = append(progs, progen.Misuse(seed, seed%3 == 0))
		}
		g := loadGroup(c, units(progs))
		for i, p := range progs {
			want := progen.Explore(p, maxStates)
			if !want.Complete {
				c.left++
				continue
			}
			c.checked++
			g.in(i, func() {
				c.hybrids(g, p.Seed, p.Source, want.Outcomes, want.Races)
				for _, e := range append(reductions(), explorers.With("optimal"), explorers.With("source"), explorers.With("context")) {
					got, r := search(t, g.m, e.Explore, por.Config{MaxExecutions: 3000})
					if !agrees(t, p, e.Name, got, r, want) {
						t.Fatalf("seed %d:\n%s", p.Seed, numbered(p.Source()))
					}
					if e.Name == "optimal" && len(r.Incomplete) == 0 {
						barges++
					}
				}
			})
		}
	})
	t.Logf("%d explored whole by optimal", barges)
}

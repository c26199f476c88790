package progen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/stateful"
)

// TestEqual: in programs of equal and nearly equal goroutines, searches that match states up to
// symmetry have the findings of a full search, with every kind of static facts, and find a livelock
// if the full search finds one.
func TestEqual(t *testing.T) {
	c := newComparison(t)
	c.batches(1000, func(seeds []uint64) {
		var list []objectProgram
		for _, seed := range seeds {
			rng := rand.New(rand.NewPCG(seed, 0xe9a1))
			list = append(list, objectProgram{seed, progen.Equal(fmt.Sprintf("P%d", seed), rng)})
		}
		c.objects(list, equalModes)
	})
	if c.exchanged == 0 || c.fewer == 0 {
		t.Errorf("of %d programs the states of %d were sorted, of %d there were fewer: they do not test it", c.checked, c.exchanged, c.fewer)
	}
	t.Logf("states were exchanged in %d searches; of %d full searches %d had fewer states", c.exchanged, c.checked, c.fewer)
}

// equalModes returns searches that match states up to symmetry: with full, jpf and one kind of
// static facts.
func equalModes(seed uint64) []mode {
	kinds := []oracle.Kind{oracle.FieldAccess, oracle.Patterns, oracle.MHB, oracle.Parts, oracle.Full}
	return []mode{
		{name: "full", run: stateful.Full, symmetry: true},
		{name: "jpf", run: stateful.JPF, symmetry: true},
		{name: "jpf", run: stateful.JPF, h: kinds[seed%uint64(len(kinds))], symmetry: true},
	}
}

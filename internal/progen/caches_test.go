package progen_test

import (
	"fmt"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
)

// TestCaches: programs whose goroutines call functions of the library that keep caches and tables, or work
// with files, have the same outcomes and races with every explorer and all static facts, and these include
// the native outcomes.
func TestCaches(t *testing.T) {
	const perBatch = 40
	c := &libraryComparison{T: t, every: *everyFlag}
	for seeds := range slices.Chunk(deep.Seeds(t, 5, 40), perBatch) {
		var list []libraryProgram
		for _, seed := range seeds {
			list = append(list, libraryProgram{seed, progen.Cached(fmt.Sprintf("P%d", seed), seed)})
		}
		c.batch(list, false)
	}
	if c.outcomes < c.checked {
		t.Errorf("%d outcomes of %d programs", c.outcomes, c.checked)
	}
	t.Logf("%d programs checked, %d left out, %d with races, %d searches not exhaustive; %d outcomes, of which native runs had %d",
		c.checked, c.left, c.racy, c.large, c.outcomes, c.seen)
}

package dpor

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestAhead: several workers find what one does.
func TestAhead(t *testing.T) {
	for _, e := range []*por.Explorer{ClockVectorExplorer(), SourceExplorer(), ContextExplorer()} {
		toys.CheckAhead(t, e, deep.Seeds(t, 40, 600), func(r *rand.Rand, seed uint64, _ *por.Config) *toys.System {
			if e.Name == "context" && seed%2 == 0 { // else it does what source does
				toy := toys.Commuting(r)
				toys.Forget(toy)
				return toy
			}
			toy := toys.Random(r, 2+r.IntN(3), 3+r.IntN(5), seed%5 == 0)
			toy.Timed = seed%3 == 0
			return toy
		})
	}
}

package readsfrom

import (
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/toys"
)

// TestAhead: several workers find what one does.
func TestAhead(t *testing.T) {
	e := &por.Explorer{Name: "rf", Needs: []por.Capability{por.NeedEffects}, Stateless: true, Run: Explore}
	toys.CheckAhead(t, e, deep.Seeds(t, 500, 3000), func(r *rand.Rand, seed uint64, _ *por.Config) *toys.System {
		switch seed % 3 {
		case 0:
			return toys.Commuting(r)
		case 1:
			return ending(r)
		}
		return toys.Random(r, 2+r.IntN(3), 3+r.IntN(5), false)
	})
}

// ending makes programs that end in the middle of what goroutines do.
func ending(r *rand.Rand) *toys.System {
	ops := []toys.OpCode{toys.Exit, toys.Choose, toys.Read, toys.Write, toys.Load, toys.Store, toys.Add, toys.Output, toys.Unlock}
	prog := make([][]toys.Instr, 2+r.IntN(3))
	for g := range prog {
		for range 1 + r.IntN(4) {
			prog[g] = append(prog[g], toys.RandomInstr(r, ops))
		}
	}
	return toys.Started(prog...)
}

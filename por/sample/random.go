package sample

import (
	"math/rand/v2"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Random samples schedules by a uniform random walk: before every operation except plain accesses (see
// glides), each enabled goroutine is equally likely to move next. It is the baseline of the literature on
// randomised schedulers (see PCT and POS).
//
// It guarantees nothing for a finite number of executions: an interleaving that takes k decisions among n
// goroutines has probability n^-k. So it hardly ever finds bugs that need many steps of one goroutine before
// the first step of another. Its findings are real.
func Random(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return sample(sys, v, cfg, newWalk)
}

func newWalk(r *rand.Rand) strategy { return &walk{r} }

// walk is the strategy of Random.
type walk struct{ rng *rand.Rand }

func (*walk) begin(past) {}

func (w *walk) pick(_ por.System, among []trace.GID) trace.GID { return among[w.rng.IntN(len(among))] }

func (*walk) stepping(por.System, trace.GID, *trace.Op, int) {}

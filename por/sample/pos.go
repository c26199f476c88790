package sample

import (
	"math/rand/v2"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// POS samples schedules as Yuan, Yang and Gu do ("Partial Order Aware Concurrency
// Sampling", CAV 2018, section 4): each operation that is next in a goroutine has a random
// priority, and of those that can be executed the one with the highest is. Those that
// conflict with it then get a new priority, and so does the goroutine's next one.
//
// Compared with the random walk, whether one of two conflicting operations comes
// first does not depend on how many unrelated ones come before it. The paper bounds
// the probability of each partial order from below; the bound is for events that can
// always be executed, and says nothing about those that block.
func POS(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return sample(sys, v, cfg, func(r *rand.Rand) strategy { return &pos{rng: r} })
}

// pos is the strategy of POS.
//
// Priorities are of operations: as soon as a goroutine has moved it draws a new one. One that
// waits keeps its own until something is executed that conflicts with its operation.
type pos struct {
	rng      *rand.Rand
	priority []uint64 // of the pending operation of each goroutine; 0: none yet
}

func (p *pos) begin(int) { clear(p.priority) }

func (p *pos) pick(_ por.System, among []trace.GID) trace.GID {
	best := among[0]
	for _, g := range among {
		for int(g) >= len(p.priority) {
			p.priority = append(p.priority, 0)
		}
		if p.priority[g] == 0 {
			p.priority[g] = 1 + p.rng.Uint64N(1<<63)
		}
		if p.priority[g] > p.priority[best] {
			best = g
		}
	}
	return best
}

// stepping takes the priorities away that are to be drawn again. All are compared before the
// step: after it the operations that are next may be others.
func (p *pos) stepping(sys por.System, g trace.GID, op *trace.Op, _ int) {
	for q := range p.priority {
		if p.priority[q] == 0 {
			continue
		}
		if next := sys.Next(trace.GID(q)); trace.GID(q) == g || op.Conflicts(&next) {
			p.priority[q] = 0
		}
	}
}

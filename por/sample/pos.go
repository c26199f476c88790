package sample

import (
	"math/rand/v2"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// POS samples schedules by the algorithm of Yuan, Yang and Gu ("Partial Order Aware Concurrency
// Sampling", CAV 2018, section 4): each pending operation has a random
// priority, and the enabled one with the highest priority is executed. Pending operations that
// conflict with it then get a new priority, and so does the goroutine's next operation.
//
// In contrast to the random walk, the order of two conflicting operations does not depend on the number of
// unrelated ones before them. The paper has a lower bound for the probability of each partial order. The
// bound holds for events that can always be executed, not for operations that block.
func POS(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return sample(sys, v, cfg, newPOS)
}

func newPOS(r *rand.Rand) strategy { return &pos{rng: r} }

// pos is the strategy of POS.
//
// Priorities belong to operations: a goroutine that has moved draws a new one. A goroutine that
// waits keeps its own until an operation is executed that conflicts with its own.
type pos struct {
	rng      *rand.Rand
	priority []uint64 // by goroutine: priority of its pending operation; 0: none yet
}

func (p *pos) begin(past) { clear(p.priority) }

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

// stepping removes the priorities that must be drawn again. It compares all operations before the
// step, because the step may change pending operations.
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

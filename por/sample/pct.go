package sample

import (
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// PCT samples schedules by the algorithm of Burckhardt, Kothari, Musuvathi and Nagarakatte ("A
// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010, section 3).
// Each goroutine has a random priority, and the enabled one with the highest priority moves. At d-1
// random steps, the change points, the goroutine that moves gets a priority below all others.
//
// Each execution finds a bug of depth d (one for which d ordering constraints between steps suffice) with
// probability 1/(n k^(d-1)) or more, where n goroutines make k steps. Parameter depth is d; 0 is
// DefaultDepth. In the paper n and k are given; here goroutines get their priority when they are first
// enabled, and k is the length of the longest earlier execution. So the first execution has no change
// points, and the guarantee holds for executions that are no longer than an earlier one. Plain accesses do
// not count as steps: see glides.
//
// Two departures keep loops that wait for another goroutine from running forever: a goroutine also gets a
// priority below all others if it yields, or if it has moved ChainLimit times in a row while others could
// move. There is no guarantee for executions in which the latter happens.
//
// A bug of depth 1 occurs whenever one step comes before another one; most atomicity violations have depth
// 2, and a deadlock of three locks has depth 3.
func PCT(sys por.System, v por.Visitor, cfg por.Config, depth int) por.Result {
	return sample(sys, v, cfg, newPCT(depth))
}

func newPCT(depth int) newStrategy {
	if depth == 0 {
		depth = DefaultDepth
	}
	return func(r *rand.Rand) strategy { return &pct{rng: r, d: depth} }
}

// DefaultDepth is the default depth of PCT.
const DefaultDepth = 3

// pct is the strategy of PCT.
type pct struct {
	rng *rand.Rand
	d   int
	// priority is indexed by goroutine; 0: not enabled yet. The first priorities of goroutines are above d,
	// those given at change points are d-1 to 1 as in the paper, and those of goroutines that have run for
	// too long are negative.
	priority []int64
	change   []int // the steps k_1..k_(d-1) of the current execution, random and unsorted
	lowest   int64
	last     trace.GID
	inARow   int // steps in a row that last has made while others could move
}

// begin draws new change points.
func (p *pct) begin(before past) {
	clear(p.priority)
	p.change, p.lowest, p.last, p.inARow = p.change[:0], 0, trace.NoGID, 0
	if before.Steps > 0 {
		for range p.d - 1 {
			p.change = append(p.change, 1+p.rng.IntN(before.Steps))
		}
	}
}

func (p *pct) priorityOf(g trace.GID) *int64 {
	for int(g) >= len(p.priority) {
		p.priority = append(p.priority, 0)
	}
	q := &p.priority[g]
	if *q == 0 {
		*q = int64(p.d) + 1 + p.rng.Int64N(1<<62)
	}
	return q
}

// pick returns the goroutine with the highest priority. pick calls itself at most once, because after
// demote another goroutine has the highest priority and inARow is zero.
func (p *pct) pick(_ por.System, among []trace.GID) trace.GID {
	best := among[0]
	for _, g := range among {
		if *p.priorityOf(g) > *p.priorityOf(best) {
			best = g
		}
	}
	if best != p.last {
		p.last, p.inARow = best, 0
	}
	if p.inARow++; p.inARow > search.ChainLimit {
		p.last, p.inARow = trace.NoGID, 0
		p.demote(best)
		return p.pick(nil, among)
	}
	return best
}

// demote gives g the lowest priority.
func (p *pct) demote(g trace.GID) {
	p.lowest--
	*p.priorityOf(g) = p.lowest
}

// stepping lowers the priority at a change point after the goroutine was picked, so the step
// itself is still made.
func (p *pct) stepping(_ por.System, g trace.GID, op *trace.Op, n int) {
	if i := slices.Index(p.change, n); i >= 0 {
		*p.priorityOf(g) = int64(i + 1)
	}
	if op.Kind == trace.Yield {
		p.demote(g)
	}
}

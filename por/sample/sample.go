package sample

import (
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// DefaultSamples is the number of executions that sampling stops after if
// Config.MaxExecutions does not say.
const DefaultSamples = 10_000

// A strategy decides which goroutine moves next in the executions of Random, PCT and POS.
//
// What a strategy decides may depend on its own random numbers and on what it is given, on
// nothing else: the same seed has to give the same executions.
type strategy interface {
	// begin is called before each execution, about which it may depend on nothing that was before.
	// steps is the length of the longest one so far, or of some of those.
	begin(steps int)
	// pick returns one of among, the enabled goroutines, of which there are several. It is called
	// in the states of the path that have several, unless an oracle or the bound on preemptions
	// leaves no choice.
	pick(sys por.System, among []trace.GID) trace.GID
	// stepping is called before g executes op, its next operation, as step number n
	// of the execution, counted from 1.
	stepping(sys por.System, g trace.GID, op *trace.Op, n int)
}

// sampler executes one schedule after the other, each from the initial state. It
// looks for races in every state, as an exhaustive search does.
//
// One generator serves the strategy and the alternatives. It begins anew with each execution, whose
// number and the seed determine all: so they can be executed in any order, by several workers.
type sampler struct {
	search.Driver
	random   *rand.PCG   `saved:"-"` // of rng
	rng      *rand.Rand  `saved:"-"`
	strategy `saved:"-"` // knows nothing between two executions
	number   uint64      // of the next execution
	longest  int         // what the strategy is told of the longest one: see round
	forced   int         // steps in a row that an oracle has chosen
}

// A making makes a strategy that draws from r.
type making func(r *rand.Rand) strategy

func newSampler(sys por.System, v por.Visitor, cfg por.Config, s making) *sampler {
	random := new(rand.PCG)
	rng := rand.New(random)
	return &sampler{Driver: search.NewDriver(sys, v, cfg), random: random, rng: rng, strategy: s(rng)}
}

// sample runs the executions of one strategy. The same seed gives the same
// executions; alternatives of one operation are equally likely.
//
// The result is never exhaustive: BoundSampled is among its reasons, with the seed that repeats
// it.
func sample(sys por.System, v por.Visitor, cfg por.Config, s making) por.Result {
	cfg.Match = false
	budget := cfg.MaxExecutions
	if budget == 0 {
		budget = DefaultSamples
	}
	x := newSampler(sys, v, cfg, s)
	x.Estimate = func(p *por.Progress) { p.Estimate = float64(budget) }
	root := sys.Mark()
	resumed, leave := cfg.Enter(x)
	defer leave()
	if resumed {
		x.Reenter()
	}
	if m, ok := v.(por.Mergeable); ok && cfg.Jobs > 1 {
		x.several(m, s, budget, root)
	} else {
		for x.Stats.Done() < budget && !x.Halted {
			if x.Path = x.Path[:0]; x.number > 0 {
				x.Keep()
			}
			if x.Halted {
				break
			}
			x.round()
			x.draw(root)
		}
	}
	sys.Release(root)
	x.Account()
	r := x.Result()
	r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundSampled, Limit: cfg.Seed, Count: x.Stats.Done()})
	return r
}

// round notes how long executions are. That of number 2^i begins a round: all up to the next one are told
// of the longest before it, so that what they are does not depend on which of them come first.
func (x *sampler) round() {
	//mutant: jobs: executions are as long as the longest so far [pieces]: true
	if x.number&(x.number-1) == 0 {
		x.longest = x.Stats.MaxDepth
	}
}

// draw executes the next schedule, and returns to the initial state, which is that of root.
func (x *sampler) draw(root por.Mark) {
	const distance = 0x9e3779b97f4a7c15 // of one number from the next one, in the generator
	//mutant: jobs: random numbers go on [pieces]
	x.random.Seed(x.Cfg.Seed, x.number*distance)
	x.execution()
	x.number++
	x.Rewind(root)
}

// execution goes from the initial state to an end.
//
// The strategy is told of the step before it is made, when the operations of the others are still
// those among which it has chosen.
func (x *sampler) execution() {
	x.Path, x.Cur, x.Preempts, x.forced = x.Path[:0], trace.NoGID, 0, 0
	x.begin(x.longest)
	for !x.Halted {
		x.Arrive()
		switch {
		case len(x.Enabled) == 0:
			x.Leaf(x.Sys.Status())
			return
		case x.TruncatedHere():
			return
		}
		if x.ReportRaces(); x.Halted {
			return
		}
		a := trace.Step{G: x.next()}
		op := x.Sys.Next(a.G)
		if n := x.Sys.Alternatives(a.G); n > 1 {
			x.Stats.Choices++
			a.Choice = x.rng.IntN(n)
		}
		x.stepping(x.Sys, a.G, &op, len(x.Path)+1)
		x.Step(a)
	}
}

// next chooses the goroutine that moves in the present state.
//
// What an oracle says comes first, as it loses no outcome; but not forever: a goroutine that
// loops without meeting the others would be chosen again and again (ChainLimit). The bound on
// preemptions comes before the strategy, which does not know of it. To leave a goroutine that
// yields is no preemption.
func (x *sampler) next() trace.GID {
	if len(x.Enabled) == 1 {
		return x.Enabled[0]
	}
	if x.forced < search.ChainLimit {
		if g, ok := x.OracleSingleton(x.Cur, x.Cfg.AnyGoroutine && !x.Cfg.LimitPreempt); ok {
			x.forced++
			return g
		}
	}
	x.forced = 0
	preempting := slices.Contains(x.Enabled, x.Cur) && x.Sys.Next(x.Cur).Kind != trace.Yield
	if preempting && x.Cfg.LimitPreempt && x.Preempts >= x.Cfg.Preempt {
		x.PreemptCut = true
		return x.Cur
	}
	x.Stats.Choices++
	g := x.pick(x.Sys, x.Enabled)
	if preempting && g != x.Cur {
		x.Preempts++
	}
	return g
}

package por

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// DefaultSamples is the number of executions that sampling stops after if
// Config.MaxExecutions does not say.
const DefaultSamples = 10_000

// A strategy decides who moves next in the executions of Random, PCT and POS.
type strategy interface {
	// begin is called before each execution. steps is the length of the longest
	// one so far.
	begin(steps int)
	// pick returns one of among, the goroutines that can go on, of which there
	// are several. It is called in every state of the path that has several.
	pick(sys System, among []trace.GID) trace.GID
	// moving is called before g executes op, its next operation, as step number n
	// of the execution, counted from 1.
	moving(sys System, g trace.GID, op *trace.Op, n int)
}

// sampler executes one schedule after the other, each from the initial state. It
// looks for races in every state, as an exhaustive search does.
type sampler struct {
	*search
	rng *rand.Rand
	strategy
	forced int // steps in a row that an oracle has chosen
}

// sample runs the executions of one strategy. The same seed gives the same
// executions; alternatives of one operation are equally likely.
func sample(sys System, v Visitor, cfg Config, s func(*rand.Rand) strategy) Result {
	cfg.Match = false
	budget := cfg.MaxExecutions
	if budget == 0 {
		budget = DefaultSamples
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, 0))
	x := &sampler{search: newSearch(sys, v, cfg, nil), rng: rng, strategy: s(rng)}
	root := sys.Mark()
	for x.done() < budget && !x.halted {
		x.execution()
		x.rewind(root)
	}
	sys.Release(root)
	x.account()
	r := x.result()
	done := x.done()
	r.Incomplete = append(r.Incomplete, Reason{Bound: BoundSampled, Limit: done,
		Text: fmt.Sprintf("only a sample of %s, from seed %d (--max-executions, --seed)", plural(done, "execution"), cfg.Seed)})
	return r
}

// done returns the number of executions so far.
func (x *sampler) done() uint64 { return x.stats.Executions + x.stats.Blocked + x.stats.Truncated }

// execution goes from the initial state to an end.
func (x *sampler) execution() {
	x.path, x.cur, x.preempts, x.forced = x.path[:0], trace.NoGID, 0, 0
	x.begin(x.stats.MaxDepth)
	for !x.halted {
		x.stats.MaxDepth = max(x.stats.MaxDepth, len(x.path))
		x.enabled = x.sys.Enabled(x.enabled[:0])
		switch {
		case len(x.enabled) == 0:
			x.leaf(x.sys.Status())
			return
		case x.cfg.MaxSteps > 0 && len(x.path) >= x.cfg.MaxSteps:
			x.stats.Truncated++
			x.heed(x.v.Leaf(x.path, Running))
			return
		}
		if x.races(); x.halted {
			return
		}
		a := trace.Step{G: x.next()}
		op := x.sys.Next(a.G)
		if n := x.sys.Alternatives(a.G); n > 1 {
			x.stats.Choices++
			a.Choice = x.rng.IntN(n)
		}
		x.moving(x.sys, a.G, &op, len(x.path)+1)
		x.step(a)
	}
}

// next chooses who moves in the present state.
func (x *sampler) next() trace.GID {
	if len(x.enabled) == 1 {
		return x.enabled[0]
	}
	if g := x.unhindered(); g != trace.NoGID {
		x.forced++
		return g
	}
	x.forced = 0
	preempting := slices.Contains(x.enabled, x.cur) && x.sys.Next(x.cur).Kind != trace.Yield
	if preempting && x.cfg.LimitPreempt && x.preempts >= x.cfg.Preempt {
		x.preemptCut = true
		return x.cur
	}
	x.stats.Choices++
	g := x.pick(x.sys, x.enabled)
	if preempting && g != x.cur {
		x.preempts++
	}
	return g
}

// unhindered returns a goroutine of which the oracle says that nothing is lost if
// it goes on, preferably the one that moved last; NoGID if there is none.
func (x *sampler) unhindered() trace.GID {
	if x.cfg.Oracle == nil || x.forced >= chainLimit {
		return trace.NoGID
	}
	may := func(g trace.GID) bool {
		op := x.sys.Next(g)
		return x.quiet(g, &op)
	}
	if slices.Contains(x.enabled, x.cur) && may(x.cur) {
		return x.cur
	}
	if x.cfg.AnyGoroutine && !x.cfg.LimitPreempt {
		for _, g := range x.enabled {
			if g != x.cur && may(g) {
				return g
			}
		}
	}
	return trace.NoGID
}

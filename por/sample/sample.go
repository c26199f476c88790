package sample

import (
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// DefaultSamples is the number of executions if Config.MaxExecutions is 0.
const DefaultSamples = 10_000

// A strategy decides which goroutine moves next.
//
// Its decisions may depend only on its own random numbers and on its arguments:
// the same seed has to give the same executions.
type strategy interface {
	// begin is called before each execution, and must reset all state of earlier ones.
	begin(p past)
	// pick returns an element of among, the two or more enabled goroutines. It is called
	// in the states of the path with several enabled goroutines, unless an oracle or the bound on
	// preemptions leaves no choice.
	pick(sys por.System, among []trace.GID) trace.GID
	// stepping is called before g executes op, its pending operation, as step number n
	// of the execution, counted from 1.
	stepping(sys por.System, g trace.GID, op *trace.Op, n int)
}

// sampler executes one schedule after the other, each from the initial state. It checks every state for
// races, like an exhaustive search.
//
// One generator serves the strategy and the alternatives. It is seeded anew for each execution, by the seed
// and the number of the execution. So several workers can draw executions in any order.
type sampler struct {
	search.Driver
	random   *rand.PCG   `saved:"-"` // of rng
	rng      *rand.Rand  `saved:"-"`
	strategy `saved:"-"` // stateless between executions
	number   uint64      // number of the next execution
	past     past        // the argument of strategy.begin: see round
	census   *census     // census of the first execution of the round
	sources  readsFrom   // sources in all executions, for a strategy that is a reader
	forced   int         // steps in a row that an oracle has chosen
	most     int         // chosen steps of an execution
	counter  *counter    `saved:"-"` // counter of the present execution; nil: it is not counted
	chosen   int         `saved:"-"` // steps of the execution, without accesses over which they glided
	raced    bool        `saved:"-"` // the execution has a race
	aim      *aim        `saved:"-"` // aim of the present execution; nil: none
	aimed    []por.Aimed // by target

	predictors []*predictor   `saved:"-"` // predictors of the present execution; nil: nothing is predicted from it
	following  *following     `saved:"-"` // followed by the present execution; nil: none
	effects    por.Effects    `saved:"-"` // nil: the system does not know them
	inRow      int            `saved:"-"` // see continues
	longer     int            // how many times MaxSteps has been raised: see raise
	shortest   int            `saved:"-"` // MaxSteps at first
	touched    []trace.Access `saved:"-"`
	advanced   []trace.GID    `saved:"-"`
}

// A newStrategy makes a strategy that draws from r.
type newStrategy func(r *rand.Rand) strategy

func newSampler(sys por.System, v por.Visitor, cfg por.Config, s newStrategy) *sampler {
	random := new(rand.PCG)
	rng := rand.New(random)
	effects, _ := sys.(por.Effects)
	x := &sampler{Driver: search.NewDriver(sys, v, cfg), random: random, rng: rng, strategy: s(rng), aimed: make([]por.Aimed, len(cfg.Targets)), effects: effects}
	x.shortest = cfg.MaxSteps
	x.Size = search.Sum{Sys: x.Size, More: func() int64 {
		n := int64(0)
		for _, p := range x.predictors {
			n += p.bytes()
		}
		return n
	}}
	return x
}

// sample runs the executions of one strategy. The same seed gives the same
// executions; alternatives of one operation are equally likely.
//
// The result is never exhaustive: BoundSampled is among its reasons, with the seed that repeats
// it.
func sample(sys por.System, v por.Visitor, cfg por.Config, s newStrategy) por.Result {
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
		x.Cfg.MaxSteps = x.bound()
	}
	_, sends := cfg.Sends(v)
	if m, ok := v.(por.Mergeable); ok && (cfg.Jobs > 1 || sends) && len(cfg.Targets) == 0 {
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
			x.draw(root, budget-x.Stats.Done())
		}
	}
	sys.Release(root)
	x.Account()
	r := x.Result()
	r.Aimed = x.aimed
	r.Incomplete = append(r.Incomplete, por.Reason{Bound: por.BoundSampled, Limit: cfg.Seed, Count: x.Stats.Done()})
	return r
}

// round updates the past. Execution number 2^i begins a round. All executions of a round use the same data,
// those of the executions before the round, so they can be executed in any order.
func (x *sampler) round() {
	//mutant: jobs: executions are as long as the longest so far [pieces]: true
	if beginsRound(x.number) {
		x.past = past{x.most, x.census, x.sources}
	}
}

// beginsRound reports whether execution number n begins a round.
func beginsRound(n uint64) bool { return n&(n-1) == 0 }

// draw executes the next schedule, and then the schedules that it predicts: at most left executions in all.
// It returns to the initial state, which root marks.
func (x *sampler) draw(root por.Mark, left uint64) {
	const distance = 0x9e3779b97f4a7c15 // between the streams of two consecutive executions
	//mutant: jobs: random numbers go on [pieces]
	x.random.Seed(x.Cfg.Seed, x.number*distance)
	x.counter = nil
	if _, ok := x.strategy.(counts); ok && beginsRound(x.number) {
		x.counter = newCounter()
	}
	x.takeAim()
	if x.foresees(x.number) {
		x.predictors = []*predictor{newPredictor(false), newPredictor(true)}
	}
	x.execution()
	x.raise()
	x.countAim()
	if x.counter != nil {
		x.census = x.counter.census()
	}
	if r, ok := x.strategy.(reader); ok {
		x.sources = x.sources.plus(r.shown())
	}
	x.drawPredicted(root, left-1)
	x.number++
	x.Rewind(root)
}

// With Config.RaiseSteps the bound on steps is raised at most mostRaises times, to raiseBy times its value
// each time. A test of 10^7 steps has no execution otherwise, however much time there is. Each step needs
// 100 to 150 bytes, so there is no further raise.
const raiseBy, mostRaises = 5, 2

// raise raises the bound on steps if it has cut all executions. If executions seem to have no end, the first
// bound holds again, because many walks show more of such a program than a few long ones.
func (x *sampler) raise() {
	if x.Cfg.RaiseSteps && x.Stats.Truncated > 0 && x.Stats.Truncated == x.Stats.Done() {
		x.longer = min(x.longer+1, mostRaises+1)
		x.Cfg.MaxSteps = x.bound()
	}
}

// bound returns the bound on the steps of the next execution.
func (x *sampler) bound() int {
	bound := x.shortest
	//mutant: sample: the bound on steps stays [test ./por/sample TestRaised]: "x.longer <= mostRaises" -> "false"
	//mutant: sample: walks without end stay long [test ./por/sample TestRaised]: "x.longer <= mostRaises" -> "true"
	if x.longer <= mostRaises {
		for range x.longer {
			bound *= raiseBy
		}
	}
	return bound
}

// execution executes from the initial state to an end.
//
// It calls stepping before the step, while the pending operations are still those among which the strategy
// chose.
func (x *sampler) execution() {
	x.Path, x.Cur, x.Preempts, x.forced = x.Path[:0], trace.NoGID, 0, 0
	x.chosen, x.raced = 0, false
	defer func() { x.most = max(x.most, x.chosen) }()
	x.begin(x.past)
	for !x.Halted {
		x.Arrive()
		var a trace.Step
		follows, determined := x.following != nil && !x.following.over, false
		if follows {
			a, determined = x.following.next(x)
		}
		switch {
		case len(x.Enabled) == 0:
			x.Leaf(x.Sys.Status())
			return
		case x.TruncatedHere():
			return
		}
		glides := !follows && x.glides()
		if !glides {
			x.ReportRaces()
		}
		if x.Halted {
			return
		}
		if x.continues() {
			a.G = x.Cur
			x.read(a, x.NextOp(a.G))
			continue
		}
		if !determined {
			a.G = x.next()
		}
		op := x.NextOp(a.G)
		if n := x.Sys.Alternatives(a.G); n > 1 && !determined {
			x.Stats.Choices++
			a.Choice = x.rng.IntN(n)
		}
		x.chosen++
		x.stepping(x.Sys, a.G, op, x.chosen)
		if x.aim != nil {
			x.aim.stepping(a.G)
		}
		if x.counter != nil {
			x.counter.step(a.G, op, x.Enabled)
		}
		switch {
		case x.reads():
			x.read(a, op)
			continue
		case !glides:
			x.Step(a)
			continue
		}
		if op.Kind.Row().Ends || op.Kind == trace.End {
			if x.ReportRaces(); x.Halted { // the execution may end with it
				return
			}
		}
		x.glide(a)
	}
}

// next chooses the goroutine that moves in the current state.
//
// The oracle comes first, because its choice loses no outcome. After ChainLimit such choices in a row the
// strategy chooses once, because the oracle might always choose a goroutine that loops without
// synchronising with the others. The bound on preemptions comes before the strategy, which does not know
// the bound. A switch from a goroutine that yields is no preemption.
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
	among := x.Enabled
	if x.aim != nil {
		among = x.aim.free(among)
	}
	g := among[0]
	if len(among) > 1 {
		g = x.pick(x.Sys, among)
	}
	if preempting && g != x.Cur {
		x.Preempts++
	}
	return g
}

// glides reports whether the goroutine that moved continues with its plain accesses.
//
// Before a plain access no other goroutine needs to be chosen: two accesses whose order matters are a data
// race, which the vector clocks find in either order. After a race that the user accepts, plain accesses are
// points of choice.
func (x *sampler) glides() bool {
	//mutant: sample: executions with a race glide [test ./internal/progen TestGlidedPaths]: drop 1
	return !x.raced && x.aim == nil && !x.reads() && x.Active() && x.Cfg.Oracle == nil && !x.Tracing()
}

// continues reports whether the last goroutine continues with a plain access, in an execution that
// predictors read. There each access is a step, but there is no choice before an access over which other
// executions glide.
func (x *sampler) continues() bool {
	glides := x.reads() && x.aim == nil && x.Active() && x.Cfg.Oracle == nil && x.inRow < longGlide
	if !glides || !slices.Contains(x.Enabled, x.Cur) || !x.NextOp(x.Cur).Kind.Plain() {
		x.inRow = 0
		return false
	}
	x.inRow++
	return true
}

// longGlide bounds the number of consecutive accesses without a choice, because another goroutine may have
// to move before a loop ends.
const longGlide = 256

// glide executes a and the plain accesses after it.
func (x *sampler) glide(a trace.Step) {
	n := longGlide
	if m := x.Cfg.MaxSteps; m > 0 {
		//mutant: sample: gliding has no bound on steps [test ./internal/progen TestGlidedPaths]
		n = min(n, m-len(x.Path)-1)
	}
	x.Glide(n)
	x.Execute(a)
	for range x.Glided() {
		x.Path = append(x.Path, trace.Step{G: a.G})
	}
	x.raced = x.Racy()
	x.ExecutedSeveral(1 + x.Glided())
}

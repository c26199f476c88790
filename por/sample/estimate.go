package sample

import (
	"math"
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Estimator estimates the number of executions that package optimal has to explore, from a random
// sample, while optimal explores.
//
// A random walk descends the tree of all interleavings: in each state it chooses one of the enabled
// goroutines, each with the same probability. Knuth ("Estimating the efficiency of backtrack
// programs", Mathematics of Computation 1975) counts the leaves of a tree in this way: the product of the
// numbers of alternatives along a walk is an unbiased estimate. Estimator counts classes of leaves:
//
//  1. Let p be the probability of the walk's interleaving. Draw another interleaving of the same
//     class by repeatedly taking, at random, one of the events that are minimal among the
//     remaining ones. Let q be the probability of drawing the interleaving of the walk.
//  2. The sum over interleavings of p * q/p is the sum over classes of the sum of q, which is the
//     number of classes. So q/p is an unbiased estimate of it.
//  3. q/p is the product over the states of the walk of the number of enabled goroutines, divided
//     by the number of those whose next event is minimal among the remaining ones.
//
// Where nothing is in conflict, both numbers are equal, and the factor is 1. So the estimate depends on
// conflicts and not on interleavings, and every walk has a weight. (Walks with sleep sets would almost
// always be abandoned with weight zero.) Operations that commute with everything are executed at once in
// both, as in package optimal.
//
// Guarantees: the mean is unbiased, for programs without executions that end early (crash, exit,
// failed assumption) while others could continue. Package optimal also explores the continuations
// of such executions; they are counted approximately. The error is the standard error of the mean.
// Products of many factors have a skewed distribution: an estimate from few samples is more often
// too low than too high, and then so is its standard error.
//
// Example: two goroutines with one step each.
//
//	independent:  1 class, 2 interleavings. The walk has 2 candidates in its first state, and
//	              both next events are minimal: 2/2. Every walk estimates 1.
//	in conflict:  2 classes. 2 candidates, but only the walked one's event is minimal: 2/1.
//	              Every walk estimates 2.
type Estimator struct {
	sys  por.System
	rel  hb.Relation
	x    *hb.Execution
	cfg  por.Config
	rng  *rand.Rand
	root por.Mark

	candidates []trace.GID   // in all states of the walk, the goroutines that could be chosen
	states     []choicePoint // the states of the walk
	done       []uint32      // scratch of weight: the number of events that each goroutine has executed,
	events     [][]int32     // by goroutine: all of its events
	dropped    []trace.GID
	steps      uint64
	n          uint64
	mean, dev  float64 // of the samples, and the sum of squared deviations from the mean (Welford 1962)
}

// choicePoint is a state of a walk with a choice.
//
// If a goroutine with one alternative is a persistent set, the walk executes it at once. Such a state is not
// a choice point, because the second drawing would also execute the goroutine at once.
type choicePoint struct {
	events          int // number of events before the state
	candidates, end int // Estimator.candidates[candidates:end] could move
	choices         int // number of alternatives of the goroutine that moved
}

// NewEstimator returns an estimator that walks through sys, which nothing else may use. sys must be in its
// initial state, and is in it again after each sample. The same seed leads to the same estimates.
func NewEstimator(sys por.System, cfg por.Config, seed uint64) *Estimator {
	rel := hb.Relation{IgnoreOutput: cfg.IgnoreOutput, OneCloses: true, OnlyReceived: true} // as in package optimal
	return &Estimator{
		sys:  sys,
		rel:  rel,
		x:    hb.NewExecution(sys, rel),
		cfg:  cfg,
		rng:  rand.New(rand.NewPCG(seed, 1)),
		root: sys.Mark(),
	}
}

// Sample adds one execution to the sample. It returns false if an estimate is impossible: package
// optimal falls back to another explorer for the program, executions are longer than
// Config.MaxSteps, or Config.Over, which is called in each state, returns true. It also returns
// false if no goroutine can move at first, as in a machine that was interrupted while it was made.
//
// Memory does not grow with the number of samples.
func (e *Estimator) Sample() bool {
	weight, ok := e.walk()
	e.sys.Rewind(e.root)
	e.x.Invalidate()
	e.x.Truncate(0)
	if !ok && e.x.Wrong != 0 && e.x.Wrong&hb.Commute == 0 { // package optimal begins again, too
		e.rel = e.x.Refined()
		e.x, e.n, e.mean, e.dev = hb.NewExecution(e.sys, e.rel), 0, 0, 0
		return e.Sample()
	}
	if !ok {
		return false
	}
	e.n++
	d := weight - e.mean
	e.mean += d / float64(e.n)
	e.dev += d * (weight - e.mean)
	return true
}

// Samples returns the number of executions in the sample.
func (e *Estimator) Samples() uint64 { return e.n }

// Steps returns the number of steps of all samples.
func (e *Estimator) Steps() uint64 { return e.steps }

// Executions returns the estimate, and its standard error. It needs at least two samples.
func (e *Estimator) Executions() (estimate, err float64) {
	if e.n < 2 {
		return 0, 0
	}
	return e.mean, math.Sqrt(e.dev / float64(e.n-1) / float64(e.n))
}

// walk walks to the end of an execution and returns its weight.
//
// An execution that ends while others could continue is counted where it ends, and continues
// without its goroutine, as in package optimal (section 6 of docs/research/optimal.md): so one walk may
// count several executions.
func (e *Estimator) walk() (weight float64, ok bool) {
	x := e.x
	e.candidates, e.states, e.dropped = e.candidates[:0], e.states[:0], e.dropped[:0]
	ends := 1.0 // executions that end on the way, and the one at the end
	for {
		lo := len(e.candidates)
		for _, g := range x.Enabled() {
			if !slices.Contains(e.dropped, g) {
				e.candidates = append(e.candidates, g)
			}
		}
		among := e.candidates[lo:]
		if len(among) == 0 {
			break
		}
		if x.Unsupported || e.cfg.MaxSteps > 0 && len(x.Events) >= e.cfg.MaxSteps || e.over() {
			return 0, false
		}
		g := among[0]
		if i := slices.IndexFunc(among, e.needsNoChoice); i >= 0 {
			g = among[i]
			e.candidates = e.candidates[:lo]
		} else if len(among) > 1 {
			g = among[e.rng.IntN(len(among))]
		}
		n := e.sys.Alternatives(g)
		choice := 0
		if n > 1 {
			choice = e.rng.IntN(n)
		}
		if len(e.candidates) > lo || n > 1 {
			at := choicePoint{events: len(x.Events), candidates: lo, end: len(e.candidates), choices: n}
			e.states = append(e.states, at)
		}
		e.steps++
		if e.step(g, choice) {
			ends++
		}
	}
	//mutant: an execution without a step is a sample [test ./por/sample TestEstimateOver]: "len(x.Events) == 0" -> "false"
	if len(x.Events) == 0 {
		return 0, false
	}
	weight, ok = e.weight()
	return ends * weight, ok && !x.Unsupported
}

// over reports whether the search has to end.
func (e *Estimator) over() bool { return e.cfg.Over != nil && e.cfg.Over() }

// needsNoChoice reports whether {g} is a persistent set because g's pending operation has no accesses.
func (e *Estimator) needsNoChoice(g trace.GID) bool {
	op := e.x.Next(g)
	return !op.DependsOnAll && op.N == 0 && !por.InspectsAll(e.sys) && search.Unobservable(op.Kind, e.cfg.IgnoreOutput)
}

// step executes an operation. It reports whether that has ended the execution while others could
// continue; they continue then.
func (e *Estimator) step(g trace.GID, choice int) (over bool) {
	x := e.x
	m := e.sys.Mark()
	x.Execute(g, choice)
	over = x.Events[len(x.Events)-1].EndsExecution
	if over {
		e.sys.Rewind(m)
		x.Invalidate()
		x.Retire(g)
		e.dropped = append(e.dropped, g)
	}
	e.sys.Release(m)
	return over
}

// weight returns q/p of the walk.
//
// It passes through the walk once more: done has the position of each goroutine in the current state,
// and an event is minimal there if all events of its clock are done. ok is false if the search has
// to end before.
func (e *Estimator) weight() (weight float64, ok bool) {
	x := e.x
	next := 0
	weight = 1
	e.done = append(e.done[:0], make([]uint32, x.Width)...)
	for g := range e.events {
		e.events[g] = e.events[g][:0]
	}
	for i := range x.Events {
		g := int(x.Events[i].G)
		for len(e.events) <= g {
			e.events = append(e.events, nil)
		}
		e.events[g] = append(e.events[g], int32(i))
	}
	for i, s := range e.states {
		if i%overEach == 0 && e.over() {
			return 0, false
		}
		for ; next < s.events; next++ {
			e.done[x.Events[next].G]++
		}
		weight *= float64(s.choices)
		if s.candidates == s.end {
			continue
		}
		first := 0
		for _, g := range e.candidates[s.candidates:s.end] {
			if e.isMinimal(g) {
				first++
			}
		}
		weight *= float64(s.end-s.candidates) / float64(first)
	}
	return weight, true
}

// overEach is the number of states that weight processes between two calls of Config.Over.
const overEach = 256

// isMinimal reports whether g's next event is minimal among the remaining ones.
func (e *Estimator) isMinimal(g trace.GID) bool {
	if int(g) >= len(e.events) || int(e.done[g]) == len(e.events[g]) {
		return false
	}
	for h, k := range e.x.Clock(int(e.events[g][e.done[g]])) {
		if k > e.done[h] && trace.GID(h) != g {
			return false
		}
	}
	return true
}

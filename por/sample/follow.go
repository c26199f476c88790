package sample

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// The second execution, and the second of each round after it, is read by a predictor. Executions of what it
// predicts come after it. They belong to its number, so they depend on nothing else. It is not the first of a
// round, because plain accesses are points of choice in it, and a census counts them.

// predicts is a strategy whose executions are read by predictors.
type predicts interface{ predicts() }

// foresees reports whether execution number n is read by a predictor.
func (x *sampler) foresees(n uint64) bool {
	_, ok := x.strategy.(predicts)
	return ok && x.effects != nil && !x.Cfg.LimitPreempt && (n == 1 || n > 2 && beginsRound(n-1))
}

// reads reports whether the predictor reads the next step.
func (x *sampler) reads() bool { return x.predictor != nil && x.predictor.steps < mostRecorded }

// read executes the step a, of operation op, and lets the predictor read it.
func (x *sampler) read(a trace.Step, op *trace.Op) {
	x.touched = x.effects.Touches(a.G, x.touched[:0])
	x.predictor.step(a.G, op, x.touched)
	x.Step(a)
	x.advanced = x.effects.Advanced(x.advanced[:0])
	for _, g := range x.advanced {
		x.predictor.advanced(g)
	}
}

// A following is an execution of what is predicted.
type following struct {
	plan
	trace trace.Schedule // the execution that was read
	at    int            // the next step in it
	made  needed         // by goroutine
	over  bool           // the steps of the plan have been made, or one could not be
}

// drawPredicted executes what the last execution predicts, at most left executions. root is that of the
// initial state.
func (x *sampler) drawPredicted(root por.Mark, left uint64) {
	p, schedule := x.predictor, append(trace.Schedule(nil), x.Path...)
	x.predictor = nil
	if p == nil || x.Halted || left == 0 {
		return
	}
	plans := p.plans(func(a, b point) bool { return x.KnownRaces.Has(a.Func, a.PC, b.Func, b.PC) })
	x.aim, x.counter = nil, nil
	for _, f := range plans[:min(uint64(len(plans)), left)] {
		x.Stats.Predicted++
		x.Rewind(root)
		x.following = &following{plan: f, trace: schedule, made: make(needed, len(f.has))}
		x.execution()
		x.following = nil
		if x.Halted {
			return
		}
	}
}

// next returns the next step of the plan, or of the bug that it leads to. ok is false if there is none.
func (f *following) next(x *sampler) (a trace.Step, ok bool) {
	for ; f.at < len(f.trace); f.at++ {
		a := f.trace[f.at]
		if f.made[a.G] >= f.has[a.G] {
			continue
		}
		f.at++
		f.made[a.G]++
		f.over = !slices.Contains(x.Enabled, a.G) || x.Sys.Alternatives(a.G) <= a.Choice
		return a, !f.over
	}
	f.over = true
	if !f.arrived(x) {
		return a, false
	}
	x.Stats.Confirmed++
	return trace.Step{G: f.first}, f.first != trace.NoGID
}

// arrived reports whether the goroutines of the plan are where it leads them.
func (f *following) arrived(x *sampler) bool {
	for i, g := range f.gs {
		op := x.NextOp(g)
		//mutant: predict: those who wait for locks can move [test ./por/sample TestConfirmed]: "f.goal != por.Cross" -> "true"
		if pointOf(op) != f.points[i] || f.goal != por.Precede && slices.Contains(x.Enabled, g) != (f.goal != por.Cross) {
			return false
		}
	}
	return true
}

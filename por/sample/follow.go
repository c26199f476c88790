package sample

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Two predictors read the second execution and each later one that begins a round. The predicted schedules
// are executed directly after it. They belong to the number of the execution that was read, so they depend on
// no other execution.

// predicts is a strategy whose executions are read by predictors.
type predicts interface{ predicts() }

// foresees reports whether predictors read execution number n.
func (x *sampler) foresees(n uint64) bool {
	_, ok := x.strategy.(predicts)
	return ok && x.effects != nil && !x.Cfg.LimitPreempt && n > 0 && beginsRound(n)
}

// reads reports whether predictors read the next step.
func (x *sampler) reads() bool { return x.predictors != nil && x.predictors[0].steps < mostRecorded }

// read executes the step a, of operation op, and lets the predictors read it.
func (x *sampler) read(a trace.Step, op *trace.Op) {
	x.touched = x.effects.Touches(a.G, x.touched[:0])
	kept := *op // queries for alternatives may change op
	own, partner := x.turnsOf(a, op)
	for _, p := range x.predictors {
		if own != nil {
			p.meeting(own, partner)
		}
		t := p.goroutine(a.G)
		for i := range x.Cfg.Targets {
			if target := &x.Cfg.Targets[i]; target.Goal == por.Interpose && kept.N > 0 {
				if at := target.At(a.G, &kept); at != 0 {
					p.interposes(moment{g: a.G, k: t.k, past: t.past}, &kept, i, at)
				}
			}
		}
		p.step(a.G, &kept, x.touched)
	}
	x.Step(a)
	x.advanced = x.effects.Advanced(x.advanced[:0])
	for _, p := range x.predictors {
		for _, g := range x.advanced {
			p.advanced(g)
		}
	}
}

// drawPredicted executes the schedules predicted from the last execution, at most left. root marks the
// initial state.
func (x *sampler) drawPredicted(root por.Mark, left uint64) {
	list, schedule := x.predictors, append(trace.Schedule(nil), x.Path...)
	x.predictors, x.aim, x.counter = nil, nil, nil
	done := make(map[string]bool)
	for _, p := range list {
		if x.Halted {
			return
		}
		for _, f := range p.plans(x.KnownRaces) {
			key := f.key()
			switch {
			case x.Halted || left == 0:
				return
			case done[key]:
				continue
			}
			done[key] = true
			left--
			if f.guess {
				x.Stats.Guessed++
			} else {
				x.Stats.Predicted++
			}
			x.Rewind(root)
			x.following = &following{plan: f, trace: schedule, made: make(needed, len(f.has)), seen: make(needed, len(f.has))}
			x.execution()
			x.following = nil
		}
	}
}

// A following is the execution of a plan.
type following struct {
	plan
	trace trace.Schedule // the execution that was read
	at    int            // the next step in it
	seen  needed         // by goroutine: the number of its steps before the step at
	made  needed         // by goroutine
	over  bool           // all steps of the plan have been made, or one was impossible
	steps int            // number of steps that the goroutine in between has made after those of the plan
}

// next returns the next step of the plan, or of the bug that it leads to. ok is false if there is none.
func (f *following) next(x *sampler) (a trace.Step, ok bool) {
	if f.steps > 0 {
		a, ok = f.stepBetween(x)
		f.over = !ok
		return a, ok
	}
	for ; f.at < len(f.trace); f.at++ {
		a := f.trace[f.at]
		if int(a.G) >= len(f.has) {
			continue
		}
		n := f.seen[a.G]
		if f.seen[a.G]++; n < f.made[a.G] || n >= f.has[a.G] {
			continue
		}
		f.at++
		f.made[a.G]++
		if f.over = !slices.Contains(x.Enabled, a.G) || x.Sys.Alternatives(a.G) <= a.Choice; f.over {
			//mutant: predict: the choice of a step that cannot be made is that of another one [test ./explore TestPredictedChoice]: "trace.Step{}" -> "a"
			return trace.Step{}, false
		}
		return a, true
	}
	if f.last != nil {
		f.at, f.has, f.last = 0, f.last, nil
		clear(f.seen)
		return f.next(x)
	}
	f.over = true
	if !f.arrived(x) {
		return a, false
	}
	if f.until != (point{}) {
		a, ok = f.stepBetween(x)
		f.over = !ok
	} else if f.takes != nil {
		if a, ok = f.takes.step(x); !ok {
			return a, false
		}
	} else if ok = f.first != trace.NoGID && slices.Contains(x.Enabled, f.first); ok {
		a.G = f.first
	}
	if !f.guess {
		x.Stats.Confirmed++
	}
	return a, ok
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

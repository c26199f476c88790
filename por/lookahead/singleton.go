package lookahead

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// PersistentSingleton is the criterion itself that oracles approximate: {g} is a persistent set
// (Godefroid 1996) if in no execution in which g does not move another goroutine executes an
// operation that conflicts with g's next one. It explores what the others can do while g waits,
// with JPF's reduction of that system, and compares every operation with g's. Operations that
// synchronise are no conflict where they commute.
//
// It returns a schedule from the present state to a state from which its last step is in conflict
// with g's operation; nil if there is none in what was explored. complete is false if limit states
// did not suffice to say that there is none. The system is left as it was.
//
// Example: mu.Lock() of g1 in question.
//
//	g2: x = 1; mu.Lock() ...      conflict: the schedule is [g2, g2]
//	g2: x = 1; <-c                none, if no other goroutine sends to c: g2 waits for g1
func PersistentSingleton(sys por.System, g trace.GID, limit uint64) (conflict trace.Schedule, complete bool) {
	p := &parked{System: sys, g: g, op: sys.Next(g)}
	most := max(limit*stepsPerState, 4*search.ChainLimit)
	cfg := por.Config{Match: true, MaxStates: limit, IgnoreOutput: true}
	cfg.Poll = func(at por.Progress) string {
		if at.Transitions > most {
			return "enough"
		}
		return ""
	}
	r := stateful.JPF(p, p, cfg)
	return p.schedule, p.schedule != nil || len(r.Incomplete) == 0
}

// stepsPerState is the number of transitions that PersistentSingleton spends per state. A loop in
// which there is nothing to choose is noticed after ChainLimit of them.
const stepsPerState = 8

// parked is a system in which one goroutine does not move, and the visitor of
// its search. A conflicting operation is not executed but ends the execution.
type parked struct {
	por.System
	g         trace.GID
	op        trace.Op
	conflicts bool // an operation is in conflict
	schedule  trace.Schedule
}

// Enabled implements System.
func (p *parked) Enabled(buf []trace.GID) []trace.GID {
	if p.conflicts {
		return buf
	}
	return enabledBut(p.System, p.g, buf)
}

// enabledBut appends the goroutines that are enabled, without g.
func enabledBut(sys por.System, g trace.GID, buf []trace.GID) []trace.GID {
	n := len(buf)
	buf = sys.Enabled(buf)
	if i := slices.Index(buf[n:], g); i >= 0 {
		buf = slices.Delete(buf, n+i, n+i+1)
	}
	return buf
}

// Step implements System.
func (p *parked) Step(g trace.GID, choice int) {
	if op := p.System.Next(g); op.Conflicts(&p.op) && !p.commutesWithParked(g, choice, &op) {
		p.conflicts = true
		return
	}
	p.System.Step(g, choice)
}

// commutesWithParked reports whether op of g makes no difference to the goroutine that waits,
// though the two access the same object.
//
// Two operations on a channel or lock overlap in their accesses nearly always; only trying them
// out says whether it makes a difference. A goroutine that merely arrives and waits (Parks) has
// no effect but that it is there, and only a select can see that.
func (p *parked) commutesWithParked(g trace.GID, choice int, op *trace.Op) bool {
	if op.Kind.Plain() || p.op.Kind.Plain() {
		return false
	}
	if s := por.CapabilitiesOf(p.System).Parker; s != nil && s.Parks(g, choice) {
		return p.op.Kind != trace.TrySelect && p.op.Kind != trace.Select
	}
	return p.sameStateEitherWay(g, choice)
}

// sameStateEitherWay reports whether an operation of g and that of the goroutine that waits, both
// of which synchronise, can be executed in either order and lead to the same state: two goroutines
// add to a WaitGroup.
//
// All alternatives of the one that waits are tried, but only the given one of g: each of those is
// a step of its own.
func (p *parked) sameStateEitherWay(g trace.GID, choice int) bool {
	m := p.Mark()
	defer func() {
		p.Rewind(m)
		p.Release(m)
	}()
	one, other := trace.Step{G: g, Choice: choice}, trace.Step{G: p.g}
	for other.Choice = range p.Alternatives(p.g) {
		first, ok1 := p.stateAfter(m, one, other)
		second, ok2 := p.stateAfter(m, other, one)
		if !ok1 || !ok2 || first != second {
			return false
		}
	}
	return true
}

// stateAfter returns the state after a and b; false if b cannot be executed after a.
//
// b must have the same alternatives after a as before it: one that a has added or taken away is
// an effect of a on b.
func (p *parked) stateAfter(m por.Mark, a, b trace.Step) (por.Hash, bool) {
	p.Rewind(m)
	n := p.Alternatives(b.G)
	p.System.Step(a.G, a.Choice)
	if !slices.Contains(p.System.Enabled(nil), b.G) || p.Alternatives(b.G) != n {
		return por.Hash{}, false
	}
	p.System.Step(b.G, b.Choice)
	return p.Hash(), true
}

// Leaf implements Visitor.
func (p *parked) Leaf(path trace.Schedule, _ por.Status) bool {
	if p.conflicts {
		p.schedule = slices.Clone(path)
	}
	return !p.conflicts
}

// Race implements Visitor.
func (p *parked) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }

// Livelock implements Visitor.
func (p *parked) Livelock(trace.Schedule, int) bool { return true }

// Restart implements Visitor.
func (p *parked) Restart() {}

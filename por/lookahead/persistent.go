package lookahead

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// PersistentSet decides the criterion that oracles approximate. The pending operations of the
// goroutines gs are a persistent set (Godefroid 1996) if this holds for each execution in which
// none of gs moves: no goroutine executes an operation that conflicts with one of them. It explores
// the executions of the others while gs wait, with JPF's reduction of that system, and compares
// every operation with those of gs. Synchronising operations that commute do not conflict. An
// operation that adds or removes an alternative of one of gs is a conflict: a goroutine that
// arrives at a channel is a partner.
//
// It returns a schedule from the current state whose last step conflicts
// with such an operation; nil if it finds none. complete is false if limit states
// were not enough to exclude a conflict. The system is left in its initial state.
//
// Example: mu.Lock() of g1 in question.
//
//	g2: x = 1; mu.Lock() ...      conflict: the schedule is [g2, g2]
//	g2: x = 1; <-c                no conflict, if no other goroutine sends to c: g2 waits for g1
func PersistentSet(sys por.System, gs []trace.GID, limit uint64) (conflict trace.Schedule, complete bool) {
	return persistentSet(&parked{System: sys, gs: gs}, limit)
}

// PersistentPart is PersistentSet for a search that postpones parking (por.Parker). The others postpone
// parking, too, and a goroutine that parks at its pending operation causes no conflict, because the
// goroutines that would notice it can already communicate with it.
func PersistentPart(sys por.System, gs []trace.GID, limit uint64) (conflict trace.Schedule, complete bool) {
	p := &parked{System: sys, gs: gs}
	if l := por.CapabilitiesOf(sys).Parker; l != nil && l.PutsOff() {
		p.late = l
	}
	if s := por.CapabilitiesOf(sys).Parker; s != nil {
		for _, g := range sys.Enabled(nil) {
			if n := sys.Alternatives(g); s.Parks(g, n-1) {
				p.arrived = append(p.arrived, sys.Next(g))
			}
		}
	}
	return persistentSet(p, limit)
}

func persistentSet(p *parked, limit uint64) (conflict trace.Schedule, complete bool) {
	sys, gs := p.System, p.gs
	for _, g := range gs {
		p.ops = append(p.ops, sys.Next(g))
	}
	p.alternatives = p.alternativesNow(nil)
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

// stepsPerState is the number of transitions that PersistentSet spends per state. A loop without choices is
// noticed after ChainLimit transitions.
const stepsPerState = 8

// parked is a system in which some goroutines do not move, and the visitor of
// its search. A conflicting operation is not executed but ends the execution.
type parked struct {
	por.System
	gs        []trace.GID
	ops       []trace.Op // pending operations of gs
	arrived   []trace.Op // operations at which parking does not conflict
	late      por.Parker // if parking is postponed
	meetings  []por.Meeting
	conflicts bool // an operation is in conflict
	schedule  trace.Schedule

	alternatives, buf []int // alternatives of gs in the state in question
}

// Alternatives implements System.
func (p *parked) Alternatives(g trace.GID) int {
	n := p.System.Alternatives(g)
	if n > 1 && p.late != nil && p.late.ParksLast(g) {
		n--
	}
	return n
}

// alternativesNow appends the number of alternatives of each of gs, meetings included, 0 if it is blocked.
func (p *parked) alternativesNow(buf []int) []int {
	enabled := p.System.Enabled(nil)
	for _, g := range p.gs {
		n := 0
		if slices.Contains(enabled, g) {
			n = p.Alternatives(g)
			if p.late != nil {
				p.meetings = p.late.Meetings(g, p.meetings[:0])
				n += len(p.meetings)
			}
		}
		buf = append(buf, n)
	}
	return buf
}

// Enabled implements System.
func (p *parked) Enabled(buf []trace.GID) []trace.GID {
	if p.conflicts {
		return buf
	}
	n := len(buf)
	buf = p.System.Enabled(buf)
	if p.late != nil {
		buf = append(buf[:n], p.late.PutOff(buf[n:])...)
	}
	rest := slices.DeleteFunc(buf[n:], func(g trace.GID) bool { return slices.Contains(p.gs, g) })
	return buf[:n+len(rest)]
}

// enabledBut appends the enabled goroutines without g.
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
	op := p.System.Next(g)
	if op.InspectsAll() {
		p.conflicts = true
		return
	}
	for i := range p.ops {
		if op.Conflicts(&p.ops[i]) && !p.commutesWithParked(g, choice, &op, i) {
			p.conflicts = true
			return
		}
	}
	p.System.Step(g, choice)
	switch p.Status() {
	case por.Running, por.Stuck: // if they move first, the end of the execution comes later
		p.buf = p.alternativesNow(p.buf[:0])
		p.conflicts = !slices.Equal(p.buf, p.alternatives)
	}
}

// commutesWithParked reports whether op of g makes no difference to waiting goroutine i,
// though the two access the same object.
//
// The accesses of two operations on a channel or lock overlap nearly always; only executing them
// shows whether their order matters. The only effect of a goroutine that merely arrives and waits (Parks)
// is its presence, which only a select can notice: an enabled one is executed, too.
func (p *parked) commutesWithParked(g trace.GID, choice int, op *trace.Op, i int) bool {
	waiting := p.ops[i].Kind
	if op.Kind.Plain() || waiting.Plain() {
		return false
	}
	if s := por.CapabilitiesOf(p.System).Parker; s != nil && s.Parks(g, choice) {
		switch {
		case slices.Contains(p.arrived, *op):
			return true
		case waiting == trace.TrySelect:
			return false
		case waiting != trace.Select:
			return true
		case p.Alternatives(p.gs[i]) == 0:
			return false
		}
	}
	return p.sameStateEitherWay(g, choice, p.gs[i])
}

// sameStateEitherWay reports whether the operation of g and that of the goroutine waiting can be executed in
// either order, and both orders lead to the same state, as with two additions to a WaitGroup. Both
// synchronise.
//
// It tries all alternatives of the operation of waiting, but only the given alternative of g, because each
// of g's alternatives is a separate step.
func (p *parked) sameStateEitherWay(g trace.GID, choice int, waiting trace.GID) bool {
	m := p.Mark()
	defer func() {
		p.Rewind(m)
		p.Release(m)
	}()
	one, other := trace.Step{G: g, Choice: choice}, trace.Step{G: waiting}
	for other.Choice = range p.Alternatives(waiting) {
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
// b must have the same alternatives before and after a, because an added or removed alternative is an effect
// of a on b.
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

// Restart implements Visitor. The search finds its conflict again.
func (p *parked) Restart() { p.conflicts = false }

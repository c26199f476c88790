package dpor

import (
	"errors"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// ContextConfig chooses a variant of Context. docs/dev/rationale/explorers.md has a program for each of
// those that lose executions.
//
// The zero value is the sound variant. The others exist to repeat the paper's experiments, and
// each reports that it is not exhaustive (incomplete).
type ContextConfig struct {
	// Paper selects Algorithm 1 as published: any two orders that lead to the same state are
	// equivalent. It loses executions.
	Paper bool
	// CSS is not in the paper, but the numbers of its table 1 need it. With CSS an element of the sleep set
	// stays there after an event that depends on it, if the two commuted in the state where they were
	// executed. Critical sections may commute, too. CSS loses executions.
	CSS bool
	// Cuts is optimization 1 of section 5.3, anticipating cuts. It loses executions.
	Cuts bool
	// Unguided leaves out optimization 2, guiding with sleep sequences.
	Unguided bool

	_ struct{}
}

// Set chooses a variant by its name.
func (c *ContextConfig) Set(name string) error {
	switch name {
	case "paper":
		c.Paper = true
	case "css":
		c.CSS = true
	case "cuts":
		c.Cuts = true
	case "unguided":
		c.Unguided = true
	default:
		return errors.New("want paper, css, cuts or unguided")
	}
	return nil
}

// Context is context-sensitive dynamic partial order reduction (Albert, Arenas, de la Banda,
// Gómez-Zamalloa and Stuckey, CAV 2017): where two orders of dependent events are found to lead to
// the same state, one of them is explored.
//
// The paper's Algorithm 1 puts any sequence to sleep that reverses a race and leads to the same
// state. That loses outcomes: it never sees races that the explored order hides and the other order does
// not. ContextConfig.Paper selects this algorithm. Otherwise only interchangeable writes change places:
//
//  1. Two writes to the same location (or two prints) are interchangeable: every event that depends on
//     one of them depends on the other.
//  2. If w is in the sleep set, and the next event is interchangeable with w and commutes with it
//     in this state, then w stays in the sleep set after it, too.
//  3. So no race is hidden in one order and not in the other one.
//
// docs/dev/rationale/explorers.md has both the proof and a program in which Algorithm 1 loses an
// outcome.
//
// A step of the paper is a task that holds its actor. Here it is one operation. With
// ContextConfig.CSS, a step that locks a mutex extends until its goroutine unlocks it:
// operations that lock never commute.
//
// "Our algorithm recomputes sub-sequences due to the context-sensitive equivalence check" (section 6.2): so
// does this implementation. With ContextConfig.Paper it recomputes them when the search is back at E', where
// it knows whether the check is needed. Stats.Transitions does not count these steps.
//
// Programs with loops that wait fall back to Source. In such a program, a write in the sleep set is
// not executed, and a loop that waits for this write never leaves. Without the fallback generated
// programs lose endings.
//
// Example of the gain:
//
//	g1: done = true    g2: done = true         2 classes, 1 state after both
//	g1 g2              explored
//	g2 g1              g2 is executed with {g1} asleep; both are interchangeable and
//	                   commute here, so g1 stays asleep and the second order is not completed
func Context(sys por.System, v por.Visitor, cfg por.Config, variant ContextConfig) por.Result {
	exact := hb.Relation{IgnoreOutput: cfg.IgnoreOutput, OnlyReceived: true}
	return hb.Refine(v, cfg, exact, func(rel hb.Relation) (por.Result, *hb.Execution) {
		s := newSource(sys, v, cfg, rel)
		s.ctx = &contextSensitive{s: s, cfg: variant}
		r := s.run()
		switch {
		case s.exec.Unsupported:
			r = por.Result{FallbackTo: "clockvector"}
		case s.exec.Awaits:
			r = por.Result{FallbackTo: "source"}
		default:
			r.Incomplete = append(r.Incomplete, s.ctx.incomplete()...)
		}
		return r, s.exec
	})
}

// incomplete returns the reasons why omitted sequences may differ from all explored ones.
func (c *contextSensitive) incomplete() (list []por.Reason) {
	if c.cuts > 0 {
		list = append(list, por.Reason{Bound: por.BoundContext, Count: c.cuts, Text: "cuts"})
	}
	if c.unsoundSleeps > 0 {
		name := "paper"
		if c.cfg.CSS {
			name = "css"
		}
		list = append(list, por.Reason{Bound: por.BoundContext, Count: c.unsoundSleeps, Text: name})
	}
	return list
}

// contextSensitive has the data that Context adds to a source.
//
// It hooks into the search of source at five places: sleepWhatCommutes before a step (execute),
// noteRace and endSections when races are found (findRaces), checkStates when the search is back
// in a state, and preferShortest and anticipatedCut where a goroutine is picked.
type contextSensitive struct {
	s   *source
	cfg ContextConfig
	// lockRaces has the races of the critical sections that have begun in the current path and not
	// ended. Entries with p after the newest event belong to undone paths; endSections drops them.
	lockRaces     []lockRace
	cuts          uint64
	unsoundSleeps uint64 // elements of sleep sets by Paper or CSS
}

// lockRace is a race between events e and p, which lock the same mutex.
//
// The sections are compared as a whole when p's ends:
//
//	g1: Lock e ── Unlock      g2:                Lock p ──── Unlock
//	                                                          └ states are compared from here
type lockRace struct{ e, p int }

// stateCheck is a postponed line 13: does the sequence v.u lead to the state? The search answers when it
// is back in the state in which seq begins (checkStates).
type stateCheck struct {
	seq   []hb.Transition
	state por.Hash
}

// noteRace is lines 11 and 13, for a race between e and p, the newest event. If p locks a mutex,
// then e unlocks it, and p races with the event that locked it; states are compared
// when p's critical section ends.
func (c *contextSensitive) noteRace(e, p int) {
	if !c.cfg.Paper && !c.cfg.CSS {
		return
	}
	x := c.s.exec
	first, second := &x.Events[e], &x.Events[p]
	if second.Op.Kind != trace.Lock || first.Op.Kind != trace.Unlock {
		c.checkLater(e, p)
		return
	}
	if !c.cfg.CSS {
		return
	}
	// Find the event that locked the mutex that e unlocks. If that event happens before the arrival of p's
	// goroutine at p, the two sections are ordered anyway.
	for j := e - 1; j >= 0; j-- {
		if f := &x.Events[j]; f.G == first.G && f.Op.Kind == trace.Lock && f.Op.Access[0] == first.Op.Access[0] {
			if known := x.Arrival(p); known < 0 || !x.Before(j, x.Clock(known)) {
				c.lockRaces = append(c.lockRaces, lockRace{j, p})
			}
			return
		}
	}
}

// endSections finds the critical sections that end with the newest event, n.
func (c *contextSensitive) endSections(n int) {
	c.lockRaces = slices.DeleteFunc(c.lockRaces, func(l lockRace) bool { return l.p > n })
	last := &c.s.exec.Events[n]
	if last.Op.Kind != trace.Unlock {
		return
	}
	for _, l := range c.lockRaces {
		if f := &c.s.exec.Events[l.p]; f.G == last.G && f.Op.Access[0] == last.Op.Access[0] {
			c.checkLater(l.e, l.p)
		}
	}
	c.lockRaces = slices.DeleteFunc(c.lockRaces, func(l lockRace) bool { return c.s.exec.Events[l.p].G == last.G })
}

// checkLater arranges a stateCheck: whether the events since e also lead to the current state in
// the order v.u.
//
// u has e and the events that happen after e, but not after p; v has all others:
//
//	executed:  e  a  b  p  c        a happens after e; b is independent of e; c happens after p
//	v:               b  p  c
//	u:         e  a                 v.u = b p c e a
func (c *contextSensitive) checkLater(e, p int) {
	x := c.s.exec
	var v, u []hb.Transition
	for j := e; j < len(x.Events); j++ {
		f := &x.Events[j]
		if f.EndsExecution {
			return
		}
		afterE, afterP := x.Before(e, x.Clock(j)), j > p && x.Before(p, x.Clock(j))
		if j != p && afterE && !afterP {
			u = append(u, f.Transition)
		} else {
			v = append(v, f.Transition)
		}
	}
	f := c.s.nodes[e]
	if f.persistent {
		return
	}
	f.stateChecks = append(f.stateChecks, stateCheck{append(v, u...), por.IdentityHashOf(c.s.Sys, 0)})
}

// checkStates is lines 12 to 14, if there is anything left to explore.
//
// Replaying is expensive, and line 14 only saves later explorations from f. So checkStates does nothing if f
// has no later explorations.
func (c *contextSensitive) checkStates(f *sourceNode) {
	if _, _, ok := c.s.pickLine5(f); !ok {
		return
	}
	for _, k := range f.stateChecks {
		if f.covered(k.seq) { // line 12
			continue
		}
		if c.s.replay(k.seq) && por.IdentityHashOf(c.s.Sys, 0) == k.state {
			c.putToSleep(f)
		}
		c.s.rewindTo(f)
	}
	f.stateChecks = f.stateChecks[:0]
}

// putToSleep is line 14: the events since f are put to sleep there.
func (c *contextSensitive) putToSleep(f *sourceNode) {
	if c.cfg.Paper || c.cfg.CSS {
		c.unsoundSleeps++
	}
	f.sleep = append(f.sleep, sleepElem{steps: slices.Clone(c.s.exec.Events[len(c.s.nodes)-1:]), sameState: true})
}

// covered reports whether a prefix of seq is in the sleep set.
func (f *sourceNode) covered(seq []hb.Transition) bool {
	return slices.ContainsFunc(f.sleep, func(w sleepElem) bool {
		if len(w.steps) > len(seq) {
			return false
		}
		for i := range w.steps {
			if w.steps[i].Transition != seq[i] {
				return false
			}
		}
		return true
	})
}

// preferShortest is optimization 2: "Implementations should make these selections such that the
// shortest sequences in the sleep set are explored first." It returns the first goroutine of list
// that begins one, or p.
func (c *contextSensitive) preferShortest(f *sourceNode, list []trace.GID, p trace.GID) trace.GID {
	if c.cfg.Unguided {
		return p
	}
	shortest := 0
	for i := range f.sleep {
		w := f.sleep[i].steps
		shorter := len(w) > 1 && (shortest == 0 || len(w) < shortest)
		if shorter && slices.Contains(list, w[0].G) {
			p, shortest = w[0].G, len(w)
		}
	}
	return p
}

// sleepWhatCommutes adds p.w to the sleep set of f if p and w, an element of it, commute here,
// though they are dependent: w has been explored, and with it w.p. Both are pending, so a race between
// them shows here.
//
// Both orders are executed from here, and the states compared. Fingerprints include the names of goroutines
// and objects, because events that depend on the writes must find the same ones (IdentityHashOf). In the
// sound variant the last two events must still be interchangeable, because the first write may have changed
// the second goroutine's pending operation.
func (c *contextSensitive) sleepWhatCommutes(f *sourceNode, p hb.Transition) {
	s := c.s
	if c.cfg.Paper && !c.cfg.CSS {
		return
	}
	for i := range f.sleep {
		w := f.sleep[i].steps
		a, b := hb.Event{Op: *s.exec.Next(p.G)}, hb.Event{Op: *s.exec.Next(w[0].G)}
		// Independent ones stay asleep anyway, by line 15.
		if s.Halted || a.Op.G == b.Op.G || w[0].EndsExecution || !s.exec.Dependent(&a, &b) {
			continue
		}
		//mutant: context: nothing changes places [twin]: " && (len(w) > 1 || !interchangeable(&a, &b))" -> ""
		if !c.cfg.CSS && (len(w) > 1 || !interchangeable(&a, &b)) {
			continue
		}
		if a.Op.Races(&b.Op.Op) {
			s.ReportRace(&a.Op.Op, &b.Op.Op)
		}
		at := a.Op.Access[0].Obj
		ok := c.executeSequence(w) && c.executeSection(p) && c.stillInterchangeable()
		state := por.IdentityHashOf(s.Sys, at)
		s.rewindTo(f)
		ok = ok && c.executeSection(p) && c.executeSequence(w) && c.stillInterchangeable()
		//mutant: context: twins commute [twin]: "por.IdentityHashOf(s.Sys, at)" -> "state"
		if ok && por.IdentityHashOf(s.Sys, at) == state {
			c.putToSleep(f)
		}
		s.rewindTo(f)
	}
}

// stillInterchangeable reports whether the last two events are interchangeable, if the variant requires
// that. Each sequence of the sound variant is one event.
func (c *contextSensitive) stillInterchangeable() bool {
	n := len(c.s.exec.Events)
	return c.cfg.CSS || interchangeable(&c.s.exec.Events[n-2], &c.s.exec.Events[n-1])
}

// interchangeable reports whether every event that depends on one of two dependent events
// depends on the other one, too: both write the same memory, or print.
//
// They must be equal in everything that decides dependence on a third operation: kind,
// accesses, and the class of operations with which they commute. Events that end the execution or depend
// on all are not compared by accesses, so they are never interchangeable.
func interchangeable(a, b *hb.Event) bool {
	special := func(e *hb.Event) bool { return e.EndsExecution || e.Op.DependsOnAll || e.Op.Wide }
	sameAccess := a.Op.Commutes == b.Op.Commutes && a.Op.N == b.Op.N && a.Op.Access == b.Op.Access
	sameKind := a.Op.Kind == b.Op.Kind && (a.Op.Kind.Memory() || a.Op.Kind == trace.Output)
	//mutant: context: any two events change places [twin]: "return sameKind" -> "return true || sameKind"
	return sameKind && sameAccess && !special(a) && !special(b)
}

// executeSequence executes w, and after a Lock the following operations up to the Unlock.
func (c *contextSensitive) executeSequence(w []hb.Event) bool {
	if len(w) == 1 {
		return c.executeSection(w[0].Transition)
	}
	for i := range w {
		if !c.s.replay([]hb.Transition{w[i].Transition}) {
			return false
		}
	}
	return true
}

// executeSection executes t, and if that locks a mutex, the operations of its goroutine up to the
// Unlock.
//
// It stops at an operation with a choice, and after sectionLimit operations. Then the two orders count as
// different, which is always sound.
func (c *contextSensitive) executeSection(t hb.Transition) bool {
	s := c.s
	if !s.replay([]hb.Transition{t}) {
		return false
	}
	first := s.exec.Events[len(s.exec.Events)-1].Op
	if first.Kind != trace.Lock {
		return true
	}
	for range sectionLimit {
		op := s.Sys.Next(t.G)
		if op.Kind == trace.None || s.Sys.Alternatives(t.G) != 1 {
			return false
		}
		if !s.replay([]hb.Transition{{G: t.G, Label: s.exec.Label(t.G, 0)}}) {
			return false
		}
		if op.Kind == trace.Unlock && op.Access[0] == first.Access[0] {
			return true
		}
	}
	return false
}

// sectionLimit is the largest number of operations of a critical section that is compared.
const sectionLimit = 1000

// anticipatedCut is optimization 1: "whenever a sequence in the sleep set (added by line 14 due to
// a context-sensitive check) is consumed except for its last step l, if no step in O is dependent
// on l, we block the execution at this point".
func (c *contextSensitive) anticipatedCut(f *sourceNode) bool {
	if !c.cfg.Cuts {
		return false
	}
	for i := range f.sleep {
		if w := &f.sleep[i]; w.sameState && len(w.steps) == 1 && c.s.needsNoChoice(w.steps[0].G, true) {
			c.cuts++
			return true
		}
	}
	return false
}

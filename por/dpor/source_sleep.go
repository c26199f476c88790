package dpor

import (
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Sleep sets of transitions and, in Context, of sequences. An element means: executions that begin with
// these steps have been explored from a state above, and reach the same classes (or states) from
// here.
//
//	P ── p ── ...      explored first
//	 └─ q ── p         p slept in P while q was explored. If q and p are independent, p still
//	                   sleeps after q: P q p is equivalent to P p q, which has been explored
//	                   If they are dependent p wakes up: P q p is another class.

// sleepElem is an element of a sleep set, a sequence that need not be explored. In Source it is one
// transition.
type sleepElem struct {
	// It has whole events, not only transitions, because their accesses decide whether the element is
	// independent of another event, and because they show whether the element has ended the execution.
	steps     []hb.Event
	sameState bool // the element sleeps because states are equal (Context)
}

// firstAwake returns the first alternative of g that is not in the sleep set.
//
// Sleep sets have transitions, not goroutines: an alternative of a select can sleep while
// another one must be explored. A backtrack set has goroutines, and stands for all their alternatives
// that are awake.
func (s *source) firstAwake(f *sourceNode, g trace.GID) (choice int, ok bool) {
	for c := range s.Sys.Alternatives(g) {
		if f.inSleepSet(hb.Transition{G: g, Label: s.exec.Label(g, c)}) == nil {
			return c, true
		}
	}
	return 0, false
}

// inSleepSet returns the element of the sleep set that is t, nil if there is none.
func (f *sourceNode) inSleepSet(t hb.Transition) *sleepElem {
	for i := range f.sleep {
		if w := &f.sleep[i]; len(w.steps) == 1 && w.steps[0].Transition == t {
			return w
		}
	}
	return nil
}

// everyAlternativeEnds reports whether all n alternatives of p's operation end the execution. The alternative
// executed last is not in the sleep set yet. If an alternative does not end it, the others continue after
// that alternative.
func (s *source) everyAlternativeEnds(f *sourceNode, p trace.GID, n int) bool {
	explored, ended := 0, 0
	for c := range n {
		if w := f.inSleepSet(hb.Transition{G: p, Label: s.exec.Label(p, c)}); w != nil {
			explored++
			if w.steps[0].EndsExecution {
				ended++
			}
		}
	}
	return ended == n-1 && explored == ended
}

// sleepAfter is lines 15 and 16: Sleep', after event e.
//
// The first case is the paper's second set: after the first step of a sequence its rest is
// asleep. A single transition that has just been executed is dropped.
//
// The second case is an event that ends the program and depends on what has been printed, such as an Unlock
// of an unlocked mutex. If an event of another goroutine (a Lock) came first, the Unlock would depend on
// fewer events. So a race of the two does not show that something can be printed before the Unlock; only
// executing the Unlock here shows that.
func (s *source) sleepAfter(f *sourceNode, e *hb.Event) (sleep []sleepElem) {
	for _, w := range f.sleep { // line 15
		switch {
		case w.steps[0].Transition == e.Transition:
			if len(w.steps) > 1 {
				sleep = append(sleep, sleepElem{w.steps[1:], w.sameState}) // line 16
			}
		//mutant: source: an event that ends the program sleeps [env TestPrograms/endprinted]: "w.steps[0].DependsOnOutput" -> "w.steps[0].DependsOnOutput && false"
		case w.steps[0].EndsExecution && w.steps[0].DependsOnOutput: // see above
		//mutant: source: no goroutine goes on sleeping [toySystems]
		//mutant: source: no goroutine wakes up [toySystems]: "case s.independent(e, &w)" -> "default"
		case s.independent(e, &w):
			sleep = append(sleep, w)
		}
	}
	return sleep
}

// independent reports whether w does not depend on e, the newest event.
//
// The first step of w is compared as it is in the current state, because e may have changed its effect: after
// close(c) a receive from c has another result. If the transition of w is not possible any more, w does not
// sleep, which loses nothing. Later steps of a sequence are not pending, so they are compared in the form in
// which they were executed, and in both directions: dependence of b on a may differ from that of a on b.
func (s *source) independent(e *hb.Event, w *sleepElem) bool {
	for i := range w.steps {
		d := w.steps[i]
		if i == 0 { // d is executed in the current state
			c, ok := s.alternativeOf(d.Transition)
			if !ok {
				return false
			}
			d.Op, d.PartnerOp = *s.exec.Next(d.G), hb.NextOp{}
			if q, ok := s.exec.Partner(d.G, c); ok {
				d.PartnerOp = *s.exec.Next(q)
			}
		}
		if shareGoroutine(e, &d) || s.exec.Dependent(e, &d) || i > 0 && s.exec.Dependent(&d, e) {
			return false
		}
	}
	return true
}

// shareGoroutine reports whether a goroutine takes part in both events.
//
// Such events are dependent whatever they access: if one of them were executed first, it would
// change the other one.
func shareGoroutine(a, b *hb.Event) bool {
	partnerOfA, partnerOfB := a.PartnerOp.Kind != trace.None, b.PartnerOp.Kind != trace.None
	return a.G == b.G ||
		partnerOfA && a.PartnerOp.G == b.G ||
		partnerOfB && a.G == b.PartnerOp.G ||
		partnerOfA && partnerOfB && a.PartnerOp.G == b.PartnerOp.G
}

// alternativeOf returns the number of the alternative that t names, if it can be executed.
func (s *source) alternativeOf(t hb.Transition) (choice int, ok bool) {
	if slices.Contains(s.dropped, t.G) {
		return 0, false
	}
	s.enabledNow = s.Sys.Enabled(s.enabledNow[:0])
	if !slices.Contains(s.enabledNow, t.G) {
		return 0, false
	}
	for c := range s.Sys.Alternatives(t.G) {
		if s.exec.Label(t.G, c) == t.Label {
			return c, true
		}
	}
	return 0, false
}

// traceSleep writes the sleep set of the current state, unless it is empty.
func (s *source) traceSleep(sleep []sleepElem) {
	if !s.Tracing() || len(sleep) == 0 {
		return
	}
	var elems []string
	for _, w := range sleep {
		var steps []string
		for i := range w.steps {
			steps = append(steps, s.Describe(&w.steps[i].Op.Op))
		}
		elems = append(elems, strings.Join(steps, ", "))
	}
	s.Tracef(len(s.Path), "sleep set {%s}", strings.Join(elems, "; "))
}

// traceBlocked writes that the execution is abandoned.
func (s *source) traceBlocked() {
	if s.Tracing() {
		s.Tracef(len(s.Path), "= abandoned: all that is enabled is in the sleep set")
	}
}

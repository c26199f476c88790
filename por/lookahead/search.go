package lookahead

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
)

// boundedSearch is the search of an Oracle. It is also the system that the search explores, in which one
// goroutine does not move. It reduces like JPF, without races, livelocks and counts, which an oracle does not
// need. Most searches end after a few steps, so the beginning of one allocates nothing.
//
// Its reduction ignores goroutines only along a stretch without choices, which ends in a state
// where all are considered (ChainLimit); so every cycle of states has such a state.
//
// It implements System by wrapping the system of its oracle, so that an Oracle can answer queries about its
// states:
//
//	boundedSearch of g2's wait     a System in which g1 and g2 do not move
//	  └ Oracle nested                  └ question: does g3 need no choice, either?
//	boundedSearch of g1's wait     a System in which g1 does not move
//	  └ Oracle.sys                 the machine
type boundedSearch struct {
	por.System
	g        trace.GID  // does not move
	op       *trace.Op  // the pending operation of g
	accesses *reachable // accesses of the other goroutines
	budget   *uint64
	stopped  bool // there is a conflict with op, or the budget is spent

	named         por.Named // the system, if it has this capability; otherwise nil
	nested        *Oracle   // answers questions about states of this system
	ownBudget     uint64    // the budget of a search that is not inside another one
	unlockMatters bool      // the program has operations that make unlocking need a choice
	policy        stateful.SyncPolicy
	states        map[por.Hash]struct{}
	frames        []node
	alts          []trace.Step
	enabled       []trace.GID
}

// node is a state on the stack.
//
// The alternatives of all nodes are in one list, that of the newest node last, so a dropped node leaves no
// garbage.
type node struct {
	mark           por.Mark
	cur            trace.GID
	alt, next, end int // alternatives: alts[alt:end], of which alts[alt:next] are taken
}

// newBoundedSearch returns the search of l.
//
// The nested oracle has no fallback and shares the budget: where it cannot decide, this search has a
// choice.
func newBoundedSearch(l *Oracle) *boundedSearch {
	s := &boundedSearch{System: l.sys, states: make(map[por.Hash]struct{})}
	s.nested = &Oracle{sys: s, cheap: l.cheap, backoffs: make(map[programPoint]*backoff)}
	if len(l.unlocks) > 0 {
		s.unlockMatters, s.nested.unlocks = l.unlocks[0], l.unlocks[1:]
	}
	s.budget = l.budget
	if s.budget == nil {
		s.budget = &s.ownBudget
	}
	s.nested.budget = s.budget
	s.named = named(l.sys)
	return s
}

// named returns the Named system that sys explores, or nil.
func named(sys por.System) por.Named {
	if s, ok := sys.(*boundedSearch); ok {
		return s.named
	}
	return por.CapabilitiesOf(sys).Named
}

// explore explores the executions of the others while g waits before op, and notes their accesses in f. It
// reports whether it has explored all of them; it stops at a conflict with op. It leaves the system in its
// initial state.
//
// unlockMatters stays set, because it is a property of the program.
func (s *boundedSearch) explore(g trace.GID, op *trace.Op, f *reachable) bool {
	s.g, s.op, s.accesses = g, op, f
	if s.budget == &s.ownBudget {
		s.ownBudget = transitionBudget
	}
	clear(s.nested.backoffs)
	root := s.Mark()
	for {
		f.clear()
		s.nested.forget()
		clear(s.states)
		s.policy = stateful.SyncPolicy{IgnoreOutput: true, UnlockNeedsNoChoice: !s.unlockMatters}
		s.stopped = false
		s.search()
		s.unwind(0)
		s.System.Rewind(root)
		if !s.policy.Violated {
			break
		}
		s.unlockMatters = true
	}
	s.Release(root)
	return !s.stopped
}

// search explores from the current state.
//
// It follows stateful.depthFirst, which has the comments, but ends at the first conflict.
func (s *boundedSearch) search() {
	s.frames, s.alts = s.frames[:0], s.alts[:0]
	s.advance(trace.NoGID)
	for len(s.frames) > 0 && !s.stopped && !s.policy.Violated {
		f := &s.frames[len(s.frames)-1]
		if f.next > f.alt {
			s.rewind(f.mark)
		}
		if f.next == f.end {
			s.unwind(len(s.frames) - 1)
			continue
		}
		a := s.alts[f.next]
		f.next++
		if s.move(a) {
			s.advance(a.G)
		}
	}
}

// unwind drops all frames except the first n.
func (s *boundedSearch) unwind(n int) {
	for i := len(s.frames) - 1; i >= n; i-- {
		s.System.Rewind(s.frames[i].mark)
		s.Release(s.frames[i].mark)
		s.alts = s.alts[:s.frames[i].alt]
	}
	s.frames = s.frames[:n]
}

// rewind goes back to an earlier state.
func (s *boundedSearch) rewind(m por.Mark) {
	s.System.Rewind(m)
	s.nested.forget()
}

// move executes a, and reports whether the search continues from there.
//
// A conflicting operation is noted but not executed (Step): the search is over.
func (s *boundedSearch) move(a trace.Step) bool {
	s.policy.Before(s.System, a.G)
	op := s.Next(a.G)
	s.nested.Stepping(a.G, &op)
	s.Step(a.G, a.Choice)
	return !s.stopped && !s.policy.After(s.System, a.G)
}

// advance continues from the current state, which a step of cur has reached, to the next node, or to the end
// of the execution, or to a known state.
//
// States are looked up only at nodes, as in stateful.depthFirst: a chain without choices
// leads to the same node again.
func (s *boundedSearch) advance(cur trace.GID) {
	for chain := 0; ; chain++ {
		s.enabled = s.Enabled(s.enabled[:0])
		if len(s.enabled) == 0 {
			s.noteAwaited()
			return
		}
		n := len(s.alts)
		s.list(cur, chain < search.ChainLimit)
		if len(s.alts) == n+1 && chain < search.ChainLimit {
			a := s.alts[n]
			s.alts = s.alts[:n]
			if !s.move(a) {
				return
			}
			cur = a.G
			continue
		}
		h := s.Hash()
		if _, known := s.states[h]; known {
			//mutant: lookahead: what waits along a cycle is not noted [test ./internal/progen ^TestEqual$]
			s.noteAwaited() // the path may close a cycle
			s.alts = s.alts[:n]
			return
		}
		s.states[h] = struct{}{}
		s.frames = append(s.frames, node{mark: s.Mark(), cur: cur, alt: n, next: n, end: len(s.alts)})
		return
	}
}

// noteAwaited records the locations for which disabled goroutines wait, at the ends of executions and where
// an execution returns to a state. A goroutine that waits all along a cycle also waits in the state where the
// cycle closes.
//
//	g has locked mu, g2 waits for it, g3 loops forever: there is no end, and yet g2 continues if
//	g unlocks mu
//
// g is left out, because only the search makes it wait.
func (s *boundedSearch) noteAwaited() {
	if s.named == nil {
		return
	}
	s.named.Live(func(g trace.GID) {
		if g == s.g || slices.Contains(s.enabled, g) {
			return
		}
		op := s.Next(g)
		for _, a := range op.Access[:op.N] {
			if !slices.Contains(s.accesses.awaited, a) {
				s.accesses.awaited = append(s.accesses.awaited, a)
			}
		}
	})
}

// list appends alternatives of the current state. If reduce is set, and one goroutine is a persistent set
// with a single alternative, it appends only this alternative; otherwise it appends the alternatives of all
// goroutines. The goroutine that moved last comes first.
//
// It takes the first goroutine that is a persistent set, in the order of preference. ChainLimit replaces a
// stack proviso.
func (s *boundedSearch) list(cur trace.GID, reduce bool) {
	if i := slices.Index(s.enabled, cur); i > 0 {
		copy(s.enabled[1:], s.enabled[:i])
		s.enabled[0] = cur
	}
	if reduce && len(s.enabled) > 1 {
		for _, g := range s.enabled {
			op := s.Next(g)
			if s.Alternatives(g) == 1 && (s.policy.NeedsNoChoice(&op) || s.nested.Skip(g, &op) != "") {
				s.alts = append(s.alts, trace.Step{G: g})
				return
			}
		}
	}
	for _, g := range s.enabled {
		for c := range s.Alternatives(g) {
			s.alts = append(s.alts, trace.Step{G: g, Choice: c})
		}
	}
}

// Enabled implements System.
//
// When the budget is spent, it returns none, so the search ends.
func (s *boundedSearch) Enabled(buf []trace.GID) []trace.GID {
	if s.stopped = s.stopped || *s.budget == 0; s.stopped {
		return buf
	}
	return enabledBut(s.System, s.g, buf)
}

// Step implements System. A step that conflicts with op is not executed.
func (s *boundedSearch) Step(g trace.GID, choice int) {
	op := s.System.Next(g)
	s.accesses.add(&op)
	//mutant: inspected: looking ahead passes it [inspecting]: " || op.InspectsAll()" -> ""
	if s.stopped = op.Conflicts(s.op) || op.InspectsAll(); s.stopped {
		return
	}
	if *s.budget > 0 {
		*s.budget--
	}
	s.System.Step(g, choice)
}

package stateful

import (
	"slices"

	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// expand lists the alternatives of the current state, to which chain steps have led without a
// choice, at the end of alts. The goroutine that moved last comes first.
//
// There are two reasons to shorten the list. A persistent set (f.reduced) loses no state, except for the
// ignoring problem. A bound on preemptions loses states (PreemptCut). After a chain that is too long the
// list is not reduced, so that a loop without choices finally gets a node.
func (s *depthFirst) expand(chain int) frame {
	f := frame{alt: len(s.alts), next: len(s.alts)}
	f.Cur, f.Preempts, f.Depth = s.Cur, s.Preempts, len(s.Path)
	f.freeSwitch = !slices.Contains(s.Enabled, s.Cur)
	mayReduce := chain < s.chainLimit()
	if s.libraries != nil && mayReduce && s.prompt(&f) {
		f.whole, f.chain, f.end = true, chain+1, len(s.alts)
		return f
	}
	others := len(s.Enabled) > 1 || f.freeSwitch
	if !f.freeSwitch {
		s.addAlternatives(s.Cur)
		if others {
			op := s.NextOp(s.Cur)
			//mutant: whole calls: a call that sleeps is not interrupted [test ./internal/progen TestWholeCallsByHand]: "op.Kind == trace.Sleep" -> "false"
			f.freeSwitch = op.Kind == trace.Yield || s.Cfg.WholeCalls && (op.Kind == trace.Sleep || op.Call != trace.InsideCall || !mayReduce)
			switch {
			case s.Cfg.WholeCalls && !f.freeSwitch:
				s.PreemptCut, others = true, false
				//mutant: whole calls: a call that loops and chooses is never interrupted [test ./internal/progen TestWholeCallsByHand]: "chain+1" -> "0"
				f.whole, f.chain = true, chain+1 // a choice of the goroutine's own does not end the chain
			//mutant: whole calls: their first operations may need no choice [wholeCalls]: "s.Cfg.WholeCalls &&" -> "false &&"
			case s.Cfg.WholeCalls && op.Call != trace.OutsideCall:
			case mayReduce && s.needsNoChoice(s.Cur, op) && s.mayListOnly(f.alt):
				f.reduced, others = true, false
			case s.Cfg.LimitPreempt && s.Preempts >= s.Cfg.Preempt && !f.freeSwitch:
				s.PreemptCut, others = true, false
			}
		}
	}
	if len(s.Enabled) > 1 && others && s.Cfg.AnyGoroutine && mayReduce && s.otherSingleton(&f) {
		others = false
	}
	if len(s.Enabled) > 1 && others && mayReduce && s.part(&f) {
		others = false
	}
	if others {
		s.addOthersAlternatives(f.alt)
	}
	f.end = len(s.alts)
	return f
}

// callLimit is the number of steps in one call after which the goroutine may be interrupted. A loop that
// waits for another goroutine usually returns to a state; this is for one that does not. (A handshake or a
// request has thousands of steps; after search.ChainLimit of them each step would be a choice.)
const callLimit = 20 * search.ChainLimit

// chainLimit returns the number of steps without a choice after which others are considered.
func (s *depthFirst) chainLimit() int {
	if s.Cfg.WholeCalls {
		return callLimit
	}
	return search.ChainLimit
}

// prompt makes the alternatives of the first goroutine that is in a library the only ones of f, and reports
// whether there is one (Config.Prompt). A goroutine in a call continues first.
func (s *depthFirst) prompt(f *frame) bool {
	waits := func(op *trace.Op) bool { return op.Kind == trace.Yield || op.Kind == trace.Sleep }
	if !f.freeSwitch {
		if op := s.NextOp(s.Cur); op.Call == trace.InsideCall && !waits(op) {
			return false
		}
	}
	for _, g := range s.Enabled {
		//mutant: prompt: one that yields is prompt [wholeCalls]: "!waits(s.NextOp(g)) &&" -> ""
		if !waits(s.NextOp(g)) && s.libraries.InLibrary(g) {
			s.PreemptCut = s.PreemptCut || len(s.Enabled) > 1
			s.addAlternatives(g)
			f.freeSwitch = true
			return true
		}
	}
	return false
}

// otherSingleton searches for a goroutine, other than the last one, that is a persistent set by itself. If
// there is one, otherSingleton makes its alternatives the only ones of f.
//
// The switch to that goroutine is no preemption (freeSwitch): the reduction makes it, not the schedule.
func (s *depthFirst) otherSingleton(f *frame) bool {
	if s.bounded() {
		return false // the bound counts switches between goroutines
	}
	n, asked := len(s.alts), search.MostAsked(len(s.Enabled))
	for i, g := range s.Enabled {
		if g == s.Cur {
			continue
		}
		op := s.NextOp(g)
		if !s.policyAllows(op) && !(i < asked && s.OracleAllows(g, op)) {
			continue
		}
		s.addAlternatives(g)
		if !s.mayListOnly(n) {
			s.alts = s.alts[:n]
			continue
		}
		s.alts = slices.Delete(s.alts, f.alt, n)
		f.reduced, f.freeSwitch = true, true
		return true
	}
	return false
}

// part makes the alternatives of some goroutines the only ones of f, if these goroutines together are a
// persistent set. Several alternatives make a node that might lie on a cycle: see mayListOnly.
func (s *depthFirst) part(f *frame) bool {
	//mutant: parts: without components [partToys]: drop 2
	if s.Cfg.Parts == nil || s.bounded() || !s.noticesCycles() {
		return false
	}
	part := s.Cfg.Parts.Part(s.Enabled)
	if part == nil {
		return false
	}
	s.Stats.Parts++
	s.alts = s.alts[:f.alt]
	if slices.Contains(part, s.Cur) {
		s.addAlternatives(s.Cur)
	} else {
		f.freeSwitch = true
	}
	for _, g := range part {
		if g != s.Cur {
			s.addAlternatives(g)
		}
	}
	f.reduced = true
	return true
}

// mayListOnly reports whether a node may list only one goroutine's alternatives, which start at alt. A single
// alternative makes no node. If that goroutine has several alternatives, they make a node. The node might lie
// on a cycle of such nodes, in which the other goroutines would be ignored forever (the ignoring problem),
// unless the search notices cycles.
func (s *depthFirst) mayListOnly(alt int) bool {
	return len(s.alts) == alt+1 || s.states == nil || s.noticesCycles()
}

// noticesCycles reports whether the search notices cycles of states, by components or by the edges of
// rounds.
func (s *depthFirst) noticesCycles() bool {
	return s.components != nil || s.round != nil && s.round.numbered
}

// addAlternatives appends the alternatives of g.
func (s *depthFirst) addAlternatives(g trace.GID) {
	//mutant: whole calls: maps have all orders in them [wholeCalls]: "s.Cfg.WholeCalls &&" -> "false &&"
	if s.Cfg.WholeCalls && s.NextOp(g).Visits && s.parking.alternatives(s.Sys, g) > 1 {
		s.PreemptCut = true
		s.alts = append(s.alts, trace.Step{G: g})
		return
	}
	for c := range s.parking.alternatives(s.Sys, g) {
		s.alts = append(s.alts, trace.Step{G: g, Choice: c})
	}
	//mutant: parking: no goroutine is met [parkings]
	s.alts = s.parking.addMeetings(g, s.alts)
}

// addOthersAlternatives appends the alternatives of every goroutine that has none in the list, which
// starts at alt.
func (s *depthFirst) addOthersAlternatives(alt int) {
	listed := s.alts[alt:]
	for _, g := range s.Enabled {
		if !slices.ContainsFunc(listed, func(a trace.Step) bool { return a.G == g }) {
			s.addAlternatives(g)
		}
	}
}

// needsNoChoice reports whether {g} is a persistent set, op being g's pending operation.
func (s *depthFirst) needsNoChoice(g trace.GID, op *trace.Op) bool {
	if s.Cfg.Prompt { // claim 5 of JPF
		//mutant: prompt: starting a goroutine of a library needs no choice [wholeCalls]: "op.Kind != trace.Go &&" -> ""
		return op.Kind != trace.Go && s.policyAllows(op)
	}
	return s.policyAllows(op) || s.OracleAllows(g, op)
}

// policyAllows reports whether op needs no choice according to the policy.
func (s *depthFirst) policyAllows(op *trace.Op) bool {
	//mutant: inspected: jpf knows what is private [inspecting]: drop 2
	return s.policy != nil && !s.Inspected() && s.policy.NeedsNoChoice(op)
}

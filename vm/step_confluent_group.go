package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// orderedGroup has what is known of a WaitGroup in the confluent part of initialisers: see confluence.
type orderedGroup struct {
	early int      // the counter when main was alone
	adds  []use    // calls of Add(1)
	dones int      // number of calls of Done
	done  []uint32 // clock of what comes before a call of Done, or is one
	waits []use    // calls of Wait
	last  []use    // the last call of each goroutine
}

// onGroup is ordered for an operation on a WaitGroup. A Done knows an Add if that comes before it by ⊏, and so
// does a Wait. Adds of other numbers than one are not taken.
//
// Claim: Adds and Dones need not be ordered if (a) for each Done, the counter of the state in which main was
// alone and the Adds that it knows are together at least the number of Dones up to it, in the order of E,
// (b) each Wait knows all Adds that are before it in E, and (c) each Add or Done comes after the Waits that
// are before it in E. Let C be as in claim 1 of confluence.
//
//  1. In C the counter is never negative: the last Done in C, in the order of E, knows by (a) at least as
//     many Adds as there are Dones in C, and these Adds are in C. So Adds and Dones commute, and each has one
//     effect.
//  2. Let a Wait be the next event of its goroutine in C. In E the counter was zero there. By (b) C has all
//     Adds that are before the Wait in E, and by (c) it has none of the Adds and Dones after it. So the counter
//     is the number of Dones before the Wait that C lacks: the Wait can return if and only if it lacks none.
//     And it has not been zero while the Wait was pending, and grown since: no Add is left by then.
//  3. A Done synchronises with the Waits that it lets return (package sync), as ⊏ says.
//
// Other accesses to the WaitGroup's memory are ordered with these operations.
func (s *confluence) onGroup(g *goroutine, op *trace.Op) bool {
	a := op.Access[0]
	p := ptr(a.Obj)<<32 | ptr(a.Off)
	w := s.groups[p]
	if w == nil {
		w = &orderedGroup{early: int(int32(s.m.u32(p + wgCounter)))}
		s.groups[p] = w
	}
	s.tick(g)
	now := use{g.slot, clockAt(s.clocks[g.slot], g.slot), a}
	after := func(u use) bool { return s.before(u, g) }
	unknown := 0
	for _, u := range w.adds {
		if !after(u) {
			unknown++
		}
	}
	switch {
	case op.Kind == trace.WgWait:
		//mutant: initialisers' Waits wait for Adds to come [models TestConfluent/groupadds]: "unknown > 0" -> "false"
		if unknown > 0 {
			return false
		}
		//mutant: initialisers' Waits wait for nothing [models TestConfluent/group$]: remove
		s.join(g.slot, w.done)
		w.waits = append(w.waits, now)
	//mutant: initialisers' Waits come at any time [models TestConfluent/groupwaits]: "slices.ContainsFunc" -> "false && slices.ContainsFunc"
	case slices.ContainsFunc(w.waits, func(u use) bool { return !after(u) }):
		return false
	case op.Commutes == trace.AddsOne:
		w.adds = append(w.adds, now)
	case op.Commutes == trace.Subtracts || op.Commutes == trace.SubtractsLast:
		//mutant: initialisers' Dones come before Adds [models TestConfluent/groupnegative]: "w.dones > " -> "false && w.dones > "
		if w.dones++; w.dones > w.early+len(w.adds)-unknown {
			return false
		}
		for len(w.done) < len(s.clocks[g.slot]) {
			w.done = append(w.done, 0)
		}
		for i, n := range s.clocks[g.slot] {
			w.done[i] = max(w.done[i], n)
		}
	default:
		return false
	}
	i := slices.IndexFunc(w.last, func(u use) bool { return u.slot == g.slot })
	if i < 0 {
		i = len(w.last)
		w.last = append(w.last, now)
	}
	w.last[i] = now
	//mutant: initialisers' WaitGroups are copied at any time [models TestConfluent/groupcopied]: "!after(u)" -> "false"
	return !slices.ContainsFunc(s.used[a.Obj], func(u use) bool { return u.Overlaps(a) && !after(u) })
}

// afterGroups reports whether what has been done with WaitGroups in the memory of a comes before g's event.
func (s *confluence) afterGroups(g *goroutine, a trace.Access) bool {
	for _, w := range s.groups {
		if slices.ContainsFunc(w.last, func(u use) bool { return u.Overlaps(a) && !s.before(u, g) }) {
			return false
		}
	}
	return true
}

package stateful

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// symmetric matches states up to permutations of goroutines (Config.Symmetry). The search walks through the
// quotient of the state graph:
//
//  1. A permutation of goroutines that are started at the same place maps executions to executions.
//     So the futures of two matched states are the same up to
//     names: ends, bugs, races of operations that are both pending.
//
//  2. With a bound on preemptions the key of a state has two more parts besides its fingerprint: the number
//     of preemptions, and the goroutine from which a switch would be a preemption. This goroutine is named by
//     its place in the order. A persistent set of a state, mapped by the permutation, is one of the other
//     state; so a search that visits only one of the two considers a persistent set in each.
//
//  3. The ignoring problem: a cycle of states leads to a closed walk through the quotient, on which some
//     node considers all goroutines (closeCycle). The same holds for all states equal to it.
//
//  4. Livelocks: an execution that never ends stays, from some point on, in one component of the quotient.
//     If every edge that closes a cycle in it leads back to the very same goroutines, it is also a
//     component of the state graph, and fairness is decided there. If an edge permutes some, goroutines
//     have no names along the cycle: one that waits forever seems to move now and then (below). Then the
//     search restarts without symmetry.
//
//     g1 loops between 0 and 1, g2 waits in 0        (1, 0) and (0, 1) are one state, so
//     (0, 0) ─g1─▶ (1, 0) ─g1─▶ (0, 0) ...           (0, 0) ─g2─▶ (1, 0) ─g1─▶ (0, 0) looks fair
//
//  5. Equal alternatives of one state (SymmetricHasher.Orbits) lead to states that are equal up to
//     a permutation. So one alternative of each set of equal ones is explored (leaveOutEqual).
//     Claims 1 to 3 still hold: the other alternatives lead to the same states, and a cycle through
//     these is one through the explored one. But 4 does not hold: no edge of a component may be
//     missing, because the missing edge may permute goroutines, or fairness may require it. The
//     edges of a component are those on cycles. So the left-out alternatives of a state are
//     restored when there is a cycle through the state. That is known when all others have been
//     explored: the state is then the last one on the stack, and its component has the states that
//     are open from it on, or leads back before it. With a bound on preemptions the first of
//     several equal ones is explored, which costs as many preemptions as the others or, if its
//     goroutine moved last, one less.
type symmetric struct {
	hasher por.SymmetricHasher `saved:"-"` // nil: states are equal if goroutines are
	buf    []trace.GID         `saved:"-"`
	order  []trace.GID         `saved:"-"` // order of goroutines in the last state that was looked up; nil: as for System.Hash
	digest uint64              // digest of order; 0 if order is nil
	cycle  bool                // there is a cycle that permutes goroutines
	orbits []por.Orbit         `saved:"-"` // result of leaveOutEqual
	own    []por.Orbit         `saved:"-"`
	met    []por.Orbit         `saved:"-"`
	left   []trace.Step        `saved:"-"`
}

// fingerprint returns the fingerprint of the current state.
func (s *depthFirst) fingerprint() por.Hash {
	h := s.fingerprintUpToExchange()
	if s.weighed != nil {
		s.Stats.Hashed += uint64(s.weighed.Weight())
	}
	return h
}

func (s *depthFirst) fingerprintUpToExchange() por.Hash {
	x := &s.symmetric
	if x.hasher == nil {
		return s.Sys.Hash()
	}
	h, order := x.hasher.SymmetricHash(x.buf[:0])
	x.digest = 0
	if x.order = order; order != nil {
		x.buf, x.digest = order, 1
		for _, g := range order {
			x.digest = por.Mix(x.digest ^ uint64(g))
		}
	}
	return h
}

// number returns the name of g in the state of the last fingerprint.
func (x *symmetric) number(g trace.GID) uint64 {
	if x.order == nil {
		return uint64(g)
	}
	return uint64(slices.Index(x.order, g))
}

// closedIn returns the word of a closed state whose order of goroutines has digest d. The word contains
// half of the digest.
func closedIn(d uint64) uint32 { return closed | uint32(d)>>1 }

// noteExchange counts the arrival at a stored state with word old, if the states match only up to a
// permutation.
func (s *depthFirst) noteExchange(old uint32) {
	d, same := s.symmetric.digest, false
	switch {
	case old >= closed:
		same = old == closedIn(d)
	case s.components == nil: // the state was open when the stack was put aside
		same = d == 0
	default:
		same = d == s.components.nodes[old-firstOpen].order
	}
	if !same {
		s.Stats.Exchanged++
	}
}

// exchanges reports whether the current state equals the open state num only up to a permutation of
// goroutines, and ends the search then.
func (s *depthFirst) exchanges(num uint32) bool {
	//mutant: symmetry: a cycle may exchange goroutines [quotients]: true
	if s.symmetric.digest == s.components.nodes[num-firstOpen].order {
		return false
	}
	s.symmetric.cycle, s.Halted = true, true
	return true
}

// leaveOutEqual moves the alternatives of f, the current state, that are equal to an earlier one beyond the
// end of its list.
func (s *depthFirst) leaveOutEqual(f *frame) {
	x := &s.symmetric
	if x.order == nil || f.end-f.alt < 2 {
		return
	}
	x.orbits, x.left = x.orbits[:0], x.left[:0]
	kept, of := f.alt, trace.NoGID
	for i := f.alt; i < f.end; i++ {
		a := s.alts[i]
		if a.G != of { // the alternatives of one goroutine are adjacent
			of = a.G
			x.own = x.hasher.Orbits(of, x.own[:0])
			x.met = x.met[:0]
		}
		if a.Choice >= meets && len(x.met) == 0 {
			x.met = s.parking.sys.MeetingOrbits(of, x.met)
		}
		o := nameOf(a, x.own, x.met)
		if slices.Contains(x.orbits, o) {
			//mutant: symmetry: of equal alternatives any is explored [quotients]: "left, a)" -> "left, s.alts[kept-1])\n\t\t\ts.alts[kept-1] = a"
			x.left = append(x.left, a)
			continue
		}
		x.orbits = append(x.orbits, o)
		s.alts[kept] = a
		kept++
	}
	copy(s.alts[kept:], x.left)
	f.leftOut, f.end = f.end-kept, kept
	s.Stats.Equal += uint64(f.leftOut)
}

// nameOf returns the orbit of a, from the orbits of its goroutine.
func nameOf(a trace.Step, own, met []por.Orbit) por.Orbit {
	if a.Choice >= meets {
		return met[a.Choice-meets]
	}
	return own[a.Choice]
}

// takeBack restores the left-out alternatives of f, the top node, if there is a cycle through it. It reports
// whether it has restored an alternative.
func (s *depthFirst) takeBack(f *frame) bool {
	//mutant: symmetry: what is left out is not taken back [quotients]: true
	if f.leftOut == 0 || s.components == nil || !s.components.onCycle(&f.tarjan) {
		return false
	}
	s.Stats.Equal -= uint64(f.leftOut)
	f.end, f.leftOut = f.end+f.leftOut, 0
	return true
}

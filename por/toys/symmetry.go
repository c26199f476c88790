package toys

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Symmetric is a por.SymmetricHasher: goroutines with equal programs can change places. None of these
// goroutines may start another one.
type Symmetric struct{ *System }

// SymmetricHash implements por.SymmetricHasher.
func (t Symmetric) SymmetricHash(buf []trace.GID) (por.Hash, []trace.GID) {
	s, order := t.Sorted()
	here := t.State
	t.State = s
	h := t.Hash()
	t.State = here
	for _, g := range order {
		buf = append(buf, trace.GID(g))
	}
	return h, buf
}

// Orbits implements por.SymmetricHasher.
func (t Symmetric) Orbits(g trace.GID, buf []por.Orbit) []por.Orbit {
	for choice := range t.Alternatives(g) {
		o := por.Orbit{G: t.equal(int(g)), Partner: trace.NoGID, Case: choice}
		if i, ok := t.at(int(g)); ok && i.Op == Signal && len(t.parked()) > 0 {
			o.Partner, o.Case = t.equal(t.parked()[choice]), 0
		}
		buf = append(buf, o)
	}
	return buf
}

// equal returns the first goroutine with which g can change places without a change of the state.
func (t *System) equal(g int) trace.GID {
	for h := range g {
		if slices.Equal(t.Prog[g], t.Prog[h]) && slices.Equal(t.known(g), t.known(h)) {
			return trace.GID(h)
		}
	}
	return trace.GID(g)
}

// known returns the part of the current state that belongs to g.
func (t *System) known(g int) []int8 {
	k := []int8{t.Pc[g], t.Reg[g], 0, 0, 0, 0}
	for i, b := range []bool{t.started[g], t.waiting[g], t.signal[g], t.fault == int8(g)+1} {
		if b {
			k[2+i] = 1
		}
	}
	return k
}

// Sorted returns the current state with the goroutines of each program sorted by their parts of it, and the
// goroutine in each place.
func (t *System) Sorted() (s State, order []int) {
	for g := range t.Prog {
		order = append(order, g)
	}
	for g := range t.Prog {
		var class []int
		for h := range t.Prog {
			if slices.Equal(t.Prog[g], t.Prog[h]) {
				class = append(class, h)
			}
		}
		if class[0] != g {
			continue
		}
		places := slices.Clone(class)
		slices.SortStableFunc(class, func(a, b int) int { return slices.Compare(t.known(a), t.known(b)) })
		for i, at := range places {
			order[at] = class[i]
		}
	}
	s = t.State
	for i, g := range order {
		s.Pc[i], s.Reg[i], s.started[i], s.waiting[i], s.signal[i] = t.Pc[g], t.Reg[g], t.started[g], t.waiting[g], t.signal[g]
		if t.fault == int8(g)+1 {
			s.fault = int8(i) + 1
		}
	}
	return s, order
}

// Class returns the first goroutine that has the program of g.
func (t *System) Class(g trace.GID) trace.GID {
	return trace.GID(slices.IndexFunc(t.Prog, func(code []Instr) bool { return slices.Equal(code, t.Prog[g]) }))
}

package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Equal goroutines of one state. Where goroutines can change places and the state is the same one, it
// makes no difference which of them moves: of n workers that wait for a job one has to be considered.
//
//	g1 at line 7, g2 at 7, g3 at 9      g2 moves: 7, 8, 9      g1 moves: 8, 7, 9
//	                                    the same, with g1 and g2 exchanged
//
// Let a state be written down as for SymmetricHash, and a and b be goroutines of one origin, a first, of
// which the same has been written down, and to objects in regions that either of the two is the first to
// refer to no later item refers.
//
//  1. What is written down of the state with a and b exchanged is the same. References of b to
//     earlier regions are those of a (place), so they are to regions before a. So b can come in the
//     place of a: its own regions are then what they were, as nothing between the two has taken
//     anything of them, and there are as many as a has. What is between the two refers to no
//     region of a, and reaches no object in one of b, or that would have been its own: the same is
//     written down of it. So a can come in the place of b, for the same reasons. What follows
//     refers to neither, and what is no goroutine says nothing of their order.
//  2. So by claim 1 of symmetry the state is the same but for numbers with a and b exchanged, and all
//     other goroutines as they are: exchanging the two is an automorphism of the state.
//  3. Where the first of several is what refers first to something that all have, it is found out by
//     writing the state down with it and the next one exchanged (tryExchanging): if that is the
//     same, 2 holds. Automorphisms follow each other, so the goroutines that are connected by such
//     exchanges are a class of which all permutations are automorphisms.
//  4. An automorphism maps alternatives to alternatives, and a step to a state that is equal to
//     the other step's up to exchanging: claim 2 of symmetry. The alternative of an operation on
//     channels is a case, and the partner with one of its own; to park or to take the default are no
//     cases, and no operation can do both. Any other alternative is a number, and nothing that gives
//     it its meaning depends on the numbers of goroutines.
//  5. So alternatives of goroutines of one class lead to the same, if they are the same case, and their
//     partners are of one class, too: as neither is its own partner there is a permutation that
//     maps the one pair to the other one.
//
// Goroutines in lists, as those that wait for a Cond, are told apart by their places there. Where a third
// goroutine knows which of the two came to a channel before it (Config.InTurn), what follows does refer
// to them: there are no equal goroutines then.

// Orbits implements por.SymmetricHasher.
func (m *Machine) Orbits(id trace.GID, buf []por.Orbit) []por.Orbit {
	c, g := &m.canon, m.gOf(id)
	if len(c.equal) == 0 {
		m.findEqual()
	}
	first := m.firstEqual(g)
	if g.pending.Kind.Communicates() {
		alts := m.alts[:0]
		m.chanAlternatives(g, &alts)
		m.alts = alts
		for _, a := range alts {
			//mutant: symmetry: all cases are equal [equalOnes]: "Case: a.caseIndex, " -> ""
			o := por.Orbit{G: first, Partner: trace.NoGID, Case: a.caseIndex, PartnerCase: a.partnerCase}
			if p := m.partnerOf(a); p != nil {
				//mutant: symmetry: all partners are equal [equalOnes]: "m.firstEqual(p)" -> "0"
				//mutant: symmetry: no partners are equal [equalOnes]: "m.firstEqual(p)" -> "p.id"
				o.Partner = m.firstEqual(p)
			}
			buf = append(buf, o)
		}
		return buf
	}
	for choice := range m.numAlternatives(g) {
		//mutant: symmetry: all alternatives are equal [equalOnes]: ": choice" -> ": choice * 0"
		buf = append(buf, por.Orbit{G: first, Partner: trace.NoGID, Case: choice})
	}
	return buf
}

// firstEqual returns the first goroutine, in the order of the fingerprint, that g is equal to.
func (m *Machine) firstEqual(g *goroutine) trace.GID {
	if int(g.slot) < len(m.canon.equal) {
		return m.gs[m.canon.equal[g.slot]].id
	}
	return g.id
}

// findEqual finds out which goroutines are equal in the state whose fingerprint was taken last.
func (m *Machine) findEqual() {
	c, list := &m.canon, m.regions.items.list
	if !c.several {
		return
	}
	for s := range m.gs {
		c.equal = append(c.equal, uint32(s))
	}
	words := func(i int) []uint64 { return c.words[list[i+1].words[0]:list[i+1].words[1]] }
	last := -1 // to which no later item refers
	for i, s := range c.sorted {
		//mutant: symmetry: nothing refers to what equal goroutines have [equalOnes]: false
		if list[i+1].referred {
			continue
		}
		//mutant: symmetry: goroutines of all origins are equal [equalOnes]: drop 2
		//mutant: symmetry: what is written down of equal goroutines differs [equalOnes]: "words(last" -> "words(i"
		if last >= 0 && compareOrigins(m.gs[c.sorted[last]], m.gs[s]) == 0 && slices.Equal(words(last), words(i)) {
			c.equal[s] = c.equal[c.sorted[last]]
			m.noteExchange()
		}
		last = i
	}
	c.exchanging = true
	//mutant: symmetry: the first one of several is equal to none [equalOnes]
	m.tryExchanging()
	c.exchanging = false
}

// tryExchanging finds those of which the first one is what refers to something of all of them first.
func (m *Machine) tryExchanging() {
	c, before := &m.canon, m.canon.hash
	for i := 1; i < len(c.sorted); i++ {
		a, b := c.sorted[i-1], c.sorted[i]
		if c.equal[a] == c.equal[b] || !m.looksEqual(m.gs[a], m.gs[b]) {
			continue
		}
		c.sorted[i-1], c.sorted[i] = b, a
		//mutant: symmetry: what looks equal is [equalOnes]: "= before" -> "= before || true"
		same := m.hashInOrder(c.sorted) == before
		c.sorted[i-1], c.sorted[i] = a, b
		if !same {
			continue
		}
		first, other := c.equal[a], c.equal[b]
		for s := range c.equal {
			if c.equal[s] == other {
				c.equal[s] = first
			}
		}
		m.noteExchange()
	}
}

// looksEqual reports whether a and b cannot be told apart by what they are sorted by.
func (m *Machine) looksEqual(a, b *goroutine) bool {
	return compareOrigins(a, b) == 0 && a.label == b.label && m.symmetryKey(a) == m.symmetryKey(b) && m.compareHeaps(a, b) == 0
}

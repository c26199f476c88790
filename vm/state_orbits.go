package vm

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Identical goroutines of one state. If exchanging goroutines leaves the state unchanged, it makes
// no difference which of them moves: of n workers that wait for a job only one has to be
// considered.
//
//	g1 at line 7, g2 at 7, g3 at 9      g2 moves: 7, 8, 9      g1 moves: 8, 7, 9
//	                                    the same, with g1 and g2 exchanged
//
// Let a state be written as for SymmetricHash. Let a and b be goroutines of one origin with the
// same words, and let a come first. Suppose that no later item refers to an object in a region to
// which a or b is the first to refer.
//
//  1. The state with a and b exchanged has the same words. References of b to earlier regions are equal to
//     those of a (place), so they lead to regions before a. So b can come in the place of a. The regions of b
//     stay the same, because no item between the two has taken any of their objects, and b has as many
//     regions as a. The words of the items between the two stay the same: these items refer to no region of
//     a, and reach no object in a region of b, or in a region that would have been b's. So a can come in the
//     place of b, for the same reasons. The items after refer to neither, and the other parts of the state do
//     not depend on their order.
//  2. So by claim 1 of symmetry the state stays the same up to numbers if a and b are exchanged
//     and all other goroutines stay: exchanging the two is an automorphism of the state.
//  3. Suppose that several goroutines refer to a common object, and the first of them is the first item that
//     refers to it. Then the state is written once more, with this goroutine and the next one exchanged
//     (tryExchanging). If the words are the same, 2 holds. Automorphisms can be composed. So the goroutines
//     connected by such exchanges are a class, and all permutations of the class are automorphisms.
//  4. An automorphism maps alternatives to alternatives, and a step to a step whose resulting
//     state is equal up to exchange: claim 2 of symmetry. The alternative of an operation on
//     channels is a case, with a partner and the partner's case; parking and default are not
//     cases, and no operation has both. Any other alternative is a number, and its meaning does
//     not depend on the numbers of goroutines.
//  5. So alternatives of goroutines of one class lead to the same state, if they have the same
//     case and their partners are of one class, too. Because no goroutine is its own partner,
//     there is a permutation that maps the one pair to the other.
//
// The places in a list, such as that of the waiters of a Cond, distinguish the goroutines in it. If the state
// records which of the two arrived at a channel before a third goroutine (Config.InTurn), later items do
// refer to them. Then no goroutines are treated as identical.

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
				//mutant: symmetry: no partners are equal [equalOnes]: "m.firstEqual(p)" -> "p.ID"
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

// firstEqual returns the first goroutine, in the order of the fingerprint, that is identical with
// g.
func (m *Machine) firstEqual(g *goroutine) trace.GID {
	if int(g.slot) < len(m.canon.equal) {
		return m.gs[m.canon.equal[g.slot]].ID
	}
	return g.ID
}

// findEqual finds the identical goroutines of the state whose fingerprint was taken last.
func (m *Machine) findEqual() {
	c := &m.canon
	if !c.several {
		return
	}
	for s := range m.gs {
		c.equal = append(c.equal, uint32(s))
	}
	words := func(i int) []uint64 {
		ws, _ := c.Item(i)
		return ws
	}
	sorted := c.sorted
	if c.named { // fingerprints with names are whole, and have no items
		sorted = nil
	}
	last := -1 // the last goroutine so far to which no later item refers
	for i, s := range sorted {
		//mutant: symmetry: nothing refers to what equal goroutines have [equalOnes]: false
		if _, referred := c.Item(i); referred {
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
	c.Exchanging, c.Naming = true, c.named
	//mutant: symmetry: the first one of several is equal to none [equalOnes]
	m.tryExchanging()
	c.Exchanging, c.Naming = false, false
}

// tryExchanging finds identical goroutines that refer to common objects. The first of these goroutines is the
// first item that refers to the objects.
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

// looksEqual reports whether a and b are equal in the sort order.
func (m *Machine) looksEqual(a, b *goroutine) bool {
	return compareOrigins(a, b) == 0 && a.label == b.label && m.symmetryKey(a) == m.symmetryKey(b) && m.compareHeaps(a, b) == 0 && m.compareNames(a, b) == 0
}

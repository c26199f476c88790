package vm

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/fingerprint"
	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Symmetry. Goroutines are interchangeable if one go statement has started them, in one goroutine or
// in interchangeable ones. For example, n workers of a pool reach a state in up to n! ways, which
// differ only in which worker has progressed how far. SymmetricHash is the same for all of them.
//
//	g1 at line 7, g2 at 9, g3 at 7       in spawn-path order: three states
//	g1 at line 9, g2 at 7, g3 at 7
//	g1 at line 7, g2 at 7, g3 at 9
//	7, 7, 9                              sorted: one
//
// It writes a state as Hash does, but orders the goroutines of one origin by properties that do not
// depend on their numbers: origin, frames, the objects they refer to (compareHeaps). Functions, types and
// static objects are also compared by their names (link/names.go). So the order depends on no number
// except those of objects in the base state.
//
//  1. Two states with the same words are equal up to the numbers of objects and goroutines,
//     whatever the order: the words determine how many follow each other, and each goroutine that
//     has not ended is written once. So the order affects only how many states match, never
//     whether a match is right. Ties stay in spawn-path order.
//  2. States that are equal up to numbers have futures that are equal up to numbers: instructions
//     read memory and registers, and only the following parts of the overlay and the machine read
//     a number. (a) The owner of a lock is for reports. It counts as its origin (HideOwner). (b)
//     Waiters of a Cond are in the order of their numbers: a Signal has each of them as an
//     alternative, so that their order means nothing. (c) A coroutine knows the one goroutine that
//     waits for it. Its number counts, so that fewer states match. (d) Random bits that follow a
//     seed depend on the goroutine's number. Several bubbles have numbers in the order in which
//     they are opened. Variables of inputs have numbers in their names, and goroutines in loops
//     that wait or read the clock may be compared by these. If any of these occurs, the order is
//     that of spawn paths (exchangeable, sameButForNumbers). (e) The order of alternatives, of
//     lists of goroutines and of names in reports is not behaviour of the program. (f)
//     runtime.Stack shows numbers: observeNumbers.
//  3. The search begins again with numbers (NeedsRefining) if a program has inspected numbers, and in
//     addition states were written in another order than that of spawn paths, or goroutines of one state have
//     counted as identical (Orbits). If the program inspected no numbers in the explored states, by 2 it
//     would not in the others.
//
// SymmetricHash returns the order: an explorer has to apply it to its own data by goroutine.

// createdBy records that parent creates g, at pc of its present function.
func (m *Machine) createdBy(g, parent *goroutine, pc int32) {
	g.goFunc, g.goPC = parent.Fn.ID, pc
	g.origin = hash.Mix(hash.Mix(parent.origin, m.link.NameOfFunc(g.goFunc)), uint64(uint32(pc)))
}

// ranked is a goroutine with its place in spawn-path order, and, if several have its origin, its
// symmetryKey.
type ranked struct {
	g     *goroutine
	key   uint64
	place int
}

// SymmetricHash implements por.SymmetricHasher.
func (m *Machine) SymmetricHash(order []trace.GID) (h por.Hash, sorted []trace.GID) {
	if !m.exchangeable() {
		return m.Hash(), nil
	}
	c := &m.canon
	c.Naming, c.colours.known = m.hasNames(), false
	defer func() { c.Naming = false }()
	list, several, from := c.ranked[:0], false, 0 // the last ones, of one origin, begin there
	for _, r := range m.byOrigin() {
		if r.g.status == gEnded {
			continue
		}
		if !m.sameButForNumbers(r.g) {
			c.Naming = false
			return m.Hash(), nil
		}
		if n := len(list); n > 0 {
			d := compareOrigins(list[n-1].g, r.g)
			if d > 0 || d == 0 && list[n-1].place > r.place {
				c.byOrigin = c.byOrigin[:0]
				return m.SymmetricHash(order)
			}
			if d != 0 {
				several = m.sortEqual(list[from:]) || several
				from = n
			}
		}
		list = append(list, r)
	}
	several = m.sortEqual(list[from:]) || several
	c.ranked = list
	c.sorted = c.sorted[:0]
	for _, r := range list {
		c.sorted = append(c.sorted, r.g.slot)
		if several || c.Naming {
			order = append(order, r.g.ID)
		}
	}
	c.Exchanging = true
	h = m.hashInOrder(c.sorted)
	c.Exchanging = false
	if c.Naming {
		order = m.appendNames(order)
	}
	if several || c.Naming {
		sorted = order
	}
	if several && m.cfg.Names == NamesOff && slices.ContainsFunc(list, func(r ranked) bool { return r.g.numbered }) {
		m.cfg.absolute.numbered.Add(1)
	}
	c.several, c.named, c.hash, c.equal = several && !c.whole && !c.Stopped() && !m.cfg.InTurn, c.Naming, h, c.equal[:0]
	// A state written with hidden owners must not match one written with numbers.
	h[0] = ^h[0]
	return h, sorted
}

// byOrigin returns all goroutines that have not ended, and perhaps others, by origin and then in
// spawn-path order. It reuses the last list if the set of goroutines has not changed; a goroutine
// may still have moved to another bubble.
func (m *Machine) byOrigin() []ranked {
	c, order := &m.canon, m.living()
	if len(c.byOrigin) > 0 && c.reordered == m.reordered && len(c.sortedOf) == len(order) && &c.sortedOf[0] == &order[0] {
		return c.byOrigin
	}
	list := c.byOrigin[:0]
	for i, s := range order {
		list = append(list, ranked{g: m.gs[s], place: i})
		// There are few goroutines, or few origins.
		for k := i; k > 0 && compareOrigins(list[k-1].g, list[k].g) > 0; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	c.byOrigin, c.reordered, c.sortedOf = list, m.reordered, order
	return list
}

// compareOrigins orders goroutines that are not interchangeable; it returns 0 if they are.
func compareOrigins(a, b *goroutine) int {
	if a.origin != b.origin {
		return cmp.Compare(a.origin, b.origin)
	}
	return cmp.Compare(a.bubble, b.bubble)
}

// exchangeable reports whether goroutines may be treated as identical: see claim 2.
func (m *Machine) exchangeable() bool {
	//mutant: symmetry: random bits are the same for all [equalOnes]: drop 3
	//mutant: goroutines that wait in turn have names [test ./explore TestQueuesOfMany]: "!m.Environment().Symbolic()" -> "!m.cfg.InTurn && !m.tracking"
	return m.multi && !m.cfg.Numbered && !m.cfg.RandFixed && !m.Environment().Symbolic() && len(m.bubbles) <= 1
}

// sameButForNumbers reports whether numbers of goroutines do not matter for g in the present state: see
// claim 2.
func (m *Machine) sameButForNumbers(g *goroutine) bool {
	return g.trail == nil && g.looked == (lookBack{}) && (g.bubble == 0 || len(m.bubbles) > 0)
}

// sortEqual sorts goroutines of one origin by properties that do not depend on numbers: first by
// their words, then by the objects they refer to. The sort is stable. It reports whether there are
// several goroutines.
func (m *Machine) sortEqual(list []ranked) bool {
	if len(list) < 2 {
		return false
	}
	for i := range list {
		list[i].key = m.symmetryKey(list[i].g)
	}
	sortStable(list, compareKeys)
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && compareKeys(list[i], list[i+n]) == 0 {
			n++
		}
		if n > 1 {
			//mutant: symmetry: what goroutines have is in no order [equalOnes]: "m.compareHeaps(a.g, b.g)" -> "0"
			//mutant: what else has the name of a goroutine is in no order [equalOnes]: ", m.compareNames(a.g, b.g)" -> ""
			sortStable(list[i:i+n], func(a, b ranked) int { return cmp.Or(m.compareHeaps(a.g, b.g), m.compareNames(a.g, b.g)) })
		}
		i += n
	}
	for i := 1; i < len(list); i++ {
		if list[i].place < list[i-1].place {
			m.noteExchange()
		}
	}
	return true
}

// noteExchange records that the search treats goroutines as identical.
func (m *Machine) noteExchange() {
	if !m.cfg.absolute.exchanged.Load() {
		m.cfg.absolute.exchanged.Store(true)
	}
}

// sortStable sorts a list that is usually short.
func sortStable(list []ranked, compare func(a, b ranked) int) {
	if len(list) > manyEqual {
		slices.SortStableFunc(list, compare)
		return
	}
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && compare(list[k-1], list[k]) > 0; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}

// manyEqual is the number of goroutines from which insertion sort is too slow.
const manyEqual = 32

func compareKeys(a, b ranked) int {
	//mutant: symmetry: goroutines are in no order [equalOnes]: false
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	//mutant: symmetry: deadlines are in no order [equalOnes]: "cmp.Compare(a.g.label, b.g.label)" -> "0"
	return cmp.Compare(a.g.label, b.g.label)
}

// symmetryKey returns a hash of the words of g, with references replaced by the kinds of their
// targets.
func (m *Machine) symmetryKey(g *goroutine) uint64 {
	t := &g.serial
	if !t.valid {
		m.serialise(t, g, nil)
	}
	if t.key != 0 {
		return t.key
	}
	key, refs, named, times, names := uint64(1), t.Refs, t.named, t.Times, t.names
	if !m.relativeTimes() {
		times = nil
	}
	for i := 0; i < len(t.Words); i++ {
		if len(times) > 0 && int(times[0]) == i { // two words of time; the third is a reference
			times = times[1:]
			i++
			continue
		}
		w := t.Words[i]
		if len(names) > 0 && int(names[0].word) == i {
			w = m.sym.KindOf(names[0].label)
			if names = names[1:]; len(refs) > 0 && int(refs[0]) == i {
				refs = refs[1:]
			}
		} else if len(refs) > 0 && int(refs[0]) == i {
			refs = refs[1:]
			w, _ = m.kindOf(w)
		}
		if len(named) > 0 && int(named[0]>>1) == i {
			if named[0]&1 != 0 {
				const id = 40 // of the function: see serialise
				//mutant: frames are in the order of numbers of functions [numbering]
				w = hash.Mix(m.link.NameOfFunc(uint32(w>>id)), w&(1<<id-1))
			} else {
				w = m.link.NameOf(w)
			}
			named = named[1:]
		}
		key = hash.Mix(key, w)
	}
	t.key = max(key, 1)
	return t.key
}

// kindOf returns the properties of a pointer word without the number of the object, and whether the
// object has a number on this path only.
func (m *Machine) kindOf(w uint64) (kind uint64, numbered bool) {
	id := w >> 32
	if id < heap.StaticLimit || w&funcBit != 0 {
		return m.link.NameOf(w), false
	}
	if id < uint64(m.heap.BaseLimit) || id >= uint64(len(m.heap.Objs)) {
		return w, false
	}
	o := &m.heap.Objs[id]
	return hash.Mix(hash.Mix(m.link.NameOfType(o.Layout), uint64(o.Size)), w&math.MaxUint32), true
}

// objectPair are two objects in the same place, seen from two goroutines.
type objectPair struct{ a, b uint32 }

// maxPairs is the most objects that are compared to distinguish two goroutines.
const maxPairs = 32

// compareHeaps compares the objects that two goroutines of equal keys refer to: objects in the same
// places, by increasing distance, up to the first difference that does not depend on numbers. A
// common object makes no difference.
//
//	a ──▶ jobs ◀── b        the same
//	│              │
//	▼              ▼
//	{id: 1}        {id: 2}  a comes first
func (m *Machine) compareHeaps(a, b *goroutine) int {
	s, t, c := &a.serial, &b.serial, &m.canon
	c.pairs = c.pairs[:0]
	for i := range min(len(s.Refs), len(t.Refs)) {
		x, y := s.Words[s.Refs[i]], t.Words[t.Refs[i]]
		if c.Naming && s.dependsAt(s.Refs[i]) && t.dependsAt(t.Refs[i]) { // addresses of elements
			x, y = x&^math.MaxUint32, y&^math.MaxUint32
		}
		if d := m.compareRefs(x, y); d != 0 {
			return d
		}
	}
	for i := 0; i < len(c.pairs); i++ {
		if d := m.compareObjects(c.pairs[i]); d != 0 {
			return d
		}
	}
	return 0
}

// compareRefs compares two pointer words by kind, and adds their objects to pairs if these need
// comparing.
func (m *Machine) compareRefs(x, y uint64) int {
	if x == y {
		return 0
	}
	k, numbered := m.kindOf(x)
	l, other := m.kindOf(y)
	if k != l || numbered != other || !numbered {
		return cmp.Compare(k, l)
	}
	c, p := &m.canon, objectPair{uint32(x >> 32), uint32(y >> 32)}
	if p.a != p.b && len(c.pairs) < maxPairs && !slices.Contains(c.pairs, p) {
		c.pairs = append(c.pairs, p)
	}
	return 0
}

// compareObjects compares two objects of one layout and size, and adds the objects in the same
// places of both to pairs.
func (m *Machine) compareObjects(p objectPair) int {
	a, b := &m.heap.Objs[p.a], &m.heap.Objs[p.b]
	if a.Flags&heap.Derived != 0 || b.Flags&heap.Derived != 0 {
		return 0
	}
	l := m.layouts.At(a.Layout)
	names := m.canon.Naming && l.Size%8 == 0 && m.sym.Has(p.a) && m.sym.Has(p.b)
	if l.Size == 0 || !names && len(l.Ptrs)+len(l.Owners)+len(l.Times) == 0 {
		return bytes.Compare(unsafe.Slice((*byte)(a.Mem), a.Size), unsafe.Slice((*byte)(b.Mem), b.Size))
	}
	for base := uint32(0); base+l.Size <= a.Size; base += l.Size {
		ptrs, owners, times := l.Ptrs, l.Owners, l.Times
		for at := uint32(0); at < l.Size; at += 8 {
			x, y := wordAt(a, base+at, l.Size-at), wordAt(b, base+at, l.Size-at)
			switch {
			case len(times) > 0 && times[0]&^1 == at: // this word and the next one are a Time
				times = times[1:]
				at += 8
				continue
			case len(ptrs) > 0 && ptrs[0] == at:
				ptrs = ptrs[1:]
				if d := m.compareRefs(x, y); d != 0 {
					return d
				}
				continue
			}
			for len(owners) > 0 && owners[0]&^7 == at {
				fingerprint.HideOwner(fingerprintHost{m}, &x, owners[0])
				fingerprint.HideOwner(fingerprintHost{m}, &y, owners[0])
				owners = owners[1:]
			}
			if x != y && !(names && m.sym.IsNamed(p.a, base+at) && m.sym.IsNamed(p.b, base+at)) {
				return cmp.Compare(x, y)
			}
		}
	}
	return 0
}

// wordAt returns the word of o at off, where n bytes of the element are left.
func wordAt(o *heap.Object, off, n uint32) uint64 {
	if n >= 8 {
		return *(*uint64)(unsafe.Add(o.Mem, off))
	}
	var buf [1]uint64
	return fingerprint.WriteRaw(buf[:0], unsafe.Add(o.Mem, off), n)[0]
}

// originOf returns the word that replaces the number n of a goroutine that holds a lock.
func (m *Machine) originOf(n uint32) uint64 {
	origin := uint64(1)
	if i := int(n - 1); i < len(m.slots) && m.slots[i] >= 0 {
		origin = m.gs[m.slots[i]].origin | 1
	}
	return origin & math.MaxUint32
}

// observeNumbers records that the program can distinguish goroutines by their numbers.
func (m *Machine) observeNumbers() {
	if m.multi && !m.cfg.absolute.named.Load() {
		m.cfg.absolute.named.Store(true)
	}
}

// needsNumbers reports whether the exploration is inconclusive, because it has treated goroutines
// as identical that the program can distinguish.
func (m *Machine) needsNumbers() bool {
	a := m.cfg.absolute
	//mutant: symmetry: numbers are not shown [equalOnes]: drop 2
	return a.named.Load() && a.exchanged.Load()
}

package vm

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Symmetry. Goroutines that were started by the same go statement, by goroutines of which the same is
// true, can change places: n workers of a pool come to a state in up to n! ways that differ in which
// of them has got how far. SymmetricHash is the same for all of them.
//
//	g1 at line 7, g2 at 9, g3 at 7       in spawn-path order: three states
//	g1 at line 9, g2 at 7, g3 at 7
//	g1 at line 7, g2 at 7, g3 at 9
//	7, 7, 9                              sorted: one
//
// It writes a state down as Hash does, with the goroutines of one origin in the order of what can be
// said of each without its number: origin, frames, the objects they refer to (compareHeaps). Functions,
// types and static objects, too, are told apart by what they are (state_names.go): the order depends on no
// number but those of objects in the base state.
//
//  1. Two states that are written down alike are the same but for the numbers of objects and
//     goroutines, whatever the order is: how many words follow each other is given by what they say,
//     and each goroutine that has not ended is written down once. So the order decides how many
//     states match and never whether it is right that they do: ties are left in spawn-path order.
//  2. States that are the same but for numbers have the same futures but for numbers: instructions
//     read memory and registers, and those of the overlay and the machine that read a number are
//     the following. (a) The owner of a lock is for reports. It counts as its origin (hideOwner).
//     (b) Waiters of a Cond are in the order of their numbers: a Signal has each of them for an
//     alternative, so that their order means nothing. (c) A coroutine knows the goroutine that waits
//     for it, of which there is one. Its number counts, so that fewer states match. (d) Random bits
//     that follow a seed are those of a goroutine with its number. There are not to be several
//     bubbles, which have numbers by the order in which they are opened. Variables of
//     inputs have numbers in their names, and they may be in what goroutines in
//     loops that wait or look at the clock are compared by. Where there is any of these the order is
//     that of spawn paths (exchangeable, sameButForNumbers). (e) The order of alternatives, of lists
//     of goroutines and of names in reports is not what a program does. (f) runtime.Stack shows
//     numbers: observeNumbers.
//  3. If a program has looked at numbers and states have been written down in an order that is not
//     that of spawn paths, or goroutines of one state have counted as equal (Orbits), the search
//     begins again with numbers (NeedsRefining). If none has in the
//     states that were explored, none would have in those that were not, by 2.
//
// What an explorer keeps of a state besides, by goroutine, has to follow the order: SymmetricHash
// returns it.

// createdBy notes that parent creates g, at pc of the function that it is in.
func (m *Machine) createdBy(g, parent *goroutine, pc int32) {
	g.goFunc, g.goPC = parent.fn.ID, pc
	g.origin = mix(mix(parent.origin, m.link.nameOfFunc(g.goFunc)), uint64(uint32(pc)))
}

// ranked is a goroutine with its place in spawn-path order, and of several of one origin its
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
	list, several, from := c.ranked[:0], false, 0 // of one origin are those from there on
	for _, r := range m.byOrigin() {
		if r.g.status == gEnded {
			continue
		}
		if !m.sameButForNumbers(r.g) {
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
		if several {
			order = append(order, r.g.id)
		}
	}
	if several {
		sorted = order
	}
	c.exchanging = true
	h = m.hashInOrder(c.sorted)
	c.exchanging = false
	c.several, c.hash, c.equal = several && !c.whole && !c.stopped && !m.cfg.InTurn, h, c.equal[:0]
	// What is written down with hidden owners is no state that is written down with numbers.
	h[0] = ^h[0]
	return h, sorted
}

// byOrigin returns all goroutines that have not ended, and perhaps others, by origin, and in spawn-path
// order. As long as there are no others they are as they were, unless one has gone to another bubble.
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

// compareOrigins orders goroutines by what they cannot exchange: 0 if they can change places.
func compareOrigins(a, b *goroutine) int {
	if a.origin != b.origin {
		return cmp.Compare(a.origin, b.origin)
	}
	return cmp.Compare(a.bubble, b.bubble)
}

// exchangeable reports whether goroutines may count as equal at all: see claim 2.
func (m *Machine) exchangeable() bool {
	//mutant: symmetry: random bits are the same for all [equalOnes]: drop 3
	//mutant: goroutines that wait in turn have names [test ./explore TestQueuesOfMany]: "Symbolic()" -> "cfg.InTurn && !m.tracking"
	return m.multi && !m.cfg.Numbered && !m.cfg.RandFixed && !m.Environment().Symbolic() && len(m.bubbles) <= 1
}

// sameButForNumbers reports whether numbers of goroutines mean nothing in the present state, as far as
// g is concerned: see claim 2.
func (m *Machine) sameButForNumbers(g *goroutine) bool {
	return g.trail == nil && g.looked == (lookBack{}) && (g.bubble == 0 || len(m.bubbles) > 0)
}

// sortEqual sorts goroutines of one origin by what is the same for all numbers: first by what is written
// down of them, and those that are the same there by what they refer to. It is stable. It reports whether
// there are several.
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
			sortStable(list[i:i+n], func(a, b ranked) int { return m.compareHeaps(a.g, b.g) })
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

// noteExchange notes that the search counts goroutines as equal.
func (m *Machine) noteExchange() {
	if !m.cfg.absolute.exchanged.Load() {
		m.cfg.absolute.exchanged.Store(true)
	}
}

// sortStable sorts a list that is short as a rule.
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

// manyEqual is of how many goroutines sorting by insertion is too slow.
const manyEqual = 32

func compareKeys(a, b ranked) int {
	//mutant: symmetry: goroutines are in no order [equalOnes]: false
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	//mutant: symmetry: deadlines are in no order [equalOnes]: "cmp.Compare(a.g.label, b.g.label)" -> "0"
	return cmp.Compare(a.g.label, b.g.label)
}

// symmetryKey is a hash of what is written down of g, with what references refer to by its kind.
func (m *Machine) symmetryKey(g *goroutine) uint64 {
	t := &g.serial
	if !t.valid {
		m.serialise(t, g, nil)
	}
	if t.key != 0 {
		return t.key
	}
	key, refs, named, times := uint64(1), t.refs, t.named, t.times
	if !m.relativeTimes() {
		times = nil
	}
	for i := 0; i < len(t.words); i++ {
		if len(times) > 0 && int(times[0]) == i { // two words of time; the third is a reference
			times = times[1:]
			i++
			continue
		}
		w := t.words[i]
		if len(refs) > 0 && int(refs[0]) == i {
			refs = refs[1:]
			w, _ = m.kindOf(w)
		}
		if len(named) > 0 && int(named[0]>>1) == i {
			if named[0]&1 != 0 {
				const id = 40 // of the function: see serialise
				//mutant: frames are in the order of numbers of functions [numbering]
				w = mix(m.link.nameOfFunc(uint32(w>>id)), w&(1<<id-1))
			} else {
				w = m.link.nameOf(w)
			}
			named = named[1:]
		}
		key = mix(key, w)
	}
	t.key = max(key, 1)
	return t.key
}

// kindOf returns what is known of a pointer word without the number of the object, and whether it
// refers to one that has a number on this path only.
func (m *Machine) kindOf(w uint64) (kind uint64, numbered bool) {
	id := w >> 32
	if id < staticLimit || w&funcBit != 0 {
		return m.link.nameOf(w), false
	}
	if id < uint64(m.heap.baseLimit) || id >= uint64(len(m.heap.objs)) {
		return w, false
	}
	o := &m.heap.objs[id]
	return mix(mix(m.link.nameOfType(o.layout), uint64(o.size)), w&math.MaxUint32), true
}

// objectPair are two objects in the same place, seen from two goroutines.
type objectPair struct{ a, b uint32 }

// maxPairs is how many objects are compared to tell two goroutines apart.
const maxPairs = 32

// compareHeaps compares what two goroutines of equal keys refer to: objects in the same places, step by
// step further away, up to the first difference that has nothing to do with numbers. Where both refer
// to the same object there is none.
//
//	a ──▶ jobs ◀── b        the same
//	│              │
//	▼              ▼
//	{id: 1}        {id: 2}  a comes first
func (m *Machine) compareHeaps(a, b *goroutine) int {
	s, t, c := &a.serial, &b.serial, &m.canon
	c.pairs = c.pairs[:0]
	for i := range min(len(s.refs), len(t.refs)) {
		if d := m.compareRefs(s.words[s.refs[i]], t.words[t.refs[i]]); d != 0 {
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

// compareRefs compares two pointer words by kind, and notes the objects if these are to be compared.
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

// compareObjects compares two objects of one layout and size, and notes those in the same places of both.
func (m *Machine) compareObjects(p objectPair) int {
	a, b := &m.heap.objs[p.a], &m.heap.objs[p.b]
	if a.flags&objDerived != 0 || b.flags&objDerived != 0 {
		return 0
	}
	l := m.layouts.At(a.layout)
	if l.Size == 0 || len(l.Ptrs)+len(l.Owners)+len(l.Times) == 0 {
		return bytes.Compare(unsafe.Slice((*byte)(a.mem), a.size), unsafe.Slice((*byte)(b.mem), b.size))
	}
	for base := uint32(0); base+l.Size <= a.size; base += l.Size {
		ptrs, owners, times := l.Ptrs, l.Owners, l.Times
		for at := uint32(0); at < l.Size; at += 8 {
			x, y := wordAt(a, base+at, l.Size-at), wordAt(b, base+at, l.Size-at)
			switch {
			case len(times) > 0 && times[0]&^1 == at: // and the next word
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
				m.hideOwner(&x, owners[0])
				m.hideOwner(&y, owners[0])
				owners = owners[1:]
			}
			if x != y {
				return cmp.Compare(x, y)
			}
		}
	}
	return 0
}

// wordAt returns the word of o at an offset, from which on there are n bytes of it.
func wordAt(o *object, off, n uint32) uint64 {
	if n >= 8 {
		return *(*uint64)(unsafe.Add(o.mem, off))
	}
	var buf [1]uint64
	return writeRaw(buf[:0], unsafe.Add(o.mem, off), n)[0]
}

// hideOwner replaces the number of a goroutine by its origin in the word w of which it is a part; at is
// where it is in its object, as layout.Layout.Owners has it. Of several readers of an RWMutex only the
// sum of their numbers is known: it does not count.
func (m *Machine) hideOwner(w *uint64, at uint32) {
	shift := at &^ 1 % 8 * 8
	n := uint32(*w >> shift)
	*w &^= math.MaxUint32 << shift
	if n == 0 || at&1 != 0 {
		return
	}
	*w |= m.originOf(n) << shift
}

// originOf is what counts of the number n of a goroutine that has a lock.
func (m *Machine) originOf(n uint32) uint64 {
	origin := uint64(1)
	if i := int(n - 1); i < len(m.slots) && m.slots[i] >= 0 {
		origin = m.gs[m.slots[i]].origin | 1
	}
	return origin & math.MaxUint32
}

// observeNumbers notes that the program can tell goroutines apart by their numbers.
func (m *Machine) observeNumbers() {
	if m.multi && !m.cfg.absolute.named.Load() {
		m.cfg.absolute.named.Store(true)
	}
}

// needsNumbers reports whether what has been explored says nothing, as goroutines have counted as equal
// that the program can tell apart.
func (m *Machine) needsNumbers() bool {
	a := m.cfg.absolute
	//mutant: symmetry: numbers are not shown [equalOnes]: drop 2
	return a.named.Load() && a.exchanged.Load()
}

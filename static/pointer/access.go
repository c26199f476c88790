package pointer

import (
	"go/types"
)

// Memory accesses. An access of type T at an address touches the leaves of the
// object that lie where T has pointers. Usually T's leaves are those of the
// object from there on, one by one; after a conversion through unsafe.Pointer
// they may not be, and then the words of the two are compared.

// place is an address with an offset still to be added.
type place struct {
	off  int64
	leaf int32 // the leaf there if everything has the types it should
}

// plus returns the place of part p of the value at pl.
func (pl place) plus(p *part) place { return place{pl.off + p.off, pl.leaf + p.leaf} }

// at returns the address of place pl, counted from address n.
func (a *analysis) at(n nodeID, pl place) nodeID {
	if pl.off == 0 {
		return n
	}
	o := a.objectOf(n)
	if o.lay == nil {
		return o.base
	}
	return o.base + nodeID(o.leafAt(int32(n-o.base), pl))
}

// leafAt returns the leaf at place pl, counted from leaf k of o.
func (o *Object) leafAt(k int32, pl place) int32 {
	leaves := o.lay.leaves
	if len(leaves) == 0 {
		return 0
	}
	off := leaves[k].off + pl.off
	if i := k + pl.leaf; int(i) < len(leaves) && leaves[i].off == off {
		return i
	}
	return o.lay.leafAt(off)
}

// slot pairs a register of a value with the leaf it is loaded from or stored to.
type slot struct {
	reg  int32
	node nodeID
	part slotPart
}

// A slotPart is the part of a leaf that a slot refers to.
type slotPart uint8

const (
	wholeLeaf slotPart = iota
	// typeWord and dataWord are the words of an interface, seen as pointers.
	typeWord
	dataWord
	// stringData is the address of a string's bytes, seen as a pointer.
	stringData
	// packed is an interface where the memory has two pointers, its words.
	packed
)

// maxWords bounds the number of words of an array that are distinguished.
const maxWords = 1 << 12

// slots returns the slots that an access of type t touches at place pl, counted from address n. The result
// is valid until the next call.
func (a *analysis) slots(n nodeID, pl place, t *layout) []slot {
	s := a.slotBuf[:0]
	o := a.objectOf(n)
	defer func() { a.slotBuf = s }()
	if o == nil {
		return nil // n is not an address
	}
	if o.lay == nil {
		for i := range t.ptrs {
			s = append(s, slot{int32(i), o.base, wholeLeaf})
		}
		return s
	}
	leaves := o.lay.leaves
	if len(leaves) == 0 {
		return s
	}
	k := o.leafAt(int32(n-o.base), pl)
	if t == o.lay && k == 0 || !t.array || a.isPartAt(o.lay, k, t) {
		ok := true
		for i, p := range t.ptrs {
			j := k + p
			if int(j) >= len(leaves) {
				ok = false
				break
			}
			x, y := &leaves[j], &t.leaves[p]
			if x.off != leaves[k].off+y.off || x.kind != y.kind {
				ok = false
				break
			}
			s = append(s, slot{int32(i), o.base + nodeID(j), wholeLeaf})
		}
		if ok {
			return s
		}
		s = s[:0]
	}
	// The types differ: word by word.
	off := leaves[k].off
	if pl.off != 0 {
		off = leaves[int32(n-o.base)].off + pl.off
	}
	complete := t.words(maxWords, func(d int64, i int32, want leafKind) {
		j := o.lay.leafAt(off + d)
		node := o.base + nodeID(j)
		in := o.lay.within(off+d, j)
		switch have := leaves[j].kind; {
		case have == want && in == 0:
			s = append(s, slot{i, node, wholeLeaf})
		case have == ifaceLeaf && want == pointerLeaf && in == 0:
			s = append(s, slot{i, node, typeWord})
		case have == dataLeaf && want == pointerLeaf && in == 0:
			s = append(s, slot{i, node - 1, dataWord})
		case have == stringLeaf && want == pointerLeaf && in == 0:
			s = append(s, slot{i, node, stringData})
		case have == pointerLeaf && want == ifaceLeaf && in == 0 && int(j)+1 < len(leaves) &&
			leaves[j+1].kind == pointerLeaf && leaves[j+1].off == leaves[j].off+8:
			s = append(s, slot{i, node, packed})
		}
		// Any other word is not a pointer: the collector would not find it there.
	})
	if !complete {
		s = s[:0]
		for i, p := range t.ptrs {
			for _, j := range o.lay.ptrs {
				if leaves[j].kind == t.leaves[p].kind {
					s = append(s, slot{int32(i), o.base + nodeID(j), wholeLeaf})
				}
			}
		}
	}
	return s
}

// within returns the distance in bytes from the beginning of leaf j of l to canonical offset off, which may
// be in another element of an array.
func (l *layout) within(off int64, j int32) int64 {
	// Elements repeat with the size of some array around the leaf: walk down.
	for l.parts != nil {
		if l.count > 0 {
			l = l.parts[0].lay
			if l.size == 0 {
				return 0
			}
			off %= l.size
			continue
		}
		found := -1
		for i := range l.parts {
			if p := &l.parts[i]; p.leaf <= j && len(p.lay.leaves) > 0 {
				found = i
			}
		}
		if found < 0 {
			return off
		}
		off -= l.parts[found].off
		j -= l.parts[found].leaf
		l = l.parts[found].lay
	}
	if int(j) < len(l.leaves) {
		off -= l.leaves[j].off
	}
	return off
}

// isPartAt reports whether t, which contains arrays, is a part of l that begins
// at leaf k.
func (a *analysis) isPartAt(l *layout, k int32, t *layout) bool {
	key := partKey{l, t, k}
	r, ok := a.partAt[key]
	if !ok {
		r = l.hasPart(k, t)
		a.partAt[key] = r
	}
	return r
}

type partKey struct {
	whole, part *layout
	leaf        int32
}

func (l *layout) hasPart(k int32, t *layout) bool {
	if k == 0 {
		if l == t {
			return true
		}
		// An array of the same elements that is at least as long.
		if l.count > 0 && t.count > 0 && l.parts[0].lay == t.parts[0].lay {
			return true
		}
	}
	for i := len(l.parts) - 1; i >= 0; i-- {
		p := &l.parts[i]
		if p.leaf <= k && len(p.lay.leaves) > 0 {
			if p.lay.hasPart(k-p.leaf, t) {
				return true
			}
			if p.leaf < k {
				return false
			}
		}
	}
	return false
}

// loading makes registers dst.. include the values at place pl of every address in src, accessed as t.
type loading struct {
	dst nodeID
	pl  place
	t   *layout
}

func (c *loading) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		a.loadFrom(c.dst, n, c.pl, c.t)
	}
}

func (a *analysis) loadFrom(dst, n nodeID, pl place, t *layout) {
	if len(t.ptrs) == 1 && pl.off == 0 { // most
		if o := a.objectOf(n); o != nil && o.lay != nil && len(o.lay.leaves) > 0 {
			want, is := t.leaves[t.ptrs[0]], o.lay.leaves[n-o.base]
			if !t.array && want.off == 0 && is.kind == want.kind {
				a.copy(dst, n)
				return
			}
		}
	}
	for _, s := range append([]slot(nil), a.slots(n, pl, t)...) {
		d := dst + nodeID(s.reg)
		switch s.part {
		case wholeLeaf:
			a.copy(d, s.node)
		case typeWord:
			a.add(d, a.descriptors().base)
		case dataWord:
			a.on(s.node, &dataOf{d})
		case stringData:
			a.text()
			a.copy(d, a.textPtrs())
		case packed: // the value's type is not known
			w := a.external("", "interfaces")
			w.escape(types.Typ[types.UnsafePointer], s.node+1)
			a.copy(d, w.any)
		}
	}
}

// storing makes the values at place pl of every address include registers src.., accessed as t.
type storing struct {
	src nodeID
	pl  place
	t   *layout
}

func (c *storing) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		a.storeTo(n, c.pl, c.src, c.t)
	}
}

func (a *analysis) storeTo(n nodeID, pl place, src nodeID, t *layout) {
	for _, s := range append([]slot(nil), a.slots(n, pl, t)...) {
		r := src + nodeID(s.reg)
		switch s.part {
		case wholeLeaf:
			a.copy(s.node, r)
		case typeWord:
			// The type of an interface under construction, which comes with the data.
		case dataWord:
			w := a.external("", "interfaces")
			w.escape(types.Typ[types.UnsafePointer], r)
			a.copy(s.node, w.any)
		case stringData:
			a.copy(a.textPtrs(), r)
		case packed:
			a.add(s.node, a.descriptors().base)
			a.on(r, &dataOf{s.node + 1})
		}
	}
}

// offset makes dst include place pl of every address.
type offset struct {
	dst nodeID
	pl  place
}

func (c *offset) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		a.add(c.dst, a.at(n, c.pl))
	}
}

// anyOffset makes dst include all addresses in the objects of every address:
// the result of pointer arithmetic.
type anyOffset struct{ dst nodeID }

func (c *anyOffset) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		if o == nil || o.lay == nil {
			a.add(c.dst, n)
			continue
		}
		for i := range max(1, len(o.lay.leaves)) {
			a.add(c.dst, o.base+nodeID(i))
		}
	}
}

// spread makes dst include every address, and the addresses of the following elements, as if each
// address were that of the first of n elements. n < 0 means an unknown number. Usually there is an
// array of such elements, and all its elements have one address. But code with unsafe.Pointer may
// treat several fields, or other memory, as an array.
type spread struct {
	dst  nodeID
	elem *layout
	n    int64
}

func (c *spread) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		a.add(c.dst, n)
		o := a.objectOf(n)
		if o == nil || o.lay == nil || c.n == 1 || o.lay.hasElemsAt(int32(n-o.base), c.elem) {
			continue
		}
		from, to := o.lay.leaves[n-o.base].off, o.lay.size
		if c.n > 0 {
			to = min(to, from+c.n*c.elem.size)
		}
		if o.lay.array {
			from, to = 0, o.lay.size // the elements may extend into the next one of the array
		}
		for i, l := range o.lay.leaves {
			if from <= l.off && l.off < to {
				a.add(c.dst, o.base+nodeID(i))
			}
		}
	}
}

// hasElemsAt reports whether a part of l that begins at leaf k is an array of elem, or a single elem.
func (l *layout) hasElemsAt(k int32, elem *layout) bool {
	if k == 0 && (l == elem || len(l.leaves) == 0 || l.count > 0 && l.parts[0].lay == elem) {
		return true
	}
	for i := len(l.parts) - 1; i >= 0; i-- {
		p := &l.parts[i]
		if p.leaf <= k && len(p.lay.leaves) > 0 {
			if p.lay != elem && p.lay.hasElemsAt(k-p.leaf, elem) {
				return true
			}
			if p.leaf < k {
				return false
			}
		}
	}
	return false
}

// dataOf makes dst include the data word of every interface value, as a pointer.
type dataOf struct{ dst nodeID }

func (c *dataOf) apply(a *analysis, delta []nodeID) {
	for _, n := range delta {
		o := a.objectOf(n)
		switch {
		case !o.isBox():
		case !o.direct:
			a.add(c.dst, o.base)
		case len(o.lay.ptrs) > 0:
			a.copy(c.dst, o.base+nodeID(o.lay.ptrs[0]))
		}
	}
}

package shadow

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Elements of a slice or array whose indices are names belong to these names: a mapping of the names moves
// the elements, too.
//
//	results[id] = j         results: │ 7 │ 0 │ 0 │   the same as  │ 0 │ 7 │ 0 │  with names 0 and 1 exchanged
//
//  1. When a name is an index for the first time, all elements are equal, and are ordinary words.
//     Otherwise it is a look. So a mapping of the names may move them. They then get a label (slot),
//     which stays as long as the object.
//  2. A read or write at an index that is a name of the class refers to the same element up to the
//     mapping, and the value has no label. It is in range for all names of the class, or it is a look.
//     The address of the element has a label of its own (in), with which the element is read and
//     written. A copy of it in memory has an ordinary label.
//  3. A number that is no name of the class so far is an ordinary index: no mapping changes it (claim 3 of
//     vm/state_names.go). If it becomes a name later, it is mapped to itself at that time.
//  4. Any other write to the elements, also by natives, is a look. So is any other read, except for claim
//     5.
//  5. A read of one word at an ordinary index gives a word with the label of a partial sum (fold): that of
//     one element. The sum of two partial sums of disjoint sets of elements is one, and so is the sum with a
//     word without a label; any other use but a copy is a look or gives an ordinary label. A sum of the
//     elements of all names does not depend on the mapping, as long as the elements have not changed since
//     they were read. The label says whether they have. Then it loses the label. Fingerprints have, in place
//     of the bits of a partial sum, the bits minus the present elements; so the rest is the same in states
//     with the same fingerprint, whatever the mapping.

// elements are the elements of a slice or array, in an object, whose indices are names of a class.
type elements struct {
	class         uint64
	draw          Draw
	base, size, n uint32 // the place in the object
	slot          *symbolic.Term
}

// A fold is the meaning of the label of a partial sum.
type fold struct {
	of   *elements
	obj  uint32
	read []uint32 // the names whose elements are in the sum, in order
	sum  uint64   // hash of all elements at that time
}

// mostElementsNamed is the most elements that have labels.
const mostElementsNamed = 256

// valuesOf returns the names of a class in the present state, in order.
func (s *Symbols) valuesOf(class uint64) (list []uint32) {
	s.m.EachName(func(i uint32) {
		if n := s.names[i]; n.Class == class {
			list = append(list, uint32(n.Value))
		}
	})
	slices.Sort(list)
	return list
}

// slotOf returns the elements to which a cell with label t belongs, or nil.
func (s *Symbols) slotOf(t *symbolic.Term) *elements {
	if t == nil || len(s.names) == 0 {
		return nil
	}
	if d := s.labels[t]; d != nil && d.slot {
		return d.of
	}
	return nil
}

// special reports whether t is a label on which few operations are no look.
func (s *Symbols) special(t *symbolic.Term) bool {
	if t == nil || len(s.names) == 0 {
		return false
	}
	d := s.labels[t]
	return d != nil && (d.name != 0 || d.of != nil)
}

// labelFor returns the label with meaning d, which text determines.
func (s *Symbols) labelFor(d drawn, text string) *symbolic.Term {
	h := fnv.New64a()
	h.Write([]byte(text))
	t := s.ctx.Var(h.Sum64(), 64, "drawn")
	if s.labels[t] == nil {
		d.kind = h.Sum64()
		s.labels[t] = &d
	}
	return t
}

// elementAt returns the label of the address of the element with index t, a name, of n elements of size
// bytes at p; ok is false if the index is looked at.
func (s *Symbols) elementAt(p heap.Ptr, n, size uint64, t *symbolic.Term) (address *symbolic.Term, ok bool) {
	i, named := s.NameOf(t)
	if !named {
		return nil, false
	}
	obj, off := uint32(p>>32), uint32(p)
	if uint64(obj) >= uint64(len(s.heap.Objs)) || n > mostElementsNamed || size == 0 || size > 64 || size&(size-1) != 0 && size%8 != 0 {
		return nil, false
	}
	o := &s.heap.Objs[obj]
	if o.Flags&(heap.Frozen|heap.Freed|heap.Derived) != 0 || o.Size > 1<<16 || uint64(off)+n*size > uint64(o.Size) || uint64(off)%min(size, 8) != 0 {
		return nil, false
	}
	name := s.names[i]
	values := s.valuesOf(name.Class)
	//mutant: names may be outside of the elements [test ./vm TestNamedEnds]: "uint64(values[len(values)-1]) >= n" -> "name.Value >= n"
	if len(values) == 0 || uint64(values[len(values)-1]) >= n {
		return nil, false
	}
	e := &elements{class: name.Class, draw: s.labels[t].draws[0], base: off, size: uint32(size), n: uint32(n)}
	text := fmt.Sprintf("elements %d %d %d %d", e.class, e.base, e.size, e.n)
	e.slot = s.labelFor(drawn{draws: s.labels[t].draws, of: e, slot: true}, text)
	e = s.labels[e.slot].of
	if cells := s.Overlaps(obj, off, uint32(n*size)); len(cells) > 0 {
		if !s.allSlots(cells, e, uint32(n*size)) {
			for _, c := range cells {
				s.Look(c.term)
			}
			return nil, false
		}
	} else if !s.claim(obj, e) {
		return nil, false
	}
	return s.labelFor(drawn{draws: s.labels[t].draws, of: e, in: i + 1}, fmt.Sprintf("%s at %d", text, name.Value)), true
}

// allSlots reports whether cells are n bytes of e.
func (s *Symbols) allSlots(cells []cell, e *elements, n uint32) bool {
	sum := uint32(0)
	for _, c := range cells {
		sum += c.size
		if c.term != e.slot {
			return false
		}
	}
	return sum == n
}

// claim gives the elements e of an object their label, if they are equal and have no references.
func (s *Symbols) claim(obj uint32, e *elements) bool {
	o := &s.heap.Objs[obj]
	all := s.heap.Bytes(uint64(obj)<<32|uint64(e.base), e.n*e.size)
	for i := uint32(0); i < e.n*e.size; i += e.size {
		//mutant: elements that differ belong to names [test ./vm TestNamedEnds]: "!bytes" -> "false && !bytes"
		if !bytes.Equal(all[i:i+e.size], all[:e.size]) {
			return false
		}
	}
	if !numbersOnly(s.layouts.At(o.Layout), e.base, e.base+e.n*e.size) {
		return false
	}
	s.heap.WillWriteRange(obj, e.base, e.n*e.size)
	var list []cell
	w := min(e.size, 8)
	for off := e.base; off < e.base+e.n*e.size; off += w {
		list = append(list, cell{off, w, e.slot})
	}
	cells := s.memory[obj]
	at := sort.Search(len(cells), func(i int) bool { return cells[i].off >= e.base })
	s.setCells(obj, slices.Insert(slices.Clone(cells), at, list...))
	return true
}

// numbersOnly reports whether there are only numbers from byte lo to byte hi of an object of elements of
// layout l.
func numbersOnly(l *layout.Layout, lo, hi uint32) bool {
	if l.Size == 0 || len(l.Ptrs)+len(l.Owners)+len(l.Times) == 0 {
		return true
	}
	if lo/l.Size != (hi-1)/l.Size {
		return false
	}
	lo, hi = lo%l.Size, (hi-1)%l.Size+1
	within := func(at uint32) bool { return at < hi && at+8 > lo }
	for _, p := range l.Ptrs {
		if within(p) {
			return false
		}
	}
	for _, a := range l.Owners {
		if within(a &^ 7) {
			return false
		}
	}
	for _, t := range l.Times {
		if within(t&^1) || within(t&^1+8) || within(t&^1+16) {
			return false
		}
	}
	return true
}

// inElement reports whether n bytes at p belong to the element whose address has label t.
func (s *Symbols) inElement(t *symbolic.Term, p heap.Ptr, n uint64) bool {
	if t == nil || len(s.names) == 0 {
		return false
	}
	d := s.labels[t]
	if d == nil || d.in == 0 {
		return false
	}
	e := d.of
	at := uint64(e.base) + s.names[d.in-1].Value*uint64(e.size)
	obj, off := uint32(p>>32), uint64(uint32(p))
	return off >= at && off+n <= at+uint64(e.size) && s.allSlots(s.Overlaps(obj, uint32(off), uint32(n)), e, uint32(n))
}

// readsElement reports whether in loads n bytes at p that belong to the element whose address register B
// has.
func (s *Symbols) readsElement(g *Goroutine, in *bytecode.Instr, p heap.Ptr, n uint64) bool {
	if !s.inElement(g.Shadow[g.FP+uint32(in.B)], p, n) {
		return false
	}
	s.bare(g, in, n)
	return true
}

// bare removes the labels of the registers into which in loads n bytes, after in has been executed.
// Until then one of them may hold the address or the index, with a label.
func (s *Symbols) bare(g *Goroutine, in *bytecode.Instr, n uint64) {
	a := s.leave(g, in, bare)
	a.reg, a.size = in.A, n
}

// writesElement reports whether a store writes ordinary words to an element of a name. The store is of n
// bytes, to p, from the registers from b on, through an address with label t.
func (s *Symbols) writesElement(g *Goroutine, t *symbolic.Term, p heap.Ptr, b uint16, n uint64) bool {
	//mutant: elements of names have any labels [test ./vm TestNamedEnds]: "!tainted" -> "true || !tainted"
	return s.inElement(t, p, n) && !tainted(g.Shadow[g.FP+uint32(b):g.FP+uint32(b)+uint32(n+7)/8])
}

// ordinary reports whether off is the place of an element of e that belongs to no name so far.
func (s *Symbols) ordinary(e *elements, off uint32) bool {
	return !slices.Contains(s.valuesOf(e.class), (off-e.base)/e.size)
}

// readSlot returns the label of a word that was read at p, where elements are, at an ordinary index.
func (s *Symbols) readSlot(e *elements, p heap.Ptr, n uint64) *symbolic.Term {
	obj, off := uint32(p>>32), uint32(p)
	switch {
	case s.ordinary(e, off):
		return nil
	case n != 8 || e.size != 8:
		return e.slot
	}
	return s.folded(&fold{of: e, obj: obj, read: []uint32{(off - e.base) / 8}, sum: s.contents(obj, e)})
}

// folded returns the label of f, nil if it is the sum of the elements of all names.
func (s *Symbols) folded(f *fold) *symbolic.Term {
	//mutant: some elements are all [test ./vm TestNamedEnds]: "slices.Equal(f.read, s.valuesOf(f.of.class))" -> "true"
	if slices.Equal(f.read, s.valuesOf(f.of.class)) {
		return nil
	}
	return s.labelFor(drawn{draws: []Draw{f.of.draw}, of: f.of, fold: f},
		fmt.Sprintf("fold %d %d %d %d of %d: %d %x", f.of.class, f.of.base, f.of.size, f.of.n, f.obj, f.read, f.sum))
}

// contents returns a hash of the elements of names of an object; 0 if it has no such elements any more.
func (s *Symbols) contents(obj uint32, e *elements) uint64 {
	if !s.allSlots(s.Overlaps(obj, e.base, e.n*e.size), e, e.n*e.size) {
		return 0
	}
	h := fnv.New64a()
	h.Write(s.heap.Bytes(uint64(obj)<<32|uint64(e.base), e.n*e.size))
	return h.Sum64() | 1
}

// foldOf returns the meaning of a partial sum with label t, or nil.
func (s *Symbols) foldOf(t *symbolic.Term) *fold {
	if t == nil || len(s.names) == 0 {
		return nil
	}
	if d := s.labels[t]; d != nil {
		return d.fold
	}
	return nil
}

// adds reports whether the sum of words with these labels is a partial sum or one of all elements, and
// returns its label.
func (s *Symbols) adds(x, y *symbolic.Term) (t *symbolic.Term, ok bool) {
	a, b := s.foldOf(x), s.foldOf(y)
	switch {
	case a == nil && b == nil, a == nil && x != nil, b == nil && y != nil:
		return nil, false
	case a == nil:
		return y, true
	case b == nil:
		return x, true
	}
	//mutant: elements change during a sum [test ./vm TestNamedEnds]: " || a.sum != b.sum || a.sum != s.contents(a.obj, a.of)" -> ""
	if a.of != b.of || a.obj != b.obj || a.sum != b.sum || a.sum != s.contents(a.obj, a.of) {
		return nil, false
	}
	read := slices.Clone(a.read)
	for _, v := range b.read {
		i, found := slices.BinarySearch(read, v)
		if found {
			return nil, false
		}
		read = slices.Insert(read, i, v)
	}
	return s.folded(&fold{of: a.of, obj: a.obj, read: read, sum: a.sum}), true
}

// overwritten looks at the elements of names among n bytes of the object at off, which are overwritten by
// words with label t. It reports whether all are ordinary elements, and t is nil: then they keep their
// label.
func (s *Symbols) overwritten(cells []cell, off, n uint32, t *symbolic.Term) (keep bool) {
	for _, c := range cells {
		e := s.slotOf(c.term)
		//mutant: elements of names are overwritten [test ./vm TestNamedEnds]: " && s.ordinary(e, off) && s.ordinary(e, off+n-1)" -> ""
		if keep = e != nil && t == nil && s.ordinary(e, off) && s.ordinary(e, off+n-1); !keep {
			break
		}
	}
	for _, c := range cells {
		if !keep && s.slotOf(c.term) != nil {
			s.Look(c.term)
		}
	}
	return keep
}

// An Element is an element of a name in an object, for fingerprints.
type Element struct {
	Name  uint32
	Off   uint32
	Bytes []byte
}

// Elements returns the elements of names in an object.
func (s *Symbols) Elements(obj uint32) (list []Element) {
	var last *elements
	for _, c := range s.memory[obj] {
		e := s.slotOf(c.term)
		if e == nil || e == last {
			continue
		}
		last = e
		s.m.EachName(func(i uint32) {
			if n := s.names[i]; n.Class == e.class && n.Value < uint64(e.n) {
				off := e.base + uint32(n.Value)*e.size
				list = append(list, Element{i, off, s.heap.Bytes(uint64(obj)<<32|uint64(off), e.size)})
			}
		})
	}
	return list
}

// A Written describes a word of a goroutine, other than that of a name, for which fingerprints have
// something else than the word's bits.
type Written struct {
	Name  uint32 // the word is the address of this name's element,
	Inner uint64 // plus this number of bytes
	Fold  bool   // otherwise, the word is a partial sum:
	Obj   uint32 // a sum of elements of this object
	Rest  uint64 // the bits minus the elements
	Fresh bool   // the elements are unchanged
}

// WrittenOf returns what fingerprints have for word w with label t.
func (s *Symbols) WrittenOf(t *symbolic.Term, w uint64) (x Written, ok bool) {
	d := s.labels[t]
	switch {
	case d == nil:
		return x, false
	case d.in != 0:
		at := uint64(d.of.base) + s.names[d.in-1].Value*uint64(d.of.size)
		return Written{Name: d.in - 1, Inner: uint64(uint32(w)) - at}, true
	case d.fold != nil:
		f := d.fold
		x = Written{Fold: true, Obj: f.obj, Rest: w, Fresh: f.sum == s.contents(f.obj, f.of)}
		if x.Fresh {
			for _, v := range f.read {
				b := s.heap.Bytes(uint64(f.obj)<<32|uint64(f.of.base+8*v), 8)
				//mutant: partial sums are what they are [equalOnes]: remove
				x.Rest -= bytesWord(b)
			}
		}
		return x, true
	}
	return x, false
}

func bytesWord(b []byte) (w uint64) {
	for i, x := range b {
		w |= uint64(x) << (8 * i)
	}
	return w
}

// kindOf returns the hash of the label d in fingerprints, without the name that it refers to.
func (d *drawn) kindOf(s *Symbols) (h uint64, ok bool) {
	switch {
	case d.name != 0:
		return s.names[d.name-1].Class, true
	case d.in != 0:
		return s.labels[d.of.slot].kind + 1, true
	case d.fold != nil:
		h := fnv.New64a()
		fmt.Fprintf(h, "fold %x %d", s.labels[d.of.slot].kind, d.fold.read)
		return h.Sum64(), true
	}
	return 0, false
}

// indexes is beforeSpecial for IdxS and IdxA, with the index in register c: n elements of size bytes at p.
func (s *Symbols) indexes(g *Goroutine, in *bytecode.Instr, p heap.Ptr, n, size uint64) bool {
	t := g.Shadow[g.FP+uint32(in.C)]
	if t == nil {
		return false
	}
	address, ok := s.elementAt(p, n, size, t)
	if ok {
		g.Shadow[g.FP+uint32(in.A)] = address
	}
	return ok
}

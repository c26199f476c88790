package fingerprint

import (
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Regions make the cost of a fingerprint proportional to the changes since the one before, not to the size of
// the state. The heap is divided into regions: each consists of the objects that can be reached from one
// object, its root, without entering an earlier region. The words of a state are those of its items (the
// goroutines and the changed base objects). The words of a region follow where an item first refers to its
// root:
//
//	item                 region 1              item
//	base object 17  ──▶  obj 40 ──▶ obj 52     g1  ──▶ obj 52
//	                      1          2          │
//	                                            └──▶ region 2: obj 60 ──▶ obj 61
//	                                                            1   │      2
//	                                                                └────▶ obj 40
//
//	17 (+1.1 region 1) g1 (+1.1 region 2: 1.1) 1.2
//
// A reference of an item is the number of a region and the number of the object in it. If the item is the
// first one that refers to a region, the number is counted from there (+1), so that identical goroutines have
// equal words (Orbits). A reference within a region is only the number of the object. A reference of a region
// to an earlier one is the index of the object in the region's list of such objects (outside); the numbers of
// these objects are written after the region's hash. So the hash of a region depends on nothing outside of
// it, and can be kept. It is the sum of the hashes of its objects, which include their numbers: if an object
// changes and its references do not, the sum changes by the difference.
//
// Claim 1: two states have the same words if and only if they are equal up to the numbers of
// objects, as with Traverse. The words determine the order of items and of the references in each,
// and so which objects belong to which region, and their numbers.
//
// Claim 2: the record of a region is equal to the one that would be made anew. Consider a region
// with a record whose root is referred to for the first time. Then
//
//  1. its objects have the same contents as before, except for those in heap.Touched, which have
//     been updated: all writes, rewinds and collections put an object there if its hash is kept
//     (flag heap.Hashed). Labels of random values change only where bytes are written;
//  2. none of its objects has been reached before: otherwise the object would belong to the region
//     that reached it, and this region would have ended then (newRegion), because an object belongs
//     to one region;
//  3. the objects outside that it refers to have been reached before, which is checked for each.
//
// So by induction the same objects are visited in the same order and have the same words. Two other parts of
// a state enter the words of a region: the clock and the owners of locks. Both are recorded (timed, owners).
//
// Claim 3: a number of a region that has no record any more resolves to no region. A region's version
// changes when it ends, and the record of an object has the version of its region.
type regions struct {
	list     []region
	free     []uint32
	known    []knownObject // by object from heap.StaticLimit on
	sums     []objectSum   // likewise: separate, because they are rarely used
	gen      uint64        // number of the fingerprint
	ord      uint64        // number of regions in the fingerprint
	items    items
	relative bool // Times are written as distances from the clock
	text     []uint64

	dirty []uint32   // copy of heap.Changed
	base  []baseItem // base items of these objects, in ascending order
}

// region is the record of a region.
type region struct {
	version uint32
	n       uint32 // objects
	gen     uint64 // the last fingerprint of which the region is part
	ord     uint64 // number of the region in that fingerprint
	sum     por.Hash
	words   uint32 // words of all objects
	odd     bool   // some words may not be references: the region is not kept
	timed   bool   // it has Times that are written as distances from the clock; at is the clock then
	at      int64
	outside []uint32
	owners  []shownOwner
}

// knownObject is the record of an object. It belongs to the region with the same version.
type knownObject struct {
	region, version uint32
	num             uint32
}

// objectSum is the summand of an object in the sum of its region, and the hash of its shape.
type objectSum struct{ hash, shape por.Hash }

// shownOwner is a goroutine's number in a lock, and the word written for it.
type shownOwner struct{ n, as uint32 }

// anyOwner stands for sums of numbers.
const anyOwner = math.MaxUint32

// Marks of references in the words of a fingerprint.
const (
	dynamicBit = 1 << 62 // the object refers to an object without a number of its own
	outsideBit = 1 << 61
)

// beginRegions begins a fingerprint.
func (f *Writer) beginRegions() {
	c := &f.regions
	h := f.Heap
	if n := len(h.Objs) - heap.StaticLimit; n > len(c.known) {
		c.known = append(c.known, make([]knownObject, n-len(c.known)+256)...)
		c.sums = append(c.sums, make([]objectSum, len(c.known)-len(c.sums))...)
	}
	if len(c.list) == 0 {
		c.list = append(c.list, region{version: 1}) // knownObject{} belongs to none
	}
	c.gen++
	c.ord = 0
	c.items.begin()
	if f.Relative != c.relative {
		c.relative = f.Relative
		f.Forget()
	}
	for _, id := range h.Touched {
		if f.stopped {
			break // all regions are forgotten
		}
		f.touched(id)
	}
	h.NoteWrites()
}

// Forget ends all regions.
func (f *Writer) Forget() {
	c := &f.regions
	for i := range c.list[min(1, len(c.list)):] {
		c.end(uint32(i + 1))
	}
	c.dirty, c.base = c.dirty[:0], c.base[:0]
}

// at returns the record of object id.
func (c *regions) at(id uint32) *knownObject { return &c.known[id-heap.StaticLimit] }

// end ends region i: no object belongs to it any more.
func (c *regions) end(i uint32) {
	if r := &c.list[i]; r.n > 0 {
		r.n = 0
		//mutant: a region that has ended has objects [regions]
		r.version++
		c.free = append(c.free, i)
	}
}

// of returns the region that k belongs to, or nil.
func (c *regions) of(k *knownObject) *region {
	if r := &c.list[k.region]; r.version == k.version && r.n > 0 {
		return r
	}
	return nil
}

// touched updates the hash of an object that has been written, undone or freed.
func (f *Writer) touched(id uint32) {
	c, h := &f.regions, f.Heap
	if id < h.BaseLimit {
		return // see baseItem
	}
	k := c.at(id)
	r := c.of(k)
	if r == nil {
		return
	}
	//mutant: distances in objects that are not written stay [regions]: " r.timed && r.at != f.Clock ||" -> ""
	if int(id) >= len(h.Objs) || h.Objs[id].Flags&heap.Freed != 0 || r.timed && r.at != f.Clock || len(r.owners) > manyOwners {
		c.end(k.region)
		return
	}
	o := &h.Objs[id]
	sum := &c.sums[id-heap.StaticLimit]
	//mutant: references may change [regions]: false
	if f.shape(o) != sum.shape {
		c.end(k.region)
		return
	}
	i := k.region
	ws := f.writeMember(c.text[:0], id, k.num, r, func(w uint64) uint64 {
		t := uint32(w >> 32)
		if x := c.at(t); x.region == i && x.version == r.version {
			return dynamicBit | uint64(x.num)<<32 | w&math.MaxUint32
		}
		n := slices.Index(r.outside, t)
		if n < 0 {
			panic("BUG: a region does not know what it refers to")
		}
		return dynamicBit | outsideBit | uint64(n)<<32 | w&math.MaxUint32
	})
	c.text = ws
	was := sum.hash
	sum.hash = Sum(ws)
	//mutant: what has been written stays [regions]: remove 2
	//mutant: what has been taken away stays [regions]: " - was[0]\n\tr.sum[1] += sum.hash[1] - was[1]" -> "\n\tr.sum[1] += sum.hash[1]\n\t_ = was"
	r.sum[0] += sum.hash[0] - was[0]
	r.sum[1] += sum.hash[1] - was[1]
	o.Flags |= heap.Hashed
	f.poll(len(ws))
}

// manyOwners is the most owners of a region whose record is updated rather than dropped.
const manyOwners = 64

// shape returns a value that determines which objects are reached from o: a hash, unless it has at
// most one reference.
func (f *Writer) shape(o *heap.Object) por.Hash {
	l := f.Heap.Layouts.At(o.Layout)
	kind := uint64(o.Layout)<<32 | uint64(o.Size)
	if len(l.Ptrs) == 0 || l.Size == 0 || o.Flags&heap.Derived != 0 {
		return por.Hash{kind, uint64(o.Flags & heap.Derived)}
	}
	if len(l.Ptrs) == 1 && o.Size == l.Size {
		return por.Hash{kind, *(*uint64)(unsafe.Add(o.Mem, l.Ptrs[0]))}
	}
	a, b := kind, ^kind
	for base := uint32(0); base+l.Size <= o.Size; base += l.Size {
		for _, p := range l.Ptrs {
			a, b = mixPair(a, b, *(*uint64)(unsafe.Add(o.Mem, base+p)), 0)
		}
	}
	return por.Hash(finishHash(a, b))
}

// reference reports whether w refers to an object without a number of its own. If odd, w may be any
// word, which would refer to an object if more objects existed.
func (f *Writer) reference(w uint64) (is, odd bool) {
	id := w >> 32
	if id < heap.StaticLimit || w&bytecode.FuncBit != 0 || id < uint64(f.Heap.BaseLimit) {
		return false, false
	}
	if id >= uint64(len(f.Heap.Objs)) {
		return false, true
	}
	return true, false
}

// oddWord returns the word that is written for w: it cannot be mistaken for a reference.
func oddWord(w uint64) uint64 { return hash.Mix(1, w) }

// writeMember writes object id of region r, with the number num.
func (f *Writer) writeMember(ws []uint64, id, num uint32, r *region, ref func(uint64) uint64) []uint64 {
	o := &f.Heap.Objs[id]
	//mutant: numbers of objects do not count [regions]: "uint64(num)" -> "0"
	ws = append(ws, uint64(num))
	if o.Flags&heap.Derived != 0 {
		return ws
	}
	return f.writeContents(ws, id, r, ref)
}

// labelsBit says that an object has labels, which follow.
const labelsBit = 1 << 63

// writeContents writes object id, as part of r if that is not nil.
func (f *Writer) writeContents(ws []uint64, id uint32, r *region, ref func(uint64) uint64) []uint64 {
	o := &f.Heap.Objs[id]
	ws = append(ws, uint64(o.Layout)<<32|uint64(o.Size))
	if f.Shadows != nil && f.Shadows.Has(id) {
		ws[len(ws)-1] |= labelsBit
		ws = f.Shadows.WriteCells(ws, id)
	}
	l := f.Heap.Layouts.At(o.Layout)
	if len(l.Ptrs)+len(l.Owners) == 0 || l.Size == 0 {
		return f.writeBytes(ws, o.Mem, o.Size)
	}
	// Element by element, with the bytes between two pointers unchanged.
	for base := uint32(0); base+l.Size <= o.Size; base += l.Size {
		at, from := uint32(0), len(ws)
		for _, p := range l.Ptrs {
			if p > at {
				ws = WriteRaw(ws, unsafe.Add(o.Mem, base+at), p-at)
			}
			w := *(*uint64)(unsafe.Add(o.Mem, base+p))
			if is, odd := f.reference(w); is {
				w = ref(w)
			} else if odd {
				if w = oddWord(w); r != nil {
					r.odd = true
				}
			}
			ws = append(ws, w)
			at = p + 8
		}
		if l.Size > at {
			ws = WriteRaw(ws, unsafe.Add(o.Mem, base+at), l.Size-at)
		}
		if f.regions.relative {
			for _, t := range l.Times {
				if f.Host.Distance(ws[from+int(t/8):], t&1 != 0) && r != nil {
					r.timed, r.at = true, f.Clock
				}
			}
		}
		for _, a := range l.Owners {
			w := &ws[from+int(a/8)]
			if r != nil {
				//mutant: owners are not noted [regions]
				r.noteOwner(f, *w, a)
			}
			if f.Exchanging {
				//mutant: symmetry: owners have numbers [equalOnes]
				HideOwner(f.Host, w, a)
			}
		}
	}
	return ws
}

// noteOwner records the number at a, which is a part of w.
func (r *region) noteOwner(f *Writer, w uint64, a uint32) {
	n := uint32(w >> (a &^ 1 % 8 * 8))
	if n == 0 {
		return
	}
	if a&1 != 0 {
		n = anyOwner
	}
	if x := (shownOwner{n, f.shownOwner(n)}); !slices.Contains(r.owners, x) {
		r.owners = append(r.owners, x)
	}
}

// shownOwner returns the word that is written for the number n of a goroutine that holds a lock.
func (f *Writer) shownOwner(n uint32) uint32 {
	switch {
	case !f.Exchanging:
		return n
	case n == anyOwner:
		return 0
	}
	return uint32(f.Host.Origin(n))
}

// writeRef writes a reference of an item: the region and the number of the target in it, and the
// region itself if this is the first reference to it.
func (f *Writer) writeRef(ws []uint64, id uint32) []uint64 {
	c := &f.regions
	k := c.at(id)
	if r := c.of(k); r != nil && r.gen == c.gen {
		return append(ws, c.items.place(r.ord)|uint64(k.num))
	}
	kept := f.kept(k)
	if !kept {
		f.newRegion(id)
	}
	r := &c.list[k.region]
	if kept && r.n > 1 {
		f.Reused++
	}
	c.ord++
	r.gen, r.ord = c.gen, c.ord
	c.items.add()
	f.Weight += int(r.words)
	ws = append(ws, c.items.place(r.ord)|1, r.sum[0], r.sum[1], uint64(r.n)<<32|uint64(len(r.outside)))
	for _, id := range r.outside {
		x := c.at(id)
		//mutant: what is outside has no numbers [regions]: "|uint64(x.num)" -> ""
		//mutant: what is outside has numbers only [regions]: "c.items.place(c.list[x.region].ord)|" -> ""
		ws = append(ws, c.items.place(c.list[x.region].ord)|uint64(x.num))
	}
	return ws
}

// kept reports whether k is the root of a region whose record is still valid.
func (f *Writer) kept(k *knownObject) bool {
	c := &f.regions
	r := c.of(k)
	//mutant: distances stay [regions]: "|| r.timed && r.at != f.Clock " -> ""
	if r == nil || k.num != 1 || r.odd || r.timed && r.at != f.Clock {
		return false
	}
	for _, id := range r.outside {
		//mutant: what is outside is not looked up [regions]: "x == nil ||" -> "false &&"
		if x := c.of(c.at(id)); x == nil || x.gen != c.gen {
			return false
		}
	}
	for _, x := range r.owners {
		//mutant: owners stay [regions]: "if f.shownOwner" -> "if false && f.shownOwner"
		if f.shownOwner(x.n) != x.as {
			return false
		}
	}
	return true
}

// newRegion makes a region with root id, of the objects that can be reached from there and have not
// been reached before.
func (f *Writer) newRegion(id uint32) {
	c := &f.regions
	var at uint32
	if n := len(c.free); n > 0 {
		at = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		at = uint32(len(c.list))
		c.list = append(c.list, region{version: 1})
	}
	r := &c.list[at]
	*r = region{version: r.version, outside: r.outside[:0], owners: r.owners[:0]}
	f.BeginTraversal() // for the objects outside of the region
	claim := func(id uint32) {
		k := c.at(id)
		//mutant: a region keeps objects that are reached before [regions]
		if c.of(k) != nil {
			c.end(k.region)
		}
		r.n++
		*k = knownObject{region: at, version: r.version, num: r.n}
		f.Queue = append(f.Queue, id)
	}
	ref := func(w uint64) uint64 {
		t := uint32(w >> 32)
		k := c.at(t)
		x := c.of(k)
		switch {
		case x == r:
		case x != nil && x.gen == c.gen:
			s := &f.seen[t]
			if s.gen != f.gen {
				*s = visit{f.gen, uint32(len(r.outside))}
				r.outside = append(r.outside, t)
			}
			return dynamicBit | outsideBit | uint64(s.num)<<32 | w&math.MaxUint32
		default:
			claim(t)
		}
		return dynamicBit | uint64(k.num)<<32 | w&math.MaxUint32
	}
	claim(id)
	ws := c.text
	for i := 0; i < len(f.Queue) && !f.stopped; i++ {
		id := f.Queue[i]
		o, sum := &f.Heap.Objs[id], &c.sums[id-heap.StaticLimit]
		f.digested = 0
		ws = f.writeMember(ws[:0], id, c.at(id).num, r, ref)
		*sum = objectSum{Sum(ws), f.shape(o)}
		r.sum[0] += sum.hash[0]
		r.sum[1] += sum.hash[1]
		r.words += uint32(len(ws) + f.digested)
		o.Flags |= heap.Hashed
		f.poll(len(ws))
	}
	c.text = ws
}

package fingerprint

import (
	"cmp"
	"math"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm/heap"
)

// items are the parts of a state in a fingerprint, in their order: the base objects that have
// changed, which count as one item here, and the goroutines.
type items struct {
	list  []item
	first []uint32 // by number of region: the item that refers to it first
}

// item is one of the items.
type item struct {
	words    [2]int // from, to
	regions  uint64 // number of regions before it
	referred bool   // a later item refers to an object in a region to which this item was the first to refer
}

// relativeBit marks references to regions that the item itself is the first to refer to.
const relativeBit = 1 << 63

// begin begins a fingerprint, and its first item.
func (x *items) begin() {
	x.list, x.first = append(x.list[:0], item{}), x.first[:0]
}

// next begins an item, after the first n words.
func (x *items) next(n int) {
	x.list[len(x.list)-1].words[1] = n
	x.list = append(x.list, item{words: [2]int{n, n}, regions: uint64(len(x.first))})
}

// add records that the present item refers to another region.
func (x *items) add() { x.first = append(x.first, uint32(len(x.list)-1)) }

// place returns the word for the region with number ord.
func (x *items) place(ord uint64) uint64 {
	//mutant: which item refers to a region first makes no difference [regions]: true
	if n := x.list[len(x.list)-1].regions; ord > n {
		return relativeBit | (ord-n)<<32
	}
	x.list[x.first[ord-1]].referred = true
	return ord << 32
}

// baseItem is the record of a changed base object. It is valid as long as the object has the flag
// heap.Hashed.
type baseItem struct {
	id   uint32
	hash por.Hash
	refs []uint32
	n    int // words
}

// writeBase writes the changed base objects, in the order of their numbers.
func (f *Writer) writeBase(ws []uint64) []uint64 {
	c, h := &f.regions, f.Heap
	if !slices.Equal(c.dirty, h.Changed) {
		old := c.base
		c.dirty = append(c.dirty[:0], h.Changed...)
		c.base = make([]baseItem, 0, len(h.Changed))
		for _, id := range h.Changed {
			c.base = append(c.base, baseItem{id: id})
			if !slices.ContainsFunc(old, func(x baseItem) bool { return x.id == id }) {
				h.Objs[id].Flags &^= heap.Hashed
			}
		}
		slices.SortFunc(c.base, func(a, b baseItem) int { return cmp.Compare(a.id, b.id) })
		for len(old) > 0 {
			if i, ok := slices.BinarySearchFunc(c.base, old[0], func(a, b baseItem) int { return cmp.Compare(a.id, b.id) }); ok {
				c.base[i] = old[0]
			}
			old = old[1:]
		}
	}
	ws = append(ws, uint64(len(c.base)))
	for i := range c.base {
		x := &c.base[i]
		o := &h.Objs[x.id]
		//mutant: variables stay [regions]: "o.Flags&heap.Hashed" -> "x.n"
		if o.Flags&heap.Hashed == 0 {
			f.hashBase(x, o)
			f.poll(x.n)
		}
		f.Weight += x.n
		ws = append(ws, uint64(x.id), x.hash[0], x.hash[1])
		for _, id := range x.refs {
			ws = f.writeRef(ws, id)
		}
	}
	return ws
}

// hashBase hashes a base object. The hash is kept unless it depends on more than the object's
// contents.
func (f *Writer) hashBase(x *baseItem, o *heap.Object) {
	r := region{}
	x.refs = x.refs[:0]
	f.digested = 0
	ws := f.writeContents(f.regions.text[:0], x.id, &r, func(w uint64) uint64 {
		x.refs = append(x.refs, uint32(w>>32))
		return dynamicBit | w&math.MaxUint32
	})
	f.regions.text = ws
	x.hash, x.n = Sum(ws), len(ws)+f.digested
	//mutant: variables have no owners [regions]: drop 3
	//mutant: variables have no Times [regions]: drop 2
	if !r.odd && !r.timed && len(r.owners) == 0 && !f.stopped {
		o.Flags |= heap.Hashed
	}
}

// A Stack has the words of a goroutine, kept until it changes. Its pointers are plain words. Each fingerprint
// replaces them by its own numbers for objects, which depend on earlier words.
type Stack struct {
	Words []uint64
	Refs  []uint32 // which words are references
	Times []uint32 // indices of words at which Times begin

	hashed  bool
	hash    por.Hash
	objects []uint32 // the objects to which it refers
}

// Reset removes all words.
func (t *Stack) Reset() {
	t.Words, t.Refs, t.Times = t.Words[:0], t.Refs[:0], t.Times[:0]
	//mutant: stacks stay [regions]
	t.hashed = false
}

// WriteStack writes a goroutine.
func (f *Writer) WriteStack(ws []uint64, t *Stack) []uint64 {
	if !t.hashed {
		f.hashStack(t)
	}
	f.Weight += len(t.Words)
	ws = append(ws, t.hash[0], t.hash[1])
	for _, id := range t.objects {
		ws = f.writeRef(ws, id)
	}
	for _, i := range t.Times {
		n := len(ws)
		ws = append(ws, t.Words[i], t.Words[i+1])
		if f.regions.relative {
			f.Host.Distance(ws[n:], false)
		}
	}
	return ws
}

// hashStack hashes the words of a goroutine, without references to objects and Times. References of
// outer frames come first: they last longer, so that the objects stay in the same regions for
// longer.
func (f *Writer) hashStack(t *Stack) {
	t.hashed, t.objects = true, t.objects[:0]
	ws := append(f.regions.text[:0], t.Words...)
	for _, i := range slices.Backward(t.Refs) {
		w := ws[i]
		is, odd := f.reference(w)
		switch {
		case is:
			t.objects = append(t.objects, uint32(w>>32))
			ws[i] = dynamicBit | w&math.MaxUint32
		case odd:
			ws[i], t.hashed = oddWord(w), false
		}
	}
	for _, i := range t.Times {
		ws[i], ws[i+1] = 0, 0
	}
	t.hash = Sum(ws)
	f.regions.text = ws
}

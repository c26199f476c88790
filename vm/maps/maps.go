// Package maps has the maps of the program that package vm executes, as objects of its heap.
//
// The files: maps has the operations for users, table the entries and the index, slots the small
// maps of gc.
package maps

import (
	"math"
	"sort"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/shadow"
	"hbcheck.dev/hbcheck/vm/values"
)

// A map is a header object, an array of entries in insertion order and a hash index over it.
// Iteration follows that order where no order can be noticed; otherwise package orders chooses. Each
// entry carries its insertion number, so an iterator finds its place again after the array was
// rebuilt. The index follows from the entries and is not part of the state.
//
//	header   │ count 2 │ entries │ index │ used 3 │ seq 3 │
//	                      │         │
//	entries  ◀────────────┘         │   (insertion number, key, element), by order; number 0: deleted
//	         │ 1 a 10 │ 0 │ 3 c 30 │
//	                                │
//	index    ◀──────────────────────┘   place in entries + 1, by hash, linear probing; 0: free
//	         │ 0 │ 1 │ 0 │ 2 │ 3 │ 0 │ 0 │ 0 │
//
// The machine does not use the runtime's tables, because their order of iteration depends on a random seed,
// which is in no state. Here it is the order of insertion, which only the operations on the map determine.
//
// A map does not show its history: after deletions the remaining entries are numbered anew, from 1
// (renumber). So a cache with the same entries as before is in the same state. Iterators use the
// numbers, so maps that have ever had an iterator keep them; whether a map has had one (heap.Iterated) is
// not part of the state:
//
//  1. Numbers order the entries, and only iterators of the map read them.
//  2. Let two states differ only in that flag. In the state without it there are no iterators of the
//     map, so there are none in the other one. By 1 the two states have the same futures, except for
//     numbers that nothing reads.
//
// A lookup takes constant time, as at most half of the index is in use. The next entry of an
// iteration is found in logarithmic time, or linear in the number of deleted entries there. An
// insertion is constant on average, as growing doubles.
const (
	hdrCount   = iota * 8
	hdrEntries // pointer to the entry array
	hdrIndex   // pointer to the index, uint32 entry number + 1
	hdrUsed    // entries used, deleted ones included
	hdrSeq     // insertion number of the newest entry
	HeaderSize
)

// SmallRoom is the number of entries for which the first array of a map has room.
const SmallRoom = 8

// Maps operates on the maps in the memory of a machine. A map is named by the guest pointer to its header.
type Maps struct {
	Heap    *heap.Heap
	Values  *values.Memory
	Shadows **shadow.Symbols // of the machine, which may get them later

	Slots                 bool   // small maps have slots: see slots.go
	MapLayout, ByteLayout uint32 // layout numbers
}

// Alloc returns a new object of size bytes for the goroutine that uses a map. It panics if the size is more
// than heap.MaxObject.
type Alloc func(size uint64, layout uint32) (object uint32)

func (x *Maps) header(mp heap.Ptr) *[5]uint64 { return (*[5]uint64)(x.Heap.Load(mp, HeaderSize, 0)) }

// New makes an empty map with room for hint entries, or for a few if that is too many.
func (x *Maps) New(t *link.MapType, hint int64, alloc Alloc) heap.Ptr {
	mp := uint64(alloc(HeaderSize, x.MapLayout)) << 32
	switch {
	case hint <= SmallRoom:
	case uint64(hint) < math.MaxInt32/uint64(t.Entry.Size+8):
		x.grow(mp, t, int(hint), alloc)
	case x.Slots:
		x.grow(mp, t, SmallRoom+1, alloc)
	}
	return mp
}

// Len returns the number of entries of a map that is not nil.
func (x *Maps) Len(mp heap.Ptr) uint64 { return x.header(mp)[hdrCount/8] }

// Small reports whether the map has slots.
func (x *Maps) Small(mp heap.Ptr, t *link.MapType) bool { return x.small(x.header(mp), t) }

// Iterate records that an iterator has numbers of entries of the map. It returns the number of the
// newest entry.
func (x *Maps) Iterate(mp heap.Ptr) uint64 {
	//mutant: entries are numbered anew during a loop [env TestPrograms/(mapdeleted|mapdeletedin)$]
	x.Heap.SetFlags(uint32(mp>>32), heap.Iterated)
	return x.header(mp)[hdrSeq/8]
}

// Find returns the entry of key k, or nil; a nil map has no entries. bad is the type word of an
// unhashable dynamic type.
func (x *Maps) Find(mp heap.Ptr, t *link.MapType, k unsafe.Pointer) (e unsafe.Pointer, bad uint64) {
	i, _, bad := x.find(mp, t, k)
	if i < 0 {
		return nil, bad
	}
	return x.entry(x.header(mp), t, i), 0
}

// Assign returns the entry for key k, creating it; the caller stores the element.
//
// Objects are saved before each write, one by one: a map that is only looked up in a step costs no undo. The
// memory to which the caller stores has been saved. e stays valid until the next allocation of an entry in
// this map.
func (x *Maps) Assign(mp heap.Ptr, t *link.MapType, k unsafe.Pointer, alloc Alloc) (e unsafe.Pointer, bad uint64) {
	i, hash, bad := x.find(mp, t, k)
	if bad != 0 {
		return nil, bad
	}
	h := x.Heap
	small := x.Slots && x.slotted(mp, t, alloc)
	if i >= 0 {
		hd := x.header(mp)
		h.WillWrite(uint32(hd[hdrEntries/8] >> 32))
		e = x.entry(hd, t, i)
		if !t.Key.PureMem { // +0 and -0: the newest key stays, as in the runtime
			copy(unsafe.Slice((*byte)(unsafe.Add(e, t.KeyOff)), t.Key.Size), unsafe.Slice((*byte)(k), t.Key.Size))
		}
		return e, 0
	}
	// A new key goes to the end of the array, if there is room. Deleted entries make room when the
	// others are numbered anew, or the map is rebuilt.
	h.WillWrite(uint32(mp >> 32))
	hd := x.header(mp)
	least := SmallRoom
	if x.Slots {
		least++ // a map with this room is small
	}
	if !small && (hd[hdrEntries/8] == 0 || hd[hdrUsed/8] == uint64(x.room(hd, t))) {
		x.grow(mp, t, max(least, 2*(int(hd[hdrCount/8])+1)), alloc)
		hd = x.header(mp)
	}
	h.WillWrite(uint32(hd[hdrEntries/8] >> 32))
	if small {
		n := x.freeSlot(hd, t)
		e = x.entry(hd, t, n)
		*(*uint64)(e) = uint64(n) + 1
		copy(unsafe.Slice((*byte)(unsafe.Add(e, t.KeyOff)), t.Key.Size), unsafe.Slice((*byte)(k), t.Key.Size))
		hd[hdrCount/8]++
		x.slotsChanged(hd, t)
		return e, 0
	}
	h.WillWrite(uint32(hd[hdrIndex/8] >> 32))
	n := hd[hdrUsed/8]
	e = x.entry(hd, t, int(n))
	hd[hdrSeq/8]++
	*(*uint64)(e) = hd[hdrSeq/8]
	copy(unsafe.Slice((*byte)(unsafe.Add(e, t.KeyOff)), t.Key.Size), unsafe.Slice((*byte)(k), t.Key.Size))
	x.insert(x.index(hd), hash, uint32(n))
	hd[hdrUsed/8]++
	hd[hdrCount/8]++
	return e, 0
}

// Delete removes key k.
//
// If the other entries keep their places (renumber), the deleted entry is only cleared.
func (x *Maps) Delete(mp heap.Ptr, t *link.MapType, k unsafe.Pointer) (bad uint64) {
	i, _, bad := x.find(mp, t, k)
	if i < 0 {
		return bad
	}
	h := x.Heap
	h.WillWrite(uint32(mp >> 32))
	hd := x.header(mp)
	h.WillWrite(uint32(hd[hdrEntries/8] >> 32))
	clear(unsafe.Slice((*byte)(x.entry(hd, t, i)), t.Entry.Size))
	(*x.Shadows).Cleared(hd[hdrEntries/8]+uint64(i)*uint64(t.Entry.Size), uint64(t.Entry.Size))
	hd[hdrCount/8]--
	switch {
	case x.small(hd, t):
		x.slotsChanged(hd, t)
	case hd[hdrCount/8] == 0:
		x.reset(mp, hd, t)
	default:
		x.renumber(mp, hd, t)
	}
	return 0
}

// Clear removes all entries.
func (x *Maps) Clear(mp heap.Ptr, t *link.MapType) {
	x.Heap.WillWrite(uint32(mp >> 32))
	x.reset(mp, x.header(mp), t)
}

// Next returns the first live entry with an insertion number above
// last, and that number.
//
// It is a binary search, as entries ascend: an iterator that continues after the map was rebuilt
// finds its place in it.
func (x *Maps) Next(mp heap.Ptr, t *link.MapType, last uint64) (unsafe.Pointer, uint64) {
	if mp == 0 {
		return nil, 0
	}
	hd := x.header(mp)
	n := int(hd[hdrUsed/8])
	if n == 0 {
		return nil, 0
	}
	// Entries ascend by number; deleted ones (0) are skipped by searching to the right.
	i := sort.Search(n, func(i int) bool {
		for j := i; j < n; j++ {
			if s := *(*uint64)(x.entry(hd, t, j)); s != 0 {
				return s > last
			}
		}
		return true
	})
	for ; i < n; i++ {
		e := x.entry(hd, t, i)
		if s := *(*uint64)(e); s > last {
			return e, s
		}
	}
	return nil, 0
}

// Address returns the guest address of entry e of the map.
func (x *Maps) Address(mp heap.Ptr, e unsafe.Pointer) heap.Ptr {
	ents := x.header(mp)[hdrEntries/8]
	return ents + uint64(uintptr(e)-uintptr(x.Heap.Objs[ents>>32].Mem))
}

// Numbered returns the entry with insertion number s, or nil.
func (x *Maps) Numbered(mp heap.Ptr, t *link.MapType, s uint64) unsafe.Pointer {
	if e, n := x.Next(mp, t, s-1); n == s {
		return e
	}
	return nil
}

// Clone returns a copy of a map that is not nil.
func (x *Maps) Clone(src heap.Ptr, t *link.MapType, alloc Alloc) heap.Ptr {
	//mutant: clones have no slots [env TestSlots/TestCloned]: false
	if x.Small(src, t) {
		return x.cloneSlots(src, t, alloc)
	}
	count := x.Len(src)
	if x.Slots {
		count = max(count, SmallRoom+1)
	}
	dst := x.New(t, int64(count), alloc)
	for last := uint64(0); ; {
		e, n := x.Next(src, t, last)
		if e == nil {
			return dst
		}
		last = n
		d, _ := x.Assign(dst, t, unsafe.Add(e, t.KeyOff), alloc) // hashable: it is in a map
		to, from := (*byte)(unsafe.Add(d, t.ElemOff)), (*byte)(unsafe.Add(e, t.ElemOff))
		copy(unsafe.Slice(to, t.Elem.Size), unsafe.Slice(from, t.Elem.Size))
	}
}

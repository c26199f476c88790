package maps

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/link"
)

// find returns the place of the entry of key k, or -1; a nil map has no entries. bad is the type
// word of an unhashable dynamic type.
//
// A NaN is never found, being equal to nothing.
func (x *Maps) find(mp heap.Ptr, t *link.MapType, k unsafe.Pointer) (entry int, hash uint64, bad uint64) {
	hash, bad = x.Values.Hash(t.Key, k, 0)
	if bad != 0 {
		return -1, 0, bad
	}
	if mp == 0 {
		return -1, hash, 0
	}
	hd := x.header(mp)
	if hd[hdrUsed/8] == 0 {
		return -1, hash, 0
	}
	idx := x.index(hd)
	ents := x.Heap.Load(hd[hdrEntries/8], 1, 0)
	for i := hash & uint64(len(idx)-1); idx[i] != 0; i = (i + 1) & uint64(len(idx)-1) {
		e := unsafe.Add(ents, uintptr(idx[i]-1)*uintptr(t.Entry.Size))
		// A deleted entry keeps its place in the index, so that probing finds those after it.
		if *(*uint64)(e) == 0 {
			continue
		}
		if eq, _ := x.Values.Equal(t.Key, k, unsafe.Add(e, t.KeyOff)); eq {
			return int(idx[i] - 1), hash, 0
		}
	}
	return -1, hash, 0
}

// index returns the index of the map with header hd. Its length is a power of two.
func (x *Maps) index(hd *[5]uint64) []uint32 {
	o := &x.Heap.Objs[hd[hdrIndex/8]>>32]
	return unsafe.Slice((*uint32)(o.Mem), o.Size/4)
}

// entry returns the address of the i-th entry, a deleted one or not.
func (x *Maps) entry(hd *[5]uint64, t *link.MapType, i int) unsafe.Pointer {
	return unsafe.Add(x.Heap.Objs[hd[hdrEntries/8]>>32].Mem, uintptr(i)*uintptr(t.Entry.Size))
}

// insert enters entry n, whose key has the given hash, into the index. Invariant: at most half
// of an index is in use (grow), so probing ends.
func (x *Maps) insert(idx []uint32, hash uint64, n uint32) {
	i := hash & uint64(len(idx)-1)
	for idx[i] != 0 {
		i = (i + 1) & uint64(len(idx)-1)
	}
	idx[i] = n + 1
}

// grow rebuilds the map with room for n entries, without the deleted ones.
//
// The new arrays are other objects than the old ones, to which no pointer is left. If the entries are too
// many for one object, alloc panics before anything has changed.
func (x *Maps) grow(mp heap.Ptr, t *link.MapType, n int, alloc Alloc) {
	h := x.Heap
	capIdx := 16
	for capIdx < n*2 {
		capIdx *= 2
	}
	ents := alloc(uint64(n)*uint64(t.Entry.Size), t.Entry.ID)
	idx := alloc(uint64(uint32(capIdx)*4), x.ByteLayout)
	// Objects to which a shared map refers are shared, too.
	shared := h.Objs[mp>>32].Flags & heap.Shared
	h.Objs[ents].Flags |= shared
	h.Objs[idx].Flags |= shared | heap.Derived
	h.WillWrite(uint32(mp >> 32))
	hd := x.header(mp)
	used := 0
	index := unsafe.Slice((*uint32)(h.Objs[idx].Mem), capIdx)
	for i := 0; i < int(hd[hdrUsed/8]); i++ {
		e := x.entry(hd, t, i)
		if *(*uint64)(e) == 0 {
			continue
		}
		d := unsafe.Add(h.Objs[ents].Mem, uintptr(used)*uintptr(t.Entry.Size))
		copy(unsafe.Slice((*byte)(d), t.Entry.Size), unsafe.Slice((*byte)(e), t.Entry.Size))
		size := uint64(t.Entry.Size)
		(*x.Shadows).Moved(uint64(ents)<<32+uint64(used)*size, hd[hdrEntries/8]+uint64(i)*size, size)
		hash, _ := x.Values.Hash(t.Key, unsafe.Add(d, t.KeyOff), 0)
		x.insert(index, hash, uint32(used))
		used++
	}
	hd[hdrEntries/8], hd[hdrIndex/8], hd[hdrUsed/8] = uint64(ents)<<32, uint64(idx)<<32, uint64(used)
	//mutant: entries are numbered anew during a loop when the map grows [env TestPrograms/mapgrown]: true
	if h.Objs[mp>>32].Flags&heap.Iterated == 0 {
		for i := range used {
			*(*uint64)(x.entry(hd, t, i)) = uint64(i) + 1
		}
		hd[hdrSeq/8] = uint64(used)
	}
}

// mostRenumbered is the number of places, of deleted entries too, that a deletion may inspect.
const mostRenumbered = 64

// renumber removes the deleted entries of the map from the array, unless it is long, and numbers the
// others from 1, unless an iterator may have their numbers. Header and entries may be written.
func (x *Maps) renumber(mp heap.Ptr, hd *[5]uint64, t *link.MapType) {
	h := x.Heap
	if hd[hdrUsed/8] > mostRenumbered || h.Objs[mp>>32].Flags&heap.Iterated != 0 {
		return
	}
	h.WillWrite(uint32(hd[hdrIndex/8] >> 32))
	index := x.index(hd)
	clear(index)
	ents, size := hd[hdrEntries/8], uint64(t.Entry.Size)
	used := uint64(0)
	for i := range hd[hdrUsed/8] {
		e := x.entry(hd, t, int(i))
		if *(*uint64)(e) == 0 {
			continue
		}
		d := x.entry(hd, t, int(used))
		if used != i {
			copy(unsafe.Slice((*byte)(d), size), unsafe.Slice((*byte)(e), size))
			(*x.Shadows).Moved(ents+used*size, ents+i*size, size)
			clear(unsafe.Slice((*byte)(e), size))
			(*x.Shadows).Cleared(ents+i*size, size)
		}
		hash, _ := x.Values.Hash(t.Key, unsafe.Add(d, t.KeyOff), 0)
		x.insert(index, hash, uint32(used))
		used++
		*(*uint64)(d) = used
	}
	hd[hdrUsed/8], hd[hdrSeq/8] = used, used
}

// reset empties the arrays; insertion numbers continue if iterators may have them.
func (x *Maps) reset(mp heap.Ptr, hd *[5]uint64, t *link.MapType) {
	if hd[hdrEntries/8] == 0 {
		return
	}
	for _, p := range []heap.Ptr{hd[hdrEntries/8], hd[hdrIndex/8]} {
		id := uint32(p >> 32)
		x.Heap.WillWrite(id)
		o := &x.Heap.Objs[id]
		clear(unsafe.Slice((*byte)(o.Mem), o.Size))
		(*x.Shadows).Cleared(p, uint64(o.Size))
	}
	hd[hdrCount/8], hd[hdrUsed/8] = 0, 0
	//mutant: entries of empty maps are numbered anew during a loop [env TestPrograms/mapcleared]: true
	if x.Heap.Objs[mp>>32].Flags&heap.Iterated == 0 || x.small(hd, t) {
		hd[hdrSeq/8] = 0
	}
}

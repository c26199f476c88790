package maps

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/link"
)

// small reports whether the map with header hd has slots.
func (x *Maps) small(hd *[5]uint64, t *link.MapType) bool {
	return x.Slots && (hd[hdrEntries/8] == 0 || x.room(hd, t) == SmallRoom)
}

// room returns the number of entries that fit in the array of the map.
func (x *Maps) room(hd *[5]uint64, t *link.MapType) int {
	return int(x.Heap.Objs[hd[hdrEntries/8]>>32].Size / t.Entry.Size)
}

// slotted makes room for an assignment to a small map, and reports whether the map is still small. The places
// of entries do not change.
func (x *Maps) slotted(mp heap.Ptr, t *link.MapType, alloc Alloc) bool {
	hd := x.header(mp)
	switch {
	case !x.small(hd, t):
		return false
	case hd[hdrEntries/8] == 0:
		x.grow(mp, t, SmallRoom, alloc)
	case hd[hdrCount/8] == SmallRoom:
		//mutant: full maps stay small [env TestSlots/TestLargeGrown]: "x.grow(mp, t, 2*(SmallRoom+1), alloc)\n\t\treturn false" -> "return true"
		x.grow(mp, t, 2*(SmallRoom+1), alloc)
		return false
	}
	return true
}

// freeSlot returns the first free slot of a small map that has one. Its header may be written.
func (x *Maps) freeSlot(hd *[5]uint64, t *link.MapType) int {
	//mutant: deleted entries keep their slots [env TestSlots/TestAgain]: "i := 0" -> "i := int(hd[hdrUsed/8]) % SmallRoom"
	i := 0
	for *(*uint64)(x.entry(hd, t, i)) != 0 {
		i++
	}
	return i
}

// slotsChanged updates the rest of a small map after a change of its slots.
func (x *Maps) slotsChanged(hd *[5]uint64, t *link.MapType) {
	x.Heap.WillWrite(uint32(hd[hdrIndex/8] >> 32))
	index := x.index(hd)
	clear(index)
	used := uint64(0)
	for i := range SmallRoom {
		e := x.entry(hd, t, i)
		if *(*uint64)(e) == 0 {
			continue
		}
		hash, _ := x.Values.Hash(t.Key, unsafe.Add(e, t.KeyOff), 0)
		x.insert(index, hash, uint32(i))
		used = uint64(i) + 1
	}
	hd[hdrUsed/8], hd[hdrSeq/8] = used, used
}

// cloneSlots returns a copy of a small map, with the same slots.
func (x *Maps) cloneSlots(src heap.Ptr, t *link.MapType, alloc Alloc) heap.Ptr {
	dst := x.New(t, 0, alloc)
	if x.header(src)[hdrEntries/8] == 0 {
		return dst
	}
	x.grow(dst, t, SmallRoom, alloc)
	from, to := x.header(src), x.header(dst)
	n := SmallRoom * t.Entry.Size
	copy(unsafe.Slice((*byte)(x.entry(to, t, 0)), n), unsafe.Slice((*byte)(x.entry(from, t, 0)), n))
	to[hdrCount/8] = from[hdrCount/8]
	x.slotsChanged(to, t)
	return dst
}

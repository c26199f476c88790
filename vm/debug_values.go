package vm

import (
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// A MapEntry has the addresses of the key and the element of a map entry.
type MapEntry struct{ Key, Elem uint64 }

// MapEntries returns the number of entries of the map at p, which has type t, and the first ones in
// the order of insertion, at most most of them. ok is false if there is no map at p.
func (v Debugger) MapEntries(p uint64, t *types.Map, most int) (list []MapEntry, n int, ok bool) {
	m := v.m
	if p == 0 {
		return nil, 0, true
	}
	if uint32(p) != 0 || !m.StaticView().Exists(uint32(p>>32)) || !m.StaticView().IsMap(uint32(p>>32)) {
		return nil, 0, false
	}
	mt := m.link.MapTypes[m.link.MapType(t)]
	last := uint64(0)
	for len(list) < most {
		e, s := m.maps.Next(p, mt, last)
		if e == nil || s == 0 {
			break
		}
		at := m.maps.Address(p, e)
		list, last = append(list, MapEntry{at + uint64(mt.KeyOff), at + uint64(mt.ElemOff)}), s
	}
	return list, int(m.maps.Len(p)), true
}

// A ChanState is the state of a channel.
type ChanState struct {
	Len, Cap int
	Closed   bool
	Elems    []uint64 // addresses of the elements, the oldest one first
}

// ChanAt returns the state of the channel at p; ok is false if there is none.
func (v Debugger) ChanAt(p uint64) (c ChanState, ok bool) {
	m := v.m
	if !m.isChan(p) || !m.StaticView().Exists(uint32(p>>32)) {
		return c, false
	}
	h := m.chanHdr(p)
	size, most := uint64(elemSize(h)), h[chCap/8]
	if h[chLen/8] > most || chBuf+most*size > uint64(m.heap.Objs[p>>32].Size) {
		return c, false
	}
	c = ChanState{Len: int(h[chLen/8]), Cap: int(most), Closed: h[chClosed/8] != 0}
	for i := range h[chLen/8] {
		c.Elems = append(c.Elems, p+chBuf+(h[chHead/8]+i)%most*size)
	}
	return c, true
}

// Unboxed returns the dynamic type of the interface with these words; direct reports whether the
// second word is the value itself, not its address. t is nil if the interface is nil.
func (v Debugger) Unboxed(w [2]uint64) (t types.Type, direct bool) {
	m := v.m
	r := m.link.TypeAt(w[0])
	if r == nil {
		return nil, false
	}
	return r.Type, r.Direct
}

// Owner returns the goroutine that has locked the mutex, or for writing the RWMutex, at p. If rw is set, it
// is an RWMutex, and readers is the number of its readers.
func (v Debugger) Owner(p uint64, rw bool) (g trace.GID, locked bool, readers int) {
	m := v.m
	word := func(off uint64) uint32 {
		b := m.heap.Load(p+off, 4, 0)
		if b == nil {
			return 0
		}
		return *(*uint32)(unsafe.Pointer(b))
	}
	if rw {
		readers = int(word(rwReaders))
	}
	if o := word(muOwner); word(muState)&muLocked != 0 && o != 0 {
		return trace.GID(o - 1), true, readers
	}
	return trace.NoGID, false, readers
}

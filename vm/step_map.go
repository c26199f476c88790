package vm

import (
	"math"
	"sort"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
)

// A map is a header object, an array of entries in insertion order and a hash index over it.
// Iteration follows that order where no order can be noticed; otherwise see step_order.go. Each
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
// (mapRenumber). So a cache with the same entries as before is in the same state. Iterators use the
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
	mpCount   = iota * 8
	mpEntries // pointer to the entry array
	mpIndex   // pointer to the index, uint32 entry number + 1
	mpUsed    // entries used, deleted ones included
	mpSeq     // insertion number of the newest entry
	mpSize
)

const minMapCap = 8

// mapFind returns the entry of key k, or -1. bad is the type word of an
// unhashable dynamic type.
//
// A NaN is never found, being equal to nothing.
func (m *Machine) mapFind(mp ptr, t *link.MapType, k unsafe.Pointer) (entry int, hash uint64, bad uint64) {
	hash, bad = m.hashImage(t.Key, k, 0)
	if bad != 0 {
		return -1, 0, bad
	}
	hd := (*[5]uint64)(m.heap.Load(mp, mpSize, 0))
	if hd[mpUsed/8] == 0 {
		return -1, hash, 0
	}
	idx := m.mapIndex(hd)
	ents := m.heap.Load(hd[mpEntries/8], 1, 0)
	for i := hash & uint64(len(idx)-1); idx[i] != 0; i = (i + 1) & uint64(len(idx)-1) {
		e := unsafe.Add(ents, uintptr(idx[i]-1)*uintptr(t.Entry.Size))
		// A deleted entry keeps its place in the index, so that probing finds those after it.
		if *(*uint64)(e) == 0 {
			continue
		}
		if eq, _ := m.eqMem(t.Key, k, unsafe.Add(e, t.KeyOff)); eq {
			return int(idx[i] - 1), hash, 0
		}
	}
	return -1, hash, 0
}

// mapIndex returns the index of the map with header hd. Its length is a power of two.
func (m *Machine) mapIndex(hd *[5]uint64) []uint32 {
	o := &m.heap.Objs[hd[mpIndex/8]>>32]
	return unsafe.Slice((*uint32)(o.Mem), o.Size/4)
}

// mapEntry returns the address of the i-th entry, a deleted one or not.
func (m *Machine) mapEntry(hd *[5]uint64, t *link.MapType, i int) unsafe.Pointer {
	return unsafe.Add(m.heap.Objs[hd[mpEntries/8]>>32].Mem, uintptr(i)*uintptr(t.Entry.Size))
}

// entryAt returns the guest address of entry e of the map.
func (m *Machine) entryAt(mp ptr, e unsafe.Pointer) ptr {
	ents := m.word(mp, mpEntries)
	return ents + uint64(uintptr(e)-uintptr(m.heap.Objs[ents>>32].Mem))
}

// mapAssign returns the entry for key k, creating it; the caller stores the element.
//
// Objects are saved before each write, one by one: a map that is only looked up in a step costs
// no undo.
// The caller stores to memory that has been saved by then: e stays valid until the next
// allocation of an entry in this map.
func (m *Machine) mapAssign(g *goroutine, mp ptr, t *link.MapType, k unsafe.Pointer) (e unsafe.Pointer, bad uint64) {
	i, hash, bad := m.mapFind(mp, t, k)
	if bad != 0 {
		return nil, bad
	}
	h := m.heap
	small := m.hasSlots() && m.slotted(g, mp, t)
	if i >= 0 {
		hd := (*[5]uint64)(h.Load(mp, mpSize, 0))
		h.WillWrite(uint32(hd[mpEntries/8] >> 32))
		e = m.mapEntry(hd, t, i)
		if !t.Key.PureMem { // +0 and -0: the newest key stays, as in the runtime
			copy(unsafe.Slice((*byte)(unsafe.Add(e, t.KeyOff)), t.Key.Size), unsafe.Slice((*byte)(k), t.Key.Size))
		}
		return e, 0
	}
	// A new key goes to the end of the array, if there is room. Deleted entries make room when the
	// others are numbered anew, or the map is rebuilt.
	h.WillWrite(uint32(mp >> 32))
	hd := (*[5]uint64)(h.Load(mp, mpSize, 0))
	if !small && (hd[mpEntries/8] == 0 || hd[mpUsed/8] == uint64(m.mapRoom(hd, t))) {
		m.mapGrow(g, mp, t, max(minMapCap+int(b2u(m.hasSlots())), 2*(int(hd[mpCount/8])+1)))
		hd = (*[5]uint64)(h.Load(mp, mpSize, 0))
	}
	h.WillWrite(uint32(hd[mpEntries/8] >> 32))
	if small {
		n := m.freeSlot(hd, t)
		e = m.mapEntry(hd, t, n)
		*(*uint64)(e) = uint64(n) + 1
		copy(unsafe.Slice((*byte)(unsafe.Add(e, t.KeyOff)), t.Key.Size), unsafe.Slice((*byte)(k), t.Key.Size))
		hd[mpCount/8]++
		m.slotsChanged(hd, t)
		return e, 0
	}
	h.WillWrite(uint32(hd[mpIndex/8] >> 32))
	n := hd[mpUsed/8]
	e = m.mapEntry(hd, t, int(n))
	hd[mpSeq/8]++
	*(*uint64)(e) = hd[mpSeq/8]
	copy(unsafe.Slice((*byte)(unsafe.Add(e, t.KeyOff)), t.Key.Size), unsafe.Slice((*byte)(k), t.Key.Size))
	m.mapInsert(m.mapIndex(hd), hash, uint32(n))
	hd[mpUsed/8]++
	hd[mpCount/8]++
	return e, 0
}

// mapInsert enters entry n, whose key has the given hash, into the index. Invariant: at most half
// of an index is in use (mapGrow), so probing ends.
func (m *Machine) mapInsert(idx []uint32, hash uint64, n uint32) {
	i := hash & uint64(len(idx)-1)
	for idx[i] != 0 {
		i = (i + 1) & uint64(len(idx)-1)
	}
	idx[i] = n + 1
}

// mapGrow rebuilds the map with room for n entries, without the deleted ones.
//
// The new arrays are other objects than the old ones, to which no pointer is left. If the entries
// are too many for one object it panics (see recoverOutOfMemory): nothing has changed by then.
func (m *Machine) mapGrow(g *goroutine, mp ptr, t *link.MapType, n int) {
	h := m.heap
	if uint64(n)*uint64(t.Entry.Size) > heap.MaxObject {
		m.unsupported(g, RefusedSize, hugeObject)
		h.Exhaust("a map has more entries than fit in an object")
	}
	capIdx := 16
	for capIdx < n*2 {
		capIdx *= 2
	}
	ents := m.alloc(g, uint32(n)*t.Entry.Size, t.Entry.ID)
	idx := m.alloc(g, uint32(capIdx)*4, m.layByte)
	// Objects to which a shared map refers are shared, too.
	shared := h.Objs[mp>>32].Flags & heap.Shared
	h.Objs[ents].Flags |= shared
	h.Objs[idx].Flags |= shared | heap.Derived
	h.WillWrite(uint32(mp >> 32))
	hd := (*[5]uint64)(h.Load(mp, mpSize, 0))
	used := 0
	index := unsafe.Slice((*uint32)(h.Objs[idx].Mem), capIdx)
	for i := 0; i < int(hd[mpUsed/8]); i++ {
		e := m.mapEntry(hd, t, i)
		if *(*uint64)(e) == 0 {
			continue
		}
		d := unsafe.Add(h.Objs[ents].Mem, uintptr(used)*uintptr(t.Entry.Size))
		copy(unsafe.Slice((*byte)(d), t.Entry.Size), unsafe.Slice((*byte)(e), t.Entry.Size))
		size := uint64(t.Entry.Size)
		m.sym.Moved(uint64(ents)<<32+uint64(used)*size, hd[mpEntries/8]+uint64(i)*size, size)
		hash, _ := m.hashImage(t.Key, unsafe.Add(d, t.KeyOff), 0)
		m.mapInsert(index, hash, uint32(used))
		used++
	}
	hd[mpEntries/8], hd[mpIndex/8], hd[mpUsed/8] = uint64(ents)<<32, uint64(idx)<<32, uint64(used)
	//mutant: entries are numbered anew during a loop when the map grows [env TestPrograms/mapgrown]: true
	if h.Objs[mp>>32].Flags&heap.Iterated == 0 {
		for i := range used {
			*(*uint64)(m.mapEntry(hd, t, i)) = uint64(i) + 1
		}
		hd[mpSeq/8] = uint64(used)
	}
}

// mostRenumbered is the number of places, of deleted entries too, that a deletion may inspect.
const mostRenumbered = 64

// mapRenumber removes the deleted entries of the map from the array, unless it is long, and numbers the
// others from 1, unless an iterator may have their numbers. Header and entries may be written.
func (m *Machine) mapRenumber(mp ptr, hd *[5]uint64, t *link.MapType) {
	h := m.heap
	if hd[mpUsed/8] > mostRenumbered || h.Objs[mp>>32].Flags&heap.Iterated != 0 {
		return
	}
	h.WillWrite(uint32(hd[mpIndex/8] >> 32))
	index := m.mapIndex(hd)
	clear(index)
	ents, size := hd[mpEntries/8], uint64(t.Entry.Size)
	used := uint64(0)
	for i := range hd[mpUsed/8] {
		e := m.mapEntry(hd, t, int(i))
		if *(*uint64)(e) == 0 {
			continue
		}
		d := m.mapEntry(hd, t, int(used))
		if used != i {
			copy(unsafe.Slice((*byte)(d), size), unsafe.Slice((*byte)(e), size))
			m.sym.Moved(ents+used*size, ents+i*size, size)
			clear(unsafe.Slice((*byte)(e), size))
			m.sym.Cleared(ents+i*size, size)
		}
		hash, _ := m.hashImage(t.Key, unsafe.Add(d, t.KeyOff), 0)
		m.mapInsert(index, hash, uint32(used))
		used++
		*(*uint64)(d) = used
	}
	hd[mpUsed/8], hd[mpSeq/8] = used, used
}

// iterated records that an iterator has numbers of entries of the map.
func (m *Machine) iterated(mp ptr) { m.heap.SetFlags(uint32(mp>>32), heap.Iterated) }

// mapDelete removes key k.
//
// If the other entries keep their places (mapRenumber), the entry is only cleared.
func (m *Machine) mapDelete(mp ptr, t *link.MapType, k unsafe.Pointer) (bad uint64) {
	i, _, bad := m.mapFind(mp, t, k)
	if i < 0 {
		return bad
	}
	h := m.heap
	h.WillWrite(uint32(mp >> 32))
	hd := (*[5]uint64)(h.Load(mp, mpSize, 0))
	h.WillWrite(uint32(hd[mpEntries/8] >> 32))
	clear(unsafe.Slice((*byte)(m.mapEntry(hd, t, i)), t.Entry.Size))
	m.sym.Cleared(hd[mpEntries/8]+uint64(i)*uint64(t.Entry.Size), uint64(t.Entry.Size))
	hd[mpCount/8]--
	switch {
	case m.small(hd, t):
		m.slotsChanged(hd, t)
	case hd[mpCount/8] == 0:
		m.mapReset(mp, hd, t)
	default:
		m.mapRenumber(mp, hd, t)
	}
	return 0
}

// mapReset empties the arrays; insertion numbers continue if iterators may have them.
func (m *Machine) mapReset(mp ptr, hd *[5]uint64, t *link.MapType) {
	if hd[mpEntries/8] == 0 {
		return
	}
	for _, p := range []ptr{hd[mpEntries/8], hd[mpIndex/8]} {
		id := uint32(p >> 32)
		m.heap.WillWrite(id)
		o := &m.heap.Objs[id]
		clear(unsafe.Slice((*byte)(o.Mem), o.Size))
		m.sym.Cleared(p, uint64(o.Size))
	}
	hd[mpCount/8], hd[mpUsed/8] = 0, 0
	//mutant: entries of empty maps are numbered anew during a loop [env TestPrograms/mapcleared]: true
	if m.heap.Objs[mp>>32].Flags&heap.Iterated == 0 || m.small(hd, t) {
		hd[mpSeq/8] = 0
	}
}

// mapNextEntry returns the first live entry with an insertion number above
// last, and that number.
//
// It is a binary search, as entries ascend: an iterator that continues after the map was rebuilt
// finds its place in it.
func (m *Machine) mapNextEntry(mp ptr, t *link.MapType, last uint64) (unsafe.Pointer, uint64) {
	if mp == 0 {
		return nil, 0
	}
	hd := (*[5]uint64)(m.heap.Load(mp, mpSize, 0))
	n := int(hd[mpUsed/8])
	if n == 0 {
		return nil, 0
	}
	// Entries ascend by number; deleted ones (0) are skipped by searching to the right.
	i := sort.Search(n, func(i int) bool {
		for j := i; j < n; j++ {
			if s := *(*uint64)(m.mapEntry(hd, t, j)); s != 0 {
				return s > last
			}
		}
		return true
	})
	for ; i < n; i++ {
		e := m.mapEntry(hd, t, i)
		if s := *(*uint64)(e); s > last {
			return e, s
		}
	}
	return nil, 0
}

// mapAccess returns the access of an operation on the map: the header, which stands for all entries.
// So two operations conflict if one of them writes, whatever their keys are.
func mapAccess(mp ptr, write bool) trace.Access {
	return trace.Access{Obj: uint32(mp >> 32), Size: mpSize, Write: write}
}

// keyImage returns the memory image of a key held in registers. Registers of
// scalars narrower than a word hold it in their low bytes.
func keyImage(r *uint64) unsafe.Pointer { return unsafe.Pointer(r) }

// mapOp executes the map operations.
//
// As everywhere, an operation checks whether it may execute before it reads the map's contents, because
// they may have changed when it is scheduled.
func (m *Machine) mapOp(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer) Ctl {
	a, b := rg(r, in.A), rg(r, in.B)
	if in.Op == bytecode.MapIter {
		// An iterator is the map and the insertion numbers of the entry it has returned last and of
		// the last one it returns; with an order see orderedNext.
		mp := *b
		*a, *rg(r, in.A+1), *rg(r, in.A+2) = mp, 0, 0
		g.PC++
		return Next
	}
	if in.Op == bytecode.MapLen {
		if *b == 0 {
			*a = 0
		} else {
			if !m.accessesMayExecute(g, f, mapAccess(*b, false)) {
				return Stop
			}
			*a = m.word(*b, mpCount)
		}
		g.PC++
		return Next
	}
	x := f.Code[g.PC+1].Word()
	t := m.link.MapTypes[uint32(x)]
	switch in.Op {
	case bytecode.MkMap:
		*a = m.newMap(g, t, b, in.B)
	case bytecode.MapGet:
		if *b != 0 && !m.accessesMayExecute(g, f, mapAccess(*b, false)) {
			return Stop
		}
		e := -1
		var bad uint64
		if *b != 0 {
			e, _, bad = m.mapFind(*b, t, keyImage(rg(r, in.C)))
		} else {
			// A nil map has no entries, but a key that cannot be hashed panics nevertheless.
			_, bad = m.hashImage(t.Key, keyImage(rg(r, in.C)), 0)
		}
		if bad != 0 {
			m.throw(g, rtPanicUnhashable, bad)
			return Called
		}
		n := t.Elem.Words()
		if e < 0 {
			clear(unsafe.Slice(a, n))
		} else {
			hd := (*[5]uint64)(m.heap.Load(*b, mpSize, 0))
			t.Elem.Load(a, unsafe.Add(m.mapEntry(hd, t, e), t.ElemOff))
			m.sym.LoadRegs(&g.Goroutine, uint32(in.A), hd[mpEntries/8]+uint64(e)*uint64(t.Entry.Size)+uint64(t.ElemOff), t.Elem)
		}
		if x>>32 != 0 {
			*rg(r, in.A+uint16(n)) = b2u(e >= 0)
		}
	case bytecode.MapSet:
		if *a == 0 {
			m.throw(g, rtPanicNilMap)
			return Called
		}
		if !m.accessesMayExecute(g, f, mapAccess(*a, true)) {
			return Stop
		}
		k := keyImage(b)
		e, bad := m.mapAssign(g, *a, t, k)
		if bad != 0 {
			m.throw(g, rtPanicUnhashable, bad)
			return Called
		}
		layout.StoreImage(unsafe.Add(e, t.ElemOff), rg(r, in.C), uint64(t.Elem.Size))
		m.sym.StoreRegs(&g.Goroutine, uint32(in.C), m.entryAt(*a, e)+uint64(t.ElemOff), uint64(t.Elem.Size))
		m.publishWords(*a, b, int(t.Key.Size/8))
		m.publishWords(*a, rg(r, in.C), int(t.Elem.Size/8))
	case bytecode.MapDel:
		if *a != 0 && !m.accessesMayExecute(g, f, mapAccess(*a, true)) {
			return Stop
		}
		var bad uint64
		if *a != 0 {
			bad = m.mapDelete(*a, t, keyImage(b))
		} else {
			_, bad = m.hashImage(t.Key, keyImage(b), 0)
		}
		if bad != 0 {
			m.throw(g, rtPanicUnhashable, bad)
			return Called
		}
	case bytecode.MapClear:
		if *a != 0 {
			if !m.accessesMayExecute(g, f, mapAccess(*a, true)) {
				return Stop
			}
			m.heap.WillWrite(uint32(*a >> 32))
			m.mapReset(*a, (*[5]uint64)(m.heap.Load(*a, mpSize, 0)), t)
		}
	case bytecode.MapNext:
		if in.C != 0 {
			return m.orderedNext(g, f, in, r, t)
		}
		if *b != 0 && !m.accessesMayExecute(g, f, mapAccess(*b, false)) {
			return Stop
		}
		// Entries inserted during an iteration are not visited; the language leaves that open
		// (spec: For statements with range clause).
		last, end := rg(r, in.B+1), rg(r, in.B+2)
		if *b != 0 && *end == 0 {
			*end = m.word(*b, mpSeq)
			//mutant: entries are numbered anew during a loop without order [env TestPrograms/mapdeletedin]
			m.iterated(*b)
		}
		e, s := m.mapNextEntry(*b, t, *last)
		if e == nil || s > *end {
			*a = 0
			break
		}
		*last, *a = s, 1
		m.loadEntry(rg(r, in.A+1), e, t)
		m.entryShadows(g, in.A+1, m.entryAt(*b, e), t)
	}
	g.PC += 2
	return Next
}

// newMap makes an empty map with the size hint in register b.
func (m *Machine) newMap(g *goroutine, t *link.MapType, hint *uint64, reg uint16) ptr {
	id := m.alloc(g, mpSize, m.layMap)
	mp := uint64(id) << 32
	switch {
	case reg == bytecode.NoReg || int64(*hint) <= minMapCap:
	case *hint < math.MaxInt32/uint64(t.Entry.Size+8):
		m.mapGrow(g, mp, t, int(*hint))
	case m.hasSlots():
		m.mapGrow(g, mp, t, minMapCap+1)
	}
	return mp
}

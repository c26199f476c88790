package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/link"
)

// Orders of range over a map that gc can have. The language promises no order, so a search takes any
// (step_order.go). gc, from Go 1.24 on (internal/runtime/maps), has a map of at most 8 entries in one group
// of 8 slots: a new key gets the first free slot, deleting frees one, clear frees all, and a loop visits the
// slots in their order from a random one on.
//
//	m[1], m[2], m[3], m[4] = ...      slots │ 1 │ 2 │ 3 │ 4 │   │   │   │   │
//	delete(m, 2); m[5] = ...                │ 1 │ 5 │ 3 │ 4 │   │   │   │   │
//	for k := range m                  1 5 3 4, 5 3 4 1, 3 4 1 5 or 4 1 5 3
//
// With Config.InTurn the place of an entry in the array is its slot, and its number is slot + 1. So the
// slots are part of states. A map has tables from the first assignment with 8 entries on, even one to an
// existing key, or if it is made with room for more, and keeps them when it shrinks. Then seeds of hashes
// decide the order, and here any order is possible, as without this rule. The array shows whether a map is
// small: it has minMapCap places then.
//
//	order:  │ mode │ the next slot, how many slots are visited, and how many may be │ ...
//
// The choice is not the slot with which gc begins, but the entry that is visited first, in slot f. gc's
// slot may be any from the one after the entry before f, in slot p, up to f. Slots after f up to p are
// visited in any case; the 7 - (p - f) others, p + 1 to f - 1, are visited if the loop has begun after
// them: that is a choice when the loop reaches an entry there.
//
//  1. Every behaviour of gc is possible here: let it begin at slot o. Up to p the slots are the same.
//     Visiting a slot between p and o is a choice; when gc has come to o it ends, which is a choice if
//     there is an entry in one of the others.
//  2. Every behaviour that is possible here is one of gc: each choice to visit an entry in slot s says that
//     o is after s, and to end that it is not. Slots are inspected in ascending order from p + 1 on, so one
//     o agrees with all.
//  3. When a map becomes large during the loop all its slots have entries. Of those gc visits the ones that
//     it would have visited, as far as they still exist. Here these are the entries that must or may be
//     visited, in any order; new entries may be visited, as in other loops.

// hasSlots reports whether maps have slots.
// mutant: the order of insertion is that of slots [env TestSlots/TestDeleted]: drop 2
func (m *Machine) hasSlots() bool { return m.cfg.InTurn && m.cfg.Maps != MapsInsertion }

// small reports whether the map with header hd has slots.
func (m *Machine) small(hd *[5]uint64, t *link.MapType) bool {
	return m.hasSlots() && (hd[mpEntries/8] == 0 || m.mapRoom(hd, t) == minMapCap)
}

// mapRoom returns the number of entries that fit in the array of the map.
func (m *Machine) mapRoom(hd *[5]uint64, t *link.MapType) int {
	return int(m.heap.Objs[hd[mpEntries/8]>>32].Size / t.Entry.Size)
}

// slotted makes room for an assignment to a map that is small, and reports whether it is small after that.
// The places of entries do not change.
func (m *Machine) slotted(g *goroutine, mp ptr, t *link.MapType) bool {
	hd := (*[5]uint64)(m.heap.Load(mp, mpSize, 0))
	switch {
	case !m.small(hd, t):
		return false
	case hd[mpEntries/8] == 0:
		m.mapGrow(g, mp, t, minMapCap)
	case hd[mpCount/8] == minMapCap:
		//mutant: full maps stay small [env TestSlots/TestLargeGrown]: "m.mapGrow(g, mp, t, 2*(minMapCap+1))\n\t\treturn false" -> "return true"
		m.mapGrow(g, mp, t, 2*(minMapCap+1))
		return false
	}
	return true
}

// freeSlot returns the first free slot of a small map that has one. Its header may be written.
func (m *Machine) freeSlot(hd *[5]uint64, t *link.MapType) int {
	//mutant: deleted entries keep their slots [env TestSlots/TestAgain]: "i := 0" -> "i := int(hd[mpUsed/8]) % minMapCap"
	i := 0
	for *(*uint64)(m.mapEntry(hd, t, i)) != 0 {
		i++
	}
	return i
}

// slotsChanged updates the rest of a small map after a change of its slots.
func (m *Machine) slotsChanged(hd *[5]uint64, t *link.MapType) {
	m.heap.WillWrite(uint32(hd[mpIndex/8] >> 32))
	index := m.mapIndex(hd)
	clear(index)
	used := uint64(0)
	for i := range minMapCap {
		e := m.mapEntry(hd, t, i)
		if *(*uint64)(e) == 0 {
			continue
		}
		hash, _ := m.hashImage(t.Key, unsafe.Add(e, t.KeyOff), 0)
		m.mapInsert(index, hash, uint32(i))
		used = uint64(i) + 1
	}
	hd[mpUsed/8], hd[mpSeq/8] = used, used
}

// cloneSlots returns a copy of a small map, with the same slots.
func (m *Machine) cloneSlots(g *goroutine, src ptr, t *link.MapType) ptr {
	dst := m.newMap(g, t, nil, bytecode.NoReg)
	if m.word(src, mpEntries) == 0 {
		return dst
	}
	m.mapGrow(g, dst, t, minMapCap)
	from, to := (*[5]uint64)(m.heap.Load(src, mpSize, 0)), (*[5]uint64)(m.heap.Load(dst, mpSize, 0))
	n := minMapCap * t.Entry.Size
	copy(unsafe.Slice((*byte)(m.mapEntry(to, t, 0)), n), unsafe.Slice((*byte)(m.mapEntry(from, t, 0)), n))
	to[mpCount/8] = from[mpCount/8]
	m.slotsChanged(to, t)
	return dst
}

// A slotLoop is the progress of a loop over a small map.
type slotLoop struct {
	next      uint64 // slot
	sure, may uint64 // how many following slots are visited, and how many after those may be
}

const slotsBegun = 1 << 63

func (l slotLoop) word() uint64 { return l.next | l.sure<<8 | l.may<<16 | slotsBegun }

func slotLoopOf(w uint64) slotLoop { return slotLoop{w & 0xff, w >> 8 & 0xff, w >> 16 & 0xff} }

// beginSlots returns the progress of a loop that has visited slot f first; the entry before it is in slot p.
func beginSlots(f, p uint64) slotLoop {
	sure := (p - f) % minMapCap
	//mutant: a loop begins in a slot with an entry [env TestSlots]: "minMapCap - 1 - sure" -> "0"
	return slotLoop{(f + 1) % minMapCap, sure, minMapCap - 1 - sure}
}

// to returns the progress when the loop has visited slot s.
func (l slotLoop) to(s uint64) slotLoop {
	n := (s-l.next)%minMapCap + 1
	if n <= l.sure {
		return slotLoop{(s + 1) % minMapCap, l.sure - n, l.may}
	}
	return slotLoop{(s + 1) % minMapCap, 0, l.may - (n - l.sure)}
}

// noteSlots records which entries can be visited now in the loop with order words w, whose map is or was
// small. In the first iteration these are all entries.
func (m *Machine) noteSlots(mp ptr, t *link.MapType, w []uint64) {
	clear(w[orMust/8:])
	list := w[orFirst/8:]
	if w[orSeen/8] == 0 {
		for last := uint64(0); ; {
			e, s := m.mapNextEntry(mp, t, last)
			if e == nil {
				return
			}
			list[w[orMust/8]], last = s, s
			w[orMust/8]++
		}
	}
	l := slotLoopOf(w[orSeen/8])
	grown := !m.small((*[5]uint64)(m.heap.Load(mp, mpSize, 0)), t)
	k := 0
	for i := range l.sure + l.may {
		s := (l.next+i)%minMapCap + 1
		if m.entryNumbered(mp, t, s) == nil {
			continue
		}
		list[k] = s
		k++
		if i < l.sure {
			w[orMust/8]++
		} else {
			w[orMay/8]++
		}
		if !grown {
			return
		}
	}
	if grown {
		w[orMode/8] = orderAll | orderNoted
		w[orSeen/8] = minMapCap
	}
}

// takenSlot notes that entry number list[k] of those noted is visited.
// takenSlot notes that the loop visits the k-th noted entry, number list[k].
func takenSlot(w []uint64, k int) (s uint64) {
	n := int(w[orMust/8])
	s = w[orFirst/8+k]
	if w[orSeen/8] == 0 {
		w[orSeen/8] = beginSlots(s-1, w[orFirst/8+(k+n-1)%n]-1).word()
	} else {
		w[orSeen/8] = slotLoopOf(w[orSeen/8]).to(s - 1).word()
	}
	clear(w[orMust/8:])
	return s
}

package orders

import (
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/maps"
)

// Orders of range over a map that gc can have. The language promises no order, so a search takes any
// (package orders). gc, from Go 1.24 on (internal/runtime/maps), has a map of at most 8 entries in one group
// of 8 slots: a new key gets the first free slot, deleting frees one, clear frees all, and a loop visits the
// slots in their order from a random one on.
//
//	m[1], m[2], m[3], m[4] = ...      slots │ 1 │ 2 │ 3 │ 4 │   │   │   │   │
//	delete(m, 2); m[5] = ...                │ 1 │ 5 │ 3 │ 4 │   │   │   │   │
//	for k := range m                  1 5 3 4, 5 3 4 1, 3 4 1 5 or 4 1 5 3
//
// With Maps.Slots the place of an entry in the array is its slot, and its number is slot + 1. So the slots
// are part of states. A map gets tables at the first assignment that finds 8 entries, even one to an existing
// key, or when it is made with room for more. It keeps them when it shrinks. Then seeds of hashes decide the
// order in gc, and here any order is possible, as without this rule. The array shows whether a map is small:
// it has minMapCap places then.
//
//	order:  │ mode │ the next slot, how many slots are visited, and how many may be │ ...
//
// The choice is the entry that is visited first, in slot f, and not the slot o with which gc
// begins. Let p be the slot of the entry before f. Then o may be any slot from p + 1 to f. The
// slots after f up to p are visited in any case. Each of the 7 - (p - f) others, p + 1 to f - 1, is
// visited if o is after it: that is a choice when the loop reaches an entry there.
//
//  1. Every behaviour of gc is possible here. Let gc begin at slot o. Up to p the same slots are
//     visited. A visit of a slot between p and o is a choice. gc ends the loop when it comes to o:
//     that is a choice if there is an entry in o or in a slot after it, before f.
//  2. Every behaviour that is possible here is one of gc. The choice to visit an entry in slot s
//     says that o is after s, and the choice to end says that it is not. Slots are inspected in
//     ascending order from p + 1 on, so one o agrees with all choices.
//  3. When a map becomes large during the loop, all its slots have entries. gc then visits those
//     entries that it would have visited, as far as they still exist. Here these are the entries
//     that must or may be visited, in any order; new entries may be visited, as in other loops.

// A slotLoop is the progress of a loop over a small map.
type slotLoop struct {
	next      uint64 // slot
	sure, may uint64 // number of following slots that are visited, and number of slots after these that may be visited
}

const slotsBegun = 1 << 63

func (l slotLoop) word() uint64 { return l.next | l.sure<<8 | l.may<<16 | slotsBegun }

func slotLoopOf(w uint64) slotLoop { return slotLoop{w & 0xff, w >> 8 & 0xff, w >> 16 & 0xff} }

// beginSlots returns the progress of a loop that has visited slot f first; the entry before it is in slot p.
func beginSlots(f, p uint64) slotLoop {
	sure := (p - f) % maps.SmallRoom
	//mutant: a loop begins in a slot with an entry [env TestSlots]: "maps.SmallRoom - 1 - sure" -> "0"
	return slotLoop{(f + 1) % maps.SmallRoom, sure, maps.SmallRoom - 1 - sure}
}

// to returns the progress when the loop has visited slot s.
func (l slotLoop) to(s uint64) slotLoop {
	n := (s-l.next)%maps.SmallRoom + 1
	if n <= l.sure {
		return slotLoop{(s + 1) % maps.SmallRoom, l.sure - n, l.may}
	}
	return slotLoop{(s + 1) % maps.SmallRoom, 0, l.may - (n - l.sure)}
}

// noteSlots records which entries can be visited now in the loop with order words w, whose map is or was
// small. In the first iteration these are all entries.
func noteSlots(x *maps.Maps, mp heap.Ptr, t *link.MapType, w []uint64) {
	clear(w[hdrMust/8:])
	list := w[hdrFirst/8:]
	if w[hdrSeen/8] == 0 {
		for last := uint64(0); ; {
			e, s := x.Next(mp, t, last)
			if e == nil {
				return
			}
			list[w[hdrMust/8]], last = s, s
			w[hdrMust/8]++
		}
	}
	l := slotLoopOf(w[hdrSeen/8])
	grown := !x.Small(mp, t)
	k := 0
	for i := range l.sure + l.may {
		s := (l.next+i)%maps.SmallRoom + 1
		if x.Numbered(mp, t, s) == nil {
			continue
		}
		list[k] = s
		k++
		if i < l.sure {
			w[hdrMust/8]++
		} else {
			w[hdrMay/8]++
		}
		if !grown {
			return
		}
	}
	if grown {
		w[hdrMode/8] = uint64(All) | noted
		w[hdrSeen/8] = maps.SmallRoom
	}
}

// takenSlot notes that the loop visits the k-th noted entry, number list[k].
func takenSlot(w []uint64, k int) (s uint64) {
	n := int(w[hdrMust/8])
	s = w[hdrFirst/8+k]
	if w[hdrSeen/8] == 0 {
		w[hdrSeen/8] = beginSlots(s-1, w[hdrFirst/8+(k+n-1)%n]-1).word()
	} else {
		w[hdrSeen/8] = slotLoopOf(w[hdrSeen/8]).to(s - 1).word()
	}
	clear(w[hdrMust/8:])
	return s
}

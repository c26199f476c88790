// Package orders has the orders in which loops visit the entries of maps: a loop in which the program can
// notice the order chooses its next entry among those that can be visited.
//
// An order is an object of the program's heap to which the iterator refers. So the choices do not change
// while other goroutines move, and iterations that have visited the same entries in another order are in
// the same state. In each iteration Note records which entries must and which may be visited, Ways says in
// how many ways the loop can continue, and Take continues in one of them:
//
//	order:  │ mode │ seen │ last │ new │ must=2 │ may=1 │ 3 │ 7 │ 9 │     numbers of entries
//	                                                    └ must ─┘ └ may: 9 was inserted meanwhile
//
// The language leaves open whether a loop visits an entry that was inserted during the loop. Here such an
// entry may be visited at any time, or never: a loop ends when all other entries have been visited. It visits
// at most maxInserted of these entries, so that a loop that inserts an entry in each iteration ends.
package orders

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/maps"
)

const (
	hdrMode = iota * 8 // how the order is chosen, and flags
	hdrSeen            // insertion number of the newest entry that has been noted
	hdrLast            // insertion number of the entry that was visited last
	hdrNew             // the number of visited entries that were inserted during the loop
	hdrMust            // the number of following entries that must be visited
	hdrMay             // number of entries that may be visited; they follow those that must be
	hdrFirst
)

// A Mode is a set of orders to choose from.
type Mode int

const (
	All   Mode = 1 + iota // all orders
	Start                 // the rotations of the order of insertion
	One                   // only that order
	Slots                 // the orders that gc can have: see slots.go

	modeMask = 7
	noted    = 1 << 8 // the entries are those of the present state
)

const maxInserted = 2

// Size returns the size of an order of n entries.
func Size(mode Mode, n uint64) uint32 {
	switch mode {
	case One:
		n = 0
	case Slots:
		n = maps.SmallRoom + maxInserted
	default:
		n += maxInserted
	}
	return hdrFirst + uint32(n)*8
}

// Begin notes which entries of the map mp can be visited in the first iteration. p is a new order.
func Begin(x *maps.Maps, mp heap.Ptr, t *link.MapType, p heap.Ptr, mode Mode) {
	w := words(x, p)
	w[hdrMode/8], w[hdrSeen/8] = uint64(mode)|noted, x.Iterate(mp)
	switch mode {
	case Slots:
		w[hdrSeen/8] = 0
		noteSlots(x, mp, t, w)
		return
	case One:
		return
	}
	for last := uint64(0); ; {
		e, s := x.Next(mp, t, last)
		if e == nil {
			return
		}
		w[hdrFirst/8+int(w[hdrMust/8])] = s
		w[hdrMust/8]++
		last = s
	}
}

// Noted reports whether the entries of the order at p, which may be nil, are those of the present state.
func Noted(x *maps.Maps, p heap.Ptr) bool { return p != 0 && words(x, p)[hdrMode/8]&noted != 0 }

// Note notes which entries can be visited now, in a later iteration. It reports whether it has
// skipped entries that were inserted during the loop and could be visited, too.
func Note(x *maps.Maps, mp heap.Ptr, t *link.MapType, p heap.Ptr) (skipped bool) {
	x.Heap.WillWrite(uint32(p >> 32))
	w := words(x, p)
	w[hdrMode/8] |= noted
	switch modeOf(w) {
	case Slots:
		noteSlots(x, mp, t, w)
		if modeOf(w) == Slots {
			return false
		}
	case One:
		return false
	}
	// Deleted entries can no longer be visited.
	list := w[hdrFirst/8:]
	var left [2]uint64
	k := 0
	for i, n := range []uint64{w[hdrMust/8], w[hdrMay/8]} {
		for range n {
			s := list[0]
			list = list[1:]
			if x.Numbered(mp, t, s) != nil {
				w[hdrFirst/8+k] = s
				k++
				left[i]++
			}
		}
	}
	//mutant: what is inserted is not visited [env TestPrograms/mapinserted]: false
	for modeOf(w) == All {
		e, s := x.Next(mp, t, w[hdrSeen/8])
		if e == nil {
			break
		}
		w[hdrSeen/8] = s
		if w[hdrNew/8]+left[1] >= maxInserted {
			skipped = true
			continue
		}
		w[hdrFirst/8+k] = s
		k++
		left[1]++
	}
	w[hdrMust/8], w[hdrMay/8] = left[0], left[1]
	clear(w[hdrFirst/8+k:])
	return skipped
}

// Ways returns the number of ways to continue with the order at p, whose entries have been recorded;
// with 0 or 1 there is no choice.
//
//	all       any of must and may; if must is empty, the end or any of may
//	slots     the same; but at most one before the first iteration
//	start     in the first iteration any of must, then the one after the last
//	one       the next one
func Ways(x *maps.Maps, p heap.Ptr) int {
	w := words(x, p)
	mode := modeOf(w)
	switch any := mode == All || mode == Slots; {
	//mutant: a loop may end when entries follow [env TestPrograms/mapinsertedearly]: drop 2
	case any && w[hdrMust/8] == 0 && w[hdrMay/8] > 0:
		return 1 + int(w[hdrMay/8]) // the first: the loop ends
	case any:
		return int(w[hdrMust/8] + w[hdrMay/8])
	case mode == Start && w[hdrLast/8] == 0:
		return int(w[hdrMust/8])
	}
	return 1
}

// Take continues in the k-th way. ok is false at the end of the loop. Only a data race can have deleted the
// entry after Note; e is nil then.
func Take(x *maps.Maps, mp heap.Ptr, t *link.MapType, p heap.Ptr, k int) (e unsafe.Pointer, ok bool) {
	s := take(x, mp, t, p, k)
	if s == 0 {
		return nil, false
	}
	return x.Numbered(mp, t, s), true
}

// Entry returns the entry that is visited in the k-th of several ways, or nil if that is the end of the loop.
func Entry(x *maps.Maps, mp heap.Ptr, t *link.MapType, p heap.Ptr, k int) unsafe.Pointer {
	w := words(x, p)
	if w[hdrMust/8] == 0 {
		k--
	}
	if k < 0 {
		return nil
	}
	return x.Numbered(mp, t, w[hdrFirst/8+k])
}

// take continues in the k-th way and returns the number of the visited entry, 0 at the end.
//
// Way k is the k-th of the noted numbers. If only entries are left that may be visited, way 0 is the
// end of the loop.
func take(x *maps.Maps, mp heap.Ptr, t *link.MapType, p heap.Ptr, k int) uint64 {
	x.Heap.WillWrite(uint32(p >> 32))
	w := words(x, p)
	w[hdrMode/8] &^= noted
	must, may := int(w[hdrMust/8]), int(w[hdrMay/8])
	list := w[hdrFirst/8:]
	switch modeOf(w) {
	case One:
		e, s := x.Next(mp, t, w[hdrLast/8])
		if e == nil || s > w[hdrSeen/8] {
			return 0
		}
		w[hdrLast/8] = s
		return s
	case Start:
		if must == 0 {
			return 0
		}
		// After the last one in the order of insertion comes the first one.
		if w[hdrLast/8] != 0 {
			for k = 0; k < must && list[k] < w[hdrLast/8]; k++ {
			}
			k %= must
		}
		w[hdrLast/8] = list[k]
	default:
		if must == 0 {
			if k == 0 {
				return 0
			}
			k--
		}
		if modeOf(w) == Slots {
			return takenSlot(w, k)
		}
	}
	s := list[k]
	copy(list[k:], list[k+1:must+may])
	list[must+may-1] = 0
	if k < must {
		w[hdrMust/8]--
	} else {
		w[hdrMay/8]--
		w[hdrNew/8]++
	}
	return s
}

// words returns the words of the order at p.
func words(x *maps.Maps, p heap.Ptr) []uint64 {
	o := &x.Heap.Objs[p>>32]
	return unsafe.Slice((*uint64)(o.Mem), o.Size/8)
}

func modeOf(w []uint64) Mode { return Mode(w[hdrMode/8] & modeMask) }

package vm

import (
	"go/token"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/link"
)

// The order in which a loop visits the entries of a map is a choice if the program can notice it
// (link.Linker.Ordered). Each iteration is two visible operations at most:
//
//  1. a read of the map, if it is shared. It records which entries must and which may be visited.
//  2. a Choose among those, which concerns only the goroutine.
//
// The notes are in an object to which the iterator refers. So the choices do not
// change while other goroutines move, and iterations that have visited the same entries in another
// order are in the same state.
//
// The language leaves open whether a loop visits an entry that was inserted during the loop. Here it may,
// at any time, or never: a loop ends when all the others have been visited. It visits at most maxInserted
// of them, so that a loop that inserts one in each iteration ends.
const (
	orMode = iota * 8 // how the order is chosen, and flags
	orSeen            // insertion number of the newest entry that has been noted
	orLast            // of the entry that was visited last
	orNew             // the number of visited entries that were inserted during the loop
	orMust            // the number of following entries that must be visited
	orMay             // and of those after them that may be
	orFirst
)

// The sets of orders to choose from: all orders, the rotations of the order of insertion, only that order.
const (
	orderAll = 1 + iota
	orderStart
	orderOne
	orderSlots // those that gc can have: see step_slots.go

	orderMode  = 7
	orderNoted = 1 << 8 // the entries are those of the present state
)

const (
	maxOrdered  = 4   // the most entries of which all orders are tried
	maxStarts   = 16  // the most entries of which all rotations are tried
	maxOrders   = 256 // orders that a goroutine tries, of all its loops together
	maxInserted = 2
)

// MapMode is the choice of the order of maps.
type MapMode uint8

// The modes. Auto tries all orders of a few entries, and names the loops with more.
const (
	MapsAuto      MapMode = iota
	MapsAll               // all orders of all loops
	MapsInsertion         // one order, that of insertion
	MapsEvery             // as All, also of the loops in which no order can be noticed; for tests
)

// orderWords returns the words of the order at p.
func (m *Machine) orderWords(p ptr) []uint64 {
	o := &m.heap.Objs[p>>32]
	return unsafe.Slice((*uint64)(o.Mem), o.Size/8)
}

// noted reports whether the entries of the order at p are those of the present state.
func (m *Machine) noted(p ptr) bool { return p != 0 && m.orderWords(p)[orMode/8]&orderNoted != 0 }

// noteEntries notes which entries of the map mp can be visited now. *ord is the order, 0 before the
// first iteration.
//
//	order:  │ mode │ seen │ last │ new │ must=2 │ may=1 │ 3 │ 7 │ 9 │     numbers of entries
//	                                                    └ must ─┘ └ may: 9 was inserted meanwhile
func (m *Machine) noteEntries(g *goroutine, mp ptr, t *link.MapType, ord *uint64, code bool) {
	hd := (*[5]uint64)(m.heap.Load(mp, mpSize, 0))
	if *ord == 0 {
		//mutant: entries are numbered anew during a loop [env TestPrograms/mapdeleted$]
		m.iterated(mp)
		n := hd[mpCount/8]
		mode, room := 0, n+maxInserted
		if m.small(hd, t) && !m.auto && m.showsOrder(g, code) {
			mode, room = orderSlots, minMapCap+maxInserted
		} else if mode = m.orderOf(g, n, code); mode == orderOne {
			room = 0
		}
		id := m.alloc(g, uint32(orFirst+room*8), m.layWord)
		*ord = uint64(id) << 32
		w := m.orderWords(*ord)
		w[orMode/8], w[orSeen/8] = uint64(mode)|orderNoted, hd[mpSeq/8]
		switch mode {
		case orderSlots:
			w[orSeen/8] = 0
			m.noteSlots(mp, t, w)
			return
		case orderOne:
			return
		}
		for last := uint64(0); ; {
			e, s := m.mapNextEntry(mp, t, last)
			if e == nil {
				return
			}
			w[orFirst/8+int(w[orMust/8])] = s
			w[orMust/8]++
			last = s
		}
	}
	m.heap.WillWrite(uint32(*ord >> 32))
	w := m.orderWords(*ord)
	w[orMode/8] |= orderNoted
	switch w[orMode/8] & orderMode {
	case orderSlots:
		m.noteSlots(mp, t, w)
		if w[orMode/8]&orderMode == orderSlots {
			return
		}
	case orderOne:
		return
	}
	// Deleted entries can no longer be visited.
	list := w[orFirst/8:]
	var left [2]uint64
	k := 0
	for i, n := range []uint64{w[orMust/8], w[orMay/8]} {
		for range n {
			s := list[0]
			list = list[1:]
			if m.entryNumbered(mp, t, s) != nil {
				w[orFirst/8+k] = s
				k++
				left[i]++
			}
		}
	}
	//mutant: what is inserted is not visited [env TestPrograms/mapinserted]: false
	for w[orMode/8]&orderMode == orderAll {
		e, s := m.mapNextEntry(mp, t, w[orSeen/8])
		if e == nil {
			break
		}
		w[orSeen/8] = s
		if w[orNew/8]+left[1] >= maxInserted {
			m.assume(g, MapInserted)
			continue
		}
		w[orFirst/8+k] = s
		k++
		left[1]++
	}
	w[orMust/8], w[orMay/8] = left[0], left[1]
	clear(w[orFirst/8+k:])
}

// orderOf decides how the order of n entries is chosen.
//
// The verdict names all orders that are not tried (assume); none is omitted silently.
func (m *Machine) orderOf(g *goroutine, n uint64, code bool) int {
	if n > 1 && m.cfg.Maps != MapsEvery && !m.showsOrder(g, code) {
		return orderOne
	}
	switch {
	case n <= 1 && !m.auto:
		return orderAll
	case m.cfg.Maps == MapsInsertion:
		return orderOne
	case m.auto:
	case m.cfg.Maps != MapsAuto:
		return orderAll
	//mutant: one order [env TestPrograms/maporder]: drop 1
	case n <= maxOrdered && m.tryOrders(g, [...]uint32{1, 1, 2, 6, 24}[n]):
		return orderAll
	case n <= maxStarts && m.tryOrders(g, uint32(n)):
		//mutant: starting points are not named [env TestPrograms/mapstarts]
		m.assume(g, MapStarts)
		return orderStart
	}
	if n > 1 {
		//mutant: one order is not named [env TestPrograms/mapmany]
		m.assume(g, MapOrder)
	}
	return orderOne
}

// tryOrders reports whether g may try n more orders. The number of tried orders is not part of the state.
// Where that makes a difference, the path that is explored first has an assumption.
//
// It counts the product and not the sum: two loops over four entries are 24 times 24 executions.
func (m *Machine) tryOrders(g *goroutine, n uint32) bool {
	if max(g.orders, 1)*n > maxOrders {
		return false
	}
	g.orders = max(g.orders, 1) * n
	return true
}

// orderWays returns the number of ways to continue with the order at p, whose entries have been recorded;
// with 0 or 1 there is no choice.
//
//	all       any of must and may; if must is empty, the end or any of may
//	slots     the same; but at most one before the first iteration
//	start     in the first iteration any of must, then the one after the last
//	one       the next one
func (m *Machine) orderWays(p ptr) int {
	w := m.orderWords(p)
	mode := w[orMode/8] & orderMode
	switch any := mode == orderAll || mode == orderSlots; {
	//mutant: a loop may end when entries follow [env TestPrograms/mapinsertedearly]: drop 2
	case any && w[orMust/8] == 0 && w[orMay/8] > 0:
		return 1 + int(w[orMay/8]) // the first: the loop ends
	case any:
		return int(w[orMust/8] + w[orMay/8])
	case mode == orderStart && w[orLast/8] == 0:
		return int(w[orMust/8])
	}
	return 1
}

// takeEntry continues in the k-th way and returns the number of the visited entry, 0 at the end.
//
// Way k is the k-th of the noted numbers. If only entries are left that may be visited, way 0 is the
// end of the loop.
func (m *Machine) takeEntry(mp ptr, t *link.MapType, p ptr, k int) uint64 {
	m.heap.WillWrite(uint32(p >> 32))
	w := m.orderWords(p)
	w[orMode/8] &^= orderNoted
	must, may := int(w[orMust/8]), int(w[orMay/8])
	list := w[orFirst/8:]
	switch w[orMode/8] & orderMode {
	case orderOne:
		e, s := m.mapNextEntry(mp, t, w[orLast/8])
		if e == nil || s > w[orSeen/8] {
			return 0
		}
		w[orLast/8] = s
		return s
	case orderStart:
		if must == 0 {
			return 0
		}
		// After the last one in the order of insertion comes the first one.
		if w[orLast/8] != 0 {
			for k = 0; k < must && list[k] < w[orLast/8]; k++ {
			}
			k %= must
		}
		w[orLast/8] = list[k]
	default:
		if must == 0 {
			if k == 0 {
				return 0
			}
			k--
		}
		if w[orMode/8]&orderMode == orderSlots {
			return takenSlot(w, k)
		}
	}
	s := list[k]
	copy(list[k:], list[k+1:must+may])
	list[must+may-1] = 0
	if k < must {
		w[orMust/8]--
	} else {
		w[orMay/8]--
		w[orNew/8]++
	}
	return s
}

// entryNumbered returns the entry with insertion number s, or nil.
func (m *Machine) entryNumbered(mp ptr, t *link.MapType, s uint64) unsafe.Pointer {
	if e, n := m.mapNextEntry(mp, t, s-1); n == s {
		return e
	}
	return nil
}

// orderedNext executes MapNext of a loop in which the order matters. The iterator is the map, a
// word that is not used, and the order.
//
// It is executed up to three times for one iteration: when the read of the map becomes pending,
// when the read is scheduled and the choice becomes pending, and when the choice is made. The words
// of the order say how far it has come.
func (m *Machine) orderedNext(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer, t *link.MapType) Ctl {
	ok, mp, ord := rg(r, in.A), *rg(r, in.B), rg(r, in.B+2)
	for *ok = 0; mp != 0; {
		if !m.noted(*ord) {
			if !m.accessesMayExecute(g, f, mapAccess(mp, false)) {
				return Stop
			}
			m.noteEntries(g, mp, t, ord, true)
		}
		k, n := 0, m.orderWays(*ord)
		if n > 1 {
			if !m.mayExecute(g, n, &trace.Op{Kind: trace.Choose}) {
				return Stop
			}
			k = int(g.Choice)
			m.noteRanging(g)
		}
		s := m.takeEntry(mp, t, *ord, k)
		if s == 0 {
			break
		}
		// Only a data race can have deleted it in the meantime.
		if e := m.entryNumbered(mp, t, s); e != nil {
			*ok = 1
			m.loadEntry(rg(r, in.A+1), e, t)
			m.entryShadows(g, in.A+1, m.entryAt(mp, e), t)
			break
		}
	}
	g.PC += 2
	return Next
}

// loadEntry loads key and element of entry e into registers from a on.
func (m *Machine) loadEntry(a *uint64, e unsafe.Pointer, t *link.MapType) {
	t.Key.Load(a, unsafe.Add(e, t.KeyOff))
	t.Elem.Load((*uint64)(unsafe.Add(unsafe.Pointer(a), uintptr(t.Key.Words())*8)), unsafe.Add(e, t.ElemOff))
}

// A Ranging is a loop over a map with one of several orders that the language permits.
type Ranging struct {
	G   trace.GID
	Pos token.Position // of the loop, or of the user's call of the function that has it
}

// noteRanging records that g chooses how its loop over a map continues.
func (m *Machine) noteRanging(g *goroutine) {
	if m.ranged == nil {
		pos, _, _ := m.userFrame(g)
		//mutant: orders are no matter of gc [test ./cmd/hbcheck TestScripts/slots]
		m.ranged = &Ranging{g.ID, pos}
	}
}

// Ranged returns the first loop over a map on this path whose order was chosen, if there is one.
func (v Report) Ranged() *Ranging { return v.m.ranged }

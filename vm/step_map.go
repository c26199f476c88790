package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/maps"
	"hbcheck.dev/hbcheck/vm/orders"
)

// mapOp executes the map operations.
//
// As everywhere, an operation checks whether it may execute before it reads the map's contents, because
// they may have changed when it is scheduled.
func (m *Machine) mapOp(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer) Ctl {
	a, b := rg(r, in.A), rg(r, in.B)
	if in.Op == bytecode.MapIter {
		// An iterator is three words: the map, the insertion number of the entry that was returned
		// last, and that of the last entry that will be returned. Where the order is a choice, see
		// orderedNext.
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
			*a = m.maps.Len(*b)
		}
		g.PC++
		return Next
	}
	x := f.Code[g.PC+1].Word()
	t := m.link.MapTypes[uint32(x)]
	switch in.Op {
	case bytecode.MkMap:
		hint := int64(0)
		if in.B != bytecode.NoReg {
			hint = int64(*b)
		}
		*a = m.newMap(g, t, hint)
	case bytecode.MapGet:
		if *b != 0 && !m.accessesMayExecute(g, f, mapAccess(*b, false)) {
			return Stop
		}
		e, bad := m.maps.Find(*b, t, keyImage(rg(r, in.C)))
		if bad != 0 {
			m.throw(g, rtPanicUnhashable, bad)
			return Called
		}
		n := t.Elem.Words()
		// The results are not written earlier, because one of their registers may be that of the key.
		m.sym.ClearRegs(&g.Goroutine, uint32(in.A), n+int(min(1, x>>32)))
		if e == nil {
			clear(unsafe.Slice(a, n))
		} else {
			mp := *b // register a may be the same
			t.Elem.Load(a, unsafe.Add(e, t.ElemOff))
			if m.tracking {
				m.sym.LoadRegs(&g.Goroutine, uint32(in.A), m.maps.Address(mp, e)+uint64(t.ElemOff), t.Elem)
			}
		}
		if x>>32 != 0 {
			*rg(r, in.A+uint16(n)) = b2u(e != nil)
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
		e, bad := m.assignKey(g, *a, t, k)
		if bad != 0 {
			m.throw(g, rtPanicUnhashable, bad)
			return Called
		}
		m.sym.StoreName(&g.Goroutine, uint32(in.B), m.maps.Address(*a, e)+uint64(t.KeyOff))
		layout.StoreImage(unsafe.Add(e, t.ElemOff), rg(r, in.C), uint64(t.Elem.Size))
		m.sym.StoreRegs(&g.Goroutine, uint32(in.C), m.maps.Address(*a, e)+uint64(t.ElemOff), uint64(t.Elem.Size))
		m.publishWords(*a, b, int(t.Key.Size/8))
		m.publishWords(*a, rg(r, in.C), int(t.Elem.Size/8))
	case bytecode.MapDel:
		if *a != 0 && !m.accessesMayExecute(g, f, mapAccess(*a, true)) {
			return Stop
		}
		if bad := m.maps.Delete(*a, t, keyImage(b)); bad != 0 {
			m.throw(g, rtPanicUnhashable, bad)
			return Called
		}
	case bytecode.MapClear:
		if *a != 0 {
			if !m.accessesMayExecute(g, f, mapAccess(*a, true)) {
				return Stop
			}
			m.maps.Clear(*a, t)
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
			*end = m.maps.Iterate(*b)
		}
		e, s := m.maps.Next(*b, t, *last)
		if e == nil || s > *end {
			*a = 0
			break
		}
		*last, *a = s, 1
		m.loadEntry(rg(r, in.A+1), e, t)
		m.entryShadows(g, in.A+1, m.maps.Address(*b, e), t)
	}
	g.PC += 2
	return Next
}

// orderedNext executes MapNext of a loop in which the order matters. The iterator is the map, a
// word that is not used, and the order.
//
// It is executed up to three times for one iteration: when the read of the map becomes pending, when the read
// is scheduled and the choice becomes pending, and when the choice is made. The words of the order show how
// far the iteration has come.
func (m *Machine) orderedNext(g *goroutine, f *bytecode.Func, in *bytecode.Instr, r unsafe.Pointer, t *link.MapType) Ctl {
	ok, mp, ord := rg(r, in.A), *rg(r, in.B), rg(r, in.B+2)
	for *ok = 0; mp != 0; {
		if !orders.Noted(&m.maps, *ord) {
			if !m.accessesMayExecute(g, f, mapAccess(mp, false)) {
				return Stop
			}
			m.noteEntries(g, mp, t, ord, true)
		}
		k, n := 0, orders.Ways(&m.maps, *ord)
		if n > 1 {
			if !m.mayExecute(g, n, &trace.Op{Kind: trace.Choose}) {
				return Stop
			}
			k = int(g.Choice)
			m.noteRanging(g)
		}
		e, more := orders.Take(&m.maps, mp, t, *ord, k)
		if !more {
			break
		}
		if e != nil {
			*ok = 1
			m.loadEntry(rg(r, in.A+1), e, t)
			m.entryShadows(g, in.A+1, m.maps.Address(mp, e), t)
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

// entryShadows gives the registers from i on the shadows of key and element of the map's entry at p.
func (m *Machine) entryShadows(g *goroutine, i uint16, p ptr, t *link.MapType) {
	m.sym.LoadRegs(&g.Goroutine, uint32(i), p+uint64(t.KeyOff), t.Key)
	m.sym.LoadRegs(&g.Goroutine, uint32(i)+uint32(t.Key.Words()), p+uint64(t.ElemOff), t.Elem)
}

// keyImage returns the memory image of a key held in registers. Registers of
// scalars narrower than a word hold it in their low bytes.
func keyImage(r *uint64) unsafe.Pointer { return unsafe.Pointer(r) }

// newMap makes an empty map with room for hint entries.
func (m *Machine) newMap(g *goroutine, t *link.MapType, hint int64) ptr {
	return m.maps.New(t, hint, func(size uint64, lay uint32) uint32 { return m.allocMap(g, size, lay) })
}

// assignKey returns the entry for key k of the map, which it creates; the caller stores the element.
func (m *Machine) assignKey(g *goroutine, mp ptr, t *link.MapType, k unsafe.Pointer) (e unsafe.Pointer, bad uint64) {
	return m.maps.Assign(mp, t, k, func(size uint64, lay uint32) uint32 { return m.allocMap(g, size, lay) })
}

// allocMap allocates a part of a map for g. If the entries are too many for one object it panics (see
// recoverOutOfMemory).
func (m *Machine) allocMap(g *goroutine, size uint64, lay uint32) uint32 {
	if size > heap.MaxObject {
		m.unsupported(g, RefusedSize, hugeObject)
		m.heap.Exhaust("a map has more entries than fit in an object")
	}
	return m.alloc(g, uint32(size), lay)
}

// mapAccess returns the access of an operation on the map: the header, which stands for all entries.
// So two operations conflict if one of them writes, whatever their keys are.
func mapAccess(mp ptr, write bool) trace.Access {
	return trace.Access{Obj: uint32(mp >> 32), Size: maps.HeaderSize, Write: write}
}

// useMaps prepares the operations on maps for the present heap and configuration.
func (m *Machine) useMaps() {
	m.maps = maps.Maps{Heap: m.heap, Values: &m.mem, Shadows: &m.sym, Slots: m.hasSlots(), MapLayout: m.layMap, ByteLayout: m.layByte}
}

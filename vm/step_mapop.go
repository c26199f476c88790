package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

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
			_, bad = m.mem.Hash(t.Key, keyImage(rg(r, in.C)), 0)
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
			_, bad = m.mem.Hash(t.Key, keyImage(b), 0)
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

// keyImage returns the memory image of a key held in registers. Registers of
// scalars narrower than a word hold it in their low bytes.
func keyImage(r *uint64) unsafe.Pointer { return unsafe.Pointer(r) }

package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/orders"
)

// Natives of reflect and of the overlay's internal/runtime/maps: maps and the words of channels.
// Keys and elements pass through memory. A native returns a pointer to a copy: reflect copies it at
// once anyway.
var reflectMapNatives = []Native{
	{Name: "reflect.makemap", Fn: reflectMakeMap},
	{Name: "reflect.mapaccess", Peek: peekMapRead, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.reflectMapGet(g, r, r.U(2))
	}},
	{Name: "reflect.mapaccess_faststr", Peek: peekMapRead, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.reflectMapGet(g, r, 0)
	}},
	{Name: "reflect.mapassign0", Peek: peekMapWrite(3), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.reflectMapSet(g, r, r.U(2), r.U(3))
	}},
	{Name: "reflect.mapassign_faststr0", Peek: peekMapWrite(4), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.reflectMapSet(g, r, 0, r.U(4))
	}},
	{Name: "reflect.mapdelete", Peek: peekMapWrite(0), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.reflectMapDelete(g, r, r.U(2))
	}},
	{Name: "reflect.mapdelete_faststr", Peek: peekMapWrite(0), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.reflectMapDelete(g, r, 0)
	}},
	{Name: "reflect.mapclear", Peek: peekMapWrite(0), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		t := m.mapArg(g, r)
		if t == nil {
			return Stop
		}
		if mp := r.U(1); mp != 0 {
			m.maps.Clear(mp, t)
		}
		return Next
	}},
	{Name: "internal/runtime/maps.look", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if r.U(1) == 0 || orders.Noted(&m.maps, r.U(2)) {
			return 1
		}
		return peekMapRead(m, g, r, op)
	}, Fn: reflectMapLook},
	{Name: "internal/runtime/maps.take", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if r.U(2) == 0 {
			return 1
		}
		return m.orderChoice(orders.Ways(&m.maps, r.U(2)), op)
	}, Fn: reflectMapTake},
	{Name: "sync.hbMode", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, uint64(m.visitOrder(g, r.U(0), r.U(1))))
		return Next
	}},
	{Name: "sync.hbMissed", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assume(g, MapInserted)
		return Next
	}},
	{Name: "sync.hbPick", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.orderChoice(int(r.I(0)), op)
	}, Fn: choose},
	{Name: "maps.clone", Peek: peekMapRead, Fn: cloneMap},
}

// mapArg returns the map type whose descriptor word 0 points to, nil if refused.
func (m *Machine) mapArg(g *goroutine, r Regs) *link.MapType {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return nil
	}
	return m.mapTypeOf(t)
}

// mapTypeOf returns the machine's view of map type t.
func (m *Machine) mapTypeOf(t *link.Type) *link.MapType {
	if id := int(t.Layout.ID); id < len(m.link.MapTypes) && m.link.MapTypes[id] != nil {
		return m.link.MapTypes[id]
	}
	return m.link.MapTypes[m.link.MapType(t.Type)]
}

// keyArg returns the memory of the key of a call f(type, map, key): at p, or, if p is 0, the string
// in words 2 and 3.
func (m *Machine) keyArg(r Regs, t *link.MapType, p ptr) unsafe.Pointer {
	if p == 0 {
		return r.At(2)
	}
	return m.heap.Load(p, uint64(t.Key.Size), 0)
}

func peekMapRead(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	return m.peekPlain(g, op, mapAccess(r.U(1), false))
}

// peekMapWrite returns the Peek of natives that change the map in word 1; val is the word that
// points to the element they read, 0 if none.
func peekMapWrite(val int) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if t := m.link.TypeAt(r.U(0)); t != nil && val > 0 {
			n := m.mapTypeOf(t).Elem.Size
			return m.peekPlain(g, op, accessOf(r.U(val), uint64(n), false), mapAccess(r.U(1), true))
		}
		return m.peekPlain(g, op, mapAccess(r.U(1), true))
	}
}

func peekMapLen(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	return m.peekPlain(g, op, mapAccess(r.U(0), false))
}

func reflectMapLen(m *Machine, g *goroutine, r Regs) Ctl {
	if mp := r.U(0); mp != 0 {
		r.Set(0, m.maps.Len(mp))
	}
	return Next
}

// makemap(type, hint int) map
func reflectMakeMap(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.mapArg(g, r)
	if t == nil {
		return Stop
	}
	r.Set(0, m.newMap(g, t, r.I(1)))
	return Next
}

// copyOf returns a new object that holds a copy of the value of layout l at src.
func (m *Machine) copyOf(g *goroutine, src unsafe.Pointer, size, lay uint32) ptr {
	if size == 0 {
		return m.link.ZeroBase()
	}
	id := m.alloc(g, size, lay)
	copy(unsafe.Slice((*byte)(m.heap.Objs[id].Mem), size), unsafe.Slice((*byte)(src), size))
	return uint64(id) << 32
}

// reflectMapGet returns a pointer to a copy of the element of the key, or nil.
func (m *Machine) reflectMapGet(g *goroutine, r Regs, key ptr) Ctl {
	t := m.mapArg(g, r)
	if t == nil {
		return Stop
	}
	mp, k := r.U(1), m.keyArg(r, t, key)
	if k == nil {
		return m.badAddress(g)
	}
	e, bad := m.maps.Find(mp, t, k)
	switch {
	case bad != 0:
		m.throw(g, rtPanicUnhashable, bad)
		return Called
	case e == nil:
		r.Set(0, 0)
	default:
		r.Set(0, m.copyOf(g, unsafe.Add(e, t.ElemOff), t.Elem.Size, t.Elem.ID))
	}
	return Next
}

func (m *Machine) reflectMapSet(g *goroutine, r Regs, key, val ptr) Ctl {
	t := m.mapArg(g, r)
	if t == nil {
		return Stop
	}
	mp := r.U(1)
	if mp == 0 {
		m.throw(g, rtPanicNilMap)
		return Called
	}
	k, v := m.keyArg(r, t, key), m.heap.Load(val, uint64(t.Elem.Size), 0)
	if k == nil || v == nil {
		return m.badAddress(g)
	}
	e, bad := m.assignKey(g, mp, t, k)
	if bad != 0 {
		m.throw(g, rtPanicUnhashable, bad)
		return Called
	}
	image := unsafe.Slice((*byte)(v), t.Elem.Size)
	copy(unsafe.Slice((*byte)(unsafe.Add(e, t.ElemOff)), t.Elem.Size), image)
	m.publishBytes(mp, unsafe.Slice((*byte)(k), t.Key.Size))
	m.publishBytes(mp, image)
	return Next
}

func (m *Machine) reflectMapDelete(g *goroutine, r Regs, key ptr) Ctl {
	t := m.mapArg(g, r)
	if t == nil {
		return Stop
	}
	k := m.keyArg(r, t, key)
	if k == nil {
		return m.badAddress(g)
	}
	if bad := m.maps.Delete(r.U(1), t, k); bad != 0 {
		m.throw(g, rtPanicUnhashable, bad)
		return Called
	}
	return Next
}

// orderChoice describes a choice among n ways.
func (m *Machine) orderChoice(n int, op *trace.Op) int {
	if n > 1 {
		op.Kind = trace.Choose
		return n
	}
	return 1
}

// look(type, map, order) order: it records the entries that can be visited now.
func reflectMapLook(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.mapArg(g, r)
	if t == nil {
		return Stop
	}
	order := r.U(2)
	if r.U(1) != 0 && !orders.Noted(&m.maps, order) {
		m.noteEntries(g, r.U(1), t, &order, false)
	}
	r.Set(0, order)
	return Next
}

// take(type, map, order) (key, elem pointer, again bool)
func reflectMapTake(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.mapArg(g, r)
	if t == nil {
		return Stop
	}
	mp, order := r.U(1), r.U(2)
	var e unsafe.Pointer
	more := false
	if order != 0 {
		k := 0
		if orders.Ways(&m.maps, order) > 1 {
			k = int(g.Choice)
			m.noteRanging(g)
		}
		e, more = orders.Take(&m.maps, mp, t, order, k)
	}
	r.Set(0, 0)
	r.Set(1, 0)
	r.SetBool(2, false)
	if !more {
		return Next
	}
	if e == nil { // only a data race can have deleted it
		r.SetBool(2, true)
		return Next
	}
	r.Set(0, m.copyOf(g, unsafe.Add(e, t.KeyOff), t.Key.Size, t.Key.ID))
	r.Set(1, m.copyOf(g, unsafe.Add(e, t.ElemOff), t.Elem.Size, t.Elem.ID))
	return Next
}

// cloneMap implements maps.clone(m any) any.
func cloneMap(m *Machine, g *goroutine, r Regs) Ctl {
	src := r.U(1)
	if src == 0 {
		return Next
	}
	t := m.mapTypeOf(m.link.TypeAt(r.U(0)))
	r.Set(1, m.maps.Clone(src, t, func(size uint64, lay uint32) uint32 { return m.allocMap(g, size, lay) }))
	return Next
}

// visitOrder is orderOf for the n entries of a sync.Map for which the func value f is called.
// During the initialisation of packages, before a goroutine has been started, f may be a function
// that does not notice the order.
func (m *Machine) visitOrder(g *goroutine, n, f uint64) orders.Mode {
	//mutant: callbacks are alone [env TestPrograms/syncmapinitmain]: drop 1
	if m.auto && m.alive == 1 && f != 0 && m.cfg.Maps != MapsEvery && !m.hasSlots() {
		if fn, _ := m.closureOf(f); !m.link.VisitMatters(fn) {
			return orders.One
		}
	}
	return m.orderOf(g, n, false)
}

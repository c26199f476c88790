package vm

import (
	"fmt"
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
)

// Calls by reflect. For each signature the machine puts together an adapter, which moves values
// between tuples in memory and registers of the types: a function of a few instructions around the
// call itself, with natives that move the values. So for the rest of the machine a call through
// reflect is two ordinary frames.
//
//	hbCall           (fn, rcvr, args, results) → load; CallC; store
//	func of MakeFunc (params...)               → pack; Call callReflect; unpack
//	method value     (params...)               → bind; CallC
var reflectCallNatives = []Native{
	{Name: "reflect.hbNewTuple", Fn: newTuple},
	{Name: "reflect.hbCall", Fn: reflectCall},
	{Name: "reflect.hbMakeFunc", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.reflectClosure(g, r, link.AdaptMakeFunc) }},
	{Name: "reflect.hbMethodValue", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.reflectClosure(g, r, link.AdaptMethodValue) }},
	{Name: "reflect.hbMethod", Fn: reflectMethod},
	{Name: "hb.callLoad", Fn: callLoad},
	{Name: "hb.callStore", Fn: callStore},
	{Name: "hb.pack", Fn: packParams},
	{Name: "hb.unpack", Fn: unpackResults},
	{Name: "hb.bind", Fn: bindReceiver},
}

// adapterOf returns the adapter whose function g runs.
func (m *Machine) adapterOf(g *goroutine) *link.Adapter { return m.link.AdapterOf(g.Fn.ID) }

// loadTuple copies a tuple in memory to registers.
func (m *Machine) loadTuple(dst unsafe.Pointer, t []*layout.Layout, p ptr) {
	off := uint64(0)
	for _, l := range t {
		if l.Size > 0 {
			l.Load((*uint64)(unsafe.Add(dst, off)), m.heap.Load(p+off, uint64(l.Size), 0))
		}
		off += uint64(l.Words()) * 8
	}
}

// storeTuple copies registers to a tuple in memory.
func (m *Machine) storeTuple(p ptr, t []*layout.Layout, src unsafe.Pointer) {
	off := uint64(0)
	for _, l := range t {
		if l.Size > 0 {
			b := m.heap.Writable(p+off, l.Size)
			copy(b, unsafe.Slice((*byte)(unsafe.Add(src, off)), l.Size))
			m.publishBytes(p+off, b)
		}
		off += uint64(l.Words()) * 8
	}
}

func (m *Machine) newTupleOf(g *goroutine, l *layout.Layout) ptr {
	if l.Size == 0 {
		return 0
	}
	return uint64(m.alloc(g, l.Size, l.ID)) << 32
}

// hbNewTuple(type, results bool) pointer
func newTuple(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	a := m.link.AdapterOf(m.link.Adapt(link.AdaptCall, t.Layout.ID))
	tuple := a.In
	if r.U(1) != 0 {
		tuple = a.Out
	}
	r.Set(0, m.newTupleOf(g, tuple))
	return Next
}

// hbCall(fn, type, method bool, rcvr, args, results)
func reflectCall(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 1)
	if t == nil {
		return Stop
	}
	kind := link.AdaptCall
	if r.U(2) != 0 {
		kind = link.AdaptMethodCall
	}
	id := m.link.Adapt(kind, t.Layout.ID)
	m.callGuest(g, uint64(id)|funcBit, 0, r.U(0), r.U(3), r.U(4), r.U(5))
	return Called
}

func callLoad(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	if a.Extra == 1 {
		r.Set(a.Window, r.U(1))
	}
	m.loadTuple(r.At(a.Window+a.Extra), a.Params, r.U(2))
	return Next
}

func callStore(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	m.storeTuple(r.U(3), a.Results, r.At(a.Window))
	return Next
}

// reflectClosure makes a closure over the adapter kind: hbMakeFunc(type, impl), hbMethodValue(type,
// fn, rcvr).
func (m *Machine) reflectClosure(g *goroutine, r Regs, kind link.AdapterKind) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	id := m.link.Adapt(kind, t.Layout.ID)
	n := m.link.Code[id].NCap
	fields := []*types.Var{link.Field("code", types.Typ[types.Uint64])}
	for i := range n {
		fields = append(fields, link.Field(fmt.Sprint("c", i), types.Typ[types.UnsafePointer]))
	}
	obj := m.alloc(g, uint32(1+n)*8, m.layouts.Of(types.NewStruct(fields, nil)).ID)
	w := unsafe.Slice((*uint64)(m.heap.Objs[obj].Mem), 1+n)
	w[0] = uint64(id) | funcBit
	for i := range n {
		w[1+i] = r.U(1 + i)
	}
	r.Set(0, uint64(obj)<<32)
	return Next
}

// packParams moves the parameters to a tuple and prepares the call of
// callReflect(impl, args, results).
func packParams(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	in := a.In.Words()
	args, results := m.newTupleOf(g, a.In), m.newTupleOf(g, a.Out)
	m.storeTuple(args, a.Params, r.At(0))
	impl := r.U(in)
	r.Set(in+1, args)
	r.Set(in+2, results)
	r.Set(a.Window, impl)
	r.Set(a.Window+1, args)
	r.Set(a.Window+2, results)
	return Next
}

func unpackResults(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	m.loadTuple(r.At(0), a.Results, r.U(a.In.Words()+2))
	return Next
}

// bindReceiver prepares the call of a method value.
func bindReceiver(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	in := a.In.Words()
	r.Set(a.Window, r.U(in+1))
	copy(unsafe.Slice((*uint64)(r.At(a.Window+1)), in), unsafe.Slice((*uint64)(r.At(0)), in))
	return Next
}

// hbMethod(interface type, type, i int) func value
func reflectMethod(m *Machine, g *goroutine, r Regs) Ctl {
	iface := m.typeArg(g, r, 0)
	if iface == nil {
		return Stop
	}
	r.Set(0, m.link.Method(r.U(1), m.link.Methods(iface)[r.I(2)].Func))
	return Next
}

package vm

import (
	"fmt"
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
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
	{Name: "reflect.hbMakeFunc", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.reflectClosure(g, r, adaptMakeFunc) }},
	{Name: "reflect.hbMethodValue", Fn: func(m *Machine, g *goroutine, r Regs) Ctl { return m.reflectClosure(g, r, adaptMethodValue) }},
	{Name: "reflect.hbMethod", Fn: reflectMethod},
	{Name: "hb.callLoad", Fn: callLoad},
	{Name: "hb.callStore", Fn: callStore},
	{Name: "hb.pack", Fn: packParams},
	{Name: "hb.unpack", Fn: unpackResults},
	{Name: "hb.bind", Fn: bindReceiver},
}

// Kinds of adapters: see link.Adapter.
const (
	noAdapter uint8 = iota
	adaptCall
	adaptMethodCall
	adaptMakeFunc
	adaptMethodValue
	adaptSelect
)

// adapter has the data that an adapter's natives need, by the number of the adapter's function.
type adapter struct {
	in, out         *layout.Layout   // of the tuples
	params, results []*layout.Layout // of their values
	window          int              // register of the call's first argument
	extra           int              // words of arguments before the parameters
	cases           []selectCase
	chans           int // register of a select's first case
	def             int // case number of default, or -1
}

// adapterOf returns the adapter whose function g runs.
func (m *Machine) adapterOf(g *goroutine) *adapter { return m.adapters[g.Fn.ID] }

// adapt returns the number of the function of the adapter k.
func (m *Machine) adapt(k link.Adapter) uint32 {
	l := m.link
	id := l.Adapter(k)
	if m.adapters[id] != nil {
		return id
	}
	var a *adapter
	var f *bytecode.Func
	if k.Kind == adaptSelect {
		a, f = m.selectAdapter(k.Cases)
	} else {
		sig := m.layouts.At(k.Sig).Type.Underlying().(*types.Signature)
		a = &adapter{in: l.Layout(sig.Params()), out: l.Layout(sig.Results())}
		for v := range sig.Params().Variables() {
			a.params = append(a.params, l.Layout(v.Type()))
		}
		for v := range sig.Results().Variables() {
			a.results = append(a.results, l.Layout(v.Type()))
		}
		f = m.callAdapter(k.Kind, a)
	}
	f.ID, f.RecoverPC, f.Wrapper, f.Trusted = id, -1, true, true
	m.adapters[id] = a
	m.link.Code[id] = f
	return id
}

// native is a call of native name with window a.
func (m *Machine) native(name string, a int) bytecode.Instr {
	return bytecode.Instr{Op: bytecode.CallN, A: uint16(a)}.WithImm32(m.nativeNumber(name))
}

// ptrRegs returns the live set of the given registers, all pointers.
func ptrRegs(regs ...int) []uint16 {
	var list []uint16
	for _, r := range regs {
		list = append(list, uint16(r)<<1|1)
	}
	return list
}

func (m *Machine) callAdapter(kind uint8, a *adapter) *bytecode.Func {
	in, out := a.in.Words(), a.out.Words()
	switch kind {
	case adaptCall, adaptMethodCall: // fn, rcvr, args, results
		const n = 4
		if kind == adaptMethodCall {
			a.extra = 1
		}
		a.window = n + bytecode.FrameHeader
		f := &bytecode.Func{Name: "reflect.call", NParam: n, NRegs: n, Code: []bytecode.Instr{
			m.native("hb.callLoad", 0),
			{Op: bytecode.CallC, A: uint16(a.window), B: 0},
			m.native("hb.callStore", 0),
			{Op: bytecode.Ret0},
		}}
		f.Window = a.window + max(in+a.extra, out)
		f.AddLive(2, ptrRegs(3))
		return f
	case adaptMakeFunc: // params; captured: impl; then: args, results
		n := max(in+3, out)
		a.window = n + bytecode.FrameHeader
		callReflect := m.link.Func(m.prog.Package("reflect").SSA.Func("callReflect"))
		f := &bytecode.Func{Name: "reflect.makeFuncStub", NParam: in, NCap: 1, NResult: out, NRegs: n, Window: a.window + 3}
		f.Code = []bytecode.Instr{
			m.native("hb.pack", 0),
			bytecode.Instr{Op: bytecode.Call, A: uint16(a.window)}.WithImm32(int32(callReflect)),
			m.native("hb.unpack", 0),
			{Op: bytecode.Ret0},
		}
		f.AddLive(2, ptrRegs(in+2))
		return f
	case adaptMethodValue: // params; captured: fn, receiver
		n := max(in+2, out)
		a.window = n + bytecode.FrameHeader
		f := &bytecode.Func{Name: "reflect.methodValueCall", NParam: in, NCap: 2, NResult: out, NRegs: n, Window: a.window + max(in+1, out)}
		f.Code = []bytecode.Instr{
			m.native("hb.bind", 0),
			{Op: bytecode.CallC, A: uint16(a.window), B: uint16(in)},
			{Op: bytecode.MovN, A: 0, B: uint16(a.window), C: uint16(out)},
			{Op: bytecode.Ret0},
		}
		f.AddLive(2, nil)
		return f
	}
	panic("BUG: unknown adapter")
}

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
	a := m.adapters[m.adapt(link.Adapter{Kind: adaptCall, Sig: t.Layout.ID})]
	tuple := a.in
	if r.U(1) != 0 {
		tuple = a.out
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
	kind := adaptCall
	if r.U(2) != 0 {
		kind = adaptMethodCall
	}
	id := m.adapt(link.Adapter{Kind: kind, Sig: t.Layout.ID})
	m.callGuest(g, uint64(id)|funcBit, 0, r.U(0), r.U(3), r.U(4), r.U(5))
	return Called
}

func callLoad(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	if a.extra == 1 {
		r.Set(a.window, r.U(1))
	}
	m.loadTuple(r.At(a.window+a.extra), a.params, r.U(2))
	return Next
}

func callStore(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	m.storeTuple(r.U(3), a.results, r.At(a.window))
	return Next
}

// reflectClosure makes a closure over the adapter kind: hbMakeFunc(type, impl), hbMethodValue(type,
// fn, rcvr).
func (m *Machine) reflectClosure(g *goroutine, r Regs, kind uint8) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	id := m.adapt(link.Adapter{Kind: kind, Sig: t.Layout.ID})
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
	in := a.in.Words()
	args, results := m.newTupleOf(g, a.in), m.newTupleOf(g, a.out)
	m.storeTuple(args, a.params, r.At(0))
	impl := r.U(in)
	r.Set(in+1, args)
	r.Set(in+2, results)
	r.Set(a.window, impl)
	r.Set(a.window+1, args)
	r.Set(a.window+2, results)
	return Next
}

func unpackResults(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	m.loadTuple(r.At(0), a.results, r.U(a.in.Words()+2))
	return Next
}

// bindReceiver prepares the call of a method value.
func bindReceiver(m *Machine, g *goroutine, r Regs) Ctl {
	a := m.adapterOf(g)
	in := a.in.Words()
	r.Set(a.window, r.U(in+1))
	copy(unsafe.Slice((*uint64)(r.At(a.window+1)), in), unsafe.Slice((*uint64)(r.At(0)), in))
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

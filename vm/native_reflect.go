package vm

import (
	"math"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/abitype"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/link"
	"hbcheck.dev/hbcheck/vm/values"
)

// Natives of reflect, internal/reflectlite and internal/abi: descriptors, memory and interfaces.
// Their reads and writes on behalf of the program are plain accesses, visible where the program's
// own would be.
var reflectNatives = slices.Concat(
	both("resolveNameOff", Native{Fn: resolveNameOff}),
	both("resolveTypeOff", Native{Fn: resolveTypeOff}),
	both("unsafe_New", Native{Fn: unsafeNew}),
	both("typedmemmove", Native{Peek: peekMove(typeSize), Fn: move(typeSize)}),
	both("ifaceE2I", Native{Peek: peekE2I, Fn: ifaceE2I}),
	both("chanlen", Native{Peek: peekChanLen, Fn: reflectChanLen}),
	both("maplen", Native{Peek: peekMapLen, Fn: reflectMapLen}),
	[]Native{
		{Name: "reflect.resolveTextOff", Fn: resolveTextOff},
		{Name: "reflect.typelinks", Fn: noTypelinks}, // until Go 1.26
		{Name: "reflect.compiledTypelinks", Fn: noTypelinks},
		{Name: "reflect.getStaticuint64s", Fn: staticUint64s},
		{Name: "reflect.unsafe_NewArray", Fn: unsafeNewArray},
		{Name: "reflect.typedmemclr", Peek: peekClear(typeSize), Fn: clearMem(typeSize)},
		{Name: "reflect.typedarrayclear", Peek: peekClear(arraySize), Fn: clearMem(arraySize)},
		{Name: "reflect.typedslicecopy", Peek: peekSliceCopy, Fn: sliceCopy},
		{Name: "reflect.growslice", Peek: peekGrow, Fn: reflectGrow},
		{Name: "reflect.chancap", Fn: reflectChanCap},
		{Name: "reflect.hbFuncPC", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
			r.Set(0, m.funcPC(r.U(0)))
			return Next
		}},
		{Name: "internal/abi.FuncPCABI0", Fn: funcPCOf},
		{Name: "internal/abi.FuncPCABIInternal", Fn: funcPCOf},
		{Name: "(*internal/abi.Type).hbEqual", Peek: peekEqual, Fn: abiEqual},
		{Name: "(*internal/abi.Type).hbHash", Peek: peekHash, Fn: abiHash},
	},
)

// both returns a native in both reflect and reflectlite.
func both(name string, n Native) []Native {
	lite := n
	n.Name, lite.Name = "reflect."+name, "internal/reflectlite."+name
	return []Native{n, lite}
}

// typeArg returns the type whose descriptor word i points to. It refuses the call and returns nil for a
// descriptor that the program itself has assembled.
func (m *Machine) typeArg(g *goroutine, r Regs, i int) *link.Type {
	t := m.link.TypeAt(r.U(i))
	if t == nil {
		m.unsupported(g, RefusedType, "a type descriptor that the program made itself")
	}
	return t
}

func resolveNameOff(m *Machine, g *goroutine, r Regs) Ctl {
	p, off := r.U(0), r.I(1)
	if off == 0 {
		r.Set(0, 0)
		return Next
	}
	m.link.Describe(uint32(p >> 32))
	r.Set(0, p&^math.MaxUint32+uint64(off))
	return Next
}

// resolveTypeOff also resolves the names of packages in names: see abitype.
func resolveTypeOff(m *Machine, g *goroutine, r Regs) Ctl {
	p, off := r.U(0), r.I(1)
	if off >= 0 {
		return resolveNameOff(m, g, r)
	}
	t := m.link.TypeAt(p)
	if t == nil {
		m.unsupported(g, RefusedType, "a type descriptor that the program made itself")
		return Stop
	}
	r.Set(0, m.link.TypeWord(abitype.TypeAt(t.Type, m.link.Methods(t), int32(off))))
	return Next
}

func resolveTextOff(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	i, ifn, ok := abitype.MethodOf(int32(r.I(1)))
	if !ok {
		r.Set(0, 0)
		return Next
	}
	sel := m.link.Methods(t)[i]
	if ifn {
		r.Set(0, m.link.Method(t.Word, sel.Func))
	} else {
		r.Set(0, uint64(m.link.Func(m.prog.SSA.MethodValue(sel.Sel)))|funcBit)
	}
	return Next
}

func staticUint64s(m *Machine, g *goroutine, r Regs) Ctl {
	r.Set(0, m.link.Static256())
	return Next
}

func funcPCOf(m *Machine, g *goroutine, r Regs) Ctl {
	r.Set(0, m.funcPC(r.U(1)))
	return Next
}

// badAddress raises the panic of an invalid address.
func (m *Machine) badAddress(g *goroutine) Ctl {
	m.throw(g, rtPanicMem)
	return Called
}

func unsafeNew(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	if t.Layout.Huge {
		m.unsupported(g, RefusedSize, hugeObject)
		return Stop
	}
	r.Set(0, m.newValues(g, t, 1))
	return Next
}

// newValues allocates n zero values of type t.
func (m *Machine) newValues(g *goroutine, t *link.Type, n uint64) ptr {
	size := n * uint64(t.Layout.Size)
	if size == 0 {
		return m.link.ZeroBase()
	}
	return uint64(m.alloc(g, uint32(size), t.Layout.ID)) << 32
}

func unsafeNewArray(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	n := r.U(1)
	if es := uint64(t.Layout.Size); es > 0 && n > heap.MaxObject/es && n <= heap.MaxAlloc/es {
		m.unsupported(g, RefusedSize, hugeObject)
		return Stop
	}
	if int64(n) < 0 || t.Layout.Size > 0 && n > heap.MaxObject/uint64(t.Layout.Size) {
		m.throw(g, rtPanicMakeSlice, 0)
		return Called
	}
	r.Set(0, m.newValues(g, t, n))
	return Next
}

// A sizer returns the number of bytes that a native touches: the size of one value of the type in word 0,
// or of as many values as word 2 says.
type sizer func(m *Machine, r Regs) uint64

func typeSize(m *Machine, r Regs) uint64 {
	if t := m.link.TypeAt(r.U(0)); t != nil {
		return uint64(t.Layout.Size)
	}
	return 0
}

func arraySize(m *Machine, r Regs) uint64 { return typeSize(m, r) * r.U(2) }

// peekMove and move are for natives f(type, dst, src).
func peekMove(size sizer) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		n := size(m, r)
		return m.peekPlain(g, op, accessOf(r.U(2), n, false), accessOf(r.U(1), n, true))
	}
}

// peekPlain is the Peek of a native that makes the plain accesses acc, reads first. It leaves bad
// addresses to the native.
func (m *Machine) peekPlain(g *goroutine, op *trace.Op, acc ...trace.Access) int {
	for _, a := range acc {
		if p := uint64(a.Obj)<<32 | uint64(a.Off); !g.Fn.Trusted && m.heap.Load(p, uint64(a.Size), 0) != nil {
			m.plain(op, p, uint64(a.Size), a.Write)
		}
	}
	return 1
}

func move(size sizer) func(*Machine, *goroutine, Regs) Ctl {
	return func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.typeArg(g, r, 0) == nil {
			return Stop
		}
		return m.copyMem(g, r.U(1), r.U(2), size(m, r))
	}
}

// copyMem copies n bytes of guest memory, which may overlap.
func (m *Machine) copyMem(g *goroutine, dst, src ptr, n uint64) Ctl {
	if n == 0 {
		return Next
	}
	m.link.Describe(uint32(src >> 32))
	from, to := m.heap.Bytes(src, uint32(n)), m.heap.Writable(dst, uint32(n))
	if from == nil || to == nil {
		return m.badAddress(g)
	}
	m.publishBytes(dst, from)
	copy(to, from)
	return Next
}

// peekClear and clearMem are for natives f(type, p, ...).
func peekClear(size sizer) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.peekPlain(g, op, accessOf(r.U(1), size(m, r), true))
	}
}

func clearMem(size sizer) func(*Machine, *goroutine, Regs) Ctl {
	return func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.typeArg(g, r, 0) == nil {
			return Stop
		}
		if n := size(m, r); n > 0 {
			b := m.heap.Writable(r.U(1), uint32(n))
			if b == nil {
				return m.badAddress(g)
			}
			clear(b)
		}
		return Next
	}
}

// typedslicecopy(elem type, dst, src slice) int
func peekSliceCopy(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	n := typeSize(m, r) * min(r.U(2), r.U(5))
	return m.peekPlain(g, op, accessOf(r.U(4), n, false), accessOf(r.U(1), n, true))
}

func sliceCopy(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	n := min(r.U(2), r.U(5))
	c := m.copyMem(g, r.U(1), r.U(4), n*uint64(t.Layout.Size))
	if c == Next {
		r.Set(0, n)
	}
	return c
}

// growslice(elem type, old slice, num int) slice
func peekGrow(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	return m.peekPlain(g, op, accessOf(r.U(1), typeSize(m, r)*r.U(3), false))
}

// reflectGrow makes room for num more elements after the length of a slice that lacks this room. It keeps the
// elements between length and capacity.
func reflectGrow(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	es := uint64(t.Layout.Size)
	base, n, k := r.U(1), r.U(2), r.U(3)
	need := n + r.U(4)
	if es > 0 && need > heap.MaxObject/es {
		m.throw(g, rtPanicMakeSlice, 1)
		return Called
	}
	grown := values.GrowCap(k, need, t.Layout)
	p := m.newValues(g, t, grown)
	if k*es > 0 {
		copy(m.heap.Bytes(p, uint32(k*es)), m.heap.Bytes(base, uint32(k*es)))
	}
	r.Set(0, p)
	r.Set(1, n)
	r.Set(2, grown)
	return Next
}

// ifaceE2I(interface type, src any, dst pointer): interfaces of all types have the same words.
func peekE2I(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	return m.peekPlain(g, op, accessOf(r.U(3), 16, true))
}

func ifaceE2I(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	if tw := r.U(1); tw == 0 || !m.link.Implements(tw, t.Layout.ID) {
		m.throw(g, rtPanicTypeAssert, tw, t.Word, t.Word)
		return Called
	}
	b := m.heap.Writable(r.U(3), 16)
	if b == nil {
		return m.badAddress(g)
	}
	copy(b, unsafe.Slice((*byte)(r.At(1)), 16))
	m.publishBytes(r.U(3), b)
	return Next
}

// hbEqual(type, p, q pointer) bool
func peekEqual(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	n := typeSize(m, r)
	return m.peekPlain(g, op, accessOf(r.U(1), n, false), accessOf(r.U(2), n, false))
}

func abiEqual(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	n := uint64(t.Layout.Size)
	p, q := m.heap.Load(r.U(1), n, 0), m.heap.Load(r.U(2), n, 0)
	if n > 0 && (p == nil || q == nil) {
		return m.badAddress(g)
	}
	eq, bad := m.mem.Equal(t.Layout, p, q)
	if bad != 0 {
		m.throw(g, rtPanicUncomparable, bad)
		return Called
	}
	r.SetBool(0, eq)
	return Next
}

// hbHash(type, p pointer, seed uintptr) uintptr
func peekHash(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	return m.peekPlain(g, op, accessOf(r.U(1), typeSize(m, r), false))
}

func abiHash(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.typeArg(g, r, 0)
	if t == nil {
		return Stop
	}
	n := uint64(t.Layout.Size)
	p := m.heap.Load(r.U(1), n, 0)
	if n > 0 && p == nil {
		return m.badAddress(g)
	}
	h, bad := m.shownHash(t.Layout, p, r.U(2))
	if bad != 0 {
		m.throw(g, rtPanicUnhashable, bad)
		return Called
	}
	r.Set(0, h)
	return Next
}

// noTypelinks returns two nil slices.
func noTypelinks(m *Machine, g *goroutine, r Regs) Ctl {
	clear(unsafe.Slice((*uint64)(r.At(0)), 6))
	return Next
}

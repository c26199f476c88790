package vm

import (
	"fmt"
	"go/types"
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Values with shadows: terms of inputs, and labels of random values and clock reads. Package shadow has
// them, and executes instructions on them. This file implements shadow.Machine.
//
// A program without such values executes in a loop without any of this (execute[plain]). When the first
// one is made, the machine starts to track: execute[tracked] calls Symbols.Before before each instruction.

// track makes the machine track symbolic values from the next instruction on.
func (m *Machine) track() {
	if m.sym == nil {
		m.sym = shadow.New(m.shadowHost())
	}
	if m.tracking {
		return
	}
	// The plain loop has not maintained the shadows.
	for _, g := range m.gs {
		g.Shadow, g.Reached = make([]*symbolic.Term, len(g.Stack)), 0
		//mutant: labels of goroutines that wait are those of before [test ./internal/modeltest TestOperations]
		g.serial.valid = false // fingerprints have shadows from now on
	}
	m.sym.Begin(len(m.undoStack))
	m.tracking = true
}

// shadowHost returns the parts of m that its shadows use.
func (m *Machine) shadowHost() shadow.Host {
	return shadow.Host{Machine: shadowHost{m}, Heap: m.heap, Layouts: m.layouts, Prog: m.prog, Tracking: &m.tracking, Multi: &m.multi,
		Unwind: m.cfg.Unwind, ByteID: m.layByte, InputLen: m.Environment().InputLen(), Solver: m.cfg.Solver}
}

// shadowHost answers the questions of shadows.
type shadowHost struct{ m *Machine }

// of returns the goroutine with that record.
func (h shadowHost) of(g *shadow.Goroutine) *goroutine { return h.m.gOf(g.ID) }

func (h shadowHost) SavedFrom(s *shadow.Goroutine) uint32 {
	g := h.of(s)
	if g.epoch != h.m.heap.Epoch {
		return uint32(len(g.Stack))
	}
	return g.savedLo
}

func (h shadowHost) Choose(g *shadow.Goroutine, n int) bool {
	return h.m.mayExecute(h.of(g), n, &trace.Op{Kind: trace.Branch})
}

func (h shadowHost) WaitForever(s *shadow.Goroutine) {
	g := h.of(s)
	h.m.setSpinning(g)
	g.assumes = true
}

func (h shadowHost) PanicShift(g *shadow.Goroutine) { h.m.throw(h.of(g), rtPanicShift) }

func (h shadowHost) Infeasible(g *shadow.Goroutine) {
	h.m.cut = Cut{Cause: CutInfeasible, Text: "no input leads here"}
	h.m.halt(h.of(g))
}

func (h shadowHost) Unwound(s *shadow.Goroutine) {
	m, g := h.m, h.of(s)
	pos, _ := m.userCall(g)
	pos.Column = 0
	m.cut = Cut{Cause: CutUnwound, Text: fmt.Sprintf("loop at %s unwound %d times (--unwind)", m.relative(pos), m.cfg.Unwind)}
	g.status = gReady
	g.pending = trace.Op{G: g.ID, Kind: trace.Crash, Func: g.Fn.ID, PC: uint32(g.PC)}
}

func (h shadowHost) Refuse(g *shadow.Goroutine, what string) {
	h.m.unsupported(h.of(g), RefusedInput, what)
}

func (h shadowHost) Concretised(g *shadow.Goroutine) {
	h.m.assume(h.of(g), Concretised)
}

func (h shadowHost) Looked(d shadow.Draw) (random bool) {
	a := Assumption{Assumed(d.What), d.Pos}
	if a.What != named {
		h.m.noteAssumed(a.What, a.Pos)
	}
	h.m.cfg.drawn.add(a)
	return a.What == RandSampled || a.What == BitsSampled
}

func (h shadowHost) NotesAlike(g *shadow.Goroutine, in *bytecode.Instr, word int64) bool {
	if !h.m.clockRead() {
		return true
	}
	return h.m.notesAlike(h.of(g), in, word)
}

func (h shadowHost) Compared(g *shadow.Goroutine, d int64) {
	h.m.compared(h.of(g), d, 1, math.MaxInt64)
}

func (h shadowHost) Native(i uint32) shadow.Native {
	n := &h.m.natives[i]
	return shadow.Native{Name: n.Name, Symbolic: n.Symbolic, Labels: n.Labels, Makes: n.Makes != nil}
}

func (h shadowHost) Makes(s *shadow.Goroutine, i uint32) []types.Type {
	g := h.of(s)
	in := &g.Fn.Code[g.PC]
	return h.m.natives[i].Makes(h.m, g, regsAt(unsafe.Pointer(g.Reg(uint32(in.A)))))
}

func (h shadowHost) EachFunction(g *shadow.Goroutine, f func(fn *bytecode.Func) bool) {
	h.m.eachLogicalFrame(h.of(g), func(id uint32, _ int32, _ uint32) bool { return f(h.m.code(id)) })
}

func (h shadowHost) Layout(t types.Type) *layout.Layout { return h.m.link.Layout(t) }

func (h shadowHost) MapType(id uint32) (key, elem *layout.Layout) {
	t := h.m.link.MapTypes[id]
	return t.Key, t.Elem
}

func (h shadowHost) Keys(id uint32, p heap.Ptr) (list []uint64) {
	t := h.m.link.MapTypes[id]
	for last := uint64(0); ; {
		e, seq := h.m.maps.Next(p, t, last)
		if e == nil {
			return list
		}
		last = seq
		var v uint64
		t.Key.Load(&v, unsafe.Add(e, t.KeyOff))
		list = append(list, v)
	}
}

func (h shadowHost) EachName(f func(name uint32)) { h.m.eachName(f) }

func (h shadowHost) KeysAt(id uint32, p heap.Ptr) (list []heap.Ptr, size uint32) {
	t := h.m.link.MapTypes[id]
	for last := uint64(0); ; {
		e, seq := h.m.maps.Next(p, t, last)
		if e == nil {
			return list, t.Key.Size
		}
		last = seq
		list = append(list, h.m.maps.Address(p, e)+uint64(t.KeyOff))
	}
}

func (h shadowHost) Dynamic(word uint64) (l *layout.Layout, direct bool) {
	t := h.m.link.TypeAt(word)
	if t == nil {
		return nil, false
	}
	return t.Layout, t.Direct
}

func (h shadowHost) EqualInterfaces(a, b *[2]uint64) (eq, ok bool) {
	eq, bad := h.m.mem.EqualIface(unsafe.Pointer(a), unsafe.Pointer(b))
	return eq, bad == 0
}

func (h shadowHost) Alloc(g *shadow.Goroutine, n, layout uint32) heap.Ptr {
	return uint64(h.m.alloc(h.of(g), n, layout)) << 32
}

func (h shadowHost) EachPtr(o *heap.Object, f func(w uint64)) { h.m.heap.EachPtr(o, f) }

// Shadows of a native's words.

// regOf returns the number of word i in g's frame.
func (r Regs) regOf(g *goroutine, i int) uint16 {
	return uint16((uintptr(r.At(i)) - uintptr(g.regs())) / 8)
}

// sym returns the shadow of word i, or nil.
func (r Regs) sym(m *Machine, g *goroutine, i int) *symbolic.Term {
	if !m.tracking {
		return nil
	}
	return g.Shadow[g.FP+uint32(r.regOf(g, i))]
}

// concrete removes the shadow of word i.
func (r Regs) concrete(m *Machine, g *goroutine, i int) {
	if m.tracking {
		g.Shadow[g.FP+uint32(r.regOf(g, i))] = nil
	}
}

// setLabel makes t, which may be nil, the label of word i of a native.
func (r Regs) setLabel(m *Machine, g *goroutine, i int, t *symbolic.Term) {
	if m.tracking {
		m.sym.SetLabel(&g.Goroutine, r.regOf(g, i), t)
	}
}

// symbolicOps makes the operations on w handle symbolic values.
func symbolicOps(w word, ops []Native) []Native {
	for i := range ops {
		fn, name := ops[i].Fn, ops[i].Name
		ops[i].Symbolic = true
		ops[i].Fn = func(m *Machine, g *goroutine, r Regs) Ctl {
			if !m.tracking || !m.mapped(r.U(0), w.size) {
				return fn(m, g, r)
			}
			ctl := Next
			m.sym.Atomic(&g.Goroutine, w.in(g, r), name, func() { ctl = fn(m, g, r) })
			return ctl
		}
	}
	return ops
}

// in returns w with the place of its operands in registers.
func (w word) in(g *goroutine, r Regs) shadow.Word {
	return shadow.Word{Size: w.size, Signed: w.signed, Reg: r.regOf(g, 0)}
}

// swapUnknown reports whether the success of the compare-and-swap depends on inputs.
func (m *Machine) swapUnknown(g *goroutine, w word, r Regs) bool {
	return m.tracking && m.mapped(r.U(0), w.size) && m.sym.SwapUnknown(&g.Goroutine, w.in(g, r))
}

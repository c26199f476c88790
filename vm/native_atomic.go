package vm

import (
	"hbcheck.dev/hbcheck/trace"
)

// Natives of package sync/atomic: functions and methods of the types, whose value is at offset 0.
// An operation on an object that other goroutines can reach is visible. Package
// internal/runtime/atomic has the same operations, but they are not visible there, because only
// models use it.

// A word is a type with operations in sync/atomic.
type word struct {
	size    uint32
	signed  bool
	pointer bool
}

// load returns the value at p, extended as in registers.
func (w word) load(m *Machine, p ptr) uint64 {
	switch {
	case w.size == 8:
		return m.word(p, 0)
	case w.signed:
		return uint64(int64(int32(m.u32(p))))
	}
	return uint64(m.u32(p))
}

func (w word) store(m *Machine, p ptr, v uint64) {
	if w.size == 4 {
		m.setU32(p, uint32(v))
		return
	}
	m.setWord(p, 0, v)
	if w.pointer {
		m.publishStore(p, v)
	}
}

// extend returns v as a register holds it.
func (w word) extend(v uint64) uint64 {
	switch {
	case w.size == 8:
		return v
	case w.signed:
		return uint64(int64(int32(v)))
	}
	return uint64(uint32(v))
}

// peekAtomic returns the Peek of an operation of kind k on w. A compare-and-swap that is going to
// fail only loads.
func peekAtomic(k trace.Kind, w word) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.syncOp(op, k, r.U(0), w.size, k != trace.AtomicLoad, true)
	}
}

// peekAdd is the Peek of an Add whose result is not used.
func peekAdd(w word) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		n := m.syncOp(op, trace.AtomicRMW, r.U(0), w.size, true, true)
		if op.N > 0 {
			op.Commutes = trace.Increments
		}
		return n
	}
}

func peekCAS(w word) func(*Machine, *goroutine, Regs, *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		p, k := r.U(0), trace.AtomicRMW
		if m.swapUnknown(g, w, r) {
			return m.syncOp(op, k, p, w.size, true, true)
		}
		if m.mapped(p, w.size) && w.load(m, p) != w.extend(r.U(1)) {
			k = trace.AtomicLoad
		}
		n := m.syncOp(op, k, p, w.size, k != trace.AtomicLoad, true)
		if k == trace.AtomicLoad {
			op.Commutes = trace.Compares
		}
		return n
	}
}

// atomicOp wraps f, which gets the address and whose result goes to word 0.
func atomicOp(w word, f func(m *Machine, p ptr, r Regs) uint64) func(*Machine, *goroutine, Regs) Ctl {
	return func(m *Machine, g *goroutine, r Regs) Ctl {
		p := r.U(0)
		if !m.mapped(p, w.size) {
			return m.nilFault(g)
		}
		r.Set(0, f(m, p, r))
		return Next
	}
}

// atomicOps are the operations on w by their names in sync/atomic.
func atomicOps(w word) []Native {
	rmw := func(f func(old, arg uint64) (new, result uint64)) func(*Machine, *goroutine, Regs) Ctl {
		return atomicOp(w, func(m *Machine, p ptr, r Regs) uint64 {
			v, res := f(w.load(m, p), r.U(1))
			w.store(m, p, v)
			return w.extend(res)
		})
	}
	ops := []Native{
		{Name: "Load", Steady: true, Peek: peekAtomic(trace.AtomicLoad, w), Fn: atomicOp(w, func(m *Machine, p ptr, r Regs) uint64 {
			return w.load(m, p)
		})},
		{Name: "Store", Steady: true, Peek: peekAtomic(trace.AtomicStore, w), Fn: atomicOp(w, func(m *Machine, p ptr, r Regs) uint64 {
			w.store(m, p, r.U(1))
			return 0
		})},
		{Name: "Swap", Steady: true, Peek: peekAtomic(trace.AtomicRMW, w), Fn: rmw(func(old, v uint64) (uint64, uint64) { return v, old })},
		{Name: "CompareAndSwap", Peek: peekCAS(w), Fn: atomicOp(w, func(m *Machine, p ptr, r Regs) uint64 {
			if w.load(m, p) != w.extend(r.U(1)) {
				return 0
			}
			w.store(m, p, r.U(2))
			return 1
		})},
	}
	if w.pointer {
		return symbolicOps(w, ops)
	}
	return symbolicOps(w, append(ops,
		Native{Name: "Add", Steady: true, Peek: peekAtomic(trace.AtomicRMW, w), PeekUnused: peekAdd(w),
			Fn: rmw(func(old, d uint64) (uint64, uint64) { return old + d, old + d })},
		Native{Name: "And", Steady: true, Peek: peekAtomic(trace.AtomicRMW, w),
			Fn: rmw(func(old, v uint64) (uint64, uint64) { return old & v, old })},
		Native{Name: "Or", Steady: true, Peek: peekAtomic(trace.AtomicRMW, w),
			Fn: rmw(func(old, v uint64) (uint64, uint64) { return old | v, old })},
	))
}

// atomicNatives lists the natives of sync/atomic.
func atomicNatives() []Native {
	var list []Native
	for _, t := range []struct {
		name string
		w    word
	}{
		{"Int32", word{size: 4, signed: true}},
		{"Int64", word{size: 8}},
		{"Uint32", word{size: 4}},
		{"Uint64", word{size: 8}},
		{"Uintptr", word{size: 8}},
		{"Pointer", word{size: 8, pointer: true}},
	} {
		for _, op := range atomicOps(t.w) {
			name := op.Name
			op.Name = "sync/atomic." + name + t.name
			list = append(list, op)
			if !t.w.pointer { // Pointer is generic and calls the functions
				op.Name = "(*sync/atomic." + t.name + ")." + name
				list = append(list, op)
			}
		}
	}
	for _, op := range atomicOps(word{size: 4})[:4] { // Bool has a uint32
		op.Name = "(*sync/atomic.Bool)." + op.Name
		list = append(list, op)
	}
	return append(list,
		Native{Name: "sync/atomic.hbLoad", Symbolic: true, Peek: peekAccess(trace.AtomicLoad, 16, false), Fn: nop},
		Native{Name: "sync/atomic.hbStore", Symbolic: true, Peek: peekAccess(trace.AtomicStore, 16, true), Fn: nop},
		Native{Name: "sync/atomic.hbRMW", Symbolic: true, Peek: peekAccess(trace.AtomicRMW, 16, true), Fn: nop},
	)
}

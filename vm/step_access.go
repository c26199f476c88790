package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// stopFlags are the object flags that send a memory access to the slow path.
//
// Shared objects stop the fast path only while there are several goroutines: before that, and in run mode,
// no explorer decides.
func (m *Machine) stopFlags() heap.Flags {
	if m.multi && !m.auto {
		return heap.Shared | heap.Freed
	}
	return heap.Freed
}

// access is the slow path of a load or store of n bytes at p by the instruction before pc. It
// returns the host address when the access may proceed. Otherwise it returns nil, and either the
// access is pending (a visible operation that is not scheduled yet) or a guest panic has been
// raised.
//
// It is called twice for a visible access: when the access becomes pending, and again when it is
// executed. In both calls the instruction's operands are the same, because the goroutine has not
// moved in between; the memory to which they point may have changed.
func (m *Machine) access(g *goroutine, f *bytecode.Func, pc int32, p, n uint64, write bool) unsafe.Pointer {
	// The causes for which the fast path fails:
	//
	//	nil, or out of bounds     a panic, unless a descriptor has to be written first
	//	collected                 a bug of the machine
	//	shared                    a visible operation, unless code of the models does it
	//	not saved in this epoch   save it, for a store
	h := m.heap
	id := uint32(p >> 32)
	if b := h.Load(p, n, 0); b == nil {
		if id < heap.StaticLimit && m.link.Describe(id) {
			return m.access(g, f, pc, p, n, write)
		}
		if p&funcBit != 0 && n == 8 && !write {
			// The place of gc's code pointer in a func value.
			m.codeWord = m.funcPC(p)
			return unsafe.Pointer(&m.codeWord)
		}
		g.PC = pc - 1
		m.throw(g, rtPanicMem)
		return nil
	}
	o := &h.Objs[id]
	if o.Flags&heap.Freed != 0 {
		panic("BUG: access to a collected object")
	}
	// Accesses to objects that never change after their creation (boxes of interfaces) are not visible.
	if o.Flags&(heap.Shared|heap.Frozen) == heap.Shared && !f.Trusted && m.multi && !m.auto {
		kind, acc := trace.Read, trace.Access{Obj: id, Off: uint32(p), Size: uint32(n), Write: write}
		if write {
			kind = trace.Write
		}
		if !g.scheduled {
			g.PC = pc - 1
			if !m.glides(g, kind, acc) {
				m.setPending(g, kind, acc)
				return nil
			}
		}
		g.scheduled = false
		if m.race != nil && !m.raceless {
			m.raceAccess(g, acc, kind)
		}
	}
	if write {
		h.WillWriteRange(id, uint32(p), uint32(n))
	}
	return unsafe.Add(o.Mem, uint32(p))
}

// setPending makes a visible operation of g's current instruction pending.
//
// The instruction at g.pc is executed again when it is scheduled.
func (m *Machine) setPending(g *goroutine, kind trace.Kind, acc ...trace.Access) {
	g.status = gReady
	g.pending = trace.Op{G: g.ID, Kind: kind, N: uint8(len(acc)), Func: g.Fn.ID, PC: uint32(g.PC)}
	copy(g.pending.Access[:], acc)
}

// accessesMayExecute reports whether g may execute an operation with the given plain accesses now;
// if one of them is visible and g is not scheduled, the operation becomes pending. Accesses of no
// bytes are ignored.
//
// Example: copy(a, b) reads b and writes a in one step, which is one operation with two accesses
// (trace.ReadWrite). Its kind depends on which of the two is visible.
func (m *Machine) accessesMayExecute(g *goroutine, f *bytecode.Func, acc ...trace.Access) bool {
	if !m.multi || m.auto || f.Trusted {
		return true
	}
	op := trace.Op{}
	for _, a := range acc {
		if a.Size == 0 || m.heap.Objs[a.Obj].Flags&(heap.Shared|heap.Frozen) != heap.Shared {
			continue
		}
		k := trace.Read
		if a.Write {
			k = trace.Write
		}
		if op.N == 1 && op.Kind != k {
			k = trace.ReadWrite
		}
		op.Kind = k
		op.Access[op.N] = a
		op.N++
	}
	if op.N == 0 {
		return true
	}
	if g.scheduled || m.glides(g, op.Kind, op.Access[:op.N]...) {
		g.scheduled = false
		if m.race != nil && !m.raceless {
			for _, a := range op.Access[:op.N] {
				m.raceAccess(g, a, op.Kind)
			}
		}
		return true
	}
	m.setPending(g, op.Kind, op.Access[:op.N]...)
	return false
}

// accessOf returns a plain access to n bytes at p.
func accessOf(p ptr, n uint64, write bool) trace.Access {
	return trace.Access{Obj: uint32(p >> 32), Off: uint32(p), Size: uint32(n), Write: write}
}

// plain adds a plain access to op, if it is visible.
func (m *Machine) plain(op *trace.Op, p, n uint64, write bool) {
	if n == 0 || !m.multi || m.auto || op.N == 2 || m.heap.Objs[p>>32].Flags&heap.Shared == 0 {
		return
	}
	kind := trace.Read
	if write {
		kind = trace.Write
	}
	if op.N == 1 && op.Kind != kind {
		kind = trace.ReadWrite
	}
	op.Kind = kind
	op.Access[op.N] = accessOf(p, n, write)
	op.N++
}

// funcPC returns the program counter at the beginning of a func value's code.
func (m *Machine) funcPC(fv uint64) uint64 {
	if fv != 0 && fv&funcBit == 0 {
		fv = m.word(fv, 0)
	}
	return uint64(m.link.ShownCode(uint32(fv))) << 32
}

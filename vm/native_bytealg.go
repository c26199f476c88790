package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Natives of internal/bytealg and hash/maphash that package native does not have, and the accesses of
// natives to slices. Strings never change; accesses to slices are plain reads on behalf of the caller.

// bytes returns the slice (or string) whose words begin at i. Callers must not write to it.
func (m *Machine) bytes(r Regs, i int) []byte {
	if r.U(i+1) == 0 {
		return nil
	}
	return m.heap.Readable(r.U(i), r.U(i+1))
}

// string returns the string whose words begin at i, as a view of guest memory.
func (m *Machine) string(r Regs, i int) string { return m.str(r.U(i), r.U(i+1)) }

// peekReads returns the Peek of natives that read the slices whose words begin at the given places:
// a plain read, visible if one of the slices is shared.
func peekReads(at ...int) func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	return func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if !g.Fn.Trusted {
			for _, i := range at {
				m.plain(op, r.U(i), r.U(i+1), false)
			}
		}
		return 1
	}
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

var bytealgNatives = []Native{
	{Name: "internal/bytealg.MakeNoZero", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		n := r.U(0)
		if n > heap.MaxObject {
			m.throw(g, rtPanicMakeSlice, 0)
			return Called
		}
		// append grows to size classes, like the real one.
		c := roundUpSize(n, true)
		id := m.alloc(g, uint32(c), m.layByte)
		r.Set(0, uint64(id)<<32)
		r.Set(1, n)
		r.Set(2, c)
		return Next
	}},
	{Name: "hash/maphash.memhash", Peek: peekReads(0), Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, hash.Bytes(r.U(3), m.bytes(r, 0)))
		return Next
	}},
	{Name: "hash/maphash.memhashString", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, hash.Bytes(r.U(2), m.bytes(r, 0)))
		return Next
	}},
	{Name: "hash/maphash.hashAny", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if r.U(0) == 0 {
			r.Set(0, hash.Mix(r.U(2), 0))
			return Next
		}
		t := m.link.TypeAt(r.U(0))
		if t == nil {
			return m.badAddress(g)
		}
		if !t.Layout.Comparable {
			m.throw(g, rtPanicUnhashable, r.U(0))
			return Called
		}
		image := r.At(1)
		if !t.Direct {
			image = m.heap.Load(r.U(1), uint64(t.Layout.Size), 0)
		}
		h, bad := m.shownHash(t.Layout, image, r.U(2))
		if bad != 0 {
			m.throw(g, rtPanicUnhashable, bad)
			return Called
		}
		r.Set(0, h)
		return Next
	}},
	{Name: "runtime.hbMemhash", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		m.plain(op, r.U(0), r.U(2), false)
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assume(g, BitsSampled)
		m.observePun(r.U(0), uint64(m.layByte)|bytecode.PunWalks)
		r.Set(0, hash.Bytes(r.U(1), m.heap.Bytes(r.U(0), uint32(r.U(2)))))
		return Next
	}},
}

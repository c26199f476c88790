package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Natives of package hbtest/lin, by which a scenario records the calls and returns of its
// operations. That package explains their accesses.

const (
	linCalled   = "hbcheck.dev/hbcheck/hbtest/lin.called"
	linReturned = "hbcheck.dev/hbcheck/hbtest/lin.returned"
)

var linNatives = []Native{
	{Name: linCalled, Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		//mutant: calls declare nothing [histories]: "m.syncOp(op, trace.SyncAccess, r.U(0), 8, false, true)" -> "1"
		//mutant: calls declare one byte [histories]: "SyncAccess, r.U(0), 8" -> "SyncAccess, r.U(0), 1"
		return m.syncOp(op, trace.SyncAccess, r.U(0), 8, false, true)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, *(*uint64)(m.heap.Load(r.U(0), 8, 0)))
		return Next
	}},
	{Name: linReturned, Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		//mutant: returns read [histories]: " 1, true" -> " 1, false"
		return m.syncOp(op, trace.SyncAccess, r.U(0)+r.U(1), 1, true, true)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		p := r.U(0) + r.U(1)
		//mutant: returns are not undone [histories]
		m.heap.WillWrite(uint32(p >> 32))
		//mutant: returns do not count [histories]
		*(*uint8)(m.heap.Load(p, 1, 0))++
		return Next
	}},
}

// Operation returns the operation of a scenario of package hbtest/lin whose call or return is
// pending in g; ok is false if neither is.
func (v Report) Operation(id trace.GID) (name string, returns, ok bool) {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || g.pending.Kind != trace.SyncAccess || int(g.PC) >= len(g.Fn.Code) {
		return "", false, false
	}
	in := &g.Fn.Code[g.PC]
	if in.Op != bytecode.CallN {
		return "", false, false
	}
	r := regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(in.A)]))
	switch m.natives[in.Imm32()].Name {
	case linCalled:
		return m.string(r, 1), false, true
	case linReturned:
		return m.string(r, 2), true, true
	}
	return "", false, false
}

package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/race"
)

// Natives of internal/effect, a package of the overlay: models declare their effects by these.

var effectNatives = []Native{
	{Name: "internal/effect.Access", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		//mutant: small objects are not shared [models TestModels/gcPercent]: "SyncAccess, r.U(0), 1" -> "SyncAccess, r.U(0), 8"
		return m.syncOp(op, trace.SyncAccess, r.U(0), 1, r.U(1)&1 != 0, true)
	}, Fn: nop},
	{Name: "internal/effect.Range", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.syncOp(op, trace.SyncAccess, r.U(0), uint32(r.U(1)), r.U(2)&1 != 0, true)
	}, Fn: nop},
	{Name: "internal/effect.Ordered", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.syncOp(op, trace.SyncAccess, r.U(0), 1, r.U(1)&1 != 0, true)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.ordered(g, r.U(0), r.U(1)&1 != 0)
		return Next
	}},
	{Name: "internal/effect.OrderedIf", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.syncOp(op, trace.SyncAccess, r.U(0), 1, m.flag(r.U(1)), true)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.ordered(g, r.U(0), m.flag(r.U(1)))
		return Next
	}},
	{Name: "internal/effect.Wait", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		return m.syncOp(op, trace.IOWait, r.U(0), 1, true, m.flag(r.U(2)))
	}, Fn: nop},
	{Name: "internal/effect.Orders", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.ordered(g, r.U(0), r.U(1)&1 != 0)
		return Next
	}},
	{Name: "internal/effect.Release", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.following() {
			m.race.Release(g.slot, oneWay(r.U(0)))
		}
		return Next
	}},
	{Name: "internal/effect.Acquire", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.following() {
			m.race.Acquire(g.slot, oneWay(r.U(0)))
		}
		return Next
	}},
}

// oneWay returns the location that Release of the object at p releases. This location differs from that of
// effects that order in both directions.
func oneWay(p ptr) race.Loc { return race.Loc(p) + race.Hidden + 1 }

// flag returns the bool at p.
func (m *Machine) flag(p ptr) bool { return *(*bool)(unsafe.Pointer(m.heap.Load(p, 1, 0))) }

// ordered treats the access as locking and unlocking an RWMutex at p, for writing or for reading.
func (m *Machine) ordered(g *goroutine, p ptr, write bool) {
	//mutant: the environment orders nothing [models TestModels/envOrders]: true
	if !m.following() {
		return
	}
	at := race.Loc(p) + race.Hidden
	m.race.Acquire(g.slot, at)
	if !write {
		m.race.Release(g.slot, readers(at))
		return
	}
	m.race.Acquire(g.slot, readers(at))
	m.race.Release(g.slot, at)
}

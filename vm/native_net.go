package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// Natives of package net (load/overlay/_src/net): connections are in the program's memory.

var netNatives = []Native{
	{Name: "net.hbUnreached", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assumeAlways(g, NetworkOff)
		return Next
	}},
	{Name: "net.hbFault", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if !m.cfg.NetFaulty {
			return 1
		}
		return m.choices(r, op)
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.cfg.NetFaulty || m.auto {
			r.Set(0, 0)
			return Next
		}
		return choose(m, g, r)
	}},
}

// WaitsForPeer reports whether goroutine id waits for what only another process can do: to connect
// with a listener whose address is known outside, or to send a packet to such a socket. There is none
// in the machine, which is assumed where a goroutine waits for one forever.
func (m *Machine) WaitsForPeer(id trace.GID) bool {
	g := m.gOf(id)
	if g.status != gReady || g.pending.Kind != trace.IOWait {
		return false
	}
	in := &g.fn.Code[g.pc]
	args := Regs{unsafe.Pointer(&g.stack[g.fp+uint32(in.A)])}
	if outside := args.U(1)&1 != 0; !outside {
		return false
	}
	m.assumeAlways(g, PeersOff)
	return true
}

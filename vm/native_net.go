package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// Natives of package net (load/overlay/_src/net): connections are in the program's memory.

var netNatives = []Native{
	{Name: "net.hbUnreached", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.lack(LackNetwork)
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

// WaitsForPeer reports whether goroutine id waits for an action of another process, which can
// connect to a listener or send a packet to a socket. known reports whether the address can be known to
// other processes. The machine has no other processes; waiting at a known address is recorded as an
// assumption.
func (v Report) WaitsForPeer(id trace.GID) (serves, known bool) {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || g.pending.Kind != trace.IOWait {
		return false, false
	}
	const serving, knownPlace = 1, 2 // as in package effect of the overlay
	in := &g.Fn.Code[g.PC]
	outside := regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(in.A)])).U(1)
	if outside == knownPlace {
		m.assumeAlways(g, PeersOff)
	}
	return outside >= serving, outside == knownPlace
}

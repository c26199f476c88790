package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// Natives of package net (load/overlay/_src/net): connections are in the program's memory.

var netNatives = []Native{
	{Name: "net.hbUnreached", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.lack(LackNetwork)
		m.assumeAlways(g, NetworkOff)
		return Next
	}},
	{Name: "net.hbRefused", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.miss(LackServer)
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

// WaitsForPeer reports whether goroutine id waits for an action of another process, which can connect
// to a listener, send a packet to a socket, or change a watched file. known reports whether the
// address or the file can be known to other processes. The machine has no other processes; waiting for
// an action that they can take is recorded as an assumption.
func (v Report) WaitsForPeer(id trace.GID) (serves, known bool) {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || g.pending.Kind != trace.IOWait {
		return false, false
	}
	const serving, knownPlace, changing = 1, 2, 3 // as in package effect of the overlay
	in := &g.Fn.Code[g.PC]
	outside := regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(in.A)])).U(1)
	switch outside {
	case serving:
		return true, false
	case knownPlace:
		m.assumeAlways(g, PeersOff)
		return true, true
	case changing:
		//mutant: a test waits for files that other processes change [test ./cmd/hbcheck TestScripts/watches]: true
		if m.entry.Kind == load.Main {
			m.assumeAlways(g, FilesStill)
			return true, true
		}
	}
	return false, false
}

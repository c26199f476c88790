package vm

import (
	"go/types"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Natives of os/signal (load/overlay/_src/os/signal). A signal arrives from a goroutine of the
// environment that does nothing else, so its moment is a choice like any other of a schedule. Each of the
// first maxSignals signals for which a program asks has such a goroutine.
const maxSignals = 3

var signalNatives = []Native{
	{Name: "os/signal.hbArrives", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		n := r.I(0)
		m.signals = true
		if m.cfg.SignalsOff {
			m.cfg.muted.Store(true)
			if m.cfg.SignalsAssumed {
				m.assume(g, SignalNone)
			}
			r.SetBool(0, false)
			return Next
		}
		switch {
		case m.forksBefore(g): // an initialiser: signals arrive from then on
			return Stop
		case m.auto: // run mode: nothing arrives
		case n >= maxSignals:
			m.assume(g, SignalSome)
		default:
			m.assume(g, SignalOnce)
		}
		//mutant: signals do not arrive [env TestPrograms/signalbug]: "!m.auto && n < maxSignals" -> "false"
		r.SetBool(0, !m.auto && n < maxSignals)
		return Next
	}},
	{Name: "os/signal.hbHidden", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.becomesSystem(g)
		m.alive--
		if m.listens { // the first is counted: natively one goroutine waits for all signals
			m.count(-1)
		}
		m.listens = true
		return Next
	}},
	{Name: "os/signal.hbForget", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.race != nil {
			m.race.Forget(g.slot)
		}
		return Next
	}},
	{Name: "os/signal.hbArrive", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if op.Kind = trace.Yield; m.cfg.OrderedTime {
			// Time may pass before it: it commutes with everything except the passing of time, and no
			// operation waits for it.
			op.Kind = trace.Clock
			m.cfg.short.Store(true)
		}
		return 1
	}, Fn: nop},
}

// WaitsForSignal reports whether goroutine id waits on a channel to which signals are sent. It may
// not wait forever, although no more signals are explored.
func (v Report) WaitsForSignal(id trace.GID) bool {
	m := v.m
	g := m.gOf(id)
	if g.status != gReady || g.overflow != nil {
		return false
	}
	switch g.Fn.Code[g.PC].Op {
	case bytecode.Recv, bytecode.Select:
	default:
		return false
	}
	for _, c := range m.chanCases(g, nil) {
		if !c.send && c.ch != 0 && m.getsSignals(c.ch) {
			return true
		}
	}
	return false
}

// getsSignals reports whether ch is a channel of signals, in a program that asks for signals.
func (m *Machine) getsSignals(ch ptr) bool {
	if !m.signals {
		return false
	}
	t, ok := m.layouts.At(uint32(m.chanHdr(ch)[chElem/8] >> 32)).Type.(*types.Named)
	return ok && t.Obj().Name() == "Signal" && t.Obj().Pkg() != nil && t.Obj().Pkg().Path() == "os"
}

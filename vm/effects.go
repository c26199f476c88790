package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Standing implements por.Effects.
func (m *Machine) Standing(buf []trace.GID) []trace.GID {
	for _, s := range m.order {
		if g := m.gs[s]; g.status == gReady {
			buf = append(buf, g.id)
		}
	}
	return buf
}

// Touches implements por.Effects.
func (m *Machine) Touches(id trace.GID, buf []trace.Access) []trace.Access {
	g := m.gOf(id)
	op := m.Next(id)
	if op.Kind != trace.Select && op.Kind != trace.TrySelect {
		return append(buf, op.Access[:op.N]...)
	}
	var arr [8]chcase
	for _, c := range m.cases(g, arr[:0]) {
		if c.ch != 0 {
			buf = append(buf, trace.Access{Obj: uint32(c.ch >> 32), Size: 8, Write: true})
		}
	}
	return buf
}

// Entangled implements por.Effects: it depends on everybody else whether a
// goroutine may sleep on where time is ordered, and whether the rest of a bubble is
// blocked; and where the clock is read, on who has slept before.
func (m *Machine) Entangled(id trace.GID) bool {
	g := m.gOf(id)
	switch m.Next(id).Kind {
	case trace.Sleep, trace.Timer:
		return m.link.clockUsed || m.timeOrdered(g)
	case trace.SemAcquire:
		return true
	}
	return false
}

// Adds implements por.Effects.
func (m *Machine) Adds(id trace.GID) por.Adding {
	g := m.gOf(id)
	if g.status != gReady || g.pending.Kind != trace.WgAdd {
		return por.Else
	}
	in := &g.fn.Code[g.pc]
	r := Regs{unsafe.Pointer(&g.stack[g.fp+uint32(in.A)])}
	switch d := int64(r.U(1)); {
	case d >= 0 || !m.mapped(r.U(0), 16):
		return por.Raises
	case int64(int32(m.u32(r.U(0)+wgCounter))) >= -d:
		return por.Lowers
	}
	return por.Underruns
}

// Moved implements por.Effects.
func (m *Machine) Moved(buf []trace.GID) []trace.GID { return append(buf, m.moved...) }

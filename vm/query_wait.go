package vm

import "hbcheck.dev/hbcheck/trace"

// Holders returns the goroutines that must act before op, an operation on a lock, can be executed,
// as far as the lock records them: for several readers only the sum of their numbers is known.
func (v Report) Holders(op trace.Op) []trace.GID {
	m := v.m
	if op.N == 0 || !op.Kind.Blocks() {
		return nil
	}
	p := ptr(op.Access[0].Obj)<<32 | ptr(op.Access[0].Off)
	owner := uint32(0)
	switch row := op.Kind.Row(); {
	case op.Kind == trace.LockPending: // waits for readers
		if m.u32(p+rwReaders) == 1 {
			owner = m.u32(p + rwOwners)
		}
	case row.Acquires&trace.First == 0:
	case row.On == trace.OnLock:
		owner = m.u32(p + muOwner)
	case row.On == trace.OnOnce:
		owner = m.u32(p + onMutex + muOwner)
	}
	if owner == 0 {
		return nil
	}
	return []trace.GID{trace.GID(owner - 1)}
}

// waitReason returns the reason in a stack's heading for a goroutine that is not running: that of the table
// of operations (trace.Row), perhaps with more detail.
func (m *Machine) waitReason(g *goroutine) string {
	in := &g.Fn.Code[g.PC]
	kind := m.Next(g.ID).Kind
	text := kind.Row().Wait
	switch {
	case text == "":
		return "runnable"
	case kind == trace.Recv && *g.Reg(uint32(in.B)) == 0, kind == trace.Send && *g.Reg(uint32(in.A)) == 0:
		return text + " (nil chan)"
	case kind == trace.Select && in.B == 0:
		return text + " (no cases)"
	case m.isAtNative(g, bubbleWait):
		return "synctest.Wait"
	case m.isAtNative(g, bubbleDrain):
		return "synctest.Run"
	}
	return text
}

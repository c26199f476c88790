package vm

import (
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// verifyDeclared checks that the operation g waits at, if it is that of a native, is one that static
// analyses are told of.
func (m *Machine) verifyDeclared(g *goroutine, op *trace.Op) {
	if g.overflow != nil || g.ending() {
		return
	}
	if in := &g.fn.Code[g.pc]; in.Op == bytecode.CallN {
		if why := undeclared(m.natives[in.Imm32()].Name, op); why != "" {
			panic("BUG: " + why)
		}
	}
}

// undeclared says what is wrong with op as the operation of the native of that name.
func undeclared(name string, op *trace.Op) string {
	row, declared := op.Kind.Row(), trace.MemoryOf(name)
	ok := declared == trace.AnyMemory
	switch {
	case declared == trace.Undeclared:
	case op.Kind == trace.Crash:
		ok = true // as any instruction can end the program: an Unlock of what is not locked
	case op.Kind == trace.Read:
		ok = declared != trace.NoMemory
	case op.Kind.Plain():
		ok = ok || declared == trace.WritesBytes || declared == trace.WritesWords || declared == trace.WritesUints
	case op.Kind.Memory():
		ok = ok || declared == trace.AtomicMemory
	case row.Commutes == trace.Always:
		ok = true
	default:
		ok = ok || slices.Contains(trace.KindsOf(name), op.Kind)
	}
	switch {
	case !ok:
		return fmt.Sprintf("package trace does not say that %s executes a %v", name, op.Kind)
	case row.Commutes == trace.ByAccess && op.N == 0 && row.On != trace.OnGoroutines && row.On != trace.OnBubble &&
		op.Kind != trace.None && op.Kind != trace.Spin: // those two are on all, as are all goroutines, and a bubble
		return fmt.Sprintf("a %v of %s depends on nothing", op.Kind, name)
	}
	return ""
}

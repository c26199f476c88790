package vm

import (
	"fmt"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// verifyDeclared checks that the operation of a native at which g waits is declared to static analyses, and
// that an argument gives them its object.
func (m *Machine) verifyDeclared(g *goroutine, op *trace.Op) {
	if g.overflow != nil || g.ending() {
		return
	}
	if in := &g.Fn.Code[g.PC]; in.Op == bytecode.CallN {
		if why := undeclared(m.natives[in.Imm32()].Name, op); why != "" {
			panic("BUG: " + why)
		}
		if why := misplaced(m.natives[in.Imm32()].Name, regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(in.A)])), op); why != "" {
			panic("BUG: " + why)
		}
	}
}

// undeclared returns the mistake in op as the operation of the native of that name; "" if there is
// none.
func undeclared(name string, op *trace.Op) string {
	row, declared := op.Kind.Row(), trace.MemoryOf(name)
	ok := declared == trace.AnyMemory
	switch {
	case declared == trace.Undeclared:
	case op.Kind == trace.Crash:
		ok = true // any instruction can end the program: an Unlock of an unlocked mutex, say
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
		op.Kind != trace.None && op.Kind != trace.Spin: // these depend on all operations, like those on all goroutines or a bubble
		return fmt.Sprintf("a %v of %s depends on nothing", op.Kind, name)
	}
	return ""
}

// misplaced returns the mistake in op as the operation of a native with arguments r, if op is on a primitive
// that neither of the first two arguments points to. Oracles identify the object of an operation by these
// (mhb.Oracle.touches), and would otherwise treat two operations on one object as operations on two.
func misplaced(name string, r Regs, op *trace.Op) string {
	if on := op.Kind.Row().On; !on.Row().Primitive || on == trace.OnChannel { // timers send
		return ""
	}
	for _, a := range op.Access[:op.N] {
		p := ptr(a.Obj)<<32 | ptr(a.Off)
		//mutant: operations may be beside their objects [test ./vm TestMisplaced]: false
		if p != r.U(0) && p != r.U(0)+overlay.CondList && p != r.U(1) {
			return fmt.Sprintf("the access of %s to its primitive begins at no argument", name)
		}
	}
	return ""
}

package vm

import (
	"fmt"
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
		if why := trace.Misdeclared(m.natives[in.Imm32()].Name, op); why != "" {
			panic("BUG: " + why)
		}
		if why := misplaced(m.natives[in.Imm32()].Name, regsAt(unsafe.Pointer(&g.Stack[g.FP+uint32(in.A)])), op); why != "" {
			panic("BUG: " + why)
		}
	}
}

// misplaced returns the mistake in op as the operation of a native with arguments r, if op is on a primitive
// that neither of the first two arguments points to. Oracles identify the object of an operation by these
// arguments (mhb.Oracle.touches). Otherwise they would treat two operations on one object as operations on
// two objects.
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

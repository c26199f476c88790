package bytecode

import (
	"fmt"
	"strings"
)

// Disassemble lists f's code, one instruction a line: pc, operation, operands
// A, B, C, and the raw words that follow.
func (f *Func) Disassemble() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d params, %d captured, %d results, %d registers, window %d\n", f.Name, f.NParam, f.NCap, f.NResult, f.NRegs, f.Window)
	for pc := 0; pc < len(f.Code); pc++ {
		in := f.Code[pc]
		fmt.Fprintf(&b, "%5d  %-10s", pc, in.Op)
		switch to, _ := in.Target(pc); in.Op.Row().Class {
		case Jumps, Branches:
			fmt.Fprintf(&b, " %d → %d", in.A, to)
		case Compares, ComparesImm:
			fmt.Fprintf(&b, " %d %d → %d", in.A, int16(in.B), to)
		default:
			fmt.Fprintf(&b, " %d %d %d", in.A, in.B, in.C)
		}
		for n := in.Words(); n > 0; n-- {
			pc++
			fmt.Fprintf(&b, " %#x", f.Code[pc].Word())
		}
		if l, ok := f.Live(pc - in.Words()); ok {
			fmt.Fprintf(&b, "   live %v", l)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

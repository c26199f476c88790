package bytecode

import (
	"fmt"
	"strings"
)

// trailing is the number of raw words that follow an operation; Select is
// followed by one for each of its B cases.
var trailing = [NumOps]uint8{
	Const: 1, Cplx: 1, EqN: 1, LdN: 1, StN: 1, AddPtrL: 1, IdxS: 1, IdxA: 1, RLdN: 1, RIdx: 1, Defer: 1,
	MkSlice: 1, MkMap: 1, MkChan: 1, MkClos: 1, Box: 1, Impl: 1, PanicTA: 1, SliceS: 2, SliceStr: 1, SliceA: 2,
	CopyMem: 1, UnsafeChk: 1, WrapChk: 1, SliceToArr: 1, Append: 1, Copy: 1, ClearS: 1, MapGet: 1, MapSet: 1, MapDel: 1, MapClear: 1, MapNext: 1, Unsupported: 1, Clock: 1,
}

// Words returns how many raw words follow i.
func (i Instr) Words() int {
	if i.Op == Select {
		return int(i.B)
	}
	return int(trailing[i.Op])
}

// Disassemble lists f's code, one instruction a line: pc, operation, operands
// A, B, C, and the raw words that follow.
func (f *Func) Disassemble() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d params, %d captured, %d results, %d registers, window %d\n", f.Name, f.NParam, f.NCap, f.NResult, f.NRegs, f.Window)
	for pc := 0; pc < len(f.Code); pc++ {
		in := f.Code[pc]
		fmt.Fprintf(&b, "%5d  %-10s", pc, in.Op)
		switch in.Op {
		case Jmp, JmpBack, JT, JF:
			fmt.Fprintf(&b, " %d → %d", in.A, pc+1+int(in.Imm32()))
		case JEq, JNe, JLtS, JLeS, JLtU, JLeU, JEqI, JNeI, JLtSI, JLeSI, JGtSI, JGeSI:
			fmt.Fprintf(&b, " %d %d → %d", in.A, int16(in.B), pc+1+int(int16(in.C)))
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

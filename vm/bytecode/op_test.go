package bytecode_test

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// TestOps: every operation has a name of its own, and can be disassembled.
func TestOps(t *testing.T) {
	seen := map[string]bytecode.Op{}
	for op := bytecode.Op(0); op < bytecode.NumOps; op++ {
		name := op.String()
		if other, dup := seen[name]; dup || name == "" || strings.HasPrefix(name, "op(") {
			t.Errorf("operation %d is called %q, like %d", op, name, other)
		}
		seen[name] = op
		in := bytecode.Instr{Op: op, B: 1}
		f := bytecode.Func{Code: []bytecode.Instr{in}}
		for range in.Words() {
			f.Code = append(f.Code, bytecode.RawWord(0))
		}
		if text := f.Disassemble(); !strings.Contains(text, name) || strings.Count(text, "\n") != 2 {
			t.Errorf("%s is disassembled as\n%s", name, text)
		}
	}
}

func ExampleFunc_Disassemble() {
	f := bytecode.Func{Name: "max", NParam: 2, NResult: 1, NRegs: 2, Window: 6}
	f.Code = []bytecode.Instr{
		{Op: bytecode.JLtS, A: 0, B: 1, C: 1}, // if r0 < r1 skip
		{Op: bytecode.Ret1, A: 0},
		{Op: bytecode.Ret1, A: 1},
		{Op: bytecode.Ret0},
		{Op: bytecode.Nop},
	}
	fmt.Print(f.Disassemble())
	// Output:
	// max: 2 params, 0 captured, 1 results, 2 registers, window 6
	//     0  JLtS       0 1 → 2
	//     1  Ret1       0 0 0
	//     2  Ret1       1 0 0
	//     3  Ret0       0 0 0
	//     4  Nop        0 0 0
}

package bytecode_test

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// TestFuse: the longest sequence at each instruction is fused; words and operands stay as they are, and so
// does an instruction that no sequence begins with.
func TestFuse(t *testing.T) {
	mov := bytecode.Instr{Op: bytecode.Mov, A: 1, B: 2}
	word := bytecode.RawWord(uint64(bytecode.Mov)) // looks like an instruction
	f := bytecode.Func{Code: []bytecode.Instr{
		mov, mov, mov, {Op: bytecode.Call, A: 9}, {Op: bytecode.Const, A: 3}, word, mov, {Op: bytecode.Sub}, mov,
		{Op: bytecode.IdxS}, bytecode.RawWord(8), {Op: bytecode.Ld3}, {Op: bytecode.LdX64},
	}}
	f.Fuse()
	want := []bytecode.Op{
		bytecode.MovMovMov, bytecode.MovMovCall, bytecode.MovCall, bytecode.Call, bytecode.Const, bytecode.Mov, bytecode.Mov, bytecode.Sub, bytecode.Mov,
		bytecode.IdxSLd3LdX64, 8, bytecode.Ld3LdX64, bytecode.LdX64,
	}
	for i := range f.Fast {
		if f.Fast[i].Op != want[i] {
			t.Errorf("instruction %d is %d, want %d", i, f.Fast[i].Op, want[i])
		}
		if f.Fast[i].Op = f.Code[i].Op; f.Fast[i] != f.Code[i] {
			t.Errorf("the operands of instruction %d have changed", i)
		}
	}
	if g := f.Clone(); !slices.Equal(g.Fast, f.Fast) || &g.Fast[0] == &f.Fast[0] {
		t.Error("a clone has other code, or shares it")
	}
}

package bytecode

import (
	"go/token"
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// Instr is one instruction. Operands are register numbers relative to the
// frame unless the operation says otherwise. Some operations are followed by
// raw 64-bit words (see Op).
type Instr struct {
	Op      Op
	A, B, C uint16
}

// Imm32 returns B and C as one signed immediate.
func (i Instr) Imm32() int32 { return int32(uint32(i.B) | uint32(i.C)<<16) }

// WithImm32 returns i with B and C holding v.
func (i Instr) WithImm32(v int32) Instr {
	i.B, i.C = uint16(uint32(v)), uint16(uint32(v)>>16)
	return i
}

// Word returns i's eight bytes as the raw word that follows an instruction.
func (i Instr) Word() uint64 {
	return uint64(i.Op) | uint64(i.A)<<16 | uint64(i.B)<<32 | uint64(i.C)<<48
}

// RawWord returns the pseudo-instruction whose bytes are w.
func RawWord(w uint64) Instr {
	return Instr{Op(w), uint16(w >> 16), uint16(w >> 32), uint16(w >> 48)}
}

// NoReg marks an absent register operand.
const NoReg = 0xFFFF

// FuncBit marks a func value or closure word 0 that names a function directly.
//
//	func value  0                       nil
//	            1<<63 | function        a function that captures nothing
//	            pointer to a closure    │ 1<<63 | function │ captured words ... │
const FuncBit = 1 << 63

// FrameHeader is the number of words the machine keeps below register 0 of every frame.
const FrameHeader = 4

// Func is a compiled function. Registers from 0 hold the parameters on entry,
// then the captured variables; results are left from register 0. The last
// two instructions are always Ret0 and Nop.
//
//	register  0        NParam     +NCap    NVals     NRegs    NRegs+4        Window
//	          │ params │ captured │ values │ consts, │ header │ arguments,   │
//	          │        │          │        │ scratch │ of the │ later results│
//	          │        │          │        │         │ callee │              │
//
// Registers of parameters and captured variables may be given to other values when they are dead.
//
// Invariant: if SSA code was compiled, NParam+NCap ≤ NVals ≤ NRegs, NResult ≤ NVals, and Window is
// less than NoReg. Lists that are said to be ascending are searched by bisection.
type Func struct {
	ID      uint32
	Name    string
	SSA     *ssa.Function // nil for stubs
	Builtin string        // the builtin that it is a stub of
	Code    []Instr
	Fast    []Instr // see Fuse
	NParam  int     // words of parameters
	NCap    int     // words of captured variables, copied after the parameters on entry
	NResult int     // words of results
	NVals   int     // number of registers for values; those of constants and scratch follow
	NRegs   int     // registers used, before the outgoing window
	Window  int     // registers including the largest outgoing window with its header
	// RecoverPC is where control continues after a recovered panic, or -1: return zero results.
	RecoverPC int32
	// Edges is the beginning of the code that belongs to no instruction: moves on the edges of the flow.
	Edges int32
	// Trusted is set for code of the models (load.Program.IsModel), and for functions that the machine makes:
	// their plain memory accesses are not visible operations.
	Trusted bool
	Own     bool // the reader's own code: load.Program.IsOwn
	// Refused is the code of the refusal if the machine has no code for the function, whose first instruction
	// is then Unsupported; otherwise "".
	Refused string
	// Wrapper: synthetic method wrappers are transparent to recover.
	Wrapper bool
	Methods []*types.Func // operands of CallI and IMeth
	Texts   []string      // operands of Unsupported and WrapChk
	Pos     []PosEntry    // ascending PC
	// Unsigned lists, ascending, the indexing instructions whose 64-bit index has an unsigned type.
	Unsigned []int32
	Origins  []Origin // ascending PC
	// Regs gives the first register of every value that lives in registers.
	Regs map[ssa.Value]int
	live []LiveEntry // ascending PC
	// Recovered lists, as in LiveEntry, the registers live at RecoverPC: all
	// that is live in a frame whose deferred calls run because of a panic.
	Recovered []uint16
}

// Origin has the SSA instruction from which the code from PC on comes.
type Origin struct {
	PC    int32
	Instr ssa.Instruction
}

// InstrAt returns the SSA instruction that the code at pc comes from, or nil
// in stubs.
func (f *Func) InstrAt(pc int) ssa.Instruction {
	i := sort.Search(len(f.Origins), func(i int) bool { return f.Origins[i].PC > int32(pc) })
	if i == 0 {
		return nil
	}
	return f.Origins[i-1].Instr
}

// PosEntry gives the source position of the instructions from PC on.
type PosEntry struct {
	PC  int32
	Pos token.Pos
}

// LiveEntry lists the registers live while the instruction at PC is pending, each
// register number shifted left once, with bit 0 set for guest pointers. The register in which a
// time.Time begins is listed twice.
// At the instruction after a call they are the registers that are live while the callee runs.
type LiveEntry struct {
	PC   int32
	Regs []uint16
}

// PosAt returns the source position of the instruction at pc.
func (f *Func) PosAt(pc int) token.Pos {
	i := sort.Search(len(f.Pos), func(i int) bool { return f.Pos[i].PC > int32(pc) })
	if i == 0 {
		return token.NoPos
	}
	return f.Pos[i-1].Pos
}

// AddLive records the live registers at pc; pcs must ascend.
func (f *Func) AddLive(pc int, regs []uint16) {
	f.live = append(f.live, LiveEntry{int32(pc), regs})
}

// Clone returns a copy of f that can be continued.
func (f *Func) Clone() *Func {
	c := *f
	c.Code, c.Fast, c.live = slices.Clone(f.Code), slices.Clone(f.Fast), slices.Clone(f.live)
	return &c
}

// ResetLive forgets all live entries.
func (f *Func) ResetLive() { f.live = nil }

// Live returns the registers live at pc, and whether pc is a point where
// liveness was recorded.
// A value's register that is not listed is dead: it is not part of the state. If nothing was recorded, the
// live registers are unknown.
func (f *Func) Live(pc int) ([]uint16, bool) {
	lo, hi := 0, len(f.live)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if f.live[m].PC < int32(pc) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(f.live) && f.live[lo].PC == int32(pc) {
		return f.live[lo].Regs, true
	}
	return nil, false
}

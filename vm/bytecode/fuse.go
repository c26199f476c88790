package bytecode

import "slices"

// Fused operations. Fast is Code for a loop that need not stop between instructions: where one of the
// sequences below begins, the operation is the one that has the effect of the whole sequence. All other
// instructions, and all operands and words, are those of Code. So a jump into the middle of a sequence finds
// the rest, and the number of an instruction means the same in both. Everything but the loop reads Code.
//
//	Code  │ Mov 1 2    │ Mov 3 4  │ Call f │
//	Fast  │ MovMovCall │ MovCall  │ Call f │
//
// The sequences are those that programs of bench vm and programs with libraries execute most often.
const (
	MovMov Op = NumOps + iota
	MovMovMov
	MovCall
	MovMovCall
	AddIMov
	AddIJLtS
	AddIJLeS
	AddIJLtSI
	AddAddI
	AddIAddI
	AddILdX64
	Ld64Ld64
	Ld64Mov
	Ld64JNeI
	Ld64MulF64
	MulF64AddF64
	MulF64MulF64
	MulF64SubF64
	IdxSLd3
	Ld3LdX64
	IdxSLd3LdX64
	LdX64MulF64
	IdxALd64
	IdxSLd64
	JNeIJNeI
	MovJF
	MovRet1
	ConstIRet1
	AddRet1
	MovConstI
	ConstIMov
	ConstIConstI
	MovJLtS
	Mov3Call
	St64St64
	MovAdd
	MovLdX64
	Ld3Mov
	MovJNeI
	JNeILd64
	LdX64JLtS
	LdX64LdX64
	IdxALdU8
	IdxSLdU8
	AddF64AddI
	JLeSLdX64
	JLtSLdStr
	JEqIJEqI
	MovLd64
)

// fusions lists the sequences; those with the same first operation from the longest to the shortest.
var fusions = map[Op][]fusion{
	Mov:    {{MovMovMov, []Op{Mov, Mov}}, {MovMovCall, []Op{Mov, Call}}, {MovMov, []Op{Mov}}, {MovCall, []Op{Call}}, {MovJF, []Op{JF}}, {MovRet1, []Op{Ret1}}, {MovConstI, []Op{ConstI}}, {MovJLtS, []Op{JLtS}}, {MovAdd, []Op{Add}}, {MovLdX64, []Op{LdX64}}, {MovJNeI, []Op{JNeI}}, {MovLd64, []Op{Ld64}}},
	AddI:   {{AddIMov, []Op{Mov}}, {AddIJLtS, []Op{JLtS}}, {AddIJLeS, []Op{JLeS}}, {AddIJLtSI, []Op{JLtSI}}, {AddIAddI, []Op{AddI}}, {AddILdX64, []Op{LdX64}}},
	Add:    {{AddAddI, []Op{AddI}}, {AddRet1, []Op{Ret1}}},
	Ld64:   {{Ld64Ld64, []Op{Ld64}}, {Ld64Mov, []Op{Mov}}, {Ld64JNeI, []Op{JNeI}}, {Ld64MulF64, []Op{MulF64}}},
	MulF64: {{MulF64AddF64, []Op{AddF64}}, {MulF64MulF64, []Op{MulF64}}, {MulF64SubF64, []Op{SubF64}}},
	IdxS:   {{IdxSLd3LdX64, []Op{Ld3, LdX64}}, {IdxSLd3, []Op{Ld3}}, {IdxSLd64, []Op{Ld64}}, {IdxSLdU8, []Op{LdU8}}},
	Ld3:    {{Ld3LdX64, []Op{LdX64}}, {Ld3Mov, []Op{Mov}}},
	LdX64:  {{LdX64MulF64, []Op{MulF64}}, {LdX64JLtS, []Op{JLtS}}, {LdX64LdX64, []Op{LdX64}}},
	IdxA:   {{IdxALd64, []Op{Ld64}}, {IdxALdU8, []Op{LdU8}}},
	JNeI:   {{JNeIJNeI, []Op{JNeI}}, {JNeILd64, []Op{Ld64}}},
	ConstI: {{ConstIRet1, []Op{Ret1}}, {ConstIMov, []Op{Mov}}, {ConstIConstI, []Op{ConstI}}},
	Mov3:   {{Mov3Call, []Op{Call}}},
	St64:   {{St64St64, []Op{St64}}},
	AddF64: {{AddF64AddI, []Op{AddI}}},
	JLeS:   {{JLeSLdX64, []Op{LdX64}}},
	JLtS:   {{JLtSLdStr, []Op{LdStr}}},
	JEqI:   {{JEqIJEqI, []Op{JEqI}}},
}

type fusion struct {
	op   Op
	rest []Op // the operations after the first
}

// Fuse computes Fast from Code. It is called before other goroutines of the host can see f.
func (f *Func) Fuse() {
	f.Fast = slices.Clone(f.Code)
	for pc := 0; pc < len(f.Code); {
		for _, x := range fusions[f.Code[pc].Op] {
			if f.follow(pc, x.rest) {
				f.Fast[pc].Op = x.op
				break
			}
		}
		//mutant: words are taken for instructions [test ./vm/bytecode TestFuse]: "1 + f.Code[pc].Words()" -> "1"
		pc += 1 + f.Code[pc].Words()
	}
}

// follow reports whether the instruction at pc is followed by the given operations.
func (f *Func) follow(pc int, ops []Op) bool {
	for _, op := range ops {
		if pc += 1 + f.Code[pc].Words(); pc >= len(f.Code) || f.Code[pc].Op != op {
			return false
		}
	}
	return true
}

// Fusions returns the sequences that are fused.
func Fusions() (list [][]Op) {
	for first := range NumOps {
		for _, x := range fusions[first] {
			list = append(list, append([]Op{first}, x.rest...))
		}
	}
	return list
}

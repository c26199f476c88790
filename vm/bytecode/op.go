// Package bytecode is the machine's instruction set: 8-byte register instructions produced by
// vm/compile from SSA and executed by vm.
//
//	bits  0         16        32        48        64
//	      │ Op      │ A       │ B       │ C       │    operands: registers, or small constants
//	      │ Op      │ A       │ imm32             │    jumps, calls, constants
//	      │ next word                             │    raw 64 bits after some operations
//
// A register is a 64-bit slot in the window of the running frame. A value of n bytes occupies
// ceil(n/8) of them as its memory image (package vm/layout); scalars narrower than a register are
// kept extended. Besides its code a function (Func) has the facts that a model checker needs: which
// registers are live wherever a goroutine can be between two steps, which of them are pointers, and from
// which SSA instruction and source position each instruction comes.
//
// Func.Disassemble lists the code. Every operation has a Row: its name, the words that follow it, its
// operands. A new operation is a constant here, a Row, its effect (Machine.exec or slowOp), and the
// instruction of the compiler that emits it. An operation whose Class does not determine its reads and
// writes also needs cases for symbolic and for drawn values (TestShadows).
package bytecode

// Op is an operation code.
type Op uint16

// The operations. "imm32" is B and C together; "next word" is the 8 bytes after
// the instruction. Comments show the effect on registers.
const (

	// moves and constants
	// Mov2, Mov3 and MovN read all registers before they write one, so that source and destination
	// may overlap.
	Nop     Op = iota
	Mov        // A = B
	Mov2       // A,A+1 = B,B+1
	Mov3       // A..A+2 = B..B+2
	MovN       // C registers from B to A
	Const      // A = next word
	ConstI     // A = sign-extended imm32
	StackAt    // A = an address in the goroutine's stack, as a number
	Zero       // B registers from A = 0

	// integers
	// Registers hold narrower integers extended by the sign of their type. These operations have 64
	// bits; an Ext restores the invariant where a result can leave the range of its type.
	Add      // A = B + C
	Sub      // A = B - C
	Mul      // A = B * C
	And      // A = B & C
	Or       // A = B | C
	Xor      // A = B ^ C
	AndNot   // A = B &^ C
	AddI     // A = B + int16(C)
	AndI     // A = B & uint16(C)
	MulI     // A = B * int16(C)
	DivS     // A = B / C signed; divide panic
	DivU     // A = B / C unsigned; divide panic
	RemS     // A = B % C signed; divide panic
	RemU     // A = B % C unsigned; divide panic
	Shl      // A = B << C
	ShrS     // A = B >> C signed
	ShrU     // A = B >> C unsigned
	ShlI     // A = B << uint(C)
	ShrSI    // A = B >> uint(C) signed
	ShrUI    // A = B >> uint(C) unsigned
	ChkShift // panic if int64(A) < 0
	Neg      // A = -B
	Not      // A = ^B
	LNot     // A = B ^ 1
	ExtS8    // A = int8(B)
	ExtU8    // A = uint8(B)
	ExtS16   // A = int16(B)
	ExtU16   // A = uint16(B)
	ExtS32   // A = int32(B)
	ExtU32   // A = uint32(B)

	// narrow fused arithmetic
	// One instruction for an operation and its Ext, for the types that programs use most.
	AddS32 // A = int32(B + C)
	AddU32 // A = uint32(B + C)
	SubS32 // A = int32(B - C)
	SubU32 // A = uint32(B - C)
	MulS32 // A = int32(B * C)
	MulU32 // A = uint32(B * C)
	AddU8  // A = uint8(B + C)
	SubU8  // A = uint8(B - C)

	// floats and complex
	// A float32 is in the lower half of its register. A complex64 is one register, the real part in
	// its lower half; a complex128 is two.
	AddF64 // A = B + C
	SubF64 // A = B - C
	MulF64 // A = B * C
	DivF64 // A = B / C
	NegF64 // A = -B
	AddF32 // A = B + C
	SubF32 // A = B - C
	MulF32 // A = B * C
	DivF32 // A = B / C
	NegF32 // A = -B
	Cplx   // A = B op C on complex values; next word: op | bits

	// conversions
	CvtSF64   // float64(int64 B)
	CvtUF64   // float64(uint64 B)
	CvtSF32   // float32(int64 B)
	CvtUF32   // float32(uint64 B)
	CvtF64S   // int64(float64 B)
	CvtF64S32 // int32(float64 B)
	CvtF64U   // uint64(float64 B)
	CvtF64F32 // float32(float64 B)
	CvtF32F64 // float64(float32 B)
	MinF64    // A = min(B, C)
	MinF32    // A = min(B, C)
	MaxF64    // A = max(B, C)
	MaxF32    // A = max(B, C)
	CvtC      // A = complex conversion of B; C: 0 to 64, 1 to 128

	// comparisons to bool
	// The comparisons > and >= are < and <= with their operands exchanged. A bool is 0 or 1.
	Eq      // A = B == C
	Ne      // A = B != C
	LtS     // A = B < C signed
	LeS     // A = B <= C signed
	LtU     // A = B < C unsigned
	LeU     // A = B <= C unsigned
	EqF64   // A = B == C
	LtF64   // A = B < C
	LeF64   // A = B <= C
	EqF32   // A = B == C
	LtF32   // A = B < C
	LeF32   // A = B <= C
	EqStr   // A = B == C strings
	LtStr   // A = B < C strings
	LeStr   // A = B <= C strings
	EqIface // A = B == C interfaces; may panic
	EqN     // A = B == C images of layout next word; may panic

	// branches; relative to the following instruction
	// A branch that is taken backwards uses up the budget of steps, as a call does, because a goroutine
	// that executes forever needs backward branches or calls.
	Jmp     // imm32
	JmpBack // imm32, counts against the step budget
	JT      // A true: imm32
	JF      // A false: imm32
	JEq     // A == B: int16(C)
	JNe     // A != B: int16(C)
	JLtS    // A < B signed: int16(C)
	JLeS    // A <= B signed: int16(C)
	JLtU    // A < B unsigned: int16(C)
	JLeU    // A <= B unsigned: int16(C)
	JEqI    // A == int16(B): int16(C)
	JNeI    // A != int16(B): int16(C)
	JLtSI   // A < int16(B): int16(C)
	JLeSI   // A <= int16(B): int16(C)
	JGtSI   // A > int16(B): int16(C)
	JGeSI   // A >= int16(B): int16(C)

	// memory [B+C] is what is C bytes after guest pointer B, C unsigned. A guest pointer is object<<32 |
	// offset, so nil has no object. Loads extend to 64 bits, stores cut off. Loads and stores may be
	// visible operations.
	LdS8    // A = [B+C]
	LdU8    // A = [B+C]
	LdS16   // A = [B+C]
	LdU16   // A = [B+C]
	LdS32   // A = [B+C]
	LdU32   // A = [B+C]
	Ld64    // A = [B+C]
	Ld2     // A,A+1 = [B+C]
	Ld3     // A..A+2 = [B+C]
	LdN     // A.. = [B+C], size in next word
	St8     // [A+C] = B
	St16    // [A+C] = B
	St32    // [A+C] = B
	St64    // [A+C] = B
	St2     // [A+C] = B,B+1
	St3     // [A+C] = B..B+2
	StN     // [A+C] = B.., size in next word
	CopyMem // next word bytes at A = those at B, or zero if there is no B
	AddPtr  // A = B + C; nil panics
	AddPtrL // A = B + next word; nil panics
	NilChk  // A nil panics
	IdxS    // A = &B[C] of slice, element size in next word
	IdxA    // A = &(*B)[C] of array pointer, next word: length<<32 | element size
	LdXS8   // A = B[C] of slice
	LdXU8   // A = B[C] of slice
	LdXS16  // A = B[C] of slice
	LdXU16  // A = B[C] of slice
	LdXS32  // A = B[C] of slice
	LdXU32  // A = B[C] of slice
	LdX64   // A = B[C] of slice
	StX8    // A[B] = C of slice
	StX16   // A[B] = C of slice
	StX32   // A[B] = C of slice
	StX64   // A[B] = C of slice
	LdStr   // A = B[C] of string
	RLdS8   // A = register image B at byte C
	RLdU8   // A = register image B at byte C
	RLdS16  // A = register image B at byte C
	RLdU16  // A = register image B at byte C
	RLdS32  // A = register image B at byte C
	RLdU32  // A = register image B at byte C
	RLd64   // A = register image B at byte C
	RLdN    // A.. = register image B at byte C, size in next word
	RIdx    // A.. = element C of register image B, next word: length<<32 | element size

	// calls
	// Register A, the window, becomes register 0 of the callee. The arguments are in the registers from A
	// on, and the FrameHeader words below A are for the callee's header. The callee leaves its results in
	// the registers from A on.
	Call  // window A, function imm32
	CallC // window A, func value B
	CallI // window A, interface B, method C of the function's method table
	CallN // window A, native imm32
	IMeth // A,A+1 = func value and receiver word of interface B, method C
	Ret   // B registers from A
	Ret1  // register A
	Ret0
	Go    // window A, func value B, C argument words
	Defer // window A, func value B, C argument words; next word: record layout | register of the list<<32
	RunDefers
	Panic      // interface A
	PanicRange // panic: a body of a loop over a function is called in state A; 0: it has not returned
	Recover    // A = recover(); C: in a deferred call of recover itself
	DeferStack // A = head of the list of this frame's deferred calls

	// allocation
	// An allocation is not a visible operation: no other goroutine has a pointer to the object yet.
	NewObj  // A = new object of layout imm32
	MkSlice // A = make([]T, B, C), next word: element layout
	MkMap   // A = make(map, B or none), next word: map type
	MkChan  // A = make(chan, B), next word: element layout | Untried
	MkClos  // A = closure over C words from B, next word: function | layout<<32
	Box     // A = pointer to new immutable object holding B, next word: layout

	// interfaces
	Impl    // A = dynamic type of B implements interface type next word
	PanicTA // type assertion of interface A fails, next word: asserted type | source interface type<<32

	// unsafe and wrappers
	UnsafeChk // panic unless B elements can be at A, next word: element size | 1<<63 for unsafe.String
	WrapChk   // A nil panics with message next word: a value method called through a nil pointer

	// strings, slices
	SliceS     // A = B[lo:hi:max], next words: registers; element size
	SliceStr   // A = B[lo:hi], next word: registers
	SliceA     // A = (*B)[lo:hi:max], next words: registers; length<<32 | element size
	SliceToArr // A = array pointer of slice B, next word: length
	Append     // A = append(B, C...), next word: element layout
	Copy       // A = copy(B, C), next word: element size
	ClearS     // clear slice A, next word: element size
	StrCat     // A = B + C
	BytesToStr // A = string(B)
	StrToBytes // A = []byte(B)
	RunesToStr // A = string(B)
	StrToRunes // A = []rune(B)
	IntToStr   // A = string(rune B)

	// maps
	// "map type" is the number of a map type (compile.Linker), which knows key and element.
	MapGet   // A = B[C], then ok, next word: map type
	MapSet   // A[B] = C, next word: map type
	MapDel   // delete(A, B), next word: map type
	MapLen   // A = len(B)
	MapClear // clear(A), next word: map type
	MapIter  // A..A+2 = iterator over map B
	MapNext  // A = ok, key, value of iterator B, C != 0: in a chosen order, next word: map type
	StrIter  // A..A+2 = iterator over string B
	StrNext  // A = ok, index, rune of iterator B

	// channels
	// While Send, Recv or Select is pending, the machine reads its channels from the registers that
	// its operands name.
	Send    // A <- B
	Recv    // A = <-B, C: also ok
	Select  // A = select of B cases, C: blocking; one next word per case
	Close   // close(A)
	ChanLen // A = len(B)
	ChanCap // A = cap(B)

	// other
	Print       // print A as class B, C: 0 no separator
	Clock       // A and B may come from the clock; C says how (ClockCompared ...); next word: nanoseconds per 1
	Counted     // A was computed from the previous Clock's operand and gets a label; C: index in CountedUnits
	Unsupported // refuse: message next word
	Cover       // block imm32 of the user's module is executed
	Own         // the user's own code begins, or continues after a call of other code

	NumOps
)

// The operations of Cplx: the low byte of its next word. CplxNarrow in that word says that the
// operands are complex64.
const (
	CplxAdd = iota
	CplxSub
	CplxMul
	CplxDiv
	CplxEq
	CplxNeg

	CplxNarrow = 1 << 8
)

// How values may come from the clock: C of Clock.
const (
	ClockCompared    = 1 << iota // A and B are compared
	ClockNumber                  // a number is computed from A
	ClockOfTime                  // A is a Time; without this flag it is a Duration
	ClockFloat                   // the compared values are float64
	ClockGrows                   // A - B grows as time passes
	ClockShrinks                 // A - B shrinks
	ClockLeft                    // only A may come from the clock
	ClockRight                   // only B may
	ClockPun                     // pointer A gets another type; next word: the layout of its new target
	ClockDateLeft                // A shows the time of a Time
	ClockDateRight               // B does
	ClockDateGrows               // A - B is larger if the program starts later
	ClockDateShrinks             // A - B is less
	ClockSeed                    // a source of random numbers gets A as its seed
	ClockSpan                    // Duration A is measured and kept; with ClockNumber: a number is made of A, if A was kept
	ClockFlow                    // a Duration is computed from A and B; next word: the operator. With ClockNumber: it is a number
)

// CountedUnits are the units, in nanoseconds, of numbers that are made from Durations and Times.
var CountedUnits = [...]int64{1, 1e3, 1e6, 1e9, 60e9, 3600e9}

// Untried is a bit of MkChan's next word. It says that every operation on the channel waits.
const Untried = 1 << 32

// ClockLater says, with ClockNumber, that Counted follows.
const ClockLater = ClockGrows

// ClockPerhaps, with ClockCompared, means that A and B are Durations that may not come from the clock: only
// recorded ones do (ClockSpan).
const ClockPerhaps = ClockSeed

// ClockPhase, with ClockCompared, means that A or B is a time of day in units, like Unix.
const ClockPhase = ClockOfTime

// The parts of ClockFlow's next word: the operator, and a flag.
const (
	FlowOp    = 1<<7 - 1
	FlowPlain = 1 << 7 // B certainly does not come from the clock
)

// Flags in the next word of ClockPun, beside the layout.
const (
	PunWalks = 1 << 32 // the program may move the pointer from its new target
	PunDeep  = 1 << 33 // the target of A refers to Times
)

package bytecode

import "fmt"

// A Row has the properties of an operation, besides its effect (vm). It is read by code that follows values:
// the disassembler, the search for loops, the shadows of symbolic and of drawn values.
type Row struct {
	Name     string
	Words    uint8 // number of raw words that follow; Select has one for each of its B cases
	Class    Class
	Results  uint8 // for Fresh: number of registers written, from A on
	Bytes    uint8 // for loads and stores: the number of bytes; 0: the next word has it
	Signed   bool  // for loads: the value is sign-extended
	Compares Op    // for Compares and ComparesImm: the comparison. JGtSI and JGeSI exchange its operands
}

// A Class says which operands an operation reads and writes.
type Class uint8

// The classes.
const (
	Special     Class = iota // see the instruction's comment
	Neutral                  // no register gets a value
	Moves                    // registers get the values of others, or 0
	Computes                 // A is computed from B, or from B and C, which are registers or constants
	Fresh                    // Results registers from A on get values that do not depend on those of B and C
	Jumps                    // a jump to imm32
	Branches                 // a branch to imm32, depending on A
	Compares                 // a branch to C if the comparison of A and B holds
	ComparesImm              // a branch to C if the comparison of A and the constant B holds
	Loads                    // A.. = [B+C]
	LoadsElem                // A = B[C] of a slice or string
	LoadsPart                // A.. = the register image B at byte C
	Stores                   // [A+C] = B..
	StoresElem               // A[B] = C of a slice
	Returns                  // from the function
)

// Row returns the properties of o.
func (o Op) Row() *Row { return &table[o] }

// Words returns how many raw words follow i.
func (i Instr) Words() int {
	if i.Op == Select {
		return int(i.B)
	}
	return int(table[i.Op].Words)
}

// Target returns where i, which is at pc, may jump to, and whether it does in any case; -1 if it does not
// jump.
func (i Instr) Target(pc int) (to int, always bool) {
	switch table[i.Op].Class {
	case Jumps:
		return pc + 1 + int(i.Imm32()), true
	case Branches:
		return pc + 1 + int(i.Imm32()), false
	case Compares, ComparesImm:
		return pc + 1 + int(int16(i.C)), false
	}
	return -1, false
}

// String returns the operation's mnemonic.
func (o Op) String() string {
	if o < NumOps {
		return table[o].Name
	}
	return fmt.Sprintf("op(%d)", uint16(o))
}

var table = [NumOps]Row{
	Nop:         {Name: "Nop", Class: Neutral},
	Mov:         {Name: "Mov", Class: Moves},
	Mov2:        {Name: "Mov2", Class: Moves},
	Mov3:        {Name: "Mov3", Class: Moves},
	MovN:        {Name: "MovN", Class: Moves},
	Const:       {Name: "Const", Words: 1, Class: Fresh, Results: 1},
	ConstI:      {Name: "ConstI", Class: Fresh, Results: 1},
	StackAt:     {Name: "StackAt", Class: Fresh, Results: 1},
	Zero:        {Name: "Zero", Class: Moves},
	Add:         {Name: "Add", Class: Computes},
	Sub:         {Name: "Sub", Class: Computes},
	Mul:         {Name: "Mul", Class: Computes},
	And:         {Name: "And", Class: Computes},
	Or:          {Name: "Or", Class: Computes},
	Xor:         {Name: "Xor", Class: Computes},
	AndNot:      {Name: "AndNot", Class: Computes},
	AddI:        {Name: "AddI", Class: Computes},
	AndI:        {Name: "AndI", Class: Computes},
	MulI:        {Name: "MulI", Class: Computes},
	DivS:        {Name: "DivS", Class: Computes},
	DivU:        {Name: "DivU", Class: Computes},
	RemS:        {Name: "RemS", Class: Computes},
	RemU:        {Name: "RemU", Class: Computes},
	Shl:         {Name: "Shl", Class: Computes},
	ShrS:        {Name: "ShrS", Class: Computes},
	ShrU:        {Name: "ShrU", Class: Computes},
	ShlI:        {Name: "ShlI", Class: Computes},
	ShrSI:       {Name: "ShrSI", Class: Computes},
	ShrUI:       {Name: "ShrUI", Class: Computes},
	ChkShift:    {Name: "ChkShift"},
	Neg:         {Name: "Neg", Class: Computes},
	Not:         {Name: "Not", Class: Computes},
	LNot:        {Name: "LNot", Class: Computes},
	ExtS8:       {Name: "ExtS8", Class: Computes},
	ExtU8:       {Name: "ExtU8", Class: Computes},
	ExtS16:      {Name: "ExtS16", Class: Computes},
	ExtU16:      {Name: "ExtU16", Class: Computes},
	ExtS32:      {Name: "ExtS32", Class: Computes},
	ExtU32:      {Name: "ExtU32", Class: Computes},
	AddS32:      {Name: "AddS32", Class: Computes},
	AddU32:      {Name: "AddU32", Class: Computes},
	SubS32:      {Name: "SubS32", Class: Computes},
	SubU32:      {Name: "SubU32", Class: Computes},
	MulS32:      {Name: "MulS32", Class: Computes},
	MulU32:      {Name: "MulU32", Class: Computes},
	AddU8:       {Name: "AddU8", Class: Computes},
	SubU8:       {Name: "SubU8", Class: Computes},
	AddF64:      {Name: "AddF64", Class: Computes},
	SubF64:      {Name: "SubF64", Class: Computes},
	MulF64:      {Name: "MulF64", Class: Computes},
	DivF64:      {Name: "DivF64", Class: Computes},
	NegF64:      {Name: "NegF64", Class: Computes},
	AddF32:      {Name: "AddF32", Class: Computes},
	SubF32:      {Name: "SubF32", Class: Computes},
	MulF32:      {Name: "MulF32", Class: Computes},
	DivF32:      {Name: "DivF32", Class: Computes},
	NegF32:      {Name: "NegF32", Class: Computes},
	Cplx:        {Name: "Cplx", Words: 1},
	CvtSF64:     {Name: "CvtSF64", Class: Computes},
	CvtUF64:     {Name: "CvtUF64", Class: Computes},
	CvtSF32:     {Name: "CvtSF32", Class: Computes},
	CvtUF32:     {Name: "CvtUF32", Class: Computes},
	CvtF64S:     {Name: "CvtF64S", Class: Computes},
	CvtF64S32:   {Name: "CvtF64S32", Class: Computes},
	CvtF64U:     {Name: "CvtF64U", Class: Computes},
	CvtF64F32:   {Name: "CvtF64F32", Class: Computes},
	CvtF32F64:   {Name: "CvtF32F64", Class: Computes},
	MinF64:      {Name: "MinF64", Class: Computes},
	MinF32:      {Name: "MinF32", Class: Computes},
	MaxF64:      {Name: "MaxF64", Class: Computes},
	MaxF32:      {Name: "MaxF32", Class: Computes},
	CvtC:        {Name: "CvtC"},
	Eq:          {Name: "Eq", Class: Computes},
	Ne:          {Name: "Ne", Class: Computes},
	LtS:         {Name: "LtS", Class: Computes},
	LeS:         {Name: "LeS", Class: Computes},
	LtU:         {Name: "LtU", Class: Computes},
	LeU:         {Name: "LeU", Class: Computes},
	EqF64:       {Name: "EqF64", Class: Computes},
	LtF64:       {Name: "LtF64", Class: Computes},
	LeF64:       {Name: "LeF64", Class: Computes},
	EqF32:       {Name: "EqF32", Class: Computes},
	LtF32:       {Name: "LtF32", Class: Computes},
	LeF32:       {Name: "LeF32", Class: Computes},
	EqStr:       {Name: "EqStr"},
	LtStr:       {Name: "LtStr"},
	LeStr:       {Name: "LeStr"},
	EqIface:     {Name: "EqIface"},
	EqN:         {Name: "EqN", Words: 1},
	Jmp:         {Name: "Jmp", Class: Jumps},
	JmpBack:     {Name: "JmpBack", Class: Jumps},
	JT:          {Name: "JT", Class: Branches},
	JF:          {Name: "JF", Class: Branches},
	JEq:         {Name: "JEq", Class: Compares, Compares: Eq},
	JNe:         {Name: "JNe", Class: Compares, Compares: Ne},
	JLtS:        {Name: "JLtS", Class: Compares, Compares: LtS},
	JLeS:        {Name: "JLeS", Class: Compares, Compares: LeS},
	JLtU:        {Name: "JLtU", Class: Compares, Compares: LtU},
	JLeU:        {Name: "JLeU", Class: Compares, Compares: LeU},
	JEqI:        {Name: "JEqI", Class: ComparesImm, Compares: Eq},
	JNeI:        {Name: "JNeI", Class: ComparesImm, Compares: Ne},
	JLtSI:       {Name: "JLtSI", Class: ComparesImm, Compares: LtS},
	JLeSI:       {Name: "JLeSI", Class: ComparesImm, Compares: LeS},
	JGtSI:       {Name: "JGtSI", Class: ComparesImm, Compares: LtS},
	JGeSI:       {Name: "JGeSI", Class: ComparesImm, Compares: LeS},
	LdS8:        {Name: "LdS8", Class: Loads, Bytes: 1, Signed: true},
	LdU8:        {Name: "LdU8", Class: Loads, Bytes: 1},
	LdS16:       {Name: "LdS16", Class: Loads, Bytes: 2, Signed: true},
	LdU16:       {Name: "LdU16", Class: Loads, Bytes: 2},
	LdS32:       {Name: "LdS32", Class: Loads, Bytes: 4, Signed: true},
	LdU32:       {Name: "LdU32", Class: Loads, Bytes: 4},
	Ld64:        {Name: "Ld64", Class: Loads, Bytes: 8},
	Ld2:         {Name: "Ld2", Class: Loads, Bytes: 16},
	Ld3:         {Name: "Ld3", Class: Loads, Bytes: 24},
	LdN:         {Name: "LdN", Words: 1, Class: Loads},
	St8:         {Name: "St8", Class: Stores, Bytes: 1},
	St16:        {Name: "St16", Class: Stores, Bytes: 2},
	St32:        {Name: "St32", Class: Stores, Bytes: 4},
	St64:        {Name: "St64", Class: Stores, Bytes: 8},
	St2:         {Name: "St2", Class: Stores, Bytes: 16},
	St3:         {Name: "St3", Class: Stores, Bytes: 24},
	StN:         {Name: "StN", Words: 1, Class: Stores},
	CopyMem:     {Name: "CopyMem", Words: 1},
	AddPtr:      {Name: "AddPtr"},
	AddPtrL:     {Name: "AddPtrL", Words: 1},
	NilChk:      {Name: "NilChk", Class: Neutral},
	IdxS:        {Name: "IdxS", Words: 1},
	IdxA:        {Name: "IdxA", Words: 1},
	LdXS8:       {Name: "LdXS8", Class: LoadsElem, Bytes: 1, Signed: true},
	LdXU8:       {Name: "LdXU8", Class: LoadsElem, Bytes: 1},
	LdXS16:      {Name: "LdXS16", Class: LoadsElem, Bytes: 2, Signed: true},
	LdXU16:      {Name: "LdXU16", Class: LoadsElem, Bytes: 2},
	LdXS32:      {Name: "LdXS32", Class: LoadsElem, Bytes: 4, Signed: true},
	LdXU32:      {Name: "LdXU32", Class: LoadsElem, Bytes: 4},
	LdX64:       {Name: "LdX64", Class: LoadsElem, Bytes: 8},
	StX8:        {Name: "StX8", Class: StoresElem, Bytes: 1},
	StX16:       {Name: "StX16", Class: StoresElem, Bytes: 2},
	StX32:       {Name: "StX32", Class: StoresElem, Bytes: 4},
	StX64:       {Name: "StX64", Class: StoresElem, Bytes: 8},
	LdStr:       {Name: "LdStr", Class: LoadsElem, Bytes: 1},
	RLdS8:       {Name: "RLdS8", Class: LoadsPart, Bytes: 1, Signed: true},
	RLdU8:       {Name: "RLdU8", Class: LoadsPart, Bytes: 1},
	RLdS16:      {Name: "RLdS16", Class: LoadsPart, Bytes: 2, Signed: true},
	RLdU16:      {Name: "RLdU16", Class: LoadsPart, Bytes: 2},
	RLdS32:      {Name: "RLdS32", Class: LoadsPart, Bytes: 4, Signed: true},
	RLdU32:      {Name: "RLdU32", Class: LoadsPart, Bytes: 4},
	RLd64:       {Name: "RLd64", Class: LoadsPart, Bytes: 8},
	RLdN:        {Name: "RLdN", Words: 1, Class: LoadsPart},
	RIdx:        {Name: "RIdx", Words: 1},
	Call:        {Name: "Call", Class: Neutral},
	CallC:       {Name: "CallC", Class: Neutral},
	CallI:       {Name: "CallI", Class: Fresh, Results: 1},
	CallN:       {Name: "CallN"},
	IMeth:       {Name: "IMeth", Class: Fresh, Results: 2},
	Ret:         {Name: "Ret", Class: Returns},
	Ret1:        {Name: "Ret1", Class: Returns},
	Ret0:        {Name: "Ret0", Class: Returns},
	Go:          {Name: "Go", Class: Neutral},
	Defer:       {Name: "Defer", Words: 1, Class: Neutral},
	RunDefers:   {Name: "RunDefers", Class: Neutral},
	Panic:       {Name: "Panic"},
	PanicRange:  {Name: "PanicRange", Class: Neutral},
	Recover:     {Name: "Recover", Class: Fresh, Results: 2},
	DeferStack:  {Name: "DeferStack", Class: Fresh, Results: 1},
	NewObj:      {Name: "NewObj", Class: Fresh, Results: 1},
	MkSlice:     {Name: "MkSlice", Words: 1},
	MkMap:       {Name: "MkMap", Words: 1, Class: Fresh, Results: 1},
	MkChan:      {Name: "MkChan", Words: 1},
	MkClos:      {Name: "MkClos", Words: 1},
	Box:         {Name: "Box", Words: 1},
	Impl:        {Name: "Impl", Words: 1, Class: Fresh, Results: 1},
	PanicTA:     {Name: "PanicTA", Words: 1, Class: Neutral},
	UnsafeChk:   {Name: "UnsafeChk", Words: 1},
	WrapChk:     {Name: "WrapChk", Words: 1, Class: Neutral},
	SliceS:      {Name: "SliceS", Words: 2},
	SliceStr:    {Name: "SliceStr", Words: 1},
	SliceA:      {Name: "SliceA", Words: 2},
	SliceToArr:  {Name: "SliceToArr", Words: 1, Class: Fresh, Results: 1},
	Append:      {Name: "Append", Words: 1, Class: Fresh, Results: 3},
	Copy:        {Name: "Copy", Words: 1, Class: Fresh, Results: 1},
	ClearS:      {Name: "ClearS", Words: 1, Class: Neutral},
	StrCat:      {Name: "StrCat", Class: Fresh, Results: 2},
	BytesToStr:  {Name: "BytesToStr", Class: Fresh, Results: 2},
	StrToBytes:  {Name: "StrToBytes", Class: Fresh, Results: 3},
	RunesToStr:  {Name: "RunesToStr"},
	StrToRunes:  {Name: "StrToRunes"},
	IntToStr:    {Name: "IntToStr"},
	MapGet:      {Name: "MapGet", Words: 1},
	MapSet:      {Name: "MapSet", Words: 1},
	MapDel:      {Name: "MapDel", Words: 1},
	MapLen:      {Name: "MapLen", Class: Fresh, Results: 1},
	MapClear:    {Name: "MapClear", Words: 1, Class: Neutral},
	MapIter:     {Name: "MapIter", Class: Fresh, Results: 3},
	MapNext:     {Name: "MapNext", Words: 1},
	StrIter:     {Name: "StrIter", Class: Fresh, Results: 3},
	StrNext:     {Name: "StrNext"},
	Send:        {Name: "Send", Class: Neutral},
	Recv:        {Name: "Recv"},
	Select:      {Name: "Select"},
	Close:       {Name: "Close", Class: Neutral},
	ChanLen:     {Name: "ChanLen", Class: Fresh, Results: 1},
	ChanCap:     {Name: "ChanCap", Class: Fresh, Results: 1},
	Print:       {Name: "Print"},
	Clock:       {Name: "Clock", Words: 1},
	Counted:     {Name: "Counted", Class: Neutral},
	Unsupported: {Name: "Unsupported", Words: 1, Class: Neutral},
	Cover:       {Name: "Cover", Class: Neutral},
	Own:         {Name: "Own", Class: Neutral},
}

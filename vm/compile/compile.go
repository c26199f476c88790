package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// Linker gives numbers and addresses to the objects to which code refers.
type Linker interface {
	Global(*ssa.Global) uint64 // guest pointer to the variable
	Literal(string) uint64     // guest pointer to the bytes
	Func(*ssa.Function) uint32 // function number
	// Stub returns the number of a function that performs a builtin for the statement at a place.
	Stub(b *ssa.Builtin, sig *types.Signature, at token.Pos) uint32
	Native(*ssa.Function) (int, bool) // native number
	Unused(int) int                   // number of that native for calls whose result is not used
	TypeWord(types.Type) uint64       // guest pointer to the type's descriptor
	MapType(types.Type) uint32        // number of a map type
	Layout(types.Type) *layout.Layout
	ZeroBase() uint64        // guest pointer for values of no bytes
	Table(*ssa.Alloc) uint64 // guest pointer to the initial contents of the memory, or 0
	Captures() *Captures
	Trusted(*ssa.Function) bool
	OnlyCalled(*ssa.Function) bool // only the reader's own code calls it
	IsOwn(*ssa.Function) bool      // the function is the reader's own
	Ordered(*ssa.Range) bool       // the order in which the loop visits a map makes a difference
	Untried(*ssa.MakeChan) bool    // every operation on the channel waits
	ReadsOutput() bool             // the program may read its own output
	Clocked(*ssa.Function) bool    // the effect of the clock on the function matters
	Puns(*ssa.Function) (check, walks bool)
	// Kept lists values whose registers are given to no other value later on, for a debugger. The registers
	// still count as dead, so they are no part of a state.
	Kept(*ssa.Function) []ssa.Value
	// Begins returns the numbers of the blocks of source code whose execution is noted (load.Block)
	// that begin before the i-th instruction of a basic block.
	Begins(b *ssa.BasicBlock, i int) []int
	Between(from, to *ssa.BasicBlock) []int // the same on the way from one basic block to the next
}

// compiler is the state of compiling one function.
//
// The fields are in the order of the phases. prepare sets fused, alias and extracts: fused values
// have no code of their own, alias maps a load to the free variable whose register it is, and
// extracts lists the Extract instructions of each tuple (an empty list if it has none). allocate
// sets reg, regWords and nregs: reg is a value's first register (0 for a value of no words, which
// has none), regWords the same in the form of bytecode.LiveEntry, and nregs the number of registers
// below the scratch registers.
//
// The results of emission begin anew with each of the two passes of emitAll, except for maxScr and
// pins, which the first pass computes for the second.
//
// Invariant: a scratch register is valid within the code of one SSA instruction or of one edge; all
// that lives longer is in reg or in the outgoing window.
type compiler struct {
	l  Linker
	fn *ssa.Function
	f  *bytecode.Func

	blocks   []*ssa.BasicBlock
	fused    map[ssa.Value]bool
	alias    map[ssa.Value]ssa.Value // loads of variables captured by value
	extracts map[ssa.Value][]ssa.Value
	lv       *liveness
	reg      map[ssa.Value]int
	regWords [][]uint16 // by value number: the registers, with pointer marks
	nregs    int

	// Emission.
	code      []bytecode.Instr
	blockPC   map[*ssa.BasicBlock]int
	fixups    []fixup
	far       bool // short branches may not reach
	scratch   int  // next scratch register of the present instruction
	maxScr    int
	window    int // first register of the outgoing window
	maxWindow int
	before    []uint16 // registers live before the present instruction
	after     []uint16 // registers live after the present instruction, its results excluded
	lastLive  []uint16
	listing   []uint16       // regList's
	pins      []uint64       // constants used in loops, made once on entry
	pinned    map[uint64]int // registers of the pins
	inLoop    map[*ssa.BasicBlock]bool
	entered   bool // the mark of the reader's own code is still to be emitted
	looping   bool // the present instruction is in a loop
	methods   map[*types.Func]uint16
	texts     map[string]int

	clock       bool               // see Linker.Clocked
	huge        bool               // there is a value of 2 GB or more
	unusedLoads map[*ssa.UnOp]bool // big loads whose result is not used
	// lateDefers: ssa (v0.52) forgets RunDefers in a function whose only defer statements are two
	// or more loops over functions deep; returns make up for it.
	lateDefers bool
}

// fixup is a branch whose target is not known yet.
//
//	the edge needs no moves:   branch ───────────────────▶ target
//	the edge needs moves:      branch ──▶ trampoline ──▶ jump to target
type fixup struct {
	pc     int
	target *ssa.BasicBlock
	edge   *edge // a trampoline, if the edge needs moves
}

// edge is a control-flow edge whose phi moves need code of their own. The block that the edge leaves has
// another successor, so the block cannot make the moves before it branches.
type edge struct {
	from, to *ssa.BasicBlock
	pc       int
}

// Compile returns the bytecode of fn, whose body must be built.
//
// There are two passes, because the frame's layout depends on all emitted code:
//
//	pass 1   emits with the window out of the way; counts scratch registers, collects pins
//	pass 2   emits with the registers that result; live lists are recorded
//
// Compile is called once for each function, when that is first called.
func Compile(fn *ssa.Function, id uint32, l Linker) (f *bytecode.Func, err error) {
	c := &compiler{l: l, fn: fn, clock: l.Clocked(fn)}
	c.f = &bytecode.Func{ID: id, Name: fn.String(), SSA: fn, RecoverPC: -1, Trusted: l.Trusted(fn), Own: l.IsOwn(fn)}
	// gc, too, knows reflect.callReflect by its name.
	initialiser := fn.Synthetic == "package initializer" // stacks show it, as gc's do
	c.f.Wrapper = fn.Synthetic != "" && fn.Syntax() == nil && !initialiser || c.f.Name == "reflect.callReflect"
	// Sizes that callers rely on: words of parameters and results. A receiver is the first
	// parameter.
	sig := fn.Signature
	for _, p := range fn.Params {
		c.f.NParam += c.words(p)
	}
	for i := 0; i < sig.Results().Len(); i++ {
		c.f.NResult += l.Layout(sig.Results().At(i).Type()).Words()
	}
	c.prepare()
	for _, fv := range fn.FreeVars {
		c.f.NCap += c.words(fv)
	}
	// Registers. A function leaves its results in the registers from 0 on. So it has at least as
	// many registers as its results have words.
	c.blocks = order(fn)
	c.lv = c.analyse()
	c.nregs = max(c.allocate(c.lv), c.f.NResult)
	c.f.NVals = c.nregs
	// The first pass counts the scratch registers.
	c.findLoops()
	c.window = math.MaxInt16
	c.emitAll()
	// Now the frame can be laid out: values, then pinned constants, then scratch, then the window.
	// The second pass needs no more scratch registers than the first one, because pins only replace some.
	c.pinned = map[uint64]int{}
	for _, w := range c.pins {
		c.pinned[w] = c.nregs
		c.nregs++
	}
	c.window = c.nregs + c.maxScr + bytecode.FrameHeader
	c.maxWindow = 0
	c.emitAll()
	// In a frame whose deferred calls run because of a panic only the values that the recover block reads
	// are live: control can continue nowhere else in it.
	always := newBitset(len(c.lv.values))
	for _, id := range c.lv.always {
		always.add(id)
	}
	c.f.Recovered = c.regList(always)
	c.f.Code = c.code
	c.f.Regs = c.reg
	c.f.NRegs = c.nregs + c.maxScr
	c.f.Window = c.window + c.maxWindow
	if c.f.Window >= bytecode.NoReg {
		return nil, fmt.Errorf("%s: function too large: %d registers", fn, c.f.Window)
	}
	return c.f, nil
}

// words returns the number of registers v needs. It depends on v's type, with two exceptions: the iterator
// of a range loop (MapIter, StrIter), whose type is opaque, and a free variable captured by value, which
// has the type of a pointer but holds the variable.
func (c *compiler) words(v ssa.Value) int {
	switch v := v.(type) {
	case *ssa.Range:
		return 3
	case *ssa.FreeVar:
		for i, fv := range c.fn.FreeVars {
			if fv == v && c.l.Captures().ByValue(c.fn, i) {
				return c.l.Layout(v.Type().Underlying().(*types.Pointer).Elem()).Words()
			}
		}
	}
	l := c.l.Layout(v.Type())
	c.huge = c.huge || l.Huge
	return l.Words()
}

// appendRegs appends the registers of v, which begin with reg, as in Layout.AppendRegs. In an iterator only
// the first word is a pointer, and the third one if it refers to an order.
func (c *compiler) appendRegs(list []uint16, v ssa.Value, reg int) []uint16 {
	switch x := v.(type) {
	case *ssa.Range:
		order := uint16(0)
		if isMap(x.X.Type()) && c.l.Ordered(x) {
			order = 1
		}
		e := uint16(reg) << 1
		return append(list, e|1, e+2, e+4|order)
	case *ssa.FreeVar:
		for i, fv := range c.fn.FreeVars {
			if fv == x && c.l.Captures().ByValue(c.fn, i) {
				return c.l.Layout(v.Type().Underlying().(*types.Pointer).Elem()).AppendRegs(list, reg)
			}
		}
	}
	return c.l.Layout(v.Type()).AppendRegs(list, reg)
}

func (c *compiler) emit(op bytecode.Op, a, b, x int) int {
	c.code = append(c.code, bytecode.Instr{Op: op, A: uint16(a), B: uint16(b), C: uint16(x)})
	return len(c.code) - 1
}

func (c *compiler) emitImm(op bytecode.Op, a int, imm int32) int {
	c.code = append(c.code, bytecode.Instr{Op: op, A: uint16(a)}.WithImm32(imm))
	return len(c.code) - 1
}

func (c *compiler) word(w uint64) { c.code = append(c.code, bytecode.RawWord(w)) }

// temp returns n fresh scratch registers, valid for the present instruction.
func (c *compiler) temp(n int) int {
	r := c.nregs + c.scratch
	c.scratch += n
	c.maxScr = max(c.maxScr, c.scratch)
	return r
}

// out reserves n words of the outgoing window.
// The window's size is the largest that any call of the function needs.
func (c *compiler) out(n int) { c.maxWindow = max(c.maxWindow, n) }

// unsupported emits a refusal, which takes effect only if it is reached. A program is not refused for code
// that it does not execute.
func (c *compiler) unsupported(text string) {
	c.emit(bytecode.Unsupported, 0, 0, 0)
	c.text(text)
}

// text emits the word that names text.
func (c *compiler) text(text string) {
	i, ok := c.texts[text]
	if !ok {
		i = len(c.f.Texts)
		c.texts[text] = i
		c.f.Texts = append(c.f.Texts, text)
	}
	c.word(uint64(i))
}

// dst returns the register for the result of v; an unused result has a scratch register. An instruction with
// an unused result is executed for its panic or its effect.
func (c *compiler) dst(v ssa.Value) int {
	if r, ok := c.reg[v]; ok {
		return r
	}
	return c.temp(c.words(v))
}

// use returns a register that holds v. The caller must not write to it, because it may be the register of v
// itself, or that of a pinned constant in a loop. Other values are computed in scratch registers at every
// use.
func (c *compiler) use(v ssa.Value) int {
	if a, ok := c.alias[v]; ok {
		v = a
	}
	if r, ok := c.reg[v]; ok {
		return r
	}
	if w, ok := c.wordConst(v); ok && c.looping {
		if r, ok := c.pinned[w]; ok {
			return r
		}
		c.pin(w)
	}
	r := c.temp(max(1, c.words(v)))
	c.into(v, r)
	return r
}

// maxPins bounds the constants a function makes on entry for its loops.
const maxPins = 16

// pin requests that constant w is made once, on entry; only the first pass takes requests.
// The second pass has the registers (pinned is set).
func (c *compiler) pin(w uint64) {
	if c.pinned == nil && len(c.pins) < maxPins && !slices.Contains(c.pins, w) {
		c.pins = append(c.pins, w)
	}
}

// findLoops marks the blocks between a loop's head and the jump back to it,
// which in reverse postorder are (nearly) the loop.
// A block that is marked without being part of a loop costs a register and an instruction on entry
// at most.
func (c *compiler) findLoops() {
	at := map[*ssa.BasicBlock]int{}
	for i, b := range c.blocks {
		at[b] = i
	}
	c.inLoop = map[*ssa.BasicBlock]bool{}
	for i, b := range c.blocks {
		for _, s := range b.Succs {
			for k := at[s]; k <= i; k++ {
				c.inLoop[c.blocks[k]] = true
			}
		}
	}
}

// move copies n registers.
func (c *compiler) move(dst, src, n int) {
	if dst == src {
		return
	}
	switch n {
	case 0:
	case 1:
		c.emit(bytecode.Mov, dst, src, 0)
	case 2:
		c.emit(bytecode.Mov2, dst, src, 0)
	case 3:
		c.emit(bytecode.Mov3, dst, src, 0)
	default:
		c.emit(bytecode.MovN, dst, src, n)
	}
}

// into emits code that puts v into register r.
// A function as a value is its number with bit 63 set, unlike a pointer to a closure.
func (c *compiler) into(v ssa.Value, r int) {
	if a, ok := c.alias[v]; ok {
		v = a
	}
	switch v := v.(type) {
	case *ssa.Const:
		c.constInto(v, r)
	case *ssa.Global:
		if c.l.Layout(v.Type().Underlying().(*types.Pointer).Elem()).Huge {
			c.unsupported(HugeObject)
		}
		c.constant(r, c.l.Global(v))
	case *ssa.Function:
		c.constant(r, uint64(c.l.Func(v))|1<<63)
	case *ssa.Builtin:
		c.unsupported("use of builtin " + v.Name() + " as a value")
	default:
		if i, ok := v.(ssa.Instruction); ok && c.fused[v] {
			// A fused value that is needed in a register: compute it here.
			c.fusedInto(i, r)
			return
		}
		c.move(r, c.reg[v], c.words(v))
	}
}

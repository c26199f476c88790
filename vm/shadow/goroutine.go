package shadow

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// A Goroutine is the part of a goroutine's record that instructions read and write: its registers, their
// shadows, and its place in the program.
type Goroutine struct {
	Frame
	Stack   []uint64
	Shadow  []*symbolic.Term // shadows of the stack's words, if the machine tracks symbolic values
	Clean   uint32           // no word from here on has a label, or NoneClean: see labels_skip.go
	Reached uint32           // likewise, but never lower than the end of a frame that may have had labels
}

// A Frame is the part of a goroutine that is saved before it changes, except the stack. While an operation
// is pending, PC is the instruction that executes it, and Fn and FP are its frame.
type Frame struct {
	ID     trace.GID
	Fn     *bytecode.Func
	PC     int32
	FP     uint32
	Choice int32  // the alternative that the explorer has chosen for the pending operation
	Ways   int32  // alternatives of the pending decision
	Facts  *Fact  // facts about inputs; see decide.go
	NVars  uint32 // number of variables that the goroutine has made
}

// Reach records that the words of the running frame may have labels.
func (g *Goroutine) Reach() {
	if g.Fn != nil {
		g.Reached = max(g.Reached, g.FP+uint32(g.Fn.Window))
	}
}

// Reg returns register i of the running frame.
func (g *Goroutine) Reg(i uint32) *uint64 { return &g.Stack[g.FP+i] }

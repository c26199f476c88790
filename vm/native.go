package vm

import (
	"go/types"
	"math"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// Regs is the register window of a native call: parameters from word 0 on, each value as its memory
// image; results go to the same place. A method's receiver comes first.
type Regs struct{ p unsafe.Pointer }

// at returns the host address of word i.
func (r Regs) at(i int) unsafe.Pointer { return unsafe.Add(r.p, i*8) }

// U returns word i.
func (r Regs) U(i int) uint64 { return *(*uint64)(unsafe.Add(r.p, i*8)) }

// I returns word i as a signed integer.
func (r Regs) I(i int) int64 { return int64(r.U(i)) }

// F returns word i as a float64.
func (r Regs) F(i int) float64 { return math.Float64frombits(r.U(i)) }

// Set sets word i.
func (r Regs) Set(i int, v uint64) { *(*uint64)(unsafe.Add(r.p, i*8)) = v }

// SetBool sets word i to a bool.
func (r Regs) SetBool(i int, v bool) { r.Set(i, b2u(v)) }

// SetF sets word i to a float64.
func (r Regs) SetF(i int, v float64) { r.Set(i, math.Float64bits(v)) }

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Ctl is the next action of the interpreter that a native asks for.
type Ctl uint8

const (
	// Next: results are in place; continue after the call.
	Next Ctl = iota
	// Called: a guest frame was pushed (Machine.callGuest, Machine.throw); continue there.
	Called
	// Stop: the goroutine's status was set (parked or ended); leave it.
	Stop
	// Unwind: a panic record was pushed; unwind.
	Unwind
)

// Native is a function of the guest implemented by the machine.
type Native struct {
	// Name is the SSA name: "math.Sqrt", "(*sync.Mutex).Lock". A native wins over a body.
	Name string
	Fn   func(m *Machine, g *goroutine, r Regs) Ctl
	// Peek, if set, makes every call a visible operation: it fills op (Kind and Access) without
	// side effects and returns the number of alternatives, 0 if the operation is not enabled now.
	// If it leaves op.Kind None, this call is local after all. Fn then runs only when the operation
	// is enabled; g.choice is the chosen alternative.
	Peek func(m *Machine, g *goroutine, r Regs, op *trace.Op) int
	// PeekUnused, if set, is the Peek of calls whose result is not used.
	PeekUnused func(m *Machine, g *goroutine, r Regs, op *trace.Op) int

	// Steady: while a call is pending, the result of Peek does not depend on other goroutines.
	Steady bool

	// Symbolic: Fn and Peek handle symbolic values, in the words and in memory.
	Symbolic bool
	// Labels: Fn handles labels of random values (drawn.go), but not symbolic ones.
	Labels bool
	// Makes, if set, returns the types of the symbolic values that a call makes, one after the
	// other: the lengths of strings and slices in them are decided before the call. Fn is Symbolic.
	Makes func(m *Machine, g *goroutine, r Regs) []types.Type

	effect effect // set by the linker
}

package vm

import (
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/loops"
	"hbcheck.dev/hbcheck/vm/native"
)

// Regs is the register window of a native call: see native.Words.
type Regs struct{ native.Words }

// regsAt returns the window that begins at a register.
func regsAt(p unsafe.Pointer) Regs { return Regs{native.Words{P: p}} }

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

// keep is a native whose results have the bits of its arguments.
func keep(m *Machine, g *goroutine, r Regs) Ctl { return Next }

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

	// Steady is set if the result of Peek does not depend on other goroutines while a call is pending.
	Steady bool

	// Symbolic: Fn and Peek handle symbolic values, in the words and in memory.
	Symbolic bool
	// Labels is set if Fn handles labels of random values (package shadow), but no symbolic values.
	Labels bool
	// Makes, if set, returns the types of the symbolic values that a call makes, one after the
	// other: the lengths of strings and slices in them are decided before the call. Fn is Symbolic.
	Makes func(m *Machine, g *goroutine, r Regs) []types.Type

	effect loops.Effect // set by allNatives
}

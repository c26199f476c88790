// Package hybrid merges the partial facts of static analyses over a live call stack (SPIN 2014, section 4.1):
// the operations that a goroutine may still execute. These are the operations from its next instruction to
// the return of its function, then those in the caller after the call, to the return of the caller, and so on
// down to the function of the go statement.
//
//	innermost frame   f: ... a; [x++]; b      Before(x++)   x++, b
//	its caller        g: ... f(); c; d        After(f())    c, d
//	go statement's    h: ... g(); e           After(g())    e
//	                                                        the future: {x++, b, c, d, e}
//
// The merge is exact as to calling contexts: only the callers that are really
// on the stack contribute.
package hybrid

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// A Frame is one activation on the stack of a goroutine between two of its steps.
type Frame struct {
	// Instr is the goroutine's next instruction in the innermost frame, and in other frames the call of the
	// next inner frame. It is nil in frames without SSA code: natives and builtins used as functions.
	Instr ssa.Instruction
	// Fn is the function, nil for one that is not in the program's source.
	Fn *ssa.Function
	// Builtin is the name of the builtin that a frame without Fn executes, if it executes one.
	Builtin string
	// Main: the machine's own first frame, which does nothing but return.
	Main bool
	// Unwinding: control returns to Instr itself and not to the next instruction (RunDefers, and frames
	// that are being unwound).
	Unwinding bool
	// Recovered is set for a deferred call if an earlier deferred call of the same function has recovered
	// from a panic.
	Recovered bool
	// ID names Fn's number and the program counter, for caching.
	ID uint64
}

// Futures returns the accesses that whole stacks may still make.
type Futures struct {
	F     *static.FieldAccess
	cache map[key]static.Set
}

type key struct {
	id               uint64
	inner, unwinding bool
}

// New returns a merger over the analysis f.
func New(f *static.FieldAccess) *Futures {
	return &Futures{F: f, cache: map[key]static.Set{}}
}

// FutureOf returns the accesses a goroutine with the given stack, innermost frame
// first, may still make.
func (h *Futures) FutureOf(stack []Frame) static.Set {
	s := static.Empty
	for i, fr := range stack {
		if fr.Main {
			continue
		}
		k := key{fr.ID, i == 0, i > 0 && fr.Unwinding || isRunDefers(fr.Instr)}
		x, ok := h.cache[k]
		if !ok {
			switch {
			case fr.Instr == nil && fr.Fn != nil:
				x = h.F.Whole(fr.Fn)
			case fr.Instr == nil && fr.Builtin == "close": // close accesses no memory
			case fr.Instr == nil:
				// A go statement has started a builtin, or the builtin is a deferred call. A deferred builtin
				// also counts in the function that deferred it.
				x = h.F.Everything()
			case !h.F.Known(fr.Instr.Parent()):
				x = h.F.Everything()
			case k.unwinding:
				x = h.F.Leaving(fr.Instr)
			case k.inner:
				x = h.F.Before(fr.Instr)
			default:
				x = h.F.After(fr.Instr)
			}
			h.cache[k] = x
		}
		s = h.F.Sets.Union(s, x)
	}
	return s
}

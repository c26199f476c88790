package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// A debugger stops between two instructions, where a search never stops. A machine with Config.Watch calls it
// before each instruction from the entry's beginning on, in a loop of its own (execute[stopping]), so that
// other machines do not pay for it. Watch may use the same methods as a query and must not change anything.
// The call may take long: a debugger executes the step as a coroutine.
//
// Claim: a watched machine behaves like one that is not watched.
//
//  1. The loop differs from the plain one only by storing g.pc before each instruction, and by executing
//     the instructions of fused operations one by one (TestFused). All readers of g.pc store it first,
//     except the end of the loop.
//  2. Questions of Watch may fill caches of views in the middle of a step. These are not used:
//     they belong to a moment, and a new one begins after each call. The running goroutine has
//     none: it gets its view when it reaches its next operation, after the last call.

// SetWatched sets whether Config.Watch is called from now on.
func (v Debugger) SetWatched(on bool) { v.m.watched = on && v.m.cfg.Watch != nil }

// watch calls Config.Watch, or notifies testCalls: g is about to execute an instruction of f.
func (m *Machine) watch(g *goroutine, f *bytecode.Func) {
	if !m.watched || !m.heap.Based {
		return
	}
	if m.inTests != nil {
		m.inTests.at(m, g, f)
	} else {
		m.cfg.Watch(m, Point{g.ID, f.ID, g.PC, g.FP})
	}
	m.moment++
}

// A DebugFrame is a function on a goroutine's stack, except wrappers and the machine's own.
type DebugFrame struct {
	SourceFrame
	At Point
	// Unwound: a panic has left the function; its variables are gone.
	Unwound bool
	// Innermost is set if PC is the next instruction; otherwise PC is the call.
	Innermost bool
}

// Frames returns the stack of goroutine id like Stack, with the data for inspecting variables. It
// may be called in the middle of a step.
func (v Debugger) Frames(id trace.GID) []DebugFrame {
	m := v.m
	g := m.gOf(id)
	if g.status == gEnded || g.overflow != nil {
		return nil
	}
	there := make(map[uint32]bool)
	m.eachWindow(g, func(_ *bytecode.Func, _ int32, fp uint32) bool {
		there[fp] = true
		return true
	})
	var list []DebugFrame
	var one []SourceFrame
	m.eachLogicalFrame(g, func(id uint32, pc int32, fp uint32) bool {
		if one = m.addFrame(one[:0], id, pc); len(one) > 0 {
			list = append(list, DebugFrame{SourceFrame: one[0], At: Point{g.ID, id, pc, fp}, Unwound: !there[fp] && id != m.rt[rtGopanic],
				Innermost: fp == g.FP && id == g.Fn.ID})
		}
		return len(list) < maxTrace
	})
	return list
}

// Points returns the positions of all frames of goroutine id, innermost first, including the
// machine's own.
func (v Debugger) Points(id trace.GID) (list []Point) {
	m := v.m
	g := m.gOf(id)
	if g.status == gEnded || g.overflow != nil {
		return nil
	}
	m.eachWindow(g, func(f *bytecode.Func, pc int32, fp uint32) bool {
		list = append(list, Point{g.ID, f.ID, pc, fp})
		return true
	})
	return list
}

// Place describes a point without its goroutine.
func (v Debugger) Place(p Point) SourceFrame { return *v.m.frame(v.m.code(p.Func), p.PC) }

// Running reports whether goroutine id is in the middle of a step, so that it has no pending
// operation.
func (v Debugger) Running(id trace.GID) bool {
	return v.m.Report().Alive(id) && v.m.gOf(id).status == gRunning
}

// Code returns the code of a point's function.
func (v Debugger) Code(p Point) *bytecode.Func { return v.m.code(p.Func) }

// Registers returns n words of the frame at p from register r on; nil if they are not there.
func (v Debugger) Registers(p Point, r, n int) []uint64 {
	m := v.m
	g := m.gOf(p.G)
	from := int(p.FP) + r
	if r < 0 || n < 0 || from+n > len(g.Stack) {
		return nil
	}
	return append([]uint64(nil), g.Stack[from:from+n]...)
}

// Read returns a copy of n bytes of memory at p, or nil if there is no such memory.
func (v Debugger) Read(p uint64, n int64) []byte {
	m := v.m
	if n < 0 {
		return nil
	}
	h := m.heap.Load(p, uint64(n), 0)
	if h == nil {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(h), n)...)
}

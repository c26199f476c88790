package vm

import (
	"slices"
	"unsafe"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/link"
)

// bottomReturn is the return word of a goroutine's first frame.
const bottomReturn = 0

// callValue pushes a frame for func value fv whose arguments are in window a of the running frame;
// control returns to g.pc. It reports false if it threw instead.
//
// Every call that is more than a call of a known function comes here: closures, nil, functions
// that have not been compiled.
func (m *Machine) callValue(g *goroutine, a uint16, fv uint64) bool {
	return m.pushFrame(g, g.FP+uint32(a), fv, uint64(g.FP), uint64(g.Fn.ID)<<32|uint64(uint32(g.PC)))
}

// pushFrame enters func value fv with its arguments at stack word fp: it copies the words that the closure
// has captured after them, and writes the header. link and ret are words of the header (see
// hdrLink). It reports false if it threw instead, because fv is nil, or if the stack has overflowed.
//
//	stack:   ... │ window of the caller │ link │ return │ func │ defer ║ params │ captured │ ...
//	                                                                   fp
func (m *Machine) pushFrame(g *goroutine, fp uint32, fv, link, ret uint64) bool {
	if fv == 0 {
		m.throw(g, rtPanicMem)
		return false
	}
	id := uint32(fv)
	var clos unsafe.Pointer
	if fv&funcBit == 0 {
		clos = m.heap.Load(fv, 8, 0)
		if clos == nil {
			m.throw(g, rtPanicMem)
			return false
		}
		id = uint32(*(*uint64)(clos))
	}
	c := m.link.Code[id]
	// Compiled at its first call.
	if c == nil || c.Code == nil {
		c = m.compile(id)
	}
	if !m.ensure(g, fp+uint32(c.Window)) {
		m.overflowStack(g)
		return false
	}
	if c.NCap > 0 {
		copy(g.Stack[fp+uint32(c.NParam):fp+uint32(c.NParam+c.NCap)], unsafe.Slice((*uint64)(unsafe.Add(clos, 8)), c.NCap))
		m.sym.Passed(&g.Goroutine, fp+uint32(c.NParam), fv+8, c.NCap)
	}
	g.Stack[fp-hdrLink] = link
	g.Stack[fp-hdrReturn] = ret
	g.Stack[fp-hdrFunc] = uint64(id)
	g.Stack[fp-hdrDefer] = 0
	g.FP, g.Fn, g.PC = fp, c, 0
	return true
}

// callGuest pushes a call of a compiled function above the running frame, as
// if the instruction before g.pc had made it. flags are frame flags.
//
// The overlay's functions that throw and recover are written in Go; callGuest calls them.
func (m *Machine) callGuest(g *goroutine, fv uint64, flags uint64, args ...uint64) {
	// The frame is above the window, not in it, because the window may hold the arguments of the native that
	// makes the call.
	fp := g.FP + uint32(g.Fn.Window) + bytecode.FrameHeader
	if !m.ensure(g, fp+uint32(len(args))+64) {
		m.overflowStack(g)
		return
	}
	copy(g.Stack[fp:], args)
	m.sym.Unknown(&g.Goroutine, fp, len(args))
	m.pushFrame(g, fp, fv, uint64(g.FP)|flags<<32, uint64(g.Fn.ID)<<32|uint64(uint32(g.PC)))
}

// throw raises a run-time panic at the instruction g is executing by calling
// the runtime overlay. The call's return address is the instruction itself: see callPC.
//
// It returns with a new frame on top of g, or with g halted because its stack has overflowed, so callers
// jump to "called" in exec, or return Called.
func (m *Machine) throw(g *goroutine, fn rtFunc, args ...uint64) {
	g.scheduled = false
	g.PC = g.executing()
	m.callGuest(g, uint64(m.rt[fn])|funcBit, frFault, args...)
}

// throwIndex raises the panic for index i of something of length n.
func (m *Machine) throwIndex(g *goroutine, i, n uint64) {
	_, unsigned := slices.BinarySearch(g.Fn.Unsigned, g.PC)
	m.throw(g, rtPanicIndex, i, n, b2u(unsigned))
}

// returned handles a return from a frame with flags; results are in place. It
// reports false if g must stop.
//
// The flag says who made the call:
//
//	frBottom       the go statement: the goroutine ends
//	frRunDefer     RunDefers at the end of a function: it is executed again, for the next one
//	frPanicDefer   the unwinding of a panic, which continues or has been recovered
//	frRecovered    the rest of the deferred calls after a recovery
func (m *Machine) returned(g *goroutine) bool {
	link := g.Stack[g.FP-hdrLink]
	flags := link >> 32
	if flags&frBottom != 0 {
		g.PC-- // at the return
		m.leave(g)
		return false
	}
	ra := g.Stack[g.FP-hdrReturn]
	m.popTo(g, uint32(link), uint32(ra>>32))
	g.PC = int32(uint32(ra))
	switch {
	case flags&frRunDefer != 0:
		// g.pc is at the RunDefers instruction, which continues with the next record.
	case flags&frRecovered != 0:
		m.finishRecovery(g)
	case flags&frPanicDefer != 0:
		m.unwindOn(g)
	}
	return true
}

// popTo makes the frame at fp of function id the running one.
//
// A caller's frame is saved when control returns to it, not when a step begins, because a step usually stays
// in one or two frames of a deep stack.
func (m *Machine) popTo(g *goroutine, fp, id uint32) {
	g.FP, g.Fn = fp, m.link.Code[id]
	// The frame is going to change, and has not been saved in this epoch.
	if fp-bytecode.FrameHeader < g.savedLo {
		m.saveCallerFrame(g, fp-bytecode.FrameHeader)
	}
}

// spawnFrame gives new goroutine g its first frame: fv called with args.
//
// The arguments are at the place where a caller's window would have had them.
func (m *Machine) spawnFrame(g *goroutine, fv uint64, args []uint64) bool {
	fp := uint32(bytecode.FrameHeader)
	g.grow(fp + uint32(len(args)) + 64)
	copy(g.Stack[fp:], args)
	g.Fn = m.link.Code[0]
	g.FP = fp
	return m.pushFrame(g, fp, fv, frBottom<<32, bottomReturn)
}

// startG executes a go statement of g: fv with args on a new goroutine.
//
// When there is a second goroutine (multi), all objects to which global variables refer become shared;
// later also objects that are published.
func (m *Machine) startG(g *goroutine, fv uint64, args []uint64, system bool) *goroutine {
	// Two goroutines can now reach the arguments of the new goroutine, and the objects of variables.
	if !m.multi {
		m.shareRoots()
	}
	m.heap.Publish(fv)
	//mutant: what a child has of its parent's caches is private [models TestCaches/inherited]
	m.heap.Publish(g.owned)
	for _, a := range args {
		m.heap.Publish(a)
	}
	n := m.newG(g)
	n.system = system
	if !system {
		m.noteExisted(n.ID)
	}
	m.createdBy(n, g, g.PC)
	if !system {
		m.alive++
		m.count(+1)
	}
	if !m.spawnFrame(n, fv, args) {
		panic("BUG: go of a nil func value")
	}
	m.sym.Spawned(&n.Goroutine, &g.Goroutine, n.FP, args)
	m.name(g, n)
	// Its local work is part of this step: it reaches its first visible operation in runLocal.
	m.ready = append(m.ready, n.slot)
	m.advanced = append(m.advanced, n.ID)
	return n
}

// endG ends g.
//
// An ended goroutine stays in gs, because other data refer to its slot and number.
func (m *Machine) endG(g *goroutine) {
	if g.ID == 0 {
		m.mainEnd = true
	}
	g.status = gEnded
	m.alives.ended++
	g.pending = trace.Op{G: g.ID}
	g.owned = 0
	if !g.system {
		m.alive--
	}
	if g.coro != 0 {
		m.coroEnd(g)
	}
}

// compile compiles function id, unless it has been compiled.
func (m *Machine) compile(id uint32) *bytecode.Func {
	c := &m.cfg
	return m.link.Compile(id, link.Options{Run: c.Run, Clock: m.facts.ClockUsed, Shifted: !c.AbsoluteTime, Slots: m.hasSlots(), Orders: c.Maps == MapsEvery,
		Body: m.noteAddresses})
}

// noteAddresses records where fn, a function of the user that is about to be executed, converts an address
// to a number: the machine tries only one of many possible values and orders of addresses.
func (m *Machine) noteAddresses(fn *ssa.Function) {
	if p := m.prog.PackageOf(original(fn)); p == nil || p.Std || m.cfg.Run {
		return
	}
	for _, i := range observable.Addresses(fn) {
		pos := m.fset.Position(i.Pos())
		pos.Column, pos.Offset = 0, 0
		if a := (Assumption{AddressUsed, pos}); !slices.Contains(m.assumed, a) {
			m.assumed = append(m.assumed, a)
		}
	}
}

// leave is called when g has left its last frame.
func (m *Machine) leave(g *goroutine) {
	// When main returns the process ends; main's goroutine does not.
	outlives := g.ID == 0 && !m.goexited && !m.testOnMain()
	//mutant: ending is local work [points]: "m.facts.Counted && g.inCount()" -> "g == nil"
	if m.facts.Counted && g.inCount() && !outlives {
		g.scheduled = false // scheduled was set for the operation before
		if !m.mayCount(g, trace.End) {
			return
		}
		m.count(-1)
	}
	m.endG(g)
}

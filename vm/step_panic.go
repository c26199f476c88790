package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/compile"
)

// Panics and deferred calls live in guest memory, so they rewind and hash like
// all other objects. The overlay's runtime package declares the same record:
//
//	type hbPanic struct {
//		link      *hbPanic       // the panic that was running when this one was raised
//		value     any
//		trace     unsafe.Pointer // where it was raised: see captureTrace
//		frame     uintptr        // stack word of the frame whose deferred calls are being run
//		recovered bool
//		aborted   bool           // a newer panic has unwound the deferred call this one ran
//		goexit    bool           // runtime.Goexit in disguise
//		again     bool           // raised once more, with the same value, by a deferred call
//	}
const (
	pnLink = iota * 8
	pnType
	pnData
	pnTrace
	pnFrame
	pnFlags
	pnSize
)

// Bytes of the flags word, in the order of hbPanic's fields.
const (
	pfRecovered = 1 << (8 * iota)
	pfAborted
	pfGoexit
	pfAgain
)

// A deferred call is a record {link, func value, argument words...}. The records of a frame are a
// list, the newest first, which begins at the frame's header:
//
//	fp - hdrDefer ──▶ │ link │ func │ args ... │     link ──▶ the record of an earlier defer, or 0
//
// The body of a loop over a function defers in the frame of the function around it. The frame has a head of
// the list then, an object of its own, because other goroutines can execute the body:
//
//	fp - hdrDefer ──▶ │ link │ ──▶ │ link │ func │ args ... │
const (
	dfLink = iota * 8
	dfFunc
	dfArgs
)

func (m *Machine) word(p ptr, off uint64) uint64 {
	return *(*uint64)(m.heap.Load(p+off, 8, 0))
}

func (m *Machine) setWord(p ptr, off uint64, v uint64) {
	m.heap.WillWrite(uint32(p >> 32))
	*(*uint64)(m.heap.Load(p+off, 8, 0)) = v
}

// raise pushes a panic record for interface value (tw, data) and leaves the
// unwinding to the caller.
func (m *Machine) raise(g *goroutine, tw, data uint64, flags uint64) {
	id := m.alloc(g, pnSize, m.layPanic)
	p := ptr(id) << 32
	w := (*[6]uint64)(m.heap.Objs[id].Mem)
	*w = [6]uint64{g.panics, tw, data, m.captureTrace(g), uint64(g.FP), flags}
	g.panics = p
}

// deferList gives the running frame a head of its list of deferred calls, and returns it.
func (m *Machine) deferList(g *goroutine) ptr {
	p := ptr(m.alloc(g, dfFunc, m.layDefer)) << 32
	g.Stack[g.FP-hdrDefer] = p
	return p
}

// deferred returns the newest record of a frame, whose header has d; and the head of its list, or 0.
func (m *Machine) deferred(d uint64) (record, list ptr) {
	if d != 0 && m.heap.Objs[d>>32].Size == dfFunc {
		return m.word(d, dfLink), d
	}
	return d, 0
}

// pushDefer records a deferred call in the list, or in the running frame if list is 0.
//
//	for i := range 3 { defer f(i) }       records: 2 ─▶ 1 ─▶ 0, run in that order
func (m *Machine) pushDefer(g *goroutine, list ptr, fv uint64, args []uint64, lay uint32) {
	p := ptr(m.alloc(g, dfArgs+uint32(len(args))*8, lay)) << 32
	w := unsafe.Slice((*uint64)(m.heap.Objs[p>>32].Mem), 2+len(args))
	w[1] = fv
	copy(w[2:], args)
	m.sym.DeferredWords(&g.Goroutine, p+dfArgs, args)
	//mutant: defers of loops stay in their goroutine [test ./internal/native TestOutcomes/areas/rangefuncs]: "list == 0" -> "true"
	if list == 0 {
		head := &g.Stack[g.FP-hdrDefer]
		w[0], *head = *head, p
		return
	}
	w[0] = m.word(list, dfLink)
	m.setWord(list, dfLink, p)
	m.publishStore(list, p)
}

// popDefer enters the newest deferred call of the running frame with the given
// frame flags; it reports false if there is none. Control returns to g.pc.
//
// The record is taken off the list before the call, so a panic in the deferred function continues with the
// next one. The user's own code continues here, with its next deferred call, or after the last one.
func (m *Machine) popDefer(g *goroutine, flags uint64) bool {
	//mutant: whole calls: deferred calls are one [test ./internal/progen TestWholeCallsByHand]: "g.inCall &&" -> "g.inCall ||"
	g.inCall = g.inCall && !g.Fn.Own
	d, list := m.deferred(g.Stack[g.FP-hdrDefer])
	if d == 0 {
		return false
	}
	o := &m.heap.Objs[d>>32]
	w := unsafe.Slice((*uint64)(o.Mem), o.Size/8)
	if list == 0 {
		g.Stack[g.FP-hdrDefer] = w[0]
	} else {
		m.setWord(list, dfLink, w[0])
	}
	fp := g.FP + uint32(g.Fn.Window) + bytecode.FrameHeader
	m.callGuest(g, w[1], flags, w[2:]...)
	if g.FP == fp && w[1] != 0 { // callGuest has not started a panic
		m.sym.Passed(&g.Goroutine, fp, d+dfArgs, len(w)-2)
	}
	return true
}

// unwind starts or continues the newest panic: it runs the deferred calls of
// the running frame and, when there are none left, leaves the frame.
//
//	frames:   main ── f ── g ── panic        g's deferred calls run first, on top of the stack as
//	                                         it was when it panicked; then g is left, then f
//	a deferred call d of g:   main ── f ── g ── d     returns to unwindOn (frPanicDefer)
func (m *Machine) unwind(g *goroutine) {
	for {
		m.setWord(g.panics, pnFrame, uint64(g.FP))
		if m.popDefer(g, frPanicDefer) {
			return
		}
		link, ra := g.Stack[g.FP-hdrLink], g.Stack[g.FP-hdrReturn]
		flags := link >> 32
		if flags&frBottom != 0 {
			m.unwound(g)
			return
		}
		// The frame has been left; its caller is unwound next.
		if flags&(frPanicDefer|frRecovered) != 0 {
			// This frame was a deferred call run by an older panic, which has ended.
			if old := m.word(g.panics, pnLink); old != 0 && flags&frPanicDefer != 0 {
				m.setWord(old, pnFlags, m.word(old, pnFlags)|pfAborted)
			}
		}
		m.popTo(g, uint32(link), uint32(ra>>32))
		g.PC = callPC(link, ra)
	}
}

// unwindOn is reached when a deferred call run by unwind has returned.
//
// There are three ways to continue: the panic continues; it has been recovered, and the frame returns;
// it has been recovered, but an older Goexit is in progress, which a recovery cannot stop.
func (m *Machine) unwindOn(g *goroutine) {
	p := g.panics
	fl := m.word(p, pnFlags)
	if fl&pfRecovered == 0 {
		m.unwind(g)
		return
	}
	// Drop the recovered panic and the aborted ones below it; an aborted Goexit continues instead
	// of a normal return.
	p = m.word(p, pnLink)
	for p != 0 && m.word(p, pnFlags)&pfAborted != 0 {
		if m.word(p, pnFlags)&pfGoexit != 0 {
			m.setWord(p, pnFlags, pfGoexit)
			g.panics = p
			m.unwind(g)
			return
		}
		p = m.word(p, pnLink)
	}
	g.panics = p
	m.finishRecovery(g)
}

// finishRecovery runs the remaining deferred calls of a frame that
// recovered, then lets it return with its named results.
//
// It is entered once for each remaining deferred call, by the flag frRecovered.
func (m *Machine) finishRecovery(g *goroutine) {
	if m.popDefer(g, frRecovered) {
		return
	}
	// All deferred calls have run: return the named results, or zeros if the results have no names.
	if g.Fn.RecoverPC >= 0 {
		g.PC = g.Fn.RecoverPC
		return
	}
	clear(g.Stack[g.FP : g.FP+uint32(g.Fn.NResult)])
	m.sym.Unknown(&g.Goroutine, g.FP, g.Fn.NResult)
	g.PC = int32(len(g.Fn.Code)) - 2 // every function ends in Ret0, Nop
}

// unwound is reached when a panic has left a goroutine's last frame.
func (m *Machine) unwound(g *goroutine) {
	if m.word(g.panics, pnFlags)&pfGoexit != 0 {
		m.goexited = m.goexited || g.ID == 0
		m.leave(g)
		return
	}
	m.callGuest(g, uint64(m.rt[rtFatalPanic])|funcBit, 0, g.panics)
}

// recovered implements recover() in the running frame. deferred is set if the running frame is that
// of a deferred call of recover itself.
//
//	func f() { defer d(); panic(1) }
//	func d() { recover() }                    recovers: d was called by the unwinding
//	func d() { e() }; func e() { recover() }  does not: e was called by d
func (m *Machine) recovered(g *goroutine, deferred bool) (tw, data uint64) {
	fp, fn := g.FP, g.Fn
	up := func() {
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		fp, fn = uint32(link), m.link.Code[ra>>32]
	}
	flags := func() uint64 { return g.Stack[fp-hdrLink] >> 32 }
	if deferred {
		// A deferred recover that runs when its function returns is like a call from there. If unwinding
		// runs it, it is not called by a deferred function.
		if flags()&(frRunDefer|frRecovered) == 0 {
			return 0, 0
		}
		up()
	}
	// The body of a loop over a function belongs to the function around it.
	for fn.SSA != nil && fn.SSA.Synthetic == compile.RangeFuncBody {
		for parent := fn.SSA.Parent(); fn.SSA != parent; {
			if flags()&frBottom != 0 {
				return 0, 0
			}
			up()
		}
	}
	// A deferred synthetic wrapper passes on the right to recover.
	for flags() == 0 {
		if up(); !fn.Wrapper {
			return 0, 0
		}
	}
	p := g.panics
	if flags()&frPanicDefer == 0 || p == 0 {
		return 0, 0
	}
	// Only a function called by the newest panic's unwinding may recover it, and only once (spec:
	// Handling panics). Goexit cannot be recovered.
	byUnwinding := uint32(g.Stack[fp-hdrLink]) == uint32(m.word(p, pnFrame)) // whether the unwinding is that of the newest panic
	if !byUnwinding || m.word(p, pnFlags)&(pfGoexit|pfRecovered) != 0 {
		return 0, 0
	}
	m.setWord(p, pnFlags, m.word(p, pnFlags)|pfRecovered)
	return m.word(p, pnType), m.word(p, pnData)
}

package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// status is the activity of a goroutine between steps.
type status uint8

const (
	// gReady: a visible operation is pending, enabled or not.
	gReady status = iota
	// gRunning: it has local work to do before its next visible operation.
	gRunning
	// gSwitchedOut: it is a coroutine, or waits for one (see coroSwitch).
	gSwitchedOut
	// gSpinning: it loops forever (see step_diverge.go and await_eliminate.go).
	gSpinning
	// gEnded: it has returned, called Goexit, or been stopped.
	gEnded
)

// goroutine is the record of one guest goroutine. Everything but the stack is
// saved by copying the struct.
//
// Invariant: within an epoch the record is saved before it changes (epoch), and so are the words of
// frames of the state at the mark (savedLo). Words above the top frame's window belong to no frame
// of that state, and need not be saved.
type goroutine struct {
	shadow.Goroutine
	gstate
	view     view
	member   membership // of Machine.able
	outcomes outcomes   // both invalid
	serial   serialised // as soon as gstate or the stack changes
	stamp    uint64     // valid as long as they do not change; 0: none yet (see Stamp)
	slot     uint32
	callers  callerCache
	inNative bool // its native is executing: pc is after the call
	// epoch is the one in which the record and the stack words from savedLo up were last saved.
	epoch   uint64
	savedLo uint32
}

// gstate is the part of a goroutine that changes as it runs, together with shadow.Frame. nspawn
// and nalloc count the goroutines that it has started and the objects that it has allocated; with its own
// number they identify those on all paths.
type gstate struct {
	status    status
	system    bool // a timer or other helper of the models: never a leak
	parked    bool // it waits in its channel operation, visible to others
	scheduled bool // the pending operation may execute now
	panics    ptr  // top panic record
	nspawn    uint32
	nalloc    uint32
	nfiles    uint32 // number of files it has opened, if no number of a descriptor can be seen
	wait      waitState
	pending   trace.Op
	steps     uint64 // visible operations executed
	parent    trace.GID
	goFunc    uint32 // where it was created
	goPC      int32
	origin    uint64         // hash of the places where it and its ancestors were created; 0: main
	coro      ptr            // the coroutine it is, or 0
	owned     ptr            // its entries in caches of the library: see sync.Own of the overlay
	nrand     uint32         // number of random words it has received
	orders    uint32         // orders of maps it has tried: see tryOrders
	label     uint64         // deadline on the virtual clock while it sleeps
	late      uint8          // number of times that time has woken it since the entry ended: see spent
	bubble    uint32         // synctest bubble it belongs to; 0: none
	overflow  *stackOverflow // the pending stack overflow, with only the outermost frame left; or nil
	looked    lookBack       // its last clock read, if it is in a loop
	timed     timedLoop      // the timed loop that it is in
	came      int64          // time of its arrival at its operation on channels: see step_queue.go
	cameAfter int64          // number of calls of synctest.Wait before that
	assigned  uint16         // 1 + the case of its select that gc has completed, or 0: see step_queue.go
	trail     *snapshot      // the reduction's snapshots since the last effect, if it is in a loop; or nil
	assumes   bool           // it waits forever, because an assumption does not hold
	counts    bool           // a Clock says that the next value gets a label: see drawn_clock.go
	test      string         // the test that it was started to execute; empty: none
	leaves    bool           // when it is ending: it has executed none of the program's code since its last operation
}

// A record is the part of a goroutine, besides its stack, that a rewind restores.
type record struct {
	shadow.Frame
	gstate
}

func (g *goroutine) record() record    { return record{g.Frame, g.gstate} }
func (g *goroutine) restore(r *record) { g.Frame, g.gstate = r.Frame, r.gstate }

// waitState describes a channel operation or a signalled wait in progress. seq is the number of the
// goroutine's arrival at its pending operation, from Machine.arrivals: among the partners of a
// channel operation, run mode takes the one that arrived first.
type waitState struct {
	obj      ptr  // the awaited object
	notified bool // a Cond's Signal has chosen this goroutine
	seq      uint32
}

// Frame header words, below register 0. A goroutine's stack is an array of 64-bit registers, in
// which a callee's frame begins in the caller's outgoing window:
//
//	      ┌───────── frame of f ──────────────────┐
//	      │ header │ r0 r1 ...   values   │ window │
//	      └────────┴──────────────────────┴────────┘
//	                                      ┌──── frame of g, called by f ────┐
//	                                      │ header │ r0 r1 ...              │ window ...
//	                                      └────────┴────────────────────────┘
//	fp of f ────────▲                              ▲──── fp of g: arguments, later results
//
// A step saves the top frame before it changes (saveGoroutine), and each frame below when control
// returns into it (saveCallerFrame). savedLo is the lowest stack word saved in this epoch.
const (
	hdrLink   = 4 // fp-4: caller's fp | flags<<32
	hdrReturn = 3 // fp-3: caller's function number <<32 | return pc
	hdrFunc   = 2 // fp-2: this frame's function number
	hdrDefer  = 1 // fp-1: guest pointer to the newest defer record
)

// Frame flags (high half of the link word). A return from a frame without flags only continues its
// caller; Machine.returned handles all others.
const (
	// frPanicDefer: called by unwinding; recover() here takes the panic.
	frPanicDefer = 1 << iota
	// frRunDefer: called by RunDefers.
	frRunDefer
	// frRecovered: called while a frame that recovered runs its remaining defers.
	frRecovered
	// frBottom: the goroutine ends when this frame returns.
	frBottom
	// frFault: called by the machine to raise a run-time panic.
	frFault
)

// regs returns the host address of register 0 of the running frame.
func (g *goroutine) regs() unsafe.Pointer { return unsafe.Pointer(&g.Stack[g.FP]) }

// ensure grows g's stack so that n words exist; it returns false at the limit. The stack's length
// is a power of two, and so is the limit, so that the result does not depend on earlier growth.
func (m *Machine) ensure(g *goroutine, n uint32) bool {
	if uint64(n)*8 > m.cfg.MaxStack {
		return false
	}
	if int(n) > len(g.Stack) {
		m.mayGrow(g, n)
		g.grow(n)
	}
	return true
}

// mayGrow panics if stacks and objects together would exceed the memory limit with g's stack grown
// to n words (see recoverOutOfMemory). g's present stack counts, too, until it is copied.
func (m *Machine) mayGrow(g *goroutine, n uint32) {
	const small = 1 << 17 // words; such stacks are small compared with objects
	words := uint64(len(g.Stack))
	for words < uint64(n) {
		words *= 2
	}
	if words <= small {
		return
	}
	for _, q := range m.gs {
		words += uint64(len(q.Stack))
	}
	m.heap.Fits(words * 8)
}

// grow grows the stack so that n words exist.
func (g *goroutine) grow(n uint32) {
	if int(n) <= len(g.Stack) {
		return
	}
	size := len(g.Stack) * 2
	for size < int(n) {
		size *= 2
	}
	s := make([]uint64, size)
	copy(s, g.Stack)
	g.Stack = s
	if g.Shadow != nil {
		t := make([]*symbolic.Term, size)
		copy(t, g.Shadow)
		g.Shadow = t
	}
}

const minStackWords = 256

// gUndo restores one goroutine, or only words of its stack. The bytes are at the end of two other
// slices, which shrink along with the log:
//
//	gundo        │ g1 full, n 20 │ g1 n 12 │ g2 full, n 9 │
//	records      │ g1                      │ g2           │
//	undoStack    │ 20 words      │ 12      │ 9            │
//
// A step saves a record and one frame; each return into an unsaved frame adds that frame. The cost
// does not depend on the depth of the stack.
type gUndo struct {
	slot    uint32
	full    bool // its record is at the end of Machine.records
	epoch   uint64
	savedLo uint32
	lo, n   uint32 // stack words lo..lo+n are at the end of undoStack
}

// changes invalidates what depends on g's record or stack; called before or after a change.
func (g *goroutine) changes() { g.serial.valid, g.outcomes.valid, g.stamp = false, false, 0 }

// saveGoroutine saves g before it changes: the record and its top frame.
func (m *Machine) saveGoroutine(g *goroutine) {
	m.saves++
	m.able.change(g)
	g.changes()
	if g.epoch == m.heap.Epoch {
		return
	}
	u := gUndo{slot: g.slot, full: true, epoch: g.epoch, savedLo: g.savedLo}
	m.records = append(m.records, g.record())
	if g.status != gEnded && g.Fn != nil {
		lo := g.FP - bytecode.FrameHeader
		// The outgoing window too: the arguments of a pending native are there.
		u.lo, u.n = lo, g.FP+uint32(g.Fn.Window)-lo
		m.undoStack = append(m.undoStack, g.Stack[lo:lo+u.n]...)
		m.sym.Saved(&g.Goroutine, lo, u.n)
		g.savedLo = lo
	} else {
		g.savedLo = 0
	}
	m.gundo = append(m.gundo, u)
	g.epoch = m.heap.Epoch
}

// saveCallerFrame saves the frame that starts at lo (its header), up to the words already saved, before
// control returns into it.
func (m *Machine) saveCallerFrame(g *goroutine, lo uint32) {
	n := g.savedLo - lo
	m.undoStack = append(m.undoStack, g.Stack[lo:lo+n]...)
	m.sym.Saved(&g.Goroutine, lo, n)
	m.gundo = append(m.gundo, gUndo{slot: g.slot, lo: lo, n: n, savedLo: g.savedLo})
	g.savedLo = lo
}

// rewindGoroutines undoes the entries of the log after the first n, newest first, so that the entry
// saved first, with the state at the mark, is restored last.
func (m *Machine) rewindGoroutines(n int) {
	for len(m.gundo) > n {
		u := &m.gundo[len(m.gundo)-1]
		g := m.gs[u.slot]
		g.changes()
		if u.n > 0 {
			off := len(m.undoStack) - int(u.n)
			g.grow(u.lo + u.n) // see overflowStack
			copy(g.Stack[u.lo:], m.undoStack[off:])
			m.sym.Restored(&g.Goroutine, u.lo, off)
			m.undoStack = m.undoStack[:off]
		}
		if u.full {
			last := len(m.records) - 1
			g.restore(&m.records[last])
			g.epoch = u.epoch
			m.records = m.records[:last]
		}
		g.savedLo = u.savedLo
		m.gundo = m.gundo[:len(m.gundo)-1]
	}
}

// newG creates a goroutine record; the caller pushes its first frame.
func (m *Machine) newG(parent *goroutine) *goroutine {
	var g *goroutine
	slot := len(m.gs)
	if slot < cap(m.gs) {
		m.gs = m.gs[:slot+1]
		g = m.gs[slot] // recycled after a rewind
	} else {
		m.gs = append(m.gs, nil)
	}
	if g == nil {
		g = &goroutine{Goroutine: shadow.Goroutine{Stack: make([]uint64, minStackWords)}}
		m.gs[slot] = g
	}
	g.slot = uint32(slot)
	// Its number on all paths: the parent's number and the number of the parent's earlier children.
	pid := trace.NoGID
	n := uint32(0)
	if parent != nil {
		pid = parent.ID
		n = parent.nspawn
		parent.nspawn++
	}
	g.Frame = shadow.Frame{ID: m.internG(pid, n)}
	g.gstate = gstate{parent: pid, status: gRunning}
	g.member = membership{number: g.member.number}
	if parent != nil {
		g.bubble, g.late, g.Facts = parent.bubble, parent.late, parent.Facts
		g.owned = parent.owned
	}
	if g.Shadow = nil; m.tracking {
		g.Shadow = make([]*symbolic.Term, len(g.Stack))
	}
	// The parent's earlier actions happen before all actions of the new goroutine (memory model: Goroutine
	// creation).
	if m.race != nil && parent != nil {
		if m.race.Go(parent.slot, m.raceStack(parent)) != g.slot {
			panic("BUG: the race detector counts other goroutines")
		}
	}
	g.epoch, g.savedLo = m.heap.Epoch, 0
	g.changes()
	m.slots[g.ID] = int32(slot)
	m.insertG(g)
	if o := m.cfg.Observer; o != nil && parent != nil {
		o.Started(m, parent.ID, g.ID)
	}
	return g
}

// dropGoroutines removes the goroutines created since there were n.
func (m *Machine) dropGoroutines(n int) {
	if len(m.gs) == n {
		return
	}
	// Their records and stacks stay in the slice's capacity, where newG finds them.
	for _, g := range m.gs[n:] {
		m.slots[g.ID] = -1
	}
	m.gs = m.gs[:n]
	k := 0
	for _, s := range m.order {
		if int(s) < n {
			m.order[k] = s
			k++
		}
	}
	m.order = m.order[:k]
	m.reordered++
}

// gOf returns the goroutine with the given id.
func (m *Machine) gOf(id trace.GID) *goroutine { return m.gs[m.slots[id]] }

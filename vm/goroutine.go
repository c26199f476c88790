package vm

import (
	"hbcheck.dev/hbcheck/vm/fingerprint"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/race"
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
	member   membership // membership in Machine.able
	outcomes outcomes   // invalid as soon as gstate or the stack changes
	serial   serialised // invalid as soon as gstate or the stack changes
	stamp    uint64     // valid as long as neither changes; 0: none yet (see Stamp)
	slot     uint32
	callers  callerCache
	inNative bool // the goroutine's native is executing: pc is after the call
	looker   bool // it is in Machine.lookers
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
	parked    bool // the goroutine waits in its channel operation, visible to others
	scheduled bool // the pending operation may execute now
	panics    ptr  // top panic record
	nspawn    uint32
	nalloc    uint32
	files     uint64 // the numbers of its open files below 64, as bits, if no program can see them
	nfiles    uint32 // number of files that it has opened with numbers from 64 on
	wait      waitState
	pending   trace.Op
	steps     uint64 // visible operations executed
	parent    trace.GID
	goFunc    uint32 // where it was created
	goPC      int32
	origin    uint64         // hash of the places where it and its ancestors were created; 0: main
	coro      ptr            // the coroutine it is, or 0
	owned     ptr            // the goroutine's entries in caches of the library: see sync.Own of the overlay
	nrand     uint32         // number of random words it has received
	orders    uint32         // number of orders of maps that it has tried: see tryOrders
	label     uint64         // deadline on the virtual clock while it sleeps
	late      uint8          // number of times that time has woken it since the entry ended: see spent
	bubble    uint32         // synctest bubble it belongs to; 0: none
	overflow  *stackOverflow // the pending stack overflow, with only the outermost frame left; or nil
	looked    lookBack       // the last clock read of the goroutine, if it is in a loop
	timed     timedLoop      // the timed loop that the goroutine is in
	came      int64          // time of its arrival at its operation on channels: see step_queue.go
	cameAfter int64          // number of calls of synctest.Wait before that
	assigned  uint16         // 1 + the case of its select that gc has completed; 0: none (see step_queue.go)
	trail     *snapshot      // the reduction's snapshots since the last effect, if the goroutine is in a loop; otherwise nil
	assumes   bool           // the goroutine waits forever, because an assumption does not hold
	counts    bool           // a Clock says that the next value gets a label: see drawn_clock.go
	test      string         // the test that it was started to execute; empty: none
	inCall    bool           // it has executed an operation of code that is not the reader's own, and no own code since
	given     *[]uint32      // numbers of the names that it was given; nil: none (see state_names.go)
	numbered  bool           // it was started with numbers that may be names
	leaves    bool           // for a goroutine that is ending: whether it has executed none of the program's code since its last operation
}

// A record is the part of a goroutine, besides its stack, that a rewind restores.
type record struct {
	shadow.Frame
	gstate
}

func (g *goroutine) record() record { return record{g.Frame, g.gstate} }

func (g *goroutine) restore(r *record) {
	g.Reach()
	g.Frame, g.gstate = r.Frame, r.gstate
}

// waitState describes a channel operation or a signalled wait in progress. seq is the number of the
// goroutine's arrival at its pending operation, from Machine.arrivals: among the partners of a
// channel operation, run mode takes the one that arrived first.
type waitState struct {
	obj      ptr  // the awaited object
	notified bool // a Cond's Signal has chosen this goroutine
	seq      uint32
}

// view is the pending operation of a goroutine in the present state, computed without executing anything. It
// is computed once per state, because an explorer asks for it several times.
//
// Invariant: it holds for the state with number moment only.
type view struct {
	moment uint64 // value of Machine.moment at which the view was computed
	n      int    // alternatives of the next operation
	parks  bool   // the last alternative of an operation on channels is to park
	op     trace.Op
}

// membership is the data that an enabledSet keeps in a goroutine.
type membership struct {
	special, changed bool
	communicates     bool           // the goroutine waits at channels
	rank             int            // the goroutine's index in Machine.order
	number           uint32         // number of its present waiting
	kind             trace.Kind     // kind of its operation
	at               []trace.Access // the memory at which it waits
	groups           []*group       // to which it belongs
}

// A lookBack is the record of a goroutine's last look in a loop.
type lookBack struct {
	state por.Hash       // state of the goroutine; zero: no look since its last effect
	out   int            // length of the output then
	label *symbolic.Term // label of the values compared since then, on which until depends; or nil
	until int64          // the earliest moment with another outcome of a comparison since then; 0: none
	waits bool           // the pending look waits for until,
	woken bool           // or the goroutine has waited for until
	stale bool           // another goroutine has had an effect since the look
	reads bool           // the goroutine has read memory since then that others can change
}

// A timedLoop is the record of a goroutine in a timed loop.
type timedLoop struct {
	at     uint64 // hash of the look's place and its callers; 0: the goroutine is in no timed loop
	rounds uint8  // looks at this place since the loop began, at most timedRounds+1
	until  int64  // the earliest moment with another outcome of a comparison since the last look
}

// full reports whether l has run its rounds.
func (l *timedLoop) full() bool { return l.rounds > timedRounds }

// stackOverflow is a stack overflow that is pending.
type stackOverflow struct {
	text   string
	frames []SourceFrame
}

// serialised has the words of a goroutine for fingerprints, kept until it changes: in most states
// all but one goroutine are unchanged.
type serialised struct {
	fingerprint.Stack
	valid bool
	names []namedWord // the names among the words
	named []uint32    // words that refer to a static object, or, shifted left once with bit 0 set, name a function
	until int64       // a deadline of lookBack or timedLoop; 0: none
	raw   bool        // there may be Times besides these
	key   uint64      // see symmetryKey; 0: not known
}

// A namedWord is a word of a goroutine in fingerprints that is a name, or depends on one.
type namedWord struct {
	word  uint32
	label *symbolic.Term
}

// A callerCache remembers the calls below the running function of a goroutine. A goroutine usually makes
// several accesses in a row from the same frames, and comparing return addresses is cheaper than finding the
// stack again.
//
// Invariant: stacks has the stacks of the outermost call, of the two outermost calls, and so on, and rets has
// the return addresses of the same calls. It is only a guess: raceStack compares before it uses it, so
// nothing has to be undone.
type callerCache struct {
	rets   []uint64     // return address of each frame, innermost first
	stacks []race.Stack // as many, outermost first
	stack  race.Stack   // of all of them
}

// A snapshot is a goroutine at an operation of a loop, with its path to that operation.
//
//	g.trail ─▶ │ state C, read y = 2 │ ─prev─▶ │ state B, read x = 1 │ ─prev─▶ │ state A │ ─▶ nil
//
// At A, g reached an operation of the loop after its last effect; it read x = 1 and reached B. If
// its next step leads to a state in the list, the steps since that state are an iteration with zero
// effect. Snapshots are never changed once they are linked, because states on other paths share
// them.
type snapshot struct {
	prev   *snapshot    // the previous one; nil if the goroutine has had an effect since, or is new
	depth  int          // number of snapshots before
	state  por.Hash     // state of the goroutine
	stack  por.Hash     // fingerprint of the stack alone, if the whole state is big: see mostOwn
	read   trace.Access // the location read since prev, if Size > 0,
	of     uint64       // the identity of the object read,
	val    uint64       // and the value read
	cases  []chanCase   // cases of a select since prev, none of which was ready
	lock   lockStep     // the lock that was taken or released since prev
	digest uint64       // digest of these fields and of prev's digest
}

// outcomes caches the outcomes of a goroutine's pending operation, by the value that it reads.
// Speculation costs a few steps and a rewind. A search inspects a polled lock in many states, and
// in most of them its value has occurred before.
type outcomes struct {
	valid bool // the goroutine has not moved since
	next  int
	known [4]outcome
}

// outcome is the outcome of an operation that reads the value val.
type outcome struct {
	valid bool
	val   uint64
	start *snapshot // beginning of the zero-effect iteration that the operation completes; nil: none
	steps int       // number of steps for that
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

// next returns the address of the instruction at g.PC. pcOf returns the number of the instruction at ip.
// An instruction has 8 bytes, and so have the words that follow some.
func (g *goroutine) next() unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(g.Fn.Fast)), int(g.PC)*8)
}

func (g *goroutine) pcOf(ip unsafe.Pointer) int32 {
	return int32((uintptr(ip) - uintptr(unsafe.Pointer(unsafe.SliceData(g.Fn.Fast)))) / 8)
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

// changes invalidates the data that depend on g's record or stack. It is called before or after a
// change.
func (g *goroutine) changes() { g.serial.valid, g.outcomes.valid, g.stamp = false, false, 0 }

// isCollector reports whether g is the collector, and its next operation is a collection.
func (g *goroutine) isCollector() bool {
	return g.system && g.status == gReady && g.pending.Kind == trace.SemAcquire
}

// callPart returns the part of a call in which g's pending operation is.
func (g *goroutine) callPart() trace.CallPart {
	switch {
	case g.Fn.Own:
		return trace.OutsideCall
	case g.inCall:
		return trace.InsideCall
	}
	return trace.CallBegins
}

// ending reports whether g's pending operation is its end.
func (g *goroutine) ending() bool { return g.status == gReady && g.pending.Kind == trace.End }

// executing returns the instruction that g is executing; within a native g.pc is already after it.
func (g *goroutine) executing() int32 {
	if g.inNative {
		return g.PC - 1
	}
	return g.PC
}

// A lockStep is an operation that takes or releases a lock.
type lockStep struct {
	l    ptr // 0: none
	kind int
	out  bool // releases
}

// timedRounds is the number of rounds that a timed loop runs before time passes.
const timedRounds = 3

// gUndo restores one goroutine, or only words of its stack. The saved bytes are at the end of two other
// slices, which shrink together with the log:
//
//	gundo        │ g1 full, n 20 │ g1 n 12 │ g2 full, n 9 │
//	records      │ g1                      │ g2           │
//	undoStack    │ 20 words      │ 12      │ 9            │
//
// A step saves a record and one frame; each return into an unsaved frame adds that frame. The cost
// does not depend on the depth of the stack.
type gUndo struct {
	slot    uint32
	full    bool // the goroutine's record is at the end of Machine.records
	epoch   uint64
	savedLo uint32
	lo, n   uint32 // stack words lo..lo+n are at the end of undoStack
}

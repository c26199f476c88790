package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// chanWaiters has the goroutines with a pending channel operation that waits.
type chanWaiters struct {
	moment    uint64 // Machine.moment the lists were made at
	senders   []*goroutine
	receivers []*goroutine // a select is in both lists

	indexed bool             // at has the goroutines of the present state
	at      map[ptr][]waiter // by channel and direction, in spawn-path order: present and former waiters
}

// gliding describes how far the present step glides: see step_glide.go.
type gliding struct {
	g     *goroutine // the goroutine of the step
	kind  trace.Kind // kind of its last operation or access
	idle  bool       // set if the operation is a select that takes its default, or reads the length of a channel
	bound int        // most accesses after the operation
	left  int        // number of accesses that remain
	n     int        // accesses made
}

// collecting is the result of collectsNow for one state.
type collecting struct {
	moment uint64
	is     bool
}

// chanAlt is an alternative of a channel operation:
//
//	caseIndex ≥ 0, partner < 0    that case, without a partner
//	caseIndex ≥ 0, partner ≥ 0    a rendezvous of that case with partnerCase of partner
//	caseIndex < 0, park           wait where others can see it
//	caseIndex < 0, not park       default
//
// A rendezvous is an alternative for each partner and each matching case of the partner: the pair of
// goroutines that communicate is a choice.
type chanAlt struct {
	caseIndex   int
	partner     int // slot of the rendezvous' partner, or -1
	partnerCase int // the partner's case
	park        bool
}

// testCalls has the calls by test code that have begun.
type testCalls struct {
	returned callReturned
	tests    map[uint32]bool // by function number: whether isTest holds
	open     map[trace.GID][]openCall
}

// openCall is a call that a test executes.
type openCall struct {
	fp    uint32 // frame of the test
	win   uint32 // the register of its first result
	fn    uint32 // function number of the test
	pc    int32
	words []uint64 // the function value and the arguments
	known bool     // words has the arguments
}

// repetition has the log of the beginning, and the records of the repetition of a schedule.
type repetition struct {
	lockedFirst lockLog
	lockLog     lockLog // nil: nothing is recorded
	pooled      ptr     // the object that the last step put into a sync.Pool or took from it; 0: none
	put         bool    // the step put the object into the pool
}

// lockLog has the places where the held locks were taken. A reader may have several. nil: not
// recorded.
type lockLog map[heldBy][][]framePlace

// heldBy is a lock and a goroutine that has it.
type heldBy struct {
	lock ptr
	g    trace.GID
	read bool
}

// A framePlace is an instruction.
type framePlace struct {
	f  *bytecode.Func
	pc int32
}

// chanKey names the layout of a channel object.
type chanKey struct{ elem, cap uint32 }

// Numbers of the runtime overlay's functions that raise run-time panics.
type rtFunc int

const (
	rtPanicMem rtFunc = iota
	rtPanicDivide
	rtPanicShift
	rtPanicIndex        // index, length, unsigned
	rtPanicSlice        // kind, index, bound, unsigned
	rtPanicUncomparable // guest type word
	rtPanicUnhashable   // guest type word
	rtPanicTypeAssert   // dynamic type word, asserted type word, interface type word
	rtPanicMakeSlice    // 0 len, 1 cap, 2 growing
	rtPanicMakeChan     //
	rtPanicNilMap       //
	rtPanicSendClosed   //
	rtPanicCloseClosed  //
	rtPanicCloseNil     //
	rtPanicArrayConv    // length, wanted
	rtPanicText         // string: a fatal plain error text
	rtPanicNil          // panic(nil)
	rtPanicRange        // state of a loop over a function
	rtPanicString       // string
	rtPanicUnsafe       // 0 slice, 1 string; 0 length, 1 nil pointer
	rtPanicWrap         // string: a plain error text
	rtFatalPanic        // panic record: prints and crashes
	rtGopanic           // never called: represents the unwinding of a panic in stacks
	rtMain              // likewise, what called main.main
	rtGoexit            // the same for the caller of a goroutine's function
	rtCollector         // begins a goroutine: see native_finalize.go
	numRtFuncs
)

// chanCase is one direction of one channel of an operation. Send and Recv are operations with one case.
type chanCase struct {
	ch   ptr
	send bool
	reg  uint16 // send: the value; receive: the destination
}

// A waiter is a goroutine that waited at a word. If its number is unchanged, it still waits there.
type waiter struct {
	slot, number uint32
}

// A group has the goroutines that wait at one word with operations that are alike.
type group struct {
	kind   trace.Kind
	parked bool
	n      int      // number of goroutines
	ranks  []uint64 // ranks, as bits
}

// waiting has the goroutines that wait at one word.
type waiting struct {
	single []waiter // each is examined
	groups []*group
}

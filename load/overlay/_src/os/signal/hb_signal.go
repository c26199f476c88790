package signal

import (
	"internal/effect"
	"syscall"
	"unsafe"
)

// Each signal that the program wants arrives once, from a hidden goroutine, at any
// moment after it has been asked for. So does each that the program sends itself.

// wanted, ignored and pending are one object, handling: which signals are notified of, which were
// given to Ignore, which Ignored tells of without a lock, as the real ones are atomic, and which the
// program has sent itself and have not arrived.
var handling, wanted, ignored, pending [numSig]bool

// sent are the signals that have a goroutine. handlers is locked.
var sent [numSig]bool

func init() { syscall.HbRaise = raise }

func handle(sig uint32, want, ignore bool) {
	//mutant: Notify declares nothing [models TestModels/notified]
	effect.Ordered(unsafe.Pointer(&handling[sig]), true)
	wanted[sig], ignored[sig] = want, ignore
}

// raise sends the program itself a signal. One of a kind can be pending.
func raise(sig syscall.Signal) {
	effect.Access(unsafe.Pointer(&handling[sig]), true)
	switch {
	case ignored[sig] || pending[sig]:
	case !wanted[sig]:
		syscall.HbDefault(sig)
	default:
		pending[sig] = true
		go deliver(sig)
	}
}

func deliver(sig syscall.Signal) {
	hbHidden()
	hbForget()
	effect.Access(unsafe.Pointer(&handling[sig]), true)
	pending[sig] = false
	if wanted[sig] {
		process(sig)
	} else if !ignored[sig] {
		syscall.HbDefault(sig)
	}
}

// hbForget makes the goroutine one that happens after nothing: sending a signal orders nothing.
func hbForget()

func signalWaitUntilIdle() {}

func signal_disable(sig uint32) { handle(sig, false, false) }

func signal_enable(sig uint32) {
	handle(sig, true, false)
	if sent[sig] {
		return
	}
	n := 0
	for _, s := range sent {
		if s {
			n++
		}
	}
	if hbArrives(n) {
		sent[sig] = true
		go hbSend(sig)
	}
}

// hbArrives reports whether a signal arrives, n others of which do, too.
func hbArrives(n int) bool

func hbSend(sig uint32) {
	hbHidden()
	hbArrive()
	process(syscall.Signal(sig))
}

// hbHidden makes the goroutine one of the environment's.
func hbHidden()

// hbArrive is where other goroutines may run before the signal arrives.
func hbArrive()

func signal_ignore(sig uint32) { handle(sig, false, true) }

func signal_ignored(sig uint32) bool {
	//mutant: Ignored declares nothing [models TestModels/ignored]
	effect.Ordered(unsafe.Pointer(&handling[sig]), false)
	return ignored[sig]
}

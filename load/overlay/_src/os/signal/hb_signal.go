package signal

import (
	"internal/effect"
	"syscall"
	"unsafe"
)

// Each signal for which the program calls Notify arrives once, from a hidden goroutine, at any
// moment after the call. So does each signal that the program sends to itself.

// handling, wanted, ignored and pending are one object. wanted has the signals given to Notify.
// ignored has those given to Ignore; Ignored reads it without a lock, because the real one is
// atomic. pending has those that the program has sent to itself and that have not arrived.
var handling, wanted, ignored, pending [numSig]bool

// sent has the signals for which a goroutine has been started. It is guarded by handlers.
var sent [numSig]bool

func init() { syscall.HbRaise = raise }

func handle(sig uint32, want, ignore bool) {
	//mutant: Notify declares nothing [models TestModels/notified]
	effect.Ordered(unsafe.Pointer(&handling[sig]), true)
	wanted[sig], ignored[sig] = want, ignore
}

// raise sends a signal to the program. Each signal can be pending once.
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

// hbForget removes the happens-before order between all earlier steps and the next steps of the
// goroutine, because signals order nothing.
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

// hbArrives reports whether a signal arrives; n other signals arrive, too.
func hbArrives(n int) bool

func hbSend(sig uint32) {
	hbHidden()
	hbArrive()
	process(syscall.Signal(sig))
}

// hbHidden makes the goroutine part of the environment.
func hbHidden()

// hbArrive is an operation before which other goroutines may run; after it the signal arrives.
func hbArrive()

func signal_ignore(sig uint32) { handle(sig, false, true) }

func signal_ignored(sig uint32) bool {
	//mutant: Ignored declares nothing [models TestModels/ignored]
	effect.Ordered(unsafe.Pointer(&handling[sig]), false)
	return ignored[sig]
}

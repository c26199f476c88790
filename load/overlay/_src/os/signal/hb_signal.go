package signal

import (
	"internal/effect"
	"syscall"
	"unsafe"
)

// Each signal that the program wants arrives once, from a hidden goroutine, at any
// moment after it has been asked for.

// ignored are the signals given to Ignore, which Ignored tells of. That takes no lock: the real one
// is atomic.
var ignored [numSig]bool

// sent are the signals that have a goroutine. handlers is locked.
var sent [numSig]bool

func signalWaitUntilIdle() {}

func ignore(sig uint32, ignore bool) {
	effect.Ordered(unsafe.Pointer(&ignored[sig]), true)
	ignored[sig] = ignore
}

func signal_disable(sig uint32) { ignore(sig, false) }

func signal_enable(sig uint32) {
	ignore(sig, false)
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

func signal_ignore(sig uint32) { ignore(sig, true) }

func signal_ignored(sig uint32) bool {
	effect.Ordered(unsafe.Pointer(&ignored[sig]), false)
	return ignored[sig]
}

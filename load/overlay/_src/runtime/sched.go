package runtime

import (
	"internal/effect"
	"unsafe"
)

// Gosched lets other goroutines run.
func Gosched()

// NumGoroutine returns the number of goroutines that exist.
func NumGoroutine() int

// procs is the value of GOMAXPROCS. The machine interleaves goroutines whatever the value is.
var procs = numCPU

// numCPU is a constant, so that programs behave alike everywhere.
const numCPU = 4

// NumCPU returns the number of processors: the machine pretends to have four.
func NumCPU() int { return numCPU }

// GOMAXPROCS sets the number of processors in use, if n is positive, and returns the old one.
func GOMAXPROCS(n int) int {
	effect.Access(unsafe.Pointer(&procs), n > 0)
	old := procs
	if n > 0 {
		procs = n
	}
	return old
}

// SetDefaultGOMAXPROCS undoes GOMAXPROCS.
func SetDefaultGOMAXPROCS() {
	effect.Access(unsafe.Pointer(&procs), true)
	procs = numCPU
}

// LockOSThread has no effect: the machine has no threads.
func LockOSThread() {}

// UnlockOSThread has no effect.
func UnlockOSThread() {}

// NumCgoCall returns 0: the machine has no cgo.
func NumCgoCall() int64 { return 0 }

// Breakpoint has no effect.
func Breakpoint() {}

// KeepAlive has no effect: whether an object is reachable is not observable.
func KeepAlive(x any) {}

// SetCgoTraceback has no effect.
func SetCgoTraceback(version int, traceback, context, symbolizer unsafe.Pointer) {}

// haveHighResSleep is set because sleepers do not wake before their deadline.
var haveHighResSleep = true

var mutexFraction int

// SetMutexProfileFraction only remembers the fraction.
func SetMutexProfileFraction(rate int) int {
	effect.Access(unsafe.Pointer(&mutexFraction), rate >= 0)
	old := mutexFraction
	if rate >= 0 {
		mutexFraction = rate
	}
	return old
}

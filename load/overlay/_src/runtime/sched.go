package runtime

import (
	"internal/effect"
	"unsafe"
)

// Gosched lets other goroutines run.
func Gosched()

// NumGoroutine returns the number of goroutines that exist.
func NumGoroutine() int

// procs is what GOMAXPROCS says: the machine interleaves whatever it is.
var procs = numCPU

// numCPU is a constant, so that programs behave alike everywhere.
const numCPU = 4

// NumCPU returns the number of processors, of which the machine pretends to have four.
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

// The following are not exported but reached by many libraries through //go:linkname.

// nanotime returns the virtual clock.
func nanotime() int64

// rand returns pseudo-random bits whose sequence is the same in every execution.
func rand() uint64

func fastrand() uint32 { return uint32(rand()) }

func fastrand64() uint64 { return rand() }

func fastrandn(n uint32) uint32 { return uint32(uint64(uint32(rand())) * uint64(n) >> 32) }

func procPin() int { return 0 }

func procUnpin() {}

// haveHighResSleep says that sleepers do not wake before their time.
var haveHighResSleep = true

// memhash hashes n bytes at p.
func memhash(p unsafe.Pointer, seed, n uintptr) uintptr

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

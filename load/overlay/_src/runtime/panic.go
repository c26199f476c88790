package runtime

import (
	"internal/abi"
	"unsafe"
)

// An hbPanic is the machine's record of a panic in progress (vm/step_panic.go).
type hbPanic struct {
	link      *hbPanic // the panic that was running when this one was raised
	value     any
	trace     unsafe.Pointer // where it was raised, for the crash message
	frame     uintptr        // stack word of the frame whose deferred calls are being run
	recovered bool
	aborted   bool // a newer panic has unwound past the deferred call this one ran
	goexit    bool // Goexit in disguise
	again     bool // raised once more, with the same value, by a deferred call
}

// The functions below are called by the machine where compiled code would fault
// or call the real runtime.

var (
	memoryError   = error(errorString("invalid memory address or nil pointer dereference"))
	overflowError = error(errorString("integer overflow"))
	divideError   = error(errorString("integer divide by zero"))
	shiftError    = error(errorString("negative shift amount"))

	rangeDoneError         = error(errorString("range function continued iteration after function for loop body returned false"))
	rangePanicError        = error(errorString("range function continued iteration after loop body panic"))
	rangeExhaustedError    = error(errorString("range function continued iteration after whole loop exit"))
	rangeMissingPanicError = error(errorString("range function recovered a loop body panic and did not resume panicking"))
)

func hbPanicMem() { panic(memoryError) }

func hbPanicDivide() { panic(divideError) }

func hbPanicShift() { panic(shiftError) }

func hbPanicNil() { panic(new(PanicNilError)) }

// hbPanicRange reports that the body of a loop over a function was called in a state (package vm/compile, rangefunc.go)
// in which it must not be; or, if state is 0, that the function has recovered a panic of the body.
func hbPanicRange(state int) {
	switch state {
	case 0:
		panic(rangeMissingPanicError)
	case -1: // busy
		panic(rangePanicError)
	case -2: // done
		panic(rangeExhaustedError)
	}
	panic(rangeDoneError) // an exit
}

// hbPanicIndex reports index i; unsigned is not 0 if i has an unsigned type.
func hbPanicIndex(i, n int, unsigned int) {
	panic(boundsError{x: int64(i), signed: unsigned == 0, y: n, code: abi.BoundsIndex})
}

// hbPanicSlice reports index x of a slice expression; unsigned is not 0 if x has an unsigned type.
func hbPanicSlice(code int, x, y int, unsigned int) {
	panic(boundsError{x: int64(x), signed: unsigned == 0, y: y, code: abi.BoundsErrorCode(code)})
}

func hbPanicArrayConv(n, want int) {
	panic(boundsError{x: int64(want), signed: true, y: n, code: abi.BoundsConvert})
}

func hbPanicUncomparable(t *abi.Type) {
	panic(errorString("comparing uncomparable type " + typeString(t)))
}

func hbPanicUnhashable(t *abi.Type) {
	panic(errorString("hash of unhashable type " + typeString(t)))
}

func hbPanicTypeAssert(concrete, asserted, inter *abi.Type) {
	e := &TypeAssertionError{_interface: inter, concrete: concrete, asserted: asserted}
	if concrete != nil {
		e.missingMethod = missingMethod(concrete, asserted)
	}
	panic(e)
}

// hbPanicMakeSlice reports a bad length (0) or capacity (1), or a slice that
// would grow too long (2).
func hbPanicMakeSlice(which int) {
	switch which {
	case 0:
		panic(errorString("makeslice: len out of range"))
	case 1:
		panic(errorString("makeslice: cap out of range"))
	}
	panic(errorString("growslice: len out of range"))
}

func hbPanicMakeChan() { panic(plainError("makechan: size out of range")) }

func hbPanicNilMap() { panic(plainError("assignment to entry in nil map")) }

func hbPanicSendClosed() { panic(plainError("send on closed channel")) }

func hbPanicCloseClosed() { panic(plainError("close of closed channel")) }

func hbPanicCloseNil() { panic(plainError("close of nil channel")) }

// hbPanicUnsafe reports bad arguments of unsafe.Slice (0) or unsafe.String (1):
// a bad length (0) or a nil pointer (1).
func hbPanicUnsafe(which, what int) {
	name := "unsafe.Slice"
	if which == 1 {
		name = "unsafe.String"
	}
	if what == 0 {
		panic(errorString(name + ": len out of range"))
	}
	panic(errorString(name + ": ptr is nil and len is not zero"))
}

// hbPanicWrap reports a value method called through a nil pointer.
func hbPanicWrap(s string) { panic(plainError(s)) }

// hbPanicText ends the program with a fatal error.
func hbPanicText(s string) { hbFatal(s) }

// hbPanicString panics with s.
func hbPanicString(s string) { panic(s) }

// hbFatal prints "fatal error: " and s, the stacks, and ends the program with status 2.
func hbFatal(s string)

//go:linkname timeFatal time.fatal
func timeFatal(s string) { hbFatal(s) }

// hbFatalPanic ends the program because of panic p, which nobody has recovered.
// The machine runs it on top of what is left of the goroutine.
func hbFatalPanic(p *hbPanic) {
	hbStringify(p)
	hbCrash(p)
}

// hbStringify replaces errors and Stringers among the values of p and the
// panics below it by their texts: user code must not run while the crash is
// being printed.
func hbStringify(p *hbPanic) {
	defer func() {
		const text = "panic while printing panic value"
		switch r := recover().(type) {
		case nil:
		case string:
			hbFatal(text + ": " + r)
		default:
			hbFatal(text + ": type " + typeString(typeOf(r)))
		}
	}()
	for ; p != nil; p = p.link {
		if p.link != nil && sameWords(p.link.value, p.value) {
			p.link.again = true // printed once
			continue
		}
		switch v := p.value.(type) {
		case error:
			p.value = v.Error()
		case interface{ String() string }:
			p.value = v.String()
		}
	}
}

// eface is the image of an interface value.
type eface struct {
	typ  *abi.Type
	data unsafe.Pointer
}

func typeOf(v any) *abi.Type { return (*eface)(unsafe.Pointer(&v)).typ }

// sameWords reports whether a and b are one interface value, bit by bit.
func sameWords(a, b any) bool {
	return *(*eface)(unsafe.Pointer(&a)) == *(*eface)(unsafe.Pointer(&b))
}

// gopanic appears in stacks where the machine runs deferred calls because of a panic.
func gopanic(e any) {}

// main appears in stacks as the function that initialised the packages and called main.main.
func main() {}

// goexit appears at the end of stacks.
func goexit() {}

// hbCrash prints the panics from the first on, the stacks, and ends the program with status 2.
func hbCrash(p *hbPanic)

// Goexit ends the calling goroutine after its deferred calls.
func Goexit()

// hbEntry calls the entry's function with symbolic arguments. Nothing in Go calls it.
func hbEntry()

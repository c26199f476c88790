package runtime

// A program counter of the machine is a function number in the high half and
// an instruction number in the low half. As with the real runtime, the
// program counters that Callers returns are return addresses: one more than
// that of the call.

// Caller returns the position of the caller's skip-th caller (0: the caller itself).
func Caller(skip int) (pc uintptr, file string, line int, ok bool) {
	var pcs [1]uintptr
	if callers(skip+1, pcs[:]) == 0 {
		return 0, "", 0, false
	}
	_, file, line = pcInfo(pcs[0] - 1)
	return pcs[0], file, line, true
}

// Callers fills pcs with the return addresses of the calling goroutine's
// stack: 0 is Callers itself and 1 its caller.
func Callers(skip int, pcs []uintptr) int {
	if len(pcs) == 0 {
		return 0
	}
	return callers(skip, pcs)
}

// callers is Callers: skip 0 is the function that calls it.
func callers(skip int, pcs []uintptr) int

// pcInfo returns the function, file and line of an instruction.
func pcInfo(pc uintptr) (name, file string, line int)

// funcInfo returns a function's name and where it begins.
func funcInfo(pc uintptr) (name, file string, line int)

// A Frame is one function of a stack.
type Frame struct {
	PC       uintptr
	Func     *Func
	Function string
	File     string
	Line     int
	Entry    uintptr

	startLine int
}

// Frames turns the result of Callers into frames.
type Frames struct {
	pcs []uintptr
}

// CallersFrames prepares to return the frames of pcs, which Callers returned.
func CallersFrames(pcs []uintptr) *Frames { return &Frames{pcs} }

const pcMask = 1<<32 - 1

// directFunc marks a func value that is no closure: a function number.
const directFunc = 1 << 63

// A Func is a function of the running program.
type Func struct {
	entry uintptr
	name  string
}

// FuncForPC returns the function that pc is in, or nil.
func FuncForPC(pc uintptr) *Func {
	if pc&directFunc != 0 {
		pc = pc << 32 // the func value's own word
	}
	name, _, _ := funcInfo(pc)
	if name == "" {
		return nil
	}
	return &Func{pc &^ pcMask, name}
}

// Name returns the function's name, with its package's import path.
func (f *Func) Name() string {
	if f == nil {
		return ""
	}
	return f.name
}

// Entry returns the address of the function's first instruction.
func (f *Func) Entry() uintptr { return f.entry }

// FileLine returns the source position of an instruction of f.
func (f *Func) FileLine(pc uintptr) (file string, line int) {
	if pc == f.entry {
		_, file, line = funcInfo(pc)
		return file, line
	}
	_, file, line = pcInfo(pc)
	return file, line
}

// Stack writes the calling goroutine's stack to buf, and those of all others
// if all is set, and returns the number of bytes written.
func Stack(buf []byte, all bool) int

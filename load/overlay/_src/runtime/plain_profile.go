package runtime

// Profiles are empty, because they would measure the compiled program.

// MemProfileRate is ignored.
var MemProfileRate int = 512 * 1024

// A StackRecord is a stack trace.
type StackRecord struct {
	Stack0 [32]uintptr
}

// Stack returns the used part of r.Stack0.
func (r *StackRecord) Stack() []uintptr { return prefix(r.Stack0[:]) }

// A MemProfileRecord describes the objects allocated by one call sequence.
type MemProfileRecord struct {
	AllocBytes, FreeBytes     int64
	AllocObjects, FreeObjects int64
	Stack0                    [32]uintptr
}

// InUseBytes returns the number of bytes in use.
func (r *MemProfileRecord) InUseBytes() int64 { return r.AllocBytes - r.FreeBytes }

// InUseObjects returns the number of objects in use.
func (r *MemProfileRecord) InUseObjects() int64 { return r.AllocObjects - r.FreeObjects }

// Stack returns the used part of r.Stack0.
func (r *MemProfileRecord) Stack() []uintptr { return prefix(r.Stack0[:]) }

// A BlockProfileRecord describes blocking events of one call sequence.
type BlockProfileRecord struct {
	Count  int64
	Cycles int64
	StackRecord
}

// prefix returns stack up to its first zero.
func prefix(stack []uintptr) []uintptr {
	for i, pc := range stack {
		if pc == 0 {
			return stack[:i]
		}
	}
	return stack
}

// MemProfile returns no records.
func MemProfile(p []MemProfileRecord, inuseZero bool) (n int, ok bool) { return 0, true }

// BlockProfile returns no records.
func BlockProfile(p []BlockProfileRecord) (n int, ok bool) { return 0, true }

// MutexProfile returns no records.
func MutexProfile(p []BlockProfileRecord) (n int, ok bool) { return 0, true }

// ThreadCreateProfile returns no records.
func ThreadCreateProfile(p []StackRecord) (n int, ok bool) { return 0, true }

// GoroutineProfile returns the stack of the calling goroutine and leaves those
// of the others empty.
func GoroutineProfile(p []StackRecord) (n int, ok bool) {
	n = NumGoroutine()
	if len(p) < n {
		return n, false
	}
	if n > 1 {
		var buf [1]byte
		Stack(buf[:], true) // the stacks of the others belong to this moment
	}
	clear(p[:n])
	Callers(1, p[0].Stack0[:])
	return n, true
}

// CPUProfile panics, as it does in the real runtime.
func CPUProfile() []byte { panic("CPUProfile no longer available") }

// SetCPUProfileRate has no effect.
func SetCPUProfileRate(hz int) {}

// SetBlockProfileRate has no effect.
func SetBlockProfileRate(rate int) {}

// StartTrace starts no tracing.
func StartTrace() error { return errorString("tracing is not supported") }

// StopTrace has nothing to stop.
func StopTrace() {}

// ReadTrace returns nil: there is no trace.
func ReadTrace() []byte { return nil }

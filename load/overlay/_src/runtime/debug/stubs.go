package debug

import (
	"internal/effect"
	"runtime"
	"unsafe"
)

// Settings only remember their values.
var (
	gcPercent    int32 = 100
	maxStack           = 1000000000
	maxThreads         = 10000
	memoryLimit  int64 = 1<<63 - 1
	panicOnFault bool
)

func freeOSMemory() { runtime.GC() }

func setMaxStack(n int) int {
	effect.Access(unsafe.Pointer(&maxStack), true)
	old := maxStack
	maxStack = n
	return old
}

func setGCPercent(p int32) int32 {
	effect.Access(unsafe.Pointer(&gcPercent), true)
	old := gcPercent
	gcPercent = max(p, -1)
	return old
}

func setPanicOnFault(b bool) bool {
	effect.Access(unsafe.Pointer(&panicOnFault), true)
	old := panicOnFault
	panicOnFault = b
	return old
}

func setMaxThreads(n int) int {
	effect.Access(unsafe.Pointer(&maxThreads), true)
	old := maxThreads
	maxThreads = n
	return old
}

func setMemoryLimit(n int64) int64 {
	effect.Access(unsafe.Pointer(&memoryLimit), n >= 0)
	old := memoryLimit
	if n >= 0 {
		memoryLimit = n
	}
	return old
}

// WriteHeapDump has nothing to write.
func WriteHeapDump(fd uintptr) {}

// SetTraceback has no effect.
func SetTraceback(level string) {}

func modinfo() string { return "" }

func runtime_setCrashFD(fd uintptr) uintptr { return ^uintptr(0) }

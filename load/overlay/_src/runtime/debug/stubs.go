package debug

import (
	"runtime"
	"time"
)

// Settings only remember their values.
var (
	gcPercent    int32 = 100
	maxStack           = 1000000000
	maxThreads         = 10000
	memoryLimit  int64 = 1<<63 - 1
	panicOnFault bool
)

func readGCStats(stats *[]time.Duration) {
	// No pauses; then the last collection, their number and the total pause.
	*stats = append((*stats)[:0], 0, 0, 0)
}

func freeOSMemory() { runtime.GC() }

func setMaxStack(n int) int {
	old := maxStack
	maxStack = n
	return old
}

func setGCPercent(p int32) int32 {
	old := gcPercent
	gcPercent = max(p, -1)
	return old
}

func setPanicOnFault(b bool) bool {
	old := panicOnFault
	panicOnFault = b
	return old
}

func setMaxThreads(n int) int {
	old := maxThreads
	maxThreads = n
	return old
}

func setMemoryLimit(n int64) int64 {
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

package runtime

import (
	"internal/abi"
	"internal/effect"
	"unsafe"
)

// GC collects garbage when a program is run. Otherwise it has no effect that a
// program could tell: memory is collected when the machine finds it convenient,
// and finalizers and cleanups never run, as the documentation permits.
func GC() {
	effect.Access(unsafe.Pointer(&collections), true)
	collections++
	hbGC()
}

func hbGC()

// hbFinalize calls the next finalizer that is due; it reports false if there is none.
func hbFinalize() bool

// hbRunFinalizers is what the machine starts a goroutine for after a collection.
func hbRunFinalizers() {
	for hbFinalize() {
	}
}

// hbLive returns the number of bytes in use when a program is run, 0 otherwise.
func hbLive() uint64

// collections is how often the program has asked for a collection or for
// statistics; to it, memory looks as if it had been collected that often.
var collections uint32

// SetFinalizer sets the finalizer of an object: see GC.
func SetFinalizer(obj any, finalizer any) {
	t := typeOf(obj)
	if t == nil {
		hbFatal("runtime.SetFinalizer: first argument is nil")
	}
	if t.Kind() != abi.Pointer {
		hbFatal("runtime.SetFinalizer: first argument is " + typeString(t) + ", not pointer")
	}
	f := typeOf(finalizer)
	if f != nil && f.Kind() != abi.Func {
		hbFatal("runtime.SetFinalizer: second argument is " + typeString(f) + ", not a function")
	}
	setFinalizer(obj, finalizer)
}

func setFinalizer(obj any, finalizer any)

// A Cleanup is a handle of a call of AddCleanup.
type Cleanup struct {
	id uint64
}

// AddCleanup has cleanup(arg) called when ptr is unreachable: see GC.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup {
	if ptr == nil {
		panic(plainError("runtime.AddCleanup: ptr is nil"))
	}
	return Cleanup{addCleanup(unsafe.Pointer(ptr), func() { cleanup(arg) })}
}

func addCleanup(ptr unsafe.Pointer, f func()) (id uint64)

// Stop cancels the cleanup.
func (c Cleanup) Stop() { stopCleanup(c.id) }

func stopCleanup(id uint64)

// MemStats are statistics about the memory allocator.
type MemStats struct {
	Alloc         uint64
	TotalAlloc    uint64
	Sys           uint64
	Lookups       uint64
	Mallocs       uint64
	Frees         uint64
	HeapAlloc     uint64
	HeapSys       uint64
	HeapIdle      uint64
	HeapInuse     uint64
	HeapReleased  uint64
	HeapObjects   uint64
	StackInuse    uint64
	StackSys      uint64
	MSpanInuse    uint64
	MSpanSys      uint64
	MCacheInuse   uint64
	MCacheSys     uint64
	BuckHashSys   uint64
	GCSys         uint64
	OtherSys      uint64
	NextGC        uint64
	LastGC        uint64
	PauseTotalNs  uint64
	PauseNs       [256]uint64
	PauseEnd      [256]uint64
	NumGC         uint32
	NumForcedGC   uint32
	GCCPUFraction float64
	EnableGC      bool
	DebugGC       bool
	BySize        [61]struct {
		Size    uint32
		Mallocs uint64
		Frees   uint64
	}
}

// memStats returns the figures of a small program at rest. True ones would differ between
// executions that are alike in everything else, and tell more about how the machine represents
// values than about the program.
func memStats() MemStats {
	const rest = 256 << 10
	effect.Access(unsafe.Pointer(&collections), true)
	collections++
	heap := rest + hbLive()
	return MemStats{
		Alloc: heap, TotalAlloc: heap, HeapAlloc: heap, HeapInuse: heap,
		Mallocs: 1000, Frees: 0, HeapObjects: 1000,
		Sys: 8 << 20, HeapSys: 4 << 20, HeapIdle: 1 << 20, NextGC: 4 << 20, EnableGC: true, NumGC: collections,
	}
}

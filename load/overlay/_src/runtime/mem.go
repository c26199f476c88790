package runtime

import (
	"internal/abi"
	"internal/effect"
	"unsafe"
)

// GC collects garbage. A program can notice two effects on objects that nothing refers to any more:
// their finalizers and cleanups run, and weak pointers to them are cleared.
func GC() {
	//mutant: collections leave Pools [models TestModels/poolCollected]: "Range(unsafe.Pointer(&collections), unsafe.Sizeof(" -> "Access(unsafe.Pointer(&"
	effect.Range(unsafe.Pointer(&collections), unsafe.Sizeof(collections), true)
	collections.n++
	if emptyPools != nil {
		emptyPools()
	}
	hbGC(watched)
	runDead()
	hbTurn()
}

// collector is a goroutine of the environment that collects garbage when all others wait, and
// nothing else can wake one of them.
func collector() {
	for {
		hbCollect(&watched)
		runDead()
	}
}

// collecting is set if the collector has been started, which happens as soon as the program could
// notice it.
var collecting bool

// startCollector is called within an operation on collections.
func startCollector() {
	if !collecting {
		collecting = true
		hbStartCollector()
	}
}

// runDead starts goroutines that run the finalizers and cleanups of dead objects.
func runDead() {
	live := watched[:0:0]
	var due [watchCleanup + 1][]*watch
	for _, w := range watched {
		if !w.of.dead {
			live = append(live, w)
		} else if w.kind != watchWeak {
			w.obj, w.of.obj = w.of.obj, nil
			due[w.kind] = append(due[w.kind], w)
		}
	}
	watched = live
	for kind, list := range due {
		if len(list) > 0 {
			//mutant: cleanups wait for finalizers [models TestModels/cleanupBeside]: "running[kind" -> "running[watchFinalizer"
			before := running[kind]
			running[kind] = make(chan struct{})
			//mutant: finalizers do not wait for earlier ones [models TestModels/finalizersLater]: "go runDue(list, before" -> "_ = before\n\t\t\tgo runDue(list, nil"
			go runDue(list, before, running[kind])
		}
	}
}

// A weakRef refers to an object that it does not keep alive. The machine knows the type.
type weakRef struct {
	obj  any  // a pointer; nil when the object has been collected
	dead bool // nothing refers to the object
}

// A watch has the action for an object to which nothing refers any more.
type watch struct {
	of        *weakRef
	kind      int
	obj       any // the object of a finalizer that is due
	finalizer any
	cleanup   func()
}

const (
	watchWeak = iota // a weak pointer: nothing
	watchFinalizer
	watchCleanup
)

// watched has all watches that collections inspect, in the order in which the program asked for
// them. In operations, the beginning of the variable collections represents them.
var watched []*watch

// running has two channels. They are closed when the finalizers, and the cleanups, that were due
// after the last collection have run. All finalizers run one after the other, even if one waits,
// and so do all cleanups.
var running [watchCleanup + 1]chan struct{}

func watchFor(obj any, kind int) *watch {
	w := &watch{of: &weakRef{obj: obj}, kind: kind}
	watched = append(watched, w)
	return w
}

// unwatch removes the watches for which f returns true.
func unwatch(f func(*watch) bool) {
	live := watched[:0:0]
	for _, w := range watched {
		if !f(w) {
			live = append(live, w)
		}
	}
	watched = live
}

// runDue waits for before to be closed, runs the actions in due one after the other, and closes
// done.
func runDue(due []*watch, before, done chan struct{}) {
	hbEnvironment()
	if before != nil {
		<-before
	}
	for _, w := range due {
		if w.kind == watchCleanup {
			w.cleanup()
		} else {
			hbFinalize(w.obj, w.finalizer)
			w.obj = nil
		}
	}
	close(done)
}

// hbGC marks the objects in watched to which nothing refers as dead.
func hbGC(watched []*watch)

// hbCollect waits until all other goroutines wait and there are such objects, and marks them as
// dead.
func hbCollect(watched *[]*watch)

// hbStartCollector starts collector, unless the program is only run (hbcheck run).
func hbStartCollector()

// hbTurn lets other goroutines run if the program is only run (hbcheck run), because a collection
// takes long.
func hbTurn()

// hbEnvironment makes the goroutine part of the environment. All earlier steps happen before its
// next ones.
func hbEnvironment()

// hbFinalize calls finalizer(obj).
func hbFinalize(obj, finalizer any)

// weakOf returns a reference to obj, the same for the same pointer.
//
//go:linkname weakOf weak.hbWeakOf
func weakOf(obj any, tell bool) *weakRef {
	effect.Access(unsafe.Pointer(&collections), true)
	for _, w := range watched {
		if w.kind == watchWeak && w.of.obj == obj {
			return w.of
		}
	}
	w := watchFor(obj, watchWeak)
	if tell { // the program can tell whether it is cleared
		startCollector()
	}
	return w.of
}

// weakValue returns the object, if it has not been collected.
//
//go:linkname weakValue weak.hbValue
func weakValue(w *weakRef) any {
	effect.Access(unsafe.Pointer(&collections), false)
	return w.obj
}

// blockUntilDone waits for what was due after the last collection.
//
//go:linkname blockUntilDone sync_test.runtime_blockUntilEmptyCleanupQueue
//go:linkname blockUntilDone unique.runtime_blockUntilEmptyCleanupQueue
func blockUntilDone(timeout int64) bool {
	effect.Access(unsafe.Pointer(&collections), false)
	for _, done := range running {
		if done != nil {
			<-done
		}
	}
	return true
}

// hbLive returns the number of bytes in use. If programs are explored, it returns 0 once there has
// been more than one goroutine. again is set if the program has asked before.
func hbLive(again bool) uint64

// live is the last result of hbLive other than 0, and most the largest one: the amount that has
// been allocated never decreases. shown is set if the program has asked for statistics.
var (
	live, most uint64
	shown      bool
)

// In collections, n counts the program's calls that ask for a collection or for statistics; the
// program sees memory as if it had been collected that often. A collection writes all of the
// variable; operations on Pools read pools.
var collections struct{ n, pools uint32 }

// emptyPools removes the objects that have been in Pools since the last collection. It is a
// function of package sync.
var emptyPools func()

// registerPools sets emptyPools to f. It returns the address that represents collections in
// operations on Pools, or nil if the program cannot ask for a collection.
//
//go:linkname registerPools sync.runtime_registerPoolCleanup
func registerPools(f func()) *uint32 {
	if !hbCollects() {
		return nil
	}
	emptyPools = f
	return &collections.pools
}

// hbCollects reports whether the program can ask for a collection.
func hbCollects() bool

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
	if !hbFinalizes() {
		return
	}
	effect.Access(unsafe.Pointer(&collections), true)
	//mutant: finalizers stay [models TestModels/finalizerRemoved]
	unwatch(func(w *watch) bool { return w.kind == watchFinalizer && w.of.obj == obj })
	if f != nil {
		watchFor(obj, watchFinalizer).finalizer = finalizer
		startCollector()
	}
}

// hbFinalizes reports whether the finalizer can run. Those of the library do not run, which no
// program can notice.
func hbFinalizes() bool

// A Cleanup is a handle of a call of AddCleanup.
type Cleanup struct {
	w *watch
}

// AddCleanup arranges a call of cleanup(arg) when ptr is unreachable: see GC.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup {
	if ptr == nil {
		panic(plainError("runtime.AddCleanup: ptr is nil"))
	}
	if !hbCleans() {
		return Cleanup{}
	}
	return addCleanup(ptr, func() { cleanup(arg) })
}

// hbCleans is hbFinalizes for cleanups.
func hbCleans() bool

func addCleanup(obj any, cleanup func()) Cleanup {
	effect.Access(unsafe.Pointer(&collections), true)
	w := watchFor(obj, watchCleanup)
	w.cleanup = cleanup
	startCollector()
	return Cleanup{w}
}

// Stop cancels the cleanup.
func (c Cleanup) Stop() {
	if c.w == nil {
		return
	}
	effect.Access(unsafe.Pointer(&collections), true)
	unwatch(func(w *watch) bool { return w == c.w })
}

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

// memStats returns the statistics of a small program at rest. As long as there is one goroutine,
// they include the memory that the program can reach. The machine's own statistics would differ
// between executions that are otherwise alike, and would say more about the machine than about the
// program.
func memStats() MemStats {
	const rest, idle, other = 256 << 10, 1 << 20, 4 << 20
	effect.Access(unsafe.Pointer(&collections), true)
	collections.n++
	if n := hbLive(shown); n > 0 {
		live = n
		most = max(most, n)
	}
	shown = true
	heap := rest + live
	return MemStats{
		Alloc: heap, TotalAlloc: rest + most, HeapAlloc: heap, HeapInuse: heap,
		Mallocs: 1000, Frees: 0, HeapObjects: 1000,
		HeapIdle: rest + most + idle - heap, HeapSys: rest + most + idle, OtherSys: other, Sys: rest + most + idle + other,
		NextGC: 4 << 20, EnableGC: true, NumGC: collections.n,
	}
}

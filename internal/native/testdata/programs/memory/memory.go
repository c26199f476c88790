// Package memory has programs about addresses and the collector.
package memory

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
	"unique"
	"unsafe"
	"weak"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

type object struct {
	n    int
	next *object
}

// Finalizer: it runs at last.
func Finalizer() {
	done := make(chan int)
	func() { runtime.SetFinalizer(&object{n: 1}, func(o *object) { done <- o.n }) }()
	runtime.GC()
	fmt.Print(<-done)
}

// FinalizerNever: not before main returns, perhaps.
func FinalizerNever() {
	var ran atomic.Bool
	func() { runtime.SetFinalizer(&object{n: 1}, func(*object) { ran.Store(true) }) }()
	runtime.GC()
	fmt.Print(ran.Load())
}

// FinalizerAlive: not while the object is used.
func FinalizerAlive() {
	var ran atomic.Bool
	o := &object{n: 1}
	runtime.SetFinalizer(o, func(*object) { ran.Store(true) })
	runtime.GC()
	fmt.Print(ran.Load())
	runtime.KeepAlive(o)
}

// FinalizerPanic: a panic behind the collector.
func FinalizerPanic() {
	func() { runtime.SetFinalizer(&object{n: 1}, func(*object) { panic("finalizer") }) }()
	runtime.GC()
	time.Sleep(20 * time.Millisecond)
	fmt.Print("ok")
}

// FinalizerOff: taken away again.
func FinalizerOff() {
	o := &object{n: 1}
	runtime.SetFinalizer(o, func(*object) { panic("finalizer") })
	runtime.SetFinalizer(o, nil)
	o = nil
	runtime.GC()
	fmt.Print("ok")
}

// FinalizerRevive: the object lives on.
func FinalizerRevive() {
	c := make(chan *object, 1)
	func() { runtime.SetFinalizer(&object{n: 7}, func(o *object) { c <- o }) }()
	runtime.GC()
	fmt.Print((<-c).n)
}

// Cleanup: it runs at last.
func Cleanup() {
	done := make(chan int)
	func() { runtime.AddCleanup(&object{n: 1}, func(n int) { done <- n }, 5) }()
	runtime.GC()
	fmt.Print(<-done)
}

// CleanupStop: stopped before.
func CleanupStop() {
	o := &object{n: 1}
	c := runtime.AddCleanup(o, func(int) { panic("cleanup") }, 5)
	c.Stop()
	runtime.KeepAlive(o)
	runtime.GC()
	fmt.Print("ok")
}

// CleanupTwo: two of one object in any order.
func CleanupTwo() {
	done := make(chan int, 2)
	func() {
		o := &object{n: 1}
		runtime.AddCleanup(o, func(n int) { done <- n }, 1)
		runtime.AddCleanup(o, func(n int) { done <- n }, 2)
	}()
	runtime.GC()
	fmt.Print(<-done + <-done)
}

// Weak: cleared when the object is collected.
func Weak() {
	var w weak.Pointer[object]
	func() { w = weak.Make(&object{n: 1}) }()
	runtime.GC()
	fmt.Print(w.Value() == nil)
}

// WeakAlive: not while it is used.
func WeakAlive() {
	o := &object{n: 1}
	w := weak.Make(o)
	runtime.GC()
	fmt.Print(w.Value() == o)
	runtime.KeepAlive(o)
}

// WeakEqual: two of one object are equal.
func WeakEqual() {
	o, p := &object{n: 1}, &object{n: 1}
	fmt.Print(weak.Make(o) == weak.Make(o), weak.Make(o) == weak.Make(p))
	runtime.KeepAlive(o)
	runtime.KeepAlive(p)
}

// WeakNil: of nil.
func WeakNil() {
	var w weak.Pointer[object]
	fmt.Print(w.Value() == nil, weak.Make[object](nil) == w)
}

// WeakCache: an entry may be gone.
func WeakCache() {
	cache := map[string]weak.Pointer[object]{}
	func() { cache["a"] = weak.Make(&object{n: 1}) }()
	if o := cache["a"].Value(); o != nil {
		fmt.Print("hit")
	} else {
		fmt.Print("miss")
	}
}

// Unique: equal values have one handle.
func Unique() {
	a, b := unique.Make("x"), unique.Make("x")
	fmt.Print(a == b, a == unique.Make("y"), a.Value())
}

// UniqueBeside: made in two goroutines.
func UniqueBeside() {
	var a, b unique.Handle[string]
	par(func() { a = unique.Make("x") }, func() { b = unique.Make("x") })
	fmt.Print(a == b)
}

// Addresses: which of two objects is at the lower one.
func Addresses() {
	a, b := new([64]int), new([64]int)
	fmt.Print(uintptr(unsafe.Pointer(a)) != uintptr(unsafe.Pointer(b)))
}

// AddressOrder: the order of addresses is not specified.
func AddressOrder() {
	var p [2]*object
	par(func() { p[0] = &object{n: 1} }, func() { p[1] = &object{n: 2} })
	fmt.Print(uintptr(unsafe.Pointer(p[0])) < uintptr(unsafe.Pointer(p[1])))
}

// AddressFields: fields are in order.
func AddressFields() {
	o := &struct{ a, b int }{}
	fmt.Print(uintptr(unsafe.Pointer(&o.a)) < uintptr(unsafe.Pointer(&o.b)))
}

// AddressLocks: locks in the order of their addresses do not deadlock.
func AddressLocks() {
	a, b := new(sync.Mutex), new(sync.Mutex)
	both := func(x, y *sync.Mutex) func() {
		return func() {
			if uintptr(unsafe.Pointer(x)) > uintptr(unsafe.Pointer(y)) {
				x, y = y, x
			}
			x.Lock()
			y.Lock()
			y.Unlock()
			x.Unlock()
		}
	}
	par(both(a, b), both(b, a))
	fmt.Print("ok")
}

// AddressPrinted: %p of two pointers to one object.
func AddressPrinted() {
	o := new(int)
	fmt.Print(fmt.Sprintf("%p", o) == fmt.Sprintf("%p", o), len(fmt.Sprintf("%p", o)) > 4)
}

// AddressZero: pointers to objects of no size may be equal or not.
func AddressZero() {
	a, b := new(struct{}), new(struct{})
	fmt.Sprint(a, b)
	fmt.Print("ok")
}

// MemStats beside its reader races.
//
//native:race
func MemStats() {
	var m runtime.MemStats
	par(func() { runtime.ReadMemStats(&m) }, func() { _ = m.Alloc })
}

// GCCount: collections are counted.
func GCCount() {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	runtime.GC()
	runtime.ReadMemStats(&b)
	fmt.Print(b.NumGC > a.NumGC)
}

// GCStats: they are counted in the other statistics, too.
func GCStats() {
	var a, b debug.GCStats
	debug.ReadGCStats(&a)
	runtime.GC()
	debug.ReadGCStats(&b)
	fmt.Print(b.NumGC > a.NumGC, b.PauseTotal >= a.PauseTotal)
}

// Metrics: each that there is has a value of its kind, and what is none has none.
func Metrics() {
	samples := []metrics.Sample{{Name: "/no/such:thing"}}
	all := metrics.All()
	for _, d := range all {
		samples = append(samples, metrics.Sample{Name: d.Name})
	}
	metrics.Read(samples)
	fmt.Print(samples[0].Value.Kind() == metrics.KindBad)
	for i, s := range samples[1:] {
		if s.Value.Kind() != all[i].Kind {
			fmt.Print(s.Name)
		}
		switch s.Name {
		case "/gc/heap/allocs-by-size:bytes", "/sched/latencies:seconds":
			h := s.Value.Float64Histogram()
			fmt.Print(len(h.Counts)+1 == len(h.Buckets), len(h.Buckets), h.Buckets[0], h.Buckets[2], h.Buckets[len(h.Buckets)-2])
		case "/sched/goroutines:goroutines":
			fmt.Print(s.Value.Uint64() > 0)
		}
	}
}

// MetricsAgain: a histogram that is there is filled again; heap and collections are those of MemStats.
func MetricsAgain() {
	s := []metrics.Sample{{Name: "/gc/heap/allocs-by-size:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(s)
	h, n, cycles := s[0].Value.Float64Histogram(), len(s[0].Value.Float64Histogram().Counts), s[2].Value.Uint64()
	runtime.GC()
	metrics.Read(s)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Print(s[0].Value.Float64Histogram() == h, len(h.Counts) == n, s[1].Value.Uint64() <= m.Sys, s[2].Value.Uint64() > cycles)
}

// GCPercent: the old value is returned.
func GCPercent() {
	debug.SetGCPercent(50)
	fmt.Print(debug.SetGCPercent(100))
}

// PoolCollected: two collections empty a pool.
func PoolCollected() {
	var p sync.Pool
	p.Put(1)
	runtime.GC()
	runtime.GC()
	fmt.Print(p.Get())
}

// PoolOnce: one collection does not have to.
func PoolOnce() {
	var p sync.Pool
	p.Put(1)
	runtime.GC()
	fmt.Print(p.Get() == nil || true)
}

// Cycle: a cycle is collected, without a finalizer.
func Cycle() {
	var w weak.Pointer[object]
	func() {
		a := &object{n: 1}
		a.next = &object{n: 2, next: a}
		w = weak.Make(a)
	}()
	runtime.GC()
	fmt.Print(w.Value() == nil)
}

// Slices: aliasing after append.
func Slices() {
	a := make([]int, 1, 2)
	b := append(a, 1)
	c := append(a, 2)
	fmt.Print(b[1], c[1], &b[0] == &c[0])
}

// Large: an object that is never touched.
func Large() {
	b := make([]byte, 1<<24)
	fmt.Print(len(b))
}

// ArrayHuge: an array type of 2^32 elements without size.
func ArrayHuge() {
	var a [1 << 32]struct{}
	fmt.Print(len(a))
}

// ArrayView: memory as a part of an array that cannot exist, as libraries see mapped files.
//
//go:nocheckptr
func ArrayView() {
	b := make([]uint16, 8)
	p := (*[1 << 46]uint16)(unsafe.Pointer(&b[2]))
	s := p[1:3:4]
	s[1], p[4] = 7, 9
	func() {
		defer func() { fmt.Print(recover(), " ") }()
		n := len(b)
		s = p[: n/8 : n/10]
	}()
	fmt.Print(len(s), cap(s), b)
}

// ArrayViewAll: the capacity of such a view shows the length of the array.
//
//native:incomplete 2^32
//go:nocheckptr
func ArrayViewAll() {
	b := make([]byte, 8)
	fmt.Print(cap((*[1 << 46]byte)(unsafe.Pointer(&b[0]))[:8]))
}

// ChannelHuge: a buffer of eight gigabytes.
//
//native:incomplete more than
//native:incomplete memory
func ChannelHuge() {
	c := make(chan struct{ _ [0]int }, 1<<40)
	fmt.Print(cap(c))
}

// stackPlace returns the place of the goroutine's stack, as caches do that spread goroutines over stripes.
//
//go:noinline
func stackPlace() uintptr {
	var x byte
	return uintptr(unsafe.Pointer(&x)) >> 11
}

// StackPlace: the same place in the next call, and other places in goroutines that live at the same time.
//
//native:incomplete address
func StackPlace() {
	const n = 3
	same := stackPlace() == stackPlace()
	places := make([]uintptr, n)
	var found, all sync.WaitGroup
	found.Add(n)
	for i := range n {
		all.Go(func() {
			places[i] = stackPlace()
			found.Done()
			found.Wait()
		})
	}
	all.Wait()
	fmt.Print(same, places[0] != places[1] && places[1] != places[2] && places[0] != places[2])
}

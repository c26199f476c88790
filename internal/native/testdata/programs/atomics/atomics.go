// Package atomics has programs about package sync/atomic.
package atomics

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// Add: no update is lost.
func Add() {
	var n atomic.Int32
	par(func() { n.Add(1) }, func() { n.Add(2) })
	fmt.Print(n.Load())
}

// AddSees: what Add returns says who was first.
func AddSees() {
	var n atomic.Int64
	var a, b int64
	par(func() { a = n.Add(1) }, func() { b = n.Add(1) })
	fmt.Print(a, b)
}

// LoadStore: an update in two steps is lost.
func LoadStore() {
	var n atomic.Uint32
	inc := func() { n.Store(n.Load() + 1) }
	par(inc, inc)
	fmt.Print(n.Load())
}

// Dekker: at least one sees the other.
func Dekker() {
	var x, y atomic.Bool
	var a, b bool
	par(func() { x.Store(true); a = y.Load() }, func() { y.Store(true); b = x.Load() })
	fmt.Print(a, b)
}

// Message: a flag publishes data.
func Message() {
	var flag atomic.Bool
	data, got := 0, 0
	par(func() { data = 1; flag.Store(true) }, func() {
		if flag.Load() {
			got = data
		}
	})
	fmt.Print(got)
}

// MessageWrong: without looking at the flag.
func MessageWrong() {
	var flag atomic.Bool
	data := 0
	par(func() { data = 1; flag.Store(true) }, func() { _ = flag.Load(); _ = data; data = 2 })
}

// CompareAndSwap: one succeeds.
func CompareAndSwap() {
	var n atomic.Int32
	var a, b bool
	par(func() { a = n.CompareAndSwap(0, 1) }, func() { b = n.CompareAndSwap(0, 2) })
	fmt.Print(a, b, n.Load())
}

// CompareAndSwapABA: the value comes back in between.
func CompareAndSwapABA() {
	var n atomic.Int32
	ok := false
	par(func() { x := n.Load(); ok = n.CompareAndSwap(x, x+10) }, func() { n.Store(1); n.Store(0) })
	fmt.Print(ok, n.Load())
}

// Swap: either is first.
func Swap() {
	var n atomic.Int32
	var a, b int32
	par(func() { a = n.Swap(1) }, func() { b = n.Swap(2) })
	fmt.Print(a, b)
}

// AndOr: bits set and cleared.
func AndOr() {
	var n atomic.Uint32
	n.Store(3)
	par(func() { n.And(1) }, func() { n.Or(2) })
	fmt.Print(n.Load())
}

// OrOld: the old value is returned.
func OrOld() {
	var n atomic.Uint64
	var a, b uint64
	par(func() { a = n.Or(1) }, func() { b = n.Or(2) })
	fmt.Print(a, b)
}

// Pointer: a linked list without locks.
func Pointer() {
	type node struct {
		v    int
		next *node
	}
	var head atomic.Pointer[node]
	push := func(v int) {
		for {
			old := head.Load()
			if head.CompareAndSwap(old, &node{v, old}) {
				return
			}
		}
	}
	par(func() { push(1) }, func() { push(2) })
	for n := head.Load(); n != nil; n = n.next {
		fmt.Print(n.v)
	}
}

// PointerRace: what it points to is not protected.
func PointerRace() {
	var p atomic.Pointer[int]
	p.Store(new(int))
	par(func() { *p.Load() = 1 }, func() { *p.Load() = 2 })
}

// Value: Load of an empty Value is nil.
func Value() {
	var v atomic.Value
	var got any
	par(func() { v.Store(1) }, func() { got = v.Load() })
	fmt.Print(got)
}

// ValueTypes: a store of another type panics.
func ValueTypes() {
	var v atomic.Value
	defer func() { fmt.Print(recover()) }()
	v.Store(1)
	v.Store("x")
}

// ValueNil: a store of nil panics.
func ValueNil() {
	var v atomic.Value
	defer func() { fmt.Print(recover()) }()
	v.Store(nil)
}

// ValueSwap: swaps of two.
func ValueSwap() {
	var v atomic.Value
	var a, b any
	par(func() { a = v.Swap(1) }, func() { b = v.Swap(2) })
	fmt.Print(a, b)
}

// ValueCompareAndSwap: one succeeds.
func ValueCompareAndSwap() {
	var v atomic.Value
	v.Store(0)
	var a, b bool
	par(func() { a = v.CompareAndSwap(0, 1) }, func() { b = v.CompareAndSwap(0, 2) })
	fmt.Print(a, b)
}

// ValueIncomparable: comparing slices panics.
func ValueIncomparable() {
	var v atomic.Value
	v.Store([]int{1})
	defer func() { fmt.Print(recover()) }()
	v.CompareAndSwap([]int{1}, []int{2})
}

// Cast: an int64 accessed through an atomic.Int64.
func Cast() {
	var x int64
	par(func() { (*atomic.Int64)(unsafe.Pointer(&x)).Store(1) }, func() { fmt.Print(atomic.LoadInt64(&x)) })
}

// CastPlain: and plainly.
func CastPlain() {
	var x int64
	par(func() { (*atomic.Int64)(unsafe.Pointer(&x)).Store(1) }, func() { x = 2 })
}

// Mixed: atomic and plain accesses race.
func Mixed() {
	var n int32
	par(func() { atomic.AddInt32(&n, 1) }, func() { n = 5 })
}

// Functions: the functions do what the methods do.
func Functions() {
	var n int32
	var a, b int32
	par(func() { a = atomic.AddInt32(&n, 1) }, func() { b = atomic.SwapInt32(&n, 5) })
	fmt.Print(a, b, atomic.LoadInt32(&n))
}

// UnsafePointer: through the functions.
func UnsafePointer() {
	var p unsafe.Pointer
	x, y := new(int), new(int)
	par(func() { atomic.StorePointer(&p, unsafe.Pointer(x)) }, func() { atomic.CompareAndSwapPointer(&p, nil, unsafe.Pointer(y)) })
	fmt.Print(p == unsafe.Pointer(x))
}

// Uintptr: adding to an Uintptr.
func Uintptr() {
	var n atomic.Uintptr
	par(func() { n.Add(1) }, func() { n.CompareAndSwap(1, 7) })
	fmt.Print(n.Load())
}

// Spin: a loop until a flag is set.
func Spin() {
	var flag atomic.Bool
	go flag.Store(true)
	for !flag.Load() {
	}
	fmt.Print("ok")
}

// SpinLock: a lock of one's own.
func SpinLock() {
	var l atomic.Int32
	n := 0
	inc := func() {
		for !l.CompareAndSwap(0, 1) {
		}
		n++
		l.Store(0)
	}
	par(inc, inc)
	fmt.Print(n)
}

// Interface: an atomic in an interface.
func Interface() {
	var n atomic.Int32
	var s interface{ Add(int32) int32 } = &n
	par(func() { s.Add(1) }, func() { fmt.Print(n.Load()) })
}

// Array: elements are different objects.
func Array() {
	var a [2]atomic.Int32
	par(func() { a[0].Store(1); fmt.Print(a[1].Load()) }, func() { a[1].Store(1) })
}

// Copy: copying is a plain access.
func Copy() {
	type counter struct{ n int64 }
	c := &counter{}
	par(func() { atomic.AddInt64(&c.n, 1) }, func() { d := *c; _ = d })
}

package syncs

import (
	"fmt"
	"sync"
)

// MapStore: the last of two stores remains.
func MapStore() {
	var m sync.Map
	par(func() { m.Store(1, "a") }, func() { m.Store(1, "b") })
	v, _ := m.Load(1)
	fmt.Print(v)
}

// MapLoadOrStore: one is loaded.
func MapLoadOrStore() {
	var m sync.Map
	var a, b bool
	par(func() { _, a = m.LoadOrStore(1, 1) }, func() { _, b = m.LoadOrStore(1, 2) })
	v, _ := m.Load(1)
	fmt.Print(a, b, v)
}

// MapLoadAndDelete: only one of two gets the value.
func MapLoadAndDelete() {
	var m sync.Map
	m.Store(1, 1)
	var a, b bool
	par(func() { _, a = m.LoadAndDelete(1) }, func() { _, b = m.LoadAndDelete(1) })
	fmt.Print(a, b)
}

// MapCompareAndSwap: one of two succeeds.
func MapCompareAndSwap() {
	var m sync.Map
	m.Store(1, 0)
	var a, b bool
	par(func() { a = m.CompareAndSwap(1, 0, 1) }, func() { b = m.CompareAndSwap(1, 0, 2) })
	fmt.Print(a, b)
}

// MapSwap: either store is first.
func MapSwap() {
	var m sync.Map
	var a, b any
	par(func() { a, _ = m.Swap(1, "a") }, func() { b, _ = m.Swap(1, "b") })
	fmt.Print(a, b)
}

// MapCompareAndDelete: beside a store.
func MapCompareAndDelete() {
	var m sync.Map
	m.Store(1, 0)
	d := false
	par(func() { d = m.CompareAndDelete(1, 0) }, func() { m.Store(1, 1) })
	v, ok := m.Load(1)
	fmt.Print(d, v, ok)
}

// MapTwoKeys: stores of two keys and loads of both the other way.
func MapTwoKeys() {
	var m sync.Map
	var a, b bool
	par(func() { m.Store(1, 0); m.Store(2, 0) }, func() { _, a = m.Load(2); _, b = m.Load(1) })
	fmt.Print(a, b)
}

// MapRangeOrder: Range visits in any order.
func MapRangeOrder() {
	var m sync.Map
	m.Store("a", 0)
	m.Store("b", 0)
	m.Range(func(k, _ any) bool { fmt.Print(k); return true })
}

// MapRangeFirst: which of three is first.
func MapRangeFirst() {
	var m sync.Map
	for i := range 3 {
		m.Store(i, 0)
	}
	m.Range(func(k, _ any) bool { fmt.Print(k); return false })
}

// MapRangeStore: a store beside Range may be seen or not.
func MapRangeStore() {
	var m sync.Map
	m.Store(1, 0)
	n := 0
	par(func() { m.Range(func(k, _ any) bool { n++; return true }) }, func() { m.Store(2, 0) })
	fmt.Print(n)
}

// MapRangeDelete: a key deleted in Range before it is reached is not visited.
func MapRangeDelete() {
	var m sync.Map
	m.Store(0, 1)
	m.Store(1, 0)
	n := 0
	m.Range(func(k, v any) bool { m.Delete(v); n++; return true })
	fmt.Print(n)
}

// MapClear: Clear beside Store.
func MapClear() {
	var m sync.Map
	m.Store(1, 0)
	par(m.Clear, func() { m.Store(2, 0) })
	_, a := m.Load(1)
	_, b := m.Load(2)
	fmt.Print(a, b)
}

// MapSees: what is stored through a pointer is seen.
func MapSees() {
	var m sync.Map
	n := 0
	par(func() {
		x := new(int)
		*x = 1
		m.Store(0, x)
	}, func() {
		if p, ok := m.Load(0); ok {
			n = *p.(*int)
		}
	})
	fmt.Print(n)
}

// MapInside: the value itself is not protected.
func MapInside() {
	var m sync.Map
	m.Store(0, new(int))
	inc := func() { p, _ := m.Load(0); *p.(*int)++ }
	par(inc, inc)
	fmt.Print("ok")
}

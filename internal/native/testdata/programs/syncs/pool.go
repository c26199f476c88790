package syncs

import (
	"fmt"
	"sync"
)

// PoolSame: Get may return what was put, or a new one.
func PoolSame() {
	p := sync.Pool{New: func() any { return 0 }}
	p.Put(1)
	fmt.Print(p.Get())
}

// PoolNil: Get of an empty pool without New.
func PoolNil() {
	var p sync.Pool
	fmt.Print(p.Get())
}

// PoolTwice: no two get one object.
func PoolTwice() {
	var p sync.Pool
	p.Put("x")
	var a, b any
	par(func() { a = p.Get() }, func() { b = p.Get() })
	if a != nil && b != nil {
		panic("twice")
	}
	fmt.Print(a == nil, b == nil)
}

// PoolWhich: Get returns any of what was put.
func PoolWhich() {
	var p sync.Pool
	p.Put(1)
	p.Put(2)
	fmt.Print(p.Get(), p.Get())
}

// PoolDirty: an object comes back as it was put.
func PoolDirty() {
	p := sync.Pool{New: func() any { return new([]int) }}
	use := func() {
		x := p.Get().(*[]int)
		*x = append(*x, 1)
		p.Put(x)
	}
	use()
	use()
	fmt.Print(len(*p.Get().(*[]int)) <= 2)
}

// PoolNew: setting New beside Get.
//
//native:race
func PoolNew() {
	var p sync.Pool
	par(func() { p.Get() }, func() { p.New = func() any { return 1 } })
}

// PoolAfterPut: using an object after it was put back.
//
//native:race
func PoolAfterPut() {
	p := sync.Pool{New: func() any { return new(int) }}
	x := p.Get().(*int)
	p.Put(x)
	par(func() { *x = 1 }, func() { y := p.Get().(*int); *y = 2 })
}

// PoolSees: what was written before Put is seen after Get.
func PoolSees() {
	var p sync.Pool
	par(func() { x := new(int); *x = 1; p.Put(x) }, func() {
		if x, ok := p.Get().(*int); ok && *x != 1 {
			panic("not seen")
		}
	})
	fmt.Print("ok")
}

// Programs of the competition on software verification, as the paper's table 9 has them. Variables
// that are shared without a lock are atomic: in Java they are plain, which orders the same accesses.
//
//	svcomp bigshots | bigshots2 | bigshotp | lazy01 | fibbench1 | fibbench2 | sigma | singleton | singletonwup
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func assert(ok bool) {
	if !ok {
		panic("assertion failed")
	}
}

// parallel executes functions in goroutines, and waits for them.
func parallel(list ...func()) {
	var wg sync.WaitGroup
	for _, f := range list {
		wg.Go(f)
	}
	wg.Wait()
}

// bigShot: one goroutine sets a string to "", another one replaces the string if it is not empty.
func bigShot(sequential bool) *string {
	var v atomic.Pointer[string]
	empty, full := "", "bigShot"
	clean := func() { v.Store(&empty) }
	replace := func() {
		if s := v.Load(); s == nil || *s != "" {
			v.Store(&full)
		}
	}
	if sequential {
		parallel(clean)
		parallel(replace)
	} else {
		parallel(clean, replace)
	}
	return v.Load()
}

// lazy: a sum that is not below 3 if two others have added to it.
func lazy() {
	var mu sync.Mutex
	data := 0
	locked := func(f func()) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			f()
		}
	}
	parallel(locked(func() { data++ }), locked(func() { data += 2 }), locked(func() { assert(data < 3) }))
}

// fib: two goroutines add to i and j in turn; a third one looks at them in the middle.
func fib(limit int64) {
	var mu sync.Mutex
	var i, j atomic.Int64
	i.Store(1)
	j.Store(1)
	add := func(to, from *atomic.Int64) func() {
		return func() {
			for range 5 {
				mu.Lock()
				to.Store(to.Load() + from.Load())
				mu.Unlock()
			}
		}
	}
	look := func() {
		x, y := i.Load(), j.Load()
		assert(x < limit && y < limit)
	}
	parallel(add(&j, &i), add(&i, &j), look)
}

// sigma: each goroutine increments an index, without a lock, and sets the element that is there then.
func sigma(n int) {
	var index atomic.Int64
	index.Store(-1)
	array := make([]atomic.Int64, n)
	set := make([]func(), n)
	for i := range set {
		set[i] = func() {
			index.Store(index.Load() + 1)
			array[index.Load()].Store(1)
		}
	}
	parallel(set...)
	sum := int64(0)
	for i := range array {
		sum += array[i].Load()
	}
	assert(sum == int64(n))
}

// singleton: three goroutines set a letter to X, and one to Y.
func singleton(allowed string) {
	var mu sync.Mutex
	letter := byte('0')
	set := func(c byte) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			letter = c
		}
	}
	parallel(set('0'))
	parallel(set('X'), set('Y'), set('X'), set('X'))
	found := false
	for i := range len(allowed) {
		found = found || letter == allowed[i]
	}
	assert(found)
}

func main() {
	switch os.Args[1] {
	case "bigshots":
		assert(*bigShot(true) != "")
	case "bigshots2":
		assert(*bigShot(true) == "")
	case "bigshotp":
		assert(bigShot(false) != nil)
	case "lazy01":
		lazy()
	case "fibbench1":
		fib(145)
	case "fibbench2":
		fib(144)
	case "sigma":
		sigma(16)
	case "singleton":
		singleton("X")
	case "singletonwup":
		singleton("XY")
	}
}

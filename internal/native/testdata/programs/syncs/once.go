package syncs

import (
	"errors"
	"fmt"
	"sync"
)

// OnceWho: one of two functions is called.
func OnceWho() {
	var once sync.Once
	s := ""
	par(func() { once.Do(func() { s += "a" }) }, func() { once.Do(func() { s += "b" }) })
	fmt.Print(s)
}

// OnceSees: after Do the effect is visible.
func OnceSees() {
	var once sync.Once
	n := 0
	see := func() {
		once.Do(func() { n = 1 })
		if n != 1 {
			panic("not seen")
		}
	}
	par(see, see)
	fmt.Print("ok")
}

// OnceInside: Do in Do of the same Once.
func OnceInside() {
	var once sync.Once
	once.Do(func() { once.Do(func() {}) })
}

// OncePanic: a Once whose function panicked is done.
func OncePanic() {
	var once sync.Once
	func() {
		defer func() { fmt.Print(recover()) }()
		once.Do(func() { panic("first") })
	}()
	once.Do(func() { fmt.Print("again") })
	fmt.Print(" done")
}

// OnceGoexit: the function leaves its goroutine.
func OnceGoexit() {
	var once sync.Once
	par(func() { once.Do(func() { c := make(chan int, 1); c <- 1 }) }, func() { once.Do(func() {}) })
	fmt.Print("ok")
}

// OnceFuncPanics: every call panics with the same value.
func OnceFuncPanics() {
	f := sync.OnceFunc(func() { panic("x") })
	n := 0
	for range 2 {
		func() {
			defer func() {
				if recover() == "x" {
					n++
				}
			}()
			f()
		}()
	}
	fmt.Print(n)
}

// OnceValueShared: both get one value.
func OnceValueShared() {
	n := 0
	f := sync.OnceValue(func() int { n++; return n })
	var a, b int
	par(func() { a = f() }, func() { b = f() })
	fmt.Print(a, b)
}

// OnceValuesError: both results are kept.
func OnceValuesError() {
	f := sync.OnceValues(func() (int, error) { return 1, errors.New("e") })
	_, _ = f()
	n, err := f()
	fmt.Print(n, err)
}

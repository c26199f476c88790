// Package rangefuncs: loops over functions that do not do what they should.
package rangefuncs

import (
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

func once(yield func() bool) { yield() }

// Panicked: the body called after it has panicked.
func Panicked() {
	var keep func() bool
	try := func(f func()) {
		defer func() { fmt.Print(recover(), " ") }()
		f()
	}
	try(func() {
		for range func(yield func() bool) { keep = yield; yield() } {
			panic("body")
		}
	})
	try(func() { keep() })
}

// swallow calls yield n times, and recovers what it panics with.
func swallow(n int) func(func() bool) {
	return func(yield func() bool) {
		for range n {
			func() {
				defer func() { fmt.Print(recover(), " ") }()
				yield()
			}()
		}
	}
}

// Swallowed: a function that recovers the panic of the body.
func Swallowed() {
	defer func() { fmt.Print(recover()) }()
	for range swallow(2) {
		panic("body")
	}
}

// OverSwallowed: a function that goes on after break, and recovers the panic because of that.
func OverSwallowed() {
	defer func() { fmt.Print(recover()) }()
	for range swallow(2) {
		break
	}
}

// Out of an inner loop, by ways that the inner function, or the outer one, does not mind.
func Out() {
	try := func(inner, outer int) {
		defer func() { fmt.Print(recover(), " ") }()
	next:
		for range swallow(outer) {
			for range swallow(inner) {
				continue next
			}
		}
	}
	try(1, 2)
	try(2, 1)
	func() {
		defer func() { fmt.Print(recover(), " ") }()
		for range swallow(2) {
			for range once {
				goto end
			}
		}
	end:
		fmt.Print("end ")
	}()
}

// Inside: the body called by itself.
func Inside() {
	defer func() { fmt.Print(recover()) }()
	var keep func() bool
	for range func(yield func() bool) { keep = yield; yield() } {
		keep()
	}
}

// Two goroutines call the body, one after the other or while it runs.
func Two() {
	defer func() { fmt.Print(recover()) }()
	var mu sync.Mutex
	for range func(yield func() bool) {
		par(func() {
			defer func() { _ = recover() }()
			mu.Lock()
			ok := yield()
			mu.Unlock()
			fmt.Print(ok, " ")
		}, func() {
			mu.Lock()
			defer mu.Unlock()
			defer func() { fmt.Print(recover(), " ") }()
			fmt.Print(yield(), " ")
		})
	} {
		break
	}
}

// Lines of the frames that a panic of a loop leaves.
func Lines() {
	_, _, base, _ := runtime.Caller(0)
	lines := func() {
		pcs := make([]uintptr, 20)
		frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
		for {
			f, more := frames.Next()
			if strings.Contains(f.Function, ".Lines") {
				fmt.Print(f.Line-base, " ")
			}
			if !more {
				break
			}
		}
		fmt.Println(recover())
	}
	func() {
		defer lines()
		for range func(yield func() bool) {
			yield()
			yield()
		} {
			break
		}
	}()
	func() {
		defer lines()
		for range swallow(1) {
			panic("body")
		}
	}()
}

// Deferred: bodies that other goroutines and coroutines execute defer calls of the function around the
// loop, which also run when it panics.
func Deferred() {
	side := func(yield func(string) bool) {
		var mu sync.Mutex
		call := func(s string) func() { return func() { mu.Lock(); defer mu.Unlock(); yield(s) } }
		par(call("a"), call("b"))
	}
	within := func(yield func(string) bool) {
		next, stop := iter.Pull(func(pulled func(string) bool) {
			for range 2 {
				yield("c")
				pulled("")
			}
		})
		defer stop()
		for _, ok := next(); ok; _, ok = next() {
		}
	}
	var deep func(n int, s iter.Seq[string], fails bool)
	deep = func(n int, s iter.Seq[string], fails bool) {
		if n > 0 {
			deep(n-1, s, fails)
			return
		}
		defer fmt.Print("first ")
		for x := range s {
			defer func() { fmt.Print(x, recover(), " ") }()
		}
		defer fmt.Print("last ")
		if fails {
			panic("no")
		}
	}
	deep(0, side, true)
	deep(100, within, false)
}

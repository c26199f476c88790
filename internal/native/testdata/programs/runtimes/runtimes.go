// Package runtimes has programs about package runtime.
package runtimes

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
)

func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}

// Count: a goroutine that does nothing has ended or not.
func Count() {
	go func() {}()
	fmt.Print(runtime.NumGoroutine())
}

// CountPanics: a check of the number.
func CountPanics() {
	go func() {}()
	if runtime.NumGoroutine() == 2 {
		panic("two")
	}
	fmt.Print("one")
}

// CountStore: beside a goroutine that stores.
func CountStore() {
	var x atomic.Int32
	go x.Store(1)
	fmt.Print(runtime.NumGoroutine())
}

// CountWaiting: a goroutine that waits is there.
func CountWaiting() {
	c := make(chan int)
	go func() { <-c }()
	fmt.Print(runtime.NumGoroutine())
	c <- 1
}

// CountTwo: one, two or three.
func CountTwo() {
	go func() {}()
	go func() {}()
	fmt.Print(runtime.NumGoroutine())
}

// CountAfterWait: Done is called before the goroutine has ended.
func CountAfterWait() {
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
	n := runtime.NumGoroutine()
	fmt.Print(n >= 1 && n <= 2)
}

// CountSeen: the number after Wait.
func CountSeen() {
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
	fmt.Print(runtime.NumGoroutine())
}

// CountInside: seen by the goroutine itself.
func CountInside() {
	c := make(chan int)
	go func() { c <- runtime.NumGoroutine() }()
	fmt.Print(<-c)
}

// CountPolled: a loop until all others have ended.
func CountPolled() {
	go func() {}()
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
	fmt.Print("ok")
}

// StackAll: what another goroutine is doing.
func StackAll() {
	c := make(chan int)
	go func() { c <- 1 }()
	b := make([]byte, 1<<16)
	s := string(b[:runtime.Stack(b, true)])
	fmt.Print(strings.Contains(s, "chan send"))
	<-c
}

// StackOwn: the own stack names the function.
func StackOwn() {
	fmt.Print(strings.Contains(string(debug.Stack()), "StackOwn"))
}

// StackShared: the buffer is read beside it.
//
//native:race
func StackShared() {
	b := make([]byte, 100)
	par(func() { runtime.Stack(b, false) }, func() { _ = b[0] })
}

// Gosched changes nothing.
func Gosched() {
	s := make(chan string, 2)
	par(func() { runtime.Gosched(); s <- "a" }, func() { s <- "b" })
	fmt.Print(<-s + <-s)
}

// Goexit runs deferred calls.
func Goexit() {
	c := make(chan string, 1)
	go func() {
		defer func() { c <- fmt.Sprint("deferred ", recover()) }()
		runtime.Goexit()
	}()
	fmt.Print(<-c)
}

// GoexitMain: others go on, and then nothing is left.
func GoexitMain() {
	go func() { fmt.Print("other") }()
	runtime.Goexit()
}

// GoexitAlone: nothing is left at once.
func GoexitAlone() {
	runtime.Goexit()
}

// GoexitExit: another goroutine ends the program.
func GoexitExit() {
	go func() { fmt.Print("other"); panic("end") }()
	runtime.Goexit()
}

// GoexitPanic: a panic in a deferred call after Goexit.
func GoexitPanic() {
	c := make(chan any)
	go func() {
		defer func() { c <- recover() }()
		defer panic("deferred")
		runtime.Goexit()
	}()
	fmt.Print(<-c)
}

// GoexitOnce leaves a Once done.
func GoexitOnce() {
	var once sync.Once
	c := make(chan int)
	go func() {
		defer close(c)
		once.Do(runtime.Goexit)
	}()
	<-c
	once.Do(func() { fmt.Print("again") })
	fmt.Print("ok")
}

// GoexitLocked leaves a mutex locked without defer.
func GoexitLocked() {
	var mu sync.Mutex
	c := make(chan int)
	go func() { defer close(c); mu.Lock(); runtime.Goexit(); mu.Unlock() }()
	<-c
	mu.Lock()
}

// Callers knows its caller.
func Callers() {
	_, file, _, ok := runtime.Caller(0)
	fmt.Print(strings.HasSuffix(file, "runtimes.go"), ok)
}

// LockThread: nothing changes.
func LockThread() {
	runtime.LockOSThread()
	par(func() {}, func() {})
	runtime.UnlockOSThread()
	fmt.Print("ok")
}

// Procs: setting the number of processors returns the old one.
func Procs() {
	n := runtime.GOMAXPROCS(2)
	fmt.Print(n >= 1, runtime.GOMAXPROCS(0))
}

// Version and platform.
func Version() {
	fmt.Print(strings.HasPrefix(runtime.Version(), "go1."), runtime.GOOS, runtime.GOARCH)
}

// Profile: the number of records beside a goroutine that ends.
func Profile() {
	go func() {}()
	n, _ := runtime.GoroutineProfile(nil)
	fmt.Print(n >= 1)
}

// ProfileSeen: the number itself.
func ProfileSeen() {
	go func() {}()
	n, _ := runtime.GoroutineProfile(nil)
	fmt.Print(n)
}

// CloseOver: a loop calls a closure 65,536 times.
func CloseOver() {
	n := 0
	f := func() { n++ }
	for range 65536 {
		f()
	}
	fmt.Print(n)
}

// CloseOverTwice: two goroutines do.
func CloseOverTwice() {
	var n atomic.Int32
	loop := func() {
		m := 0
		f := func() { m++ }
		for range 70000 {
			f()
		}
		n.Add(int32(m))
	}
	par(loop, loop)
	fmt.Print(n.Load())
}

// Deep recursion.
func Deep() {
	var f func(int) int
	f = func(n int) int {
		if n == 0 {
			return 0
		}
		return f(n-1) + 1
	}
	fmt.Print(f(10000))
}

// Keep: KeepAlive of anything.
func Keep() {
	x := new(int)
	runtime.KeepAlive(x)
	fmt.Print(*x)
}

// CountFinalized: the goroutine that runs finalizers is not counted.
func CountFinalized() {
	c := make(chan int, 1)
	func() {
		p := new([64]int)
		runtime.SetFinalizer(p, func(*[64]int) { c <- 1 })
	}()
	runtime.GC()
	<-c
	fmt.Print(runtime.NumGoroutine())
}

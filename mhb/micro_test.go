package mhb_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/microtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/por/stateful"
)

// Each micro program tests one condition under which a choice before an access is or is not needed. All
// print the values read, so a wrongly skipped choice loses an outcome.
var micro = []microtest.Program{
	// Two writes conflict, and the join orders only one of them with the read.
	{"writeWriteJoin", "", `
	var x, u, v int
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { u = 1; x = 1; wg.Done() }()
	go func() { v = u; x = 2; wg.Done() }()
	wg.Wait()
	say(v, x)`},
	// No other goroutine can get at s.f while s.mu is held.
	{"guarded", "lock", `
	var s struct { mu sync.Mutex; f int }
	var wg sync.WaitGroup
	noise(&wg)
	for range 2 {
		wg.Go(func() { s.mu.Lock(); s.f++; s.mu.Unlock() })
	}
	wg.Wait()
	say(s.f)`},
	// The same through a pointer that a closure has captured by value.
	{"capturedPointer", "lock", `
	s := &struct { mu sync.Mutex; f int }{}
	var wg sync.WaitGroup
	noise(&wg)
	for range 2 {
		wg.Go(func() { s.mu.Lock(); defer s.mu.Unlock(); s.f++ })
	}
	wg.Wait()
	say(s.f)`},
	// One of the two goroutines does not take the lock.
	{"unguardedWriter", "-lock", `
	var s struct { mu sync.Mutex; f int }
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); s.f++; s.mu.Unlock() })
	wg.Go(func() { s.f = 10 })
	wg.Wait()
	say(s.f)`},
	// Another goroutine unlocks the mutex, which Go allows.
	{"foreignUnlock", "-lock", `
	var mu sync.Mutex
	var f int
	mu.Lock()
	done := make(chan bool, 3)
	go func() { f = 1; f = f + 1; done <- true }()
	go func() { runtime.Gosched(); mu.Unlock(); done <- true }()
	go func() { mu.Lock(); f = 10; done <- true }()
	<-done
	<-done
	<-done
	say(f)`},
	// Two locks of two objects protect nothing.
	{"differentLocks", "-lock", `
	type T struct { mu sync.Mutex }
	var a, b T
	var f int
	var wg sync.WaitGroup
	wg.Go(func() { a.mu.Lock(); f++; a.mu.Unlock() })
	wg.Go(func() { b.mu.Lock(); f++; b.mu.Unlock() })
	wg.Wait()
	say(f)`},
	// A method with a value receiver locks a copy.
	{"valueReceiver", "-lock", `
	s := &copied{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { copied.inc(*s, &s.f) })
	}
	wg.Wait()
	say(s.f)`},
	// Readers do not exclude each other.
	{"readers", "-lock", `
	var mu sync.RWMutex
	var f int
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { runtime.Gosched(); mu.RLock(); f++; mu.RUnlock() })
	}
	wg.Wait()
	say(f)`},
	// A writer excludes readers and writers.
	{"writers", "lock", `
	var mu sync.RWMutex
	var f, g int
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); f++; mu.Unlock() })
	wg.Go(func() { mu.RLock(); g = f; mu.RUnlock() })
	wg.Wait()
	say(f, g)`},
	// The goroutine that comes second waits forever.
	{"lockedForGood", "-lock", `
	var mu sync.Mutex
	for i := range 2 {
		go func() { mu.Lock(); say(i) }()
	}`},
	// A failed TryLock does not keep any goroutine away.
	{"tryLock", "-lock", `
	var mu sync.Mutex
	var f int
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			ok := mu.TryLock()
			f++
			if ok { mu.Unlock() }
		})
	}
	wg.Wait()
	say(f)`},
	// Main reads after Wait, which needs this goroutine's Done.
	{"join", "join", `
	var x, y int
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { x = 1; x++; wg.Done() }()
	go func() { y = 1; y++; wg.Done() }()
	wg.Wait()
	say(x, y)`},
	// A third Done lets Wait return too early.
	{"extraDone", "-join", `
	var x int
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { defer func() { recover() }(); x = 1; x++; wg.Done() }()
	go func() { defer func() { recover() }(); wg.Done() }()
	wg.Wait()
	say(x)`},
	// A deferred function that recovers continues without the lock.
	{"recovers", "-lock", `
	var mu sync.Mutex
	var f int
	var p *bool
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); f++; mu.Unlock() })
	wg.Go(func() {
		defer func() { recover(); f = 10 }()
		*p = true
		mu.Lock()
		mu.Unlock()
	})
	wg.Wait()
	say(f)`},
	// Main reads a variable after a notification through a channel.
	{"doneChannel", "receive", `
	var x int
	done := make(chan bool)
	var wg sync.WaitGroup
	noise(&wg)
	go func() { x = 1; x++; done <- true }()
	<-done
	say(x)
	wg.Wait()`},
	// The same with a buffered channel that is closed.
	{"closedChannel", "receive", `
	var x int
	done := make(chan bool, 1)
	var wg sync.WaitGroup
	noise(&wg)
	go func() { defer wg.Done(); x = 1; x++; close(done) }()
	wg.Add(1)
	<-done
	say(x)
	wg.Wait()`},
	// Another goroutine can send to the channel, too. So the accesses of x need a choice; the sends
	// need none while main waits for them.
	{"closedByThird", "mhb:receive", `
	var x int
	done := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++; done <- true })
	wg.Go(func() { done <- false })
	<-done
	say(x)
	<-done
	wg.Wait()`},
	// A select with a default continues without the send.
	{"selectDefault", "-receive", `
	var x int
	done := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++; done <- true })
	select {
	case <-done:
	default:
	}
	say(x)
	wg.Wait()`},
	// A function that recovers returns without having taken the lock.
	{"recoveredCaller", "-lock", `
	var mu sync.Mutex
	var f int
	var p *bool
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); f++; f++; mu.Unlock() })
	wg.Go(func() {
		func() {
			defer func() { recover() }()
			runtime.Gosched()
			*p = true
			mu.Lock()
			mu.Unlock()
		}()
		f = 10
	})
	wg.Wait()
	say(f)`},
	// A caller's deferred call runs in a panic, too, although the callee certainly blocks if it does not
	// panic.
	{"unwoundCaller", "-lock", `
	var mu sync.Mutex
	var f int
	var p *bool
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); f++; f++; mu.Unlock() })
	wg.Go(func() {
		defer func() { recover(); f = 10 }()
		func() { runtime.Gosched(); *p = true; mu.Lock(); mu.Unlock() }()
	})
	wg.Wait()
	say(f)`},
	// If a function recovers from a panic of its callee, its own caller continues.
	{"unwoundTwice", "-lock", `
	var mu sync.Mutex
	var f int
	var p *bool
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); f++; f++; mu.Unlock() })
	wg.Go(func() {
		func() {
			defer func() { recover() }()
			func() { runtime.Gosched(); *p = true; mu.Lock(); mu.Unlock() }()
		}()
		f = 10
	})
	wg.Wait()
	say(f)`},
	// The deferred call that is running has recovered already. No operation blocks it for certain.
	{"recoveredAlready", "-lock", `
	var mu, own sync.Mutex
	var f int
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); f++; f++; mu.Unlock() })
	wg.Go(func() {
		func() {
			defer func() { recover(); runtime.Gosched(); own.Lock(); own.Unlock() }()
			panic(1)
		}()
		f = 10
	})
	own.Lock()
	own.Unlock()
	wg.Wait()
	say(f)`},
	// Another deferred call, which has returned, has recovered.
	{"recoveredBefore", "", `
	var x int
	c := make(chan int, 2)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++ })
	wg.Go(func() {
		func() {
			defer func() { runtime.Gosched() }()
			defer func() { recover() }()
			panic(1)
		}()
		close(c)
	})
	wg.Go(func() { runtime.Gosched(); <-c; x = 10 })
	wg.Wait()
	say(x)`},
	// A waiter of a Cond has to take the lock again.
	{"cond", "wait lock", `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready, x := false, 0
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); for !ready { c.Wait() }; x++; mu.Unlock() })
	wg.Go(func() { mu.Lock(); ready = true; x = x * 2; c.Signal(); mu.Unlock() })
	wg.Wait()
	say(x)`},
	// A goroutine that does not wait yet may not need to wait.
	{"waitingLoop", "wait", `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready, x := false, 0
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); for !ready { c.Wait() }; mu.Unlock(); x = x * 2 })
	wg.Go(func() { mu.Lock(); ready = true; mu.Unlock(); x = 1; x++; c.Signal() })
	wg.Wait()
	say(x)`},
	// Elements of one slice, all under one lock.
	{"elements", "lock", `
	var mu sync.Mutex
	a := make([]int, 2)
	var wg sync.WaitGroup
	noise(&wg)
	for i := range 2 {
		wg.Go(func() { mu.Lock(); a[i]++; a[0]++; mu.Unlock() })
	}
	wg.Wait()
	say(a[0], a[1])`},
	// Whether turn is recursive depends on the dynamic type of how. The function twice calls turn
	// when the walk has already been through it.
	{"sometimesRecursive", "", `
	how, global = once{}, &copied{}
	if hbtest.Choose(2) == 1 {
		how = again{new(int)}
	}
	x := 0
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x = x + 1 })
	wg.Go(func() { runtime.Gosched(); turn(); twice(); x = 10 })
	wg.Wait()
	say(x)`},
	// In a loop over a captured map, the variable's register may hold another value.
	{"capturedMap", "", `
	m := map[int]int{}
	c := make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() { m[1] = 2 })
	wg.Go(func() { c <- 1; m[0] = 3 })
	wg.Go(func() { l := 0; for k, v := range m { l += 4 * k + v }; say(l) })
	c <- 2
	say(m[0], m[1])
	<-c
	wg.Wait()`},
	// A map under a lock.
	{"guardedMap", "lock", `
	s := struct { mu sync.Mutex; m map[int]int }{m: map[int]int{}}
	var wg sync.WaitGroup
	noise(&wg)
	for i := range 2 {
		wg.Go(func() { s.mu.Lock(); s.m[i]++; s.mu.Unlock() })
	}
	wg.Wait()
	say(len(s.m))`},
	// The first deferred call runs last, after the deferred unlock.
	{"deferOrder", "-lock", `
	var mu sync.Mutex
	var f int
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); f++; mu.Unlock() })
	wg.Go(func() { defer func() { f = f + 10 }(); mu.Lock(); defer mu.Unlock(); runtime.Gosched() })
	wg.Wait()
	say(f)`},
	// Another goroutine has the address of the field.
	{"addressTaken", "-lock", `
	var s struct { mu sync.Mutex; f int }
	p := &s.f
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); s.f++; s.mu.Unlock() })
	wg.Go(func() { *p = 10 })
	wg.Wait()
	say(s.f)`},
	// A third goroutine closes the channel, but waits for us before that.
	{"thirdWaits", "mhb:receive full:receive", `
	var x int
	done, go3 := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { x = 1; x++; close(go3) })
	wg.Go(func() { <-go3; close(done) })
	<-done
	say(x)
	wg.Wait()`},
	// A deferred call of a third goroutine closes the channel.
	{"closedDeferred", "", `
	var x, y int
	done := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { <-done; x = 1 })
	wg.Go(func() { defer close(done); y++; runtime.Gosched(); y++ })
	runtime.Gosched()
	x++
	say(x)
	wg.Wait()
	say(x, y)`},
	// A deferred call of a third goroutine closes another channel, for which no goroutine waits.
	{"closedAnother", "mhb:receive full:receive", `
	var x, y int
	done, go2 := make(chan bool), make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { <-go2; x++ })
	wg.Go(func() { defer close(done); y++; runtime.Gosched(); y++ })
	x = 1
	x++
	close(go2)
	<-done
	wg.Wait()
	say(x, y)`},
	// Another goroutine is about to close the channel, in a deferred call that runs now.
	{"closingNow", "", `
	var x int
	done := make(chan bool)
	var mu sync.Mutex
	mu.Lock()
	var wg sync.WaitGroup
	wg.Go(func() { <-done; x = 10 })
	wg.Go(func() { defer close(done); mu.Lock() })
	mu.Unlock()
	x++
	select {
	case <-done:
	default:
		say(1)
	}
	wg.Wait()
	say(x)`},
	// A timer fires without another goroutine.
	{"selectTimer", "-receive", `
	var x int
	done := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++; done <- true })
	select {
	case <-done:
	case <-time.After(time.Second):
	}
	say(x)
	wg.Wait()`},
	// Whether the timer has fired already depends on no goroutine of the program.
	{"stopsTimer", "", `
	t := time.NewTimer(time.Second)
	var wg sync.WaitGroup
	noise(&wg)
	if t.Stop() { say(1) } else { say(0) }
	wg.Wait()`},
	// The function of a Once is running: the other call of Do waits.
	{"onceRuns", "once", `
	var once sync.Once
	var x int
	var wg sync.WaitGroup
	noise(&wg)
	for range 2 {
		wg.Go(func() { once.Do(func() { x = 1; x++ }); if x != 2 { x = 9 } })
	}
	wg.Wait()
	say(x)`},
	// An object that has not been published yet concerns no other goroutine, a published object does.
	{"published", "", `
	var p atomic.Pointer[copied]
	var wg sync.WaitGroup
	wg.Go(func() { c := &copied{}; c.f = 1; p.Store(c); c.f = 2 })
	wg.Go(func() { if c := p.Load(); c != nil { say(c.f) } })
	wg.Wait()`},
	// Each goroutine has an element of its own; in the second program they share one element.
	{"ownElements", "join", `
	res := make([]int, 2)
	var wg sync.WaitGroup
	noise(&wg)
	for i := range 2 {
		wg.Go(func() { res[i] = 1; res[i]++ })
	}
	wg.Wait()
	say(res[0], res[1])`},
	{"oneElement", "", `
	res := make([]int, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { res[i/2]++ })
	}
	wg.Wait()
	say(res[0])`},
	// One goroutine accesses the map with the lock, the other one without it.
	{"leakedMap", "-lock", `
	s := &struct { mu sync.Mutex; m map[int]int }{m: map[int]int{}}
	other := s.m
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); s.m[0]++; s.mu.Unlock() })
	wg.Go(func() { other[0] = 10 })
	wg.Wait()
	say(s.m[0])`},
	// Overwriting a struct unlocks the mutex in it.
	{"structCopy", "-lock", `
	s := &copied{}
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); s.f++; s.f++; defer func() { recover() }(); s.mu.Unlock() })
	wg.Go(func() { *s = copied{} })
	wg.Go(func() { s.mu.Lock(); s.f = 10 })
	wg.Wait()
	say(s.f)`},
	// Overwriting another struct of the same type does not unlock the mutex.
	{"anotherCopy", "mhb:lock full:lock", `
	var s, o copied
	p := other(&o)
	*p = copied{}
	var wg sync.WaitGroup
	noise(&wg)
	for range 2 {
		wg.Go(func() { s.mu.Lock(); s.f++; s.mu.Unlock() })
	}
	wg.Wait()
	say(s.f, p.f)`},
	// A copy says whether the lock is taken.
	{"lockCopied", "", `
	s := &copied{}
	var wg sync.WaitGroup
	wg.Go(func() { s.mu.Lock(); ticks.Add(1); s.mu.Unlock() })
	wg.Go(func() { c := *s; if c.mu.TryLock() { say(1) } else { say(0) } })
	wg.Wait()`},
	// The built-in function copy overwrites elements, and so unlocks their mutexes.
	{"elementsCopied", "-lock", `
	s := make([]copied, 1)
	var wg sync.WaitGroup
	wg.Go(func() { s[0].mu.Lock(); s[0].f++; s[0].f++; defer func() { recover() }(); s[0].mu.Unlock() })
	wg.Go(func() { copy(s, make([]copied, 1)) })
	wg.Go(func() { s[0].mu.Lock(); s[0].f = 10 })
	wg.Wait()
	say(s[0].f)`},
	// So does append.
	{"elementsAppended", "-lock", `
	s := make([]copied, 1)
	var wg sync.WaitGroup
	wg.Go(func() { s[0].mu.Lock(); s[0].f++; s[0].f++; defer func() { recover() }(); s[0].mu.Unlock() })
	wg.Go(func() { _ = append(s[:0], copied{}) })
	wg.Go(func() { s[0].mu.Lock(); s[0].f = 10 })
	wg.Wait()
	say(s[0].f)`},
	// A panic while the lock is held, and a deferred write without it.
	{"panicLocked", "-lock", `
	var mu sync.Mutex
	var f int
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); f++; mu.Unlock() })
	wg.Go(func() {
		defer func() { recover(); f = 10 }()
		mu.Lock()
		defer mu.Unlock()
		runtime.Gosched()
		panic(1)
	})
	wg.Wait()
	say(f)`},
	// A writer that waits for a reader keeps other readers out.
	{"pendingWriter", "", `
	var mu sync.RWMutex
	var f, g int
	var wg sync.WaitGroup
	wg.Go(func() { mu.RLock(); g = f; mu.RUnlock() })
	wg.Go(func() { mu.Lock(); f++; f++; mu.Unlock() })
	wg.Wait()
	say(f, g)`},
	// A generic type with a lock.
	{"generic", "lock", `
	s := &stack[int]{}
	var wg sync.WaitGroup
	noise(&wg)
	for i := range 2 {
		wg.Go(func() { s.push(i) })
	}
	wg.Wait()
	say(len(s.list))`},
	// The body of a loop over a function runs where the function calls it.
	{"rangeFunc", "lock", `
	var mu sync.Mutex
	var f int
	locked := func(yield func(int) bool) { mu.Lock(); defer mu.Unlock(); yield(1) }
	var wg sync.WaitGroup
	noise(&wg)
	for range 2 {
		wg.Go(func() { for d := range locked { f += d; f += d } })
	}
	wg.Wait()
	say(f)`},
	// A deferred call in the body of such a loop belongs to the function around the loop.
	{"rangeFuncDefer", "-lock", `
	var mu sync.Mutex
	var f int
	var p *bool
	one := func(yield func(int) bool) { yield(1) }
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); f++; f++; mu.Unlock() })
	wg.Go(func() {
		func() {
			for range one {
				defer func() { recover() }()
			}
			runtime.Gosched()
			*p = true
			mu.Lock()
			mu.Unlock()
		}()
		f = 10
	})
	wg.Wait()
	say(f)`},
	// A lock that is taken only on one path proves nothing about the other path.
	{"conditionalLock", "-lock", `
	a := &copied{}
	objs := map[int]*copied{0: a}
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { a.mu.Lock(); a.f++; a.f++; a.mu.Unlock() })
	wg.Go(func() {
		runtime.Gosched()
		o := objs[0]
		if ticks.Load() > 5 {
			o.mu.Lock()
			defer o.mu.Unlock()
		}
		o.f = 10
	})
	wg.Wait()
	say(a.f)`},
	// The same in a function that is called later.
	{"conditionalLockLater", "-lock", `
	a := &copied{}
	objs := map[int]*copied{0: a}
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { a.mu.Lock(); a.f++; a.f++; a.mu.Unlock() })
	wg.Go(func() { runtime.Gosched(); sometimes(objs[0]) })
	wg.Wait()
	say(a.f)`},
	// A variable captured by value is not an address: the elements of an array.
	{"capturedArray", "-lock", `
	var a, b copied
	two := [2]*copied{&b, &a}
	var wg sync.WaitGroup
	wg.Go(func() { b.mu.Lock(); b.f++; b.f++; defer func() { recover() }(); b.mu.Unlock() })
	wg.Go(func() { runtime.Gosched(); if ticks.Add(1) == 9 { two[0].mu.Unlock() }; two[0].f = 10 })
	wg.Wait()
	say(b.f)`},
	// A method value.
	{"methodValue", "lock", `
	s := &stack[int]{}
	f := s.pop
	s.list = []int{1, 2}
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { f() })
	wg.Go(func() { f() })
	wg.Wait()
	say(len(s.list))`},
	// Locks in unknown objects, locked before the memory that they guard.
	{"lockedElements", "mhb:lock full:lock", `
	arr := []*copied{{}, {f: 1}}
	var wg sync.WaitGroup
	noise(&wg)
	for range 2 {
		wg.Go(func() {
			for _, c := range arr {
				c.mu.Lock()
				c.f++
				c.f++
				c.mu.Unlock()
			}
		})
	}
	wg.Wait()
	say(arr[0].f, arr[1].f)`},
	// The goroutine has locked the mutex of another element before, and not that of the element
	// that it writes.
	{"lockedBefore", "-lock", `
	arr := []*copied{{}, {f: 1}}
	var wg sync.WaitGroup
	wg.Go(func() { arr[1].mu.Lock(); arr[1].f++; arr[1].f++; arr[1].mu.Unlock() })
	wg.Go(func() {
		c := arr[0]
		c.mu.Lock()
		runtime.Gosched()
		c.mu.Unlock()
		c = arr[1]
		c.f = 10
	})
	wg.Wait()
	say(arr[1].f)`},
	// A goroutine waits in a Cond that a third goroutine can signal.
	{"signalledByThird", "", `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	x := 0
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); c.Wait(); x = x * 2; mu.Unlock() })
	wg.Go(func() { x = 1; x++ })
	wg.Go(func() { runtime.Gosched(); c.Signal() })
	wg.Wait()
	say(x)`},
	// Add commutes with others if neither result is used, and with nothing else.
	{"adds", "", `
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() { defer wg.Done(); n.Add(2) }()
	}
	wg.Wait()
	say(int(n.Load()))`},
	{"addAndLoad", "", `
	var n atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { n.Add(2) })
	wg.Go(func() { say(int(n.Load())) })
	wg.Wait()`},
	{"addAndUse", "", `
	var n atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { n.Add(2) })
	wg.Go(func() { say(int(n.Add(1))) })
	wg.Wait()`},
	{"addAndStore", "", `
	var n atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { n.Add(2) })
	wg.Go(func() { n.Swap(7) })
	wg.Wait()
	say(int(n.Load()))`},
	// Wait may or may not wait for a concurrent Add.
	{"addBesideWait", "", `
	var wg sync.WaitGroup
	x := int32(0)
	wg.Add(1)
	done := make(chan bool)
	go func() { wg.Add(1); atomic.StoreInt32(&x, 1); wg.Done(); done <- true }()
	go func() { wg.Done() }()
	wg.Wait()
	say(int(atomic.LoadInt32(&x)))
	<-done`},
	// Done panics if it comes before the Add.
	{"upAndDown", "", `
	var wg sync.WaitGroup
	done := make(chan bool, 2)
	go func() { wg.Add(1); done <- true }()
	go func() { defer func() { if recover() != nil { say(1) }; done <- true }(); wg.Done() }()
	<-done
	<-done`},
	// The second Done panics.
	{"belowZero", "", `
	var wg sync.WaitGroup
	wg.Add(1)
	done := make(chan bool, 2)
	for i := range 2 {
		go func() { defer func() { if recover() != nil { say(i) }; done <- true }(); wg.Done() }()
	}
	<-done
	<-done`},
	// The waiter has been notified already.
	{"notified", "", `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	x := 0
	waiting := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); waiting <- true; c.Wait(); x = x * 2; mu.Unlock() })
	wg.Go(func() { <-waiting; mu.Lock(); c.Signal(); mu.Unlock(); x = 1; x++ })
	wg.Go(func() { mu.Lock(); runtime.Gosched(); mu.Unlock() })
	noise(&wg)
	wg.Wait()
	say(x)`},
	// Waiting in a Cond unlocks its lock.
	{"condUnlocks", "", `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	var x int
	var wg sync.WaitGroup
	wg.Go(func() { mu.Lock(); x = 10; mu.Unlock() })
	wg.Go(func() { mu.Lock(); runtime.Gosched(); c.Wait(); mu.Unlock() })
	wg.Go(func() { x = 1; x++; mu.Lock(); c.Signal(); mu.Unlock() })
	wg.Wait()
	say(x)`},
	{"condUnlocksForGood", "", `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	var x int
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); x = 10; mu.Unlock() })
	wg.Go(func() { mu.Lock(); runtime.Gosched(); c.Wait() })
	wg.Go(func() { x = 1; x++; mu.Lock(); c.Signal(); mu.Unlock() })
	wg.Wait()
	say(x)`},
	// A third goroutine calls Done of a WaitGroup that is not known.
	{"unknownDone", "-join", `
	var x int
	var wg sync.WaitGroup
	wg.Add(1)
	c := make(chan *sync.WaitGroup, 1)
	c <- &wg
	go func() { defer func() { recover() }(); x = 1; x++; wg.Done() }()
	go func() { defer func() { recover() }(); (<-c).Done() }()
	wg.Wait()
	say(x)`},
	// A third goroutine calls Done several times, in a loop.
	{"doneInLoop", "", `
	var x int
	var wg sync.WaitGroup
	wg.Add(3)
	go func() { defer func() { recover() }(); x = 1; x++; wg.Done() }()
	go func() { defer func() { recover() }(); for range 3 { wg.Done() } }()
	wg.Wait()
	say(x)`},
	// A method that recovers is called by a wrapper.
	{"recoveringWrapper", "-lock", `
	var mu sync.Mutex
	var f int
	var p *bool
	var r interface { stop() } = &outer{}
	var wg sync.WaitGroup
	noise(&wg)
	wg.Go(func() { mu.Lock(); f++; f++; mu.Unlock() })
	wg.Go(func() {
		func() {
			defer r.stop()
			runtime.Gosched()
			*p = true
			mu.Lock()
			mu.Unlock()
		}()
		f = 10
	})
	wg.Wait()
	say(f)`},
	// A third goroutine executes the function of the Once.
	{"onceOfThird", "", `
	var once sync.Once
	var x int
	var wg sync.WaitGroup
	wg.Go(func() { once.Do(func() { runtime.Gosched(); runtime.Gosched() }) })
	wg.Go(func() { once.Do(func() {}); x = 10 })
	wg.Go(func() { x = 1; x++ })
	wg.Wait()
	say(x)`},
	// In these three programs a third goroutine will send, close or receive.
	{"sentByThird", "", `
	var x int
	c := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { <-c; x = 10 })
	wg.Go(func() { runtime.Gosched(); c <- true })
	wg.Go(func() { x = 1; x++ })
	wg.Wait()
	say(x)`},
	{"closedLater", "", `
	var x int
	c := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { <-c; x = 10 })
	wg.Go(func() { runtime.Gosched(); close(c) })
	wg.Go(func() { x = 1; x++ })
	wg.Wait()
	say(x)`},
	{"receivedByThird", "", `
	var x int
	c := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { c <- true; x = 10 })
	wg.Go(func() { runtime.Gosched(); <-c })
	wg.Go(func() { x = 1; x++ })
	wg.Wait()
	say(x)`},
	// Another goroutine can already reach an object that this goroutine has allocated.
	{"allocatedBefore", "", `
	c := make(chan *copied, 2)
	var wg sync.WaitGroup
	wg.Go(func() { for range 2 { o := &copied{}; c <- o; runtime.Gosched(); o.f = 10 } })
	wg.Go(func() { o := <-c; o.f = 1; o.f++; say(o.f) })
	wg.Wait()`},
	// The loop has locked the mutexes of elements before, and it is not known of which ones.
	{"lockedInLoop", "", `
	arr := []*copied{{}, {f: 1}}
	var wg sync.WaitGroup
	wg.Go(func() { for i := range 2 { c := arr[i]; c.mu.Lock(); c.mu.Unlock(); runtime.Gosched(); c.f = 10 } })
	wg.Go(func() { arr[1].mu.Lock(); arr[1].f++; arr[1].f++; arr[1].mu.Unlock() })
	wg.Wait()
	say(arr[1].f)`},
	// A third goroutine changes a pointer.
	{"pointerChanges", "", `
	var a, b copied
	p := &b
	var wg sync.WaitGroup
	wg.Go(func() { a.f = 1; a.f++ })
	wg.Go(func() { runtime.Gosched(); p.f = 10 })
	wg.Go(func() { p = &a })
	wg.Wait()
	say(a.f, b.f)`},
	// Memory that a third goroutine changes is stable only in queries about that goroutine.
	{"pointerChangesLater", "", `
	var m, n sync.Mutex
	var w atomic.Int64
	x, p := 0, &m
	m.Lock()
	c := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() { w.Store(1); q := p; q.Lock(); x = 1; q.Unlock() })
	wg.Go(func() { c <- 1; p = &n; w.Load() })
	<-c
	x++
	m.Unlock()
	wg.Wait()
	say(x)`},
	// The object is reached only through a closure, or, in the second program, through a package
	// variable.
	{"inClosure", "", `
	a := &copied{}
	fs := []func(){func() { a.f = 10 }}
	var wg sync.WaitGroup
	wg.Go(func() { a.f = 1; a.f++ })
	wg.Go(func() { runtime.Gosched(); fs[0]() })
	wg.Wait()
	say(a.f)`},
	{"inGlobal", "", `
	global = &copied{}
	var wg sync.WaitGroup
	wg.Go(func() { o := global; o.f = 1; o.f++ })
	wg.Go(func() { runtime.Gosched(); other(global).f = 10 })
	wg.Wait()
	say(global.f)`},
	// In these three programs the object is reached only through the variable that a closure has
	// captured, the copy that an interface holds, or a channel.
	{"onlyInClosure", "", `
	get := holding()
	var wg sync.WaitGroup
	wg.Go(func() { o := get(); o.f = 1; o.f++ })
	wg.Go(func() { runtime.Gosched(); get().f = 10 })
	wg.Wait()
	say(get().f)`},
	{"onlyInBox", "", `
	b := boxed()
	var wg sync.WaitGroup
	wg.Go(func() { o := b.(box).p; o.f = 1; o.f++ })
	wg.Go(func() { runtime.Gosched(); b.(box).p.f = 10 })
	wg.Wait()
	say(b.(box).p.f)`},
	{"onlyInChannel", "", `
	c := make(chan *copied, 1)
	c <- &copied{}
	var wg sync.WaitGroup
	wg.Go(func() { o := <-c; c <- o; o.f = 1; o.f++ })
	wg.Go(func() { runtime.Gosched(); (<-c).f = 10 })
	wg.Wait()`},
	// After a rendezvous both goroutines have moved, although one of them did not step.
	{"met", "", `
	var x, y int
	c := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; <-c; y = 1 })
	wg.Go(func() { c <- true; y = 2 })
	wg.Wait()
	say(x, y)`},
	// A step of the second goroutine moves both. So what was found for the first goroutine ahead of
	// that step is no longer true.
	{"metByOther", "", `
	var x, y, z int
	c := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; <-c; y = 1 })
	wg.Go(func() { z = 1; c <- true; y = 2; x = 3 })
	wg.Wait()
	say(x, y, z)`},
	// Overwriting a locked mutex lets the goroutine that waits for it continue.
	{"overwritten", "", `
	a := &copied{}
	var y int
	var wg sync.WaitGroup
	a.mu.Lock()
	noise(&wg)
	noise(&wg)
	wg.Go(func() { a.mu.Lock(); a.f = 10; y = 2 })
	y = 1
	*a = copied{}
	a.f = 1
	wg.Wait()
	say(a.f, y)`},
	// The other goroutine starts between two accesses of this one.
	{"startedMeanwhile", "", `
	var x, y int
	var wg sync.WaitGroup
	noise(&wg)
	noise(&wg)
	done := make(chan bool, 2)
	go func() {
		x = 1
		go func() { y = 2; done <- true }()
		y = 1
		done <- true
	}()
	<-done
	<-done
	say(x, y)`},
	// Tasks start tasks: each Done that is still to come has an Add before it.
	{"tasksOfTasks", "join", `
	var x, y int
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x++ })
	wg.Go(func() { for range 2 { wg.Go(func() { group.Go(func() { y++ }) }) } })
	wg.Wait()
	group.Wait()
	say(x)`},
	{"tasksOfTasksByHand", "join", `
	var x int
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); x = 1; x++ }()
	go func() {
		defer wg.Done()
		for range 2 {
			wg.Add(1)
			go func() { defer wg.Done() }()
		}
	}()
	wg.Wait()
	say(x)`},
	// Only one of two paths has the Add.
	{"addOnOneWay", "", `
	var x int
	group.Add(1)
	go func() { defer func() { recover() }(); x = 1; x++; group.Done() }()
	go func() {
		if hbtest.Choose(2) == 1 { say(2) } else { group.Add(1) }
		go func() { defer func() { recover() }(); group.Done() }()
	}()
	group.Wait()
	say(x)`},
	// One Add precedes two Dones.
	{"addPaysOnce", "", `
	var x int
	group.Add(1)
	go func() { defer func() { recover() }(); x = 1; x++; group.Done() }()
	go func() {
		group.Add(1)
		for range 2 { runtime.Gosched() }
		group.Add(1)
		go func() { defer func() { recover() }(); group.Done() }()
		go func() { defer func() { recover() }(); group.Done(); group.Done() }()
	}()
	group.Wait()
	say(x)`},
	// A function returns without having reached its Add.
	{"addNotReached", "", `
	var x, y int
	group.Add(1)
	go func() { defer func() { recover() }(); x = 1; x++; group.Done() }()
	go func() {
		y = 1
		raise(0)
		go func() { defer func() { recover() }(); group.Done() }()
	}()
	group.Wait()
	say(x, y)`},
	// The function that has the Add has begun, and panics before the Add.
	{"unwoundBeforeAdd", "", `
	var x, y int
	group.Add(1)
	go func() { defer func() { recover() }(); x = 1; x++; group.Done() }()
	go func() {
		caught(func() { stuck(&y, 0) })
		go func() { defer func() { recover() }(); group.Done() }()
	}()
	group.Wait()
	say(x, y)`},
	// The function that is called may be another one, without an Add.
	{"addOfAnother", "", `
	var x int
	group.Add(1)
	go func() { defer func() { recover() }(); x = 1; x++; group.Done() }()
	f := []func(){func() { group.Add(1) }, func() {}}
	go func() {
		f[hbtest.Choose(2)]()
		go func() { defer func() { recover() }(); group.Done() }()
	}()
	group.Wait()
	say(x)`},
	// Each call of a recursive function decrements the counter.
	{"doneInRecursion", "", `
	var x int
	group.Add(6)
	go func() { defer func() { recover() }(); x = 1; x++; group.Done() }()
	go func() { defer func() { recover() }(); takeAway(6) }()
	group.Wait()
	say(x)`},
	// The variable is changed through its address.
	{"variableChanged", "", `
	var a, b sync.Mutex
	var x, y int
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); x++; x++; a.Unlock() })
	wg.Go(func() { y++; v := &a; exchange(&v, &b); v.Lock(); x = 10; v.Unlock() })
	wg.Go(func() { y++ })
	wg.Wait()
	say(x)`},
	// A goroutine runs forever, whatever is chosen, and needs no other.
	{"endless", "", `
	go func() { for { hbtest.Choose(2) } }()
	runtime.Gosched()
	panic("the end")`},
	// The goroutine's stack overflows, which ends the program, but not in the same step as the
	// operation before.
	{"overflow", "nofuture", `
	var x int
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; x = deep(x) })
	say(1)
	say(2)
	wg.Wait()`},
	// TryLock makes the search start again.
	{"startsAgain", "", `
	var x, y int
	var mu, other sync.Mutex
	c := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() { x = 1; <-c; y = 1; mu.Lock(); mu.Unlock() })
	wg.Go(func() { x = 2; mu.Lock(); c <- true; if other.TryLock() { other.Unlock() }; mu.Unlock() })
	wg.Wait()
	say(x, y)`},
}

// decls are the types of the programs.
const decls = `
type copied struct { mu sync.Mutex; f int }

func (c copied) inc(p *int) { c.mu.Lock(); *p = *p + 1; c.mu.Unlock() }

var global *copied

func other(o *copied) *copied { return o }

var group sync.WaitGroup

func raise(n int) { defer func() { recover() }(); ignore(1 / n); group.Add(1) }

func ignore(int) {}

func caught(f func()) { defer func() { recover() }(); f() }

func stuck(y *int, n int) { *y = 1; ignore(1 / n); group.Add(1); <-(chan bool)(nil) }

func takeAway(n int) { if n > 0 { group.Done(); takeAway(n-1) } }

func sometimes(o *copied) {
	if ticks.Load() > 5 {
		o.mu.Lock()
		defer o.mu.Unlock()
	}
	o.f = 10
}

func holding() func() *copied { o := &copied{}; return func() *copied { return o } }

type box struct { p *copied; n int }

func boxed() any { return box{&copied{}, 1} }

func exchange(p **sync.Mutex, q *sync.Mutex) { *p = q }

func deep(n int) int { return deep(n+1) + 1 }

type turner interface { turn() }

type once struct{}

func (once) turn() { global.mu.Lock(); global.mu.Unlock() }

type again struct{ n *int }

func (a again) turn() { if *a.n > 0 { *a.n--; turn() } }

var how turner

func turn() { how.turn() }

func twice() { turn(); global.mu.Lock(); global.mu.Unlock() }

type inner struct{}

func (inner) stop() { recover() }

type outer struct{ inner }

type stack[E any] struct { mu sync.Mutex; list []E }

func (s *stack[E]) push(e E) { s.mu.Lock(); defer s.mu.Unlock(); s.list = append(s.list, e) }
func (s *stack[E]) pop() { s.mu.Lock(); s.list = s.list[:len(s.list)-1]; s.mu.Unlock() }
`

// TestMicro explores each program with every oracle: outcomes are equal, and choices are eliminated for the
// expected reasons.
func TestMicro(t *testing.T) {
	s := microtest.Load(t, "\t\"hbcheck.dev/hbcheck/hbtest\"\n", decls, micro)
	compare(t, s)
}

// compare explores the programs of s with each oracle.
func compare(t *testing.T, s *microtest.Suite) {
	s.Each(t, func(t *testing.T, p microtest.Program, e *load.Entry) {
		all, _ := s.Explore(t, e, oracle.None, stateful.Full)
		counts := map[oracle.Kind]uint64{}
		for _, h := range []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.Patterns, oracle.MHB, microtest.Walks, oracle.Full} {
			got, r := s.Explore(t, e, h, stateful.JPF)
			microtest.Same(t, h, got, all)
			counts[h] = r.Choices
			switch h {
			case oracle.MHB, oracle.Patterns:
				microtest.Reasons(t, h, r, p.Want)
			case oracle.Full:
				microtest.Reasons(t, h, r, p.Want, lookahead.ReasonLookahead, mhb.Unreachable) // it looks before it reasons
			}
		}
		if counts[oracle.Full] > counts[oracle.MHB] || counts[oracle.MHB] > counts[oracle.FieldAccess] || counts[oracle.FieldAccess] > counts[oracle.None] {
			t.Errorf("the oracle that knows more makes more choices: %v", counts)
		}
	})
}

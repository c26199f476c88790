// Package main has one function for every edge of the memory model and for what
// is often taken for one. A function's name begins with what is wrong with it:
// race, nothing (ok), or a race between accesses that are never next at the same
// time (apart). TestRaceEdges runs them all. go run -race agrees as far as one
// schedule goes, except that it does not know the order that Cond promises.
package main

import (
	"bytes"
	"context"
	"iter"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

func main() {}

// The go statement: what is before it is before the goroutine; its end is
// before nothing.

func okGo() {
	x := 1
	done := make(chan bool)
	go func() { x++; done <- true }()
	<-done
	_ = x
}

func raceGo() {
	x := 1
	go func() { x++ }()
	_ = x
}

func apartEnd() {
	x := 0
	n := runtime.NumGoroutine()
	go func() { x = 1 }()
	for runtime.NumGoroutine() > n {
	}
	x = 2
	_ = x
}

// Channels.

func okUnbufferedSend() {
	x := 0
	c := make(chan int)
	go func() { x = 1; c <- 0 }()
	<-c
	_ = x
}

func okUnbufferedRecv() {
	x := 0
	c := make(chan int)
	go func() { x = 1; <-c }()
	c <- 0
	_ = x
}

func okBufferedSend() {
	x := 0
	c := make(chan int, 2)
	go func() { x = 1; c <- 0 }()
	<-c
	_ = x
}

func raceBufferedRecv() {
	x := 0
	c := make(chan int, 1)
	go func() { x = 1; <-c }()
	c <- 0
	_ = x
}

// The k-th receive is before the k+C-th send: a channel as a semaphore.
func okSemaphore1() {
	x := 0
	c := make(chan int, 1)
	for range 2 {
		go func() { c <- 0; x++; <-c }()
	}
	_ = c
}

func raceSemaphore2() {
	x := 0
	c := make(chan int, 2)
	for range 2 {
		go func() { c <- 0; x++; <-c }()
	}
	_ = c
}

func okFIFO() {
	var x [3]int
	c := make(chan int, 3)
	go func() {
		for i := range x {
			x[i] = 1
			c <- i
		}
	}()
	for range x {
		x[<-c]++
	}
}

// The second message says nothing about the other sender.
func raceOtherSender() {
	x, y := 0, 0
	c := make(chan int, 2)
	go func() { x = 1; c <- 1 }()
	go func() { y = 1; c <- 2 }()
	if <-c == 1 {
		_ = y
	}
	_ = x
}

func okClose() {
	x := 0
	c := make(chan int)
	go func() { x = 1; close(c) }()
	<-c
	_ = x
}

func okCloseBuffered() {
	x := 0
	c := make(chan int, 1)
	go func() { c <- 0; x = 1; close(c) }()
	for range c {
	}
	_ = x
}

func raceCloseBuffered() {
	x := 0
	c := make(chan int, 1)
	go func() { c <- 0; x = 1; close(c) }()
	<-c
	_ = x
}

func apartSendClose() {
	c := make(chan int, 1)
	go func() {
		defer func() { recover() }()
		c <- 0
	}()
	close(c)
}

// That the sender and the receiver are gone says nothing about them.
func apartMeetClose() {
	c := make(chan int)
	n := runtime.NumGoroutine()
	go func() { c <- 0 }()
	go func() { <-c }()
	for runtime.NumGoroutine() > n {
	}
	close(c)
}

func okReflectClose() {
	x := 0
	c := make(chan int)
	go func() { x = 1; reflect.ValueOf(c).Close() }()
	<-c
	_ = x
}

func okSendClose() {
	c := make(chan int, 1)
	d := make(chan int)
	go func() { c <- 0; close(d) }()
	<-d
	close(c)
}

func okSelect() {
	x := 0
	c, d := make(chan int), make(chan int)
	go func() { x = 1; c <- 0 }()
	select {
	case <-c:
	case <-d:
	}
	_ = x
}

func apartSelectDefault() {
	x := 0
	c := make(chan int, 1)
	go func() { x = 1; c <- 0 }()
	for {
		select {
		case c <- 0: // full as soon as the other has sent
			<-c
			continue
		default:
		}
		break
	}
	_ = x
}

func apartLen() {
	x := 0
	c := make(chan int, 1)
	go func() { x = 1; c <- 0 }()
	for len(c) == 0 {
	}
	_ = x
}

// Locks.

func okMutex() {
	x := 0
	var mu sync.Mutex
	go func() { mu.Lock(); x = 1; mu.Unlock() }()
	mu.Lock()
	x += 2
	mu.Unlock()
	_ = &x
}

func raceMutexOther() {
	x := 0
	var mu, nu sync.Mutex
	go func() { mu.Lock(); x = 1; mu.Unlock() }()
	nu.Lock()
	x = 2
	nu.Unlock()
	_ = x
}

func okForeignUnlock() {
	x := 0
	var mu sync.Mutex
	mu.Lock()
	go func() { x = 1; mu.Unlock() }()
	mu.Lock()
	_ = x
}

func okTryLock() {
	x := 0
	var mu sync.Mutex
	mu.Lock()
	go func() { x = 1; mu.Unlock() }()
	for !mu.TryLock() {
		runtime.Gosched()
	}
	_ = x
}

func okTryRLock() {
	x := 0
	var mu sync.RWMutex
	mu.Lock()
	go func() { x = 1; mu.Unlock() }()
	for !mu.TryRLock() {
		runtime.Gosched()
	}
	_ = x
}

// That somebody holds the lock says nothing about what he did before.
func apartTryLock() {
	x := 0
	var mu sync.Mutex
	go func() { x = 1; mu.Lock() }()
	for mu.TryLock() {
		mu.Unlock()
		runtime.Gosched()
	}
	_ = x
}

func raceMutexOverwritten() {
	var mu sync.Mutex
	go func() { mu = sync.Mutex{} }()
	mu.Lock()
}

func okRWMutex() {
	x := 0
	var mu sync.RWMutex
	go func() { mu.Lock(); x = 1; mu.Unlock() }()
	mu.RLock()
	_ = x
	mu.RUnlock()
}

func raceRLock() {
	x := 0
	var mu sync.RWMutex
	go func() { mu.RLock(); x++; mu.RUnlock() }()
	mu.RLock()
	x++
	mu.RUnlock()
}

func okRUnlockBeforeLock() {
	x := 0
	var mu sync.RWMutex
	for range 2 {
		go func() { mu.RLock(); _ = x; mu.RUnlock() }()
	}
	mu.Lock()
	x = 1
	mu.Unlock()
}

// A reader that leaves is not before another one that comes, only before a writer.
func raceReaders() {
	x := 0
	var mu sync.RWMutex
	go func() { x = 1; mu.RLock(); mu.RUnlock() }()
	mu.RLock()
	mu.RUnlock()
	_ = x
}

func okOnce() {
	x := 0
	var once sync.Once
	f := func() { x = 1 }
	go func() { once.Do(f); _ = x }()
	once.Do(f)
	_ = x
}

func okWaitGroup() {
	x := [2]int{}
	var wg sync.WaitGroup
	for i := range x {
		wg.Go(func() { x[i] = 1 })
	}
	wg.Wait()
	_ = x
}

func raceWaitGroupAdd() {
	x := 0
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { wg.Done(); x = 1 }()
	wg.Wait()
	_ = x
}

func apartWaitGroupMisuse() {
	var wg sync.WaitGroup
	go func() { wg.Add(1); wg.Done() }()
	wg.Wait()
}

func okCond() {
	x := 0
	ready := false
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	go func() { x = 1; mu.Lock(); ready = true; mu.Unlock(); c.Signal() }()
	mu.Lock()
	for !ready {
		c.Wait()
	}
	mu.Unlock()
	_ = x
}

// Signal itself is before the Wait it wakes, whoever held the lock.
func okCondSignal() {
	x := 0
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	mu.Lock()
	go func() { mu.Lock(); mu.Unlock(); x = 1; c.Broadcast() }()
	c.Wait()
	_ = x
	mu.Unlock()
}

func okCondSignalOne() {
	x := 0
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	mu.Lock()
	go func() { mu.Lock(); mu.Unlock(); x = 1; c.Signal() }()
	c.Wait()
	_ = x
	mu.Unlock()
}

// Wait locks again: it is behind whoever has unlocked since the signal.
func okCondRelock() {
	x := 0
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	mu.Lock()
	go func() { mu.Lock(); c.Signal(); x++; mu.Unlock() }()
	c.Wait()
	x++
	mu.Unlock()
}

func okCondRLocker() {
	x := 0
	var mu sync.RWMutex
	c := sync.NewCond(mu.RLocker())
	mu.RLock()
	go func() { mu.Lock(); c.Signal(); x++; mu.Unlock() }()
	_ = x
	c.Wait()
	_ = x
	mu.RUnlock()
}

// Atomics.

func okAtomic() {
	x := 0
	var a atomic.Int32
	go func() { x = 1; a.Store(1) }()
	for a.Load() == 0 {
		runtime.Gosched()
	}
	_ = x
}

func okAtomicCAS() {
	x := 0
	var a atomic.Bool
	for range 2 {
		go func() {
			if a.CompareAndSwap(false, true) {
				x++
			}
		}()
	}
}

func okAtomicAdd() {
	var x [2]int
	var a atomic.Int32
	for i := range x {
		go func() {
			x[i] = 1
			if a.Add(1) == 2 {
				x[1-i]++
			}
		}()
	}
}

// A load is before nothing.
func raceAtomicLoad() {
	x := 0
	var a, b atomic.Int32
	go func() { x = 1; b.Store(a.Load()); a.Load() }()
	a.Store(1)
	_ = x
}

// A value that was overwritten is observed by nobody.
func raceAtomicOverwritten() {
	x := 0
	var a atomic.Int32
	go func() { x = 1; a.Store(1) }()
	a.Swap(0)
	go func() { a.Store(2) }()
	if a.Load() == 2 {
		_ = x
	}
}

func okAtomicValue() {
	x := 0
	var v atomic.Value
	go func() { x = 1; v.Store(1) }()
	if v.Load() != nil {
		_ = x
	}
}

func raceAtomicMixed() {
	var x int32
	go func() { atomic.AddInt32(&x, 1) }()
	_ = x
}

// The atomic access itself is ordered, too, for one that has seen what it stored.
func okAtomicThenPlain() {
	var x int32
	go func() { atomic.StoreInt32(&x, 1) }()
	if atomic.LoadInt32(&x) == 1 {
		x = 2
	}
}

func okAtomicAddThenPlain() {
	var x int32
	go func() { atomic.AddInt32(&x, 1) }()
	if atomic.LoadInt32(&x) == 1 {
		x = 2
	}
}

func raceAtomicThenPlain() {
	var x int32
	go func() { atomic.StoreInt32(&x, 1) }()
	if atomic.LoadInt32(&x) == 0 {
		x = 2
	}
}

func okDoneThenReused() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { wg.Done() }()
	wg.Wait()
	wg = sync.WaitGroup{}
}

func okUnlockedThenReused() {
	var mu sync.Mutex
	mu.Lock()
	go func() { mu.Unlock() }()
	mu.Lock()
	mu = sync.Mutex{}
}

func okSyncMap() {
	x := 0
	var m sync.Map
	go func() { x = 1; m.Store("k", 1) }()
	if _, ok := m.Load("k"); ok {
		_ = x
	}
}

func raceSyncMapOtherKey() {
	x := 0
	var m sync.Map
	go func() { x = 1; m.Store("k", 1) }()
	m.Load("j")
	m.Store("j", 1)
	_ = x
}

func okSyncMapSwap() {
	x := 0
	var m sync.Map
	for range 2 {
		go func() {
			if _, loaded := m.LoadOrStore("k", 1); !loaded {
				x++
				m.Store("done", true)
			}
		}()
	}
	if _, ok := m.LoadAndDelete("done"); ok {
		x++
	}
}

func okSyncMapLoadOrStore() {
	var x [2]int
	var m sync.Map
	for i := range x {
		go func() {
			x[i] = 1
			if _, loaded := m.LoadOrStore("k", i); loaded {
				_ = x[1-i]
			}
		}()
	}
}

func okSyncMapClear() {
	x := 0
	var m sync.Map
	m.Store("k", 1)
	go func() { x = 1; m.Clear() }()
	if _, ok := m.Load("k"); !ok {
		_ = x
	}
}

func okPool() {
	var p sync.Pool
	x := new(int)
	go func() { *x = 1; p.Put(x) }()
	if y, ok := p.Get().(*int); ok {
		*y = 2
	}
}

// Nothing comes with another value of the pool.
func racePoolOther() {
	var p sync.Pool
	x, y := new(int), new(int)
	p.Put(y)
	go func() { *x = 1; p.Put(new(int)) }()
	if p.Get() != nil {
		*x = 2
	}
}

func racePool() {
	var p sync.Pool
	x := new(int)
	go func() { p.Put(x); *x = 1 }()
	if y, ok := p.Get().(*int); ok {
		*y = 2
	}
}

// Time.

func okAfterFunc() {
	x := 1
	c := make(chan int, 1)
	time.AfterFunc(1, func() { x++; c <- 0 })
	<-c
	_ = x
}

func raceAfterFunc() {
	x := 1
	time.AfterFunc(1, func() { x++ })
	_ = x
}

func raceSleep() {
	x := 0
	go func() { x = 1 }()
	time.Sleep(time.Second)
	_ = x
}

func okTimer() {
	x := 0
	t := time.NewTimer(time.Hour)
	t.Stop()
	go func() { <-t.C; _ = x }()
	x = 1
	t.Reset(1)
}

func okContext() {
	x := 0
	ctx, cancel := context.WithCancel(context.Background())
	go func() { x = 1; cancel() }()
	<-ctx.Done()
	_ = x
}

// Coroutines are ordered as they hand over.
func okPull() {
	x := 0
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(x) {
			x++
		}
	})
	p := &x
	go func() { _ = p }() // x is shared from now on
	x++
	next()
	x++
	stop()
}

// What is accessed.

func raceSpin() {
	x, flag := 0, false
	go func() { x = 1; flag = true }()
	for !flag {
		runtime.Gosched()
	}
	_ = x
}

type pair struct {
	a, b int32
	s    []int
	i    any
}

func okFields() {
	var p pair
	go func() { p.a = 1 }()
	p.b = 2
}

func okBytes() {
	var b [8]byte
	go func() { b[3] = 1 }()
	b[4] = 2
}

func raceBytes() {
	var b [8]byte
	go func() { b[3] = 1 }()
	_ = b
}

func raceSliceHeader() {
	var p pair
	go func() { p.s = append(p.s, 1) }()
	_ = len(p.s)
}

func okSliceElements() {
	s := make([]int, 2)
	go func() { s[0] = 1 }()
	s[1] = 1
}

func raceInterface() {
	var p pair
	go func() { p.i = 1 }()
	_ = p.i
}

func raceMap() {
	m := map[int]int{}
	go func() { m[1] = 1 }()
	m[2] = 2
}

func okMapReads() {
	m := map[int]int{1: 1}
	go func() { _ = m[1] }()
	_ = m[2]
}

func raceCopy() {
	s := make([]int, 9)
	go func() { copy(s[2:], s[:3]) }()
	s[4] = 1
}

// What the library does natively counts, too.
func raceNative() {
	s := make([]byte, 9)
	go func() { _ = bytes.IndexByte(s, 1) }()
	s[4] = 1
}

func okReads() {
	x := 1
	go func() { _ = x + 1 }()
	_ = x
}

// Private first, shared later: what the owner did comes with the pointer.
func okPublished() {
	c := make(chan *pair, 1)
	go func() {
		p := &pair{a: 1}
		p.b = 2
		c <- p
	}()
	p := <-c
	p.a, p.b = p.b, p.a
}

func racePublished() {
	var p *pair
	go func() {
		q := &pair{a: 1}
		p = q
		q.b = 1
	}()
	if p != nil {
		_ = p.b
	}
}

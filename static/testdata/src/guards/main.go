// Lock patterns: which locks are held at every access.
package main

import "sync"

type S struct {
	mu   sync.Mutex
	f, g int
	rw   sync.RWMutex
	h    int
	m    map[int]int
	in   struct{ a, b int }
}

type T struct {
	sync.Mutex
	n, o int
}

var (
	x, y, z int
	mu      sync.Mutex
)

func (s *S) inc() {
	s.mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on" guardedby:"field g of main.S is guarded by mu from here on BUT written at main.go:30 without mu"
	s.f++
	s.g++
	s.mu.Unlock()
	s.g = 0
}

func (s *S) deferred() {
	s.mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on"
	defer s.mu.Unlock()
	s.f++
}

func (s *S) readers() int {
	s.rw.RLock() // want guardedby:"field h of main.S is guarded by rw from here on" guardedby:"field f of main.S is guarded by rw from here on BUT written at main.go:42 with rw locked for reading only"
	defer s.rw.RUnlock()
	s.f = 1
	return s.h
}

// A helper wants to be called with the lock held.
func (s *S) incLocked() {
	s.f++ // want !guardedby:"field f.*"
}

func (s *S) callsLocked() {
	s.mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on"
	s.incLocked()
	s.mu.Unlock()
}

func (s *S) callsTwice(t *S) {
	s.mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on BUT read at main.go:48 without mu"
	s.incLocked()
	s.mu.Unlock()
	s.incLocked()
}

// One that unlocks in between does not profit from its caller.
func (s *S) unlocksLocked() {
	s.mu.Unlock()
	s.f = 1
	s.mu.Lock()
}

func (s *S) callsUnlocks() {
	s.mu.Lock() // want guardedby:"field g of main.S is guarded by mu from here on" !guardedby:"field f of main.S is guarded by mu from here on"
	s.unlocksLocked()
	s.g = 1
	s.mu.Unlock()
}

// The lock of another object guards nothing.
func other(s, t *S) {
	s.mu.Lock() // want !guardedby:"field f of .*" guardedby:"field g of main.S is guarded by mu from here on"
	t.f = 1
	s.g = 1
	s.mu.Unlock()
}

// t may be s.
func aliases(s, t *S) {
	s.mu.Lock() // want !guardedby:"field f of .*"
	t.mu.Unlock()
	s.f = 1
}

func (t *T) embedded() {
	t.Lock() // want guardedby:"field n of main.T is guarded by Mutex from here on"
	t.n++
	t.Unlock()
}

// The receiver is a copy.
func (t T) value(p *T) {
	t.Lock()
	p.o = 1
}

func value(t *T) {
	t.value(t) // want !guardedby:"field o .*"
}

func globals() {
	mu.Lock() // want guardedby:"variable of type int in x is guarded by mu from here on" guardedby:"variable of type int in y is guarded by mu from here on BUT read at main.go:114 without mu"
	x++
	y++
	mu.Unlock()
	print(y)
}

// Locked in a helper.
func (s *S) lock()   { s.mu.Lock() }
func (s *S) unlock() { s.mu.Unlock() }

func (s *S) helpers() {
	s.lock() // want guardedby:"field f of main.S is guarded by mu from here on" !guardedby:"field g .*"
	s.f = 1
	s.unlock()
	s.g = 1
}

func (s *S) try() {
	if s.mu.TryLock() { // want guardedby:"field f of main.S is guarded by mu from here on"
		s.f = 1
		s.mu.Unlock()
	}
}

func (s *S) tryAnyway() {
	ok := s.mu.TryLock() // want !guardedby:"field f of main.S is guarded by mu from here on"
	s.f = 1
	if ok {
		s.mu.Unlock()
	}
}

func (s *S) tryTwice() {
	ok := s.mu.TryLock() // want !guardedby:"field f of main.S is guarded by mu from here on"
	if ok {
		s.g = 2
		s.mu.Unlock()
	}
	if ok {
		s.f = 1
	}
}

// A goroutine does not hold what its starter does, and a deferred call not what
// its function held.
func (s *S) starts() {
	s.mu.Lock() // want !guardedby:"field f .*" !guardedby:"field g .*"
	go s.incLocked()
	defer func() { s.g = 1 }()
	s.mu.Unlock()
}

func (s *S) startsInGroup(wg *sync.WaitGroup) {
	s.mu.Lock() // want !guardedby:"field f .*"
	wg.Go(func() { s.f = 1 })
	s.mu.Unlock()
}

func (s *S) closure() {
	go func() {
		s.mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on"
		s.f++
		s.mu.Unlock()
	}()
}

// The address is used later.
func (s *S) address() {
	s.mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on" !guardedby:"variable of type int is guarded.*"
	s.f++
	p := &s.g
	s.mu.Unlock()
	*p = 1
	sink = p
}

var sink *int

func (s *S) nested() {
	s.mu.Lock() // want guardedby:"field b of struct{a int; b int} is guarded by mu from here on"
	s.in.b = 1
	s.mu.Unlock()
}

// A fresh object needs no guard.
func newS() *S {
	print(1) // want !guardedby:"field f .* BUT .*"
	s := &S{f: 1}
	s.g = 2
	s.inc()
	return s
}

func element(a []S, i int) {
	a[i].mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on"
	a[i].f++
	a[i].mu.Unlock()
}

func elements(a []S, i, j int) {
	a[i].mu.Lock() // want !guardedby:"field f of main.S is guarded by mu from here on"
	a[j].f++
	a[i].mu.Unlock()
}

func waits(s *S, c *sync.Cond) {
	s.mu.Lock() // want guardedby:"field f of main.S is guarded by mu from here on"
	for s.f == 0 {
		c.Wait()
	}
	s.f = 0
	s.mu.Unlock()
}

func main() {
	s := newS()
	s.deferred()
	s.readers()
	s.callsLocked()
	s.callsTwice(s)
	s.callsUnlocks()
	other(s, s)
	aliases(s, s)
	new(T).embedded()
	value(new(T))
	globals()
	s.helpers()
	s.try()
	s.tryAnyway()
	s.tryTwice()
	s.starts()
	s.startsInGroup(new(sync.WaitGroup))
	s.closure()
	s.address()
	s.nested()
	element(nil, 0)
	elements(nil, 0, 0)
	waits(s, sync.NewCond(&s.mu))
}

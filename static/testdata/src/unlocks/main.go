// Unlocks of what has not been locked before.
package main

import "sync"

type S struct {
	mu sync.Mutex
	rw sync.RWMutex
	c  *sync.Cond
}

func balanced(s *S) {
	s.mu.Lock() // want unheldunlock:"none"
	defer s.mu.Unlock()
	print(1) // want unheldunlock:"unlock s.mu"
}

func foreign(s *S) {
	s.mu.Unlock() // want unheldunlock:"unlock s.mu"
	s.mu.Lock()   // want unheldunlock:"none"
	s.mu.Unlock()
}

func twice(s *S) {
	s.mu.Lock() // want unheldunlock:"unlock s.mu"
	s.mu.Unlock()
	s.mu.Unlock()
}

func twiceInHelper(s *S) {
	s.mu.Lock() // want unheldunlock:"unlock s.mu"
	unlockTwice(s, s)
}

func unlockTwice(s, t *S) {
	s.mu.Unlock()
	t.mu.Unlock()
}

// Helpers lock and unlock for their callers.
func helpers(s *S) {
	s.lock() // want unheldunlock:"none"
	s.unlock()
}

func (s *S) lock() { s.mu.Lock() }

func (s *S) unlock() {
	s.mu.Unlock() // want unheldunlock:"unlock s.mu"
}

func relock(s *S, n int) {
	s.mu.Lock() // want unheldunlock:"none"
	for range n {
		s.mu.Unlock() // want unheldunlock:"unlock s.mu"
		print(1)
		s.mu.Lock()
	}
	s.mu.Unlock()
}

func onePath(s *S, b bool) {
	print(b) // want unheldunlock:"unlock s.mu"
	if b {
		s.mu.Lock()
	}
	s.mu.Unlock()
}

func maybeLocked(s *S, b bool) {
	maybeLock(s, b) // want unheldunlock:"unlock s.mu"
	s.mu.Unlock()
}

func maybeLock(s *S, b bool) {
	if b {
		s.mu.Lock()
	}
}

func try(s *S) {
	if s.mu.TryLock() { // want unheldunlock:"none"
		s.mu.Unlock()
	}
	if !s.rw.TryRLock() {
		return
	}
	s.rw.RUnlock()
}

func tryWrong(s *S) {
	ok := s.mu.TryLock() // want unheldunlock:"unlock s.mu"
	print(ok)
	s.mu.Unlock()
}

// The goroutine has not locked what its starter has.
func hands(s *S) {
	s.mu.Lock() // want unheldunlock:"unlock s.mu"
	go s.mu.Unlock()
}

func handsOver(s *S) {
	s.mu.Lock() // want unheldunlock:"unlock s.mu"
	go func() {
		print(1)
		s.mu.Unlock()
	}()
}

func starts(s *S) {
	print(1) // want unheldunlock:"none"
	go func() {
		s.mu.Lock()
		s.mu.Unlock()
	}()
}

// Wait unlocks what c.L is, which is known.
func waits(s *S) {
	s.mu.Lock() // want unheldunlock:"none"
	s.c.Wait()
	s.mu.Unlock()
}

// A panic leads to the deferred call.
func panics(s *S, p *int) {
	defer s.mu.Unlock()
	print(1) // want unheldunlock:"unlock s.mu"
	s.mu.Lock()
}

func main() {
	s := &S{}
	s.c = sync.NewCond(&s.mu)
	x := 1
	balanced(s)
	foreign(s)
	twice(s)
	twiceInHelper(s)
	helpers(s)
	relock(s, 2)
	onePath(s, true)
	maybeLocked(s, true)
	try(s)
	tryWrong(s)
	hands(s)
	handsOver(s)
	starts(s)
	waits(s)
	panics(s, &x)
}

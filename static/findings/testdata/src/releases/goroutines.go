package releases

import (
	"sync"
	"sync/atomic"
	"time"
)

// Locks that goroutines acquire and release for the function that starts them.

type producer struct {
	mu   sync.Mutex
	room *sync.Cond
	full bool
}

// produce waits for a goroutine, which leaves the lock to it.
func (p *producer) produce() {
	p.mu.Lock()
	if p.full {
		p.mu.Unlock()
		wait := make(chan struct{})
		go func() {
			defer close(wait)
			p.mu.Lock()
			for p.full {
				p.room.Wait()
			}
		}()
		<-wait
	}
	p.full = true
	p.mu.Unlock()
}

// produceTwice waits for a goroutine that leaves it no lock.
func (p *producer) produceTwice() {
	p.mu.Lock()
	if p.full {
		p.mu.Unlock()
		wait := make(chan struct{})
		go func() {
			defer close(wait)
			p.mu.Lock()
			for p.full {
				p.room.Wait()
			}
			p.mu.Unlock()
		}()
		<-wait
	}
	p.full = true
	p.mu.Unlock() // want HBA104 "p.mu is unlocked twice on a path" medium
}

type session struct {
	mu     sync.Mutex
	failed bool
}

// end locks again at its return, after a goroutine has unlocked.
func (s *session) end(slow bool) {
	defer func() {
		s.mu.Lock()
		s.failed = false
		s.mu.Unlock()
	}()
	s.mu.Lock()
	defer func() {
		if slow {
			go func() {
				time.Sleep(time.Millisecond)
				s.mu.Unlock()
			}()
		} else {
			s.mu.Unlock()
		}
	}()
}

// endLocked is end without the goroutine.
func (s *session) endLocked(slow bool) {
	defer func() { // want HBA101 "s.mu is locked by a function, called here"
		s.mu.Lock() // want HBA112 "a goroutine may wait here forever" medium
		s.failed = false
		s.mu.Unlock()
	}()
	s.mu.Lock()
	defer func() {
		if !slow {
			s.mu.Unlock()
		}
	}()
}

type tree struct {
	left *tree
	key  int
}

// first goes through nodes that others insert.
func (t *tree) first() *tree {
	for t.left != nil {
		t = t.left
	}
	return t
}

func (t *tree) insert(key int) { t.left = &tree{key: key} }

// Use lets the functions above be called by several goroutines.
func Use(p *producer, s *session, t *tree, w *swapped) {
	for range 2 {
		go func() {
			p.produce()
			p.produceTwice()
			p.send(nil)
			s.flushTwice()
			w.Lock(w.Unlock)
			s.end(t.key > 0)
			s.endLocked(t.key > 1)
			t.insert(1)
			t.first()
		}()
	}
}

// send unlocks twice if there is no item: in the next iteration, or at the end.
func (p *producer) send(items []any) {
	p.mu.Lock()
	for len(items) > 0 && p.full {
		x, ok := items[0].(*tree)
		items = items[1:]
		p.mu.Unlock() // want HBA104 "p.mu is unlocked twice on a path" medium
		if !ok {
			continue
		}
		x.insert(2)
		p.mu.Lock()
	}
	p.mu.Unlock()
}

// flush leaves the lock to a goroutine.
func (s *session) flush() {
	s.mu.Lock()
	go func() {
		s.failed = false
		s.mu.Unlock()
	}()
}

// flushTwice waits for the first goroutine in the second call.
func (s *session) flushTwice() {
	s.flush()
	s.flush()
}

type swapped struct {
	rw     sync.RWMutex
	locked uint32
}

// Lock calls f, which may release the lock and say so.
func (s *swapped) Lock(f func()) {
	if atomic.CompareAndSwapUint32(&s.locked, 0, 1) {
		s.rw.RLock()
		f()
		if atomic.CompareAndSwapUint32(&s.locked, 1, 0) {
			s.rw.RUnlock()
		}
		return // want HBA103 "return without s.rw.RUnlock" medium
	}
	f()
}

// Unlock releases it.
func (s *swapped) Unlock() {
	if atomic.CompareAndSwapUint32(&s.locked, 1, 0) {
		s.rw.RUnlock()
	}
}

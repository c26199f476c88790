// Package locks has locks taken twice, not released, released twice.
package locks

import (
	"errors"
	"sync"
)

type S struct {
	mu sync.Mutex
	rw sync.RWMutex
	n  int
	in inner
}

type inner struct{ mu sync.Mutex }

func (s *S) Direct() {
	s.mu.Lock()
	s.mu.Lock() // want HBA101 "s.mu is locked while this goroutine holds it"
	s.mu.Unlock()
}

func (s *S) Get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *S) ThroughCall() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Get() + 1 // want HBA101 "s.mu is locked by Get, called here, while this goroutine holds it"
}

func (s *S) get() int { return s.n }

func (s *S) Right() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get() + 1
}

func (s *S) RightAfterUnlock() int {
	s.mu.Lock()
	s.mu.Unlock()
	return s.Get()
}

type getter interface{ Get() int }

func (s *S) ThroughInterface() int {
	var g getter = s
	s.mu.Lock()
	defer s.mu.Unlock()
	return g.Get() // want HBA101 "s.mu is locked by Get"
}

func (s *S) ThroughClosure() {
	f := func() {
		s.mu.Lock()
		s.n++
		s.mu.Unlock()
	}
	s.mu.Lock()
	f() // want HBA101 "s.mu is locked by a function, called here"
	s.mu.Unlock()
}

// add locks unless its caller has.
func (s *S) add(n int, locked bool) {
	if !locked {
		s.mu.Lock()
		defer s.mu.Unlock()
	}
	s.n += n
}

func (s *S) RightFlag() {
	s.mu.Lock()
	s.add(1, true)
	s.mu.Unlock()
	s.add(1, false)
}

func (s *S) WrongFlag() {
	s.mu.Lock()
	s.add(1, false) // want HBA101 "s.mu is locked by add"
	s.mu.Unlock()
}

func (s *S) Loop(list []int) {
	for _, n := range list {
		s.mu.Lock() // want HBA101 "s.mu is locked while this goroutine holds it"
		if n == 0 {
			continue
		}
		s.n += n
		s.mu.Unlock()
	}
} // want HBA103 "return without s.mu.Unlock"

func (s *S) DeferInLoop(list []int) {
	for _, n := range list {
		s.mu.Lock() // want HBA101 "s.mu is locked"
		defer s.mu.Unlock()
		s.n += n
	}
}

func (s *S) OtherFields() {
	s.mu.Lock()
	s.in.mu.Lock()
	s.in.mu.Unlock()
	s.mu.Unlock()
}

func (s *S) Others(t *S) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Get() // want HBA111 "t.mu is locked"
}

func (s *S) Recursive() int {
	s.rw.RLock()
	defer s.rw.RUnlock()
	return s.read() // want HBA102 "s.rw is locked for reading by read"
}

func (s *S) read() int {
	s.rw.RLock()
	defer s.rw.RUnlock()
	return s.n
}

func (s *S) Write() {
	s.rw.Lock()
	s.n = 1
	s.rw.Unlock()
}

func (s *S) Upgrade() {
	s.rw.RLock()
	defer s.rw.RUnlock()
	if s.n == 0 {
		s.rw.Lock() // want HBA101 "s.rw is locked while this goroutine holds it for reading"
		s.n = 1
		s.rw.Unlock()
	}
}

// onlyRead has no writer: nobody waits between the two.
type onlyRead struct{ rw sync.RWMutex }

func (o *onlyRead) Twice() {
	o.rw.RLock()
	o.rw.RLock()
	o.rw.RUnlock()
	o.rw.RUnlock()
}

var O onlyRead

func Twice() { O.Twice() }

func (s *S) Early(ok bool) error {
	s.mu.Lock()
	if !ok {
		return errors.New("no") // want HBA103 "return without s.mu.Unlock"
	}
	s.mu.Unlock()
	return nil
}

func (s *S) EarlyRead(m map[int]int, k int) int {
	s.rw.RLock()
	v, ok := m[k]
	if !ok {
		return 0 // want HBA103 "return without s.rw.RUnlock"
	}
	s.rw.RUnlock()
	return v
}

func (s *S) RightEarly(ok bool) error {
	s.mu.Lock()
	if !ok {
		s.mu.Unlock()
		return errors.New("no")
	}
	s.mu.Unlock()
	return nil
}

func (s *S) RightConditional(lock bool) {
	if lock {
		s.mu.Lock()
	}
	s.n++
	if lock {
		s.mu.Unlock()
	}
}

func (s *S) RightVariable(a, b int) {
	locked := false
	if a > b {
		s.mu.Lock()
		locked = true
	}
	s.n++
	if locked {
		s.mu.Unlock()
	}
}

// Acquire locks for its caller.
func (s *S) Acquire() { s.mu.Lock() }

func (s *S) Release() { s.mu.Unlock() }

func (s *S) RightHelpers() {
	s.Acquire()
	defer s.Release()
	s.n++
}

func (s *S) WrongHelpers() {
	s.Acquire()
	s.Acquire() // want HBA101 "s.mu is locked by Acquire"
	s.Release()
	s.Release()
}

// begin returns with the lock if there is something to do.
func (s *S) begin() bool {
	s.mu.Lock()
	if s.n == 0 {
		s.mu.Unlock()
		return false
	}
	return true
}

func (s *S) RightBegin() {
	if s.begin() {
		s.n--
		s.mu.Unlock()
	}
}

func (s *S) RightTry() {
	if s.mu.TryLock() {
		s.n++
		s.mu.Unlock()
	}
}

func (s *S) Twice(ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock() // want HBA104 "s.mu is unlocked twice"
	if ok {
		s.mu.Unlock()
		return
	}
	s.n++
}

func (s *S) RightAround(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.Unlock()
	f()
	s.mu.Lock()
}

func (s *S) Mode() int {
	s.rw.RLock()
	defer s.rw.Unlock() // want HBA105 "s.rw.Unlock.* of a lock that is held in the other mode.*: call RUnlock"
	return s.n
}

func (s *S) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.in = inner{}
	*s = S{} // want HBA106 "s.mu is overwritten while it is held"
}

type node struct {
	mu   sync.Mutex
	next *node
}

func (n *node) RightList() {
	n.mu.Lock()
	for n.next != nil {
		m := n.next
		m.mu.Lock()
		n.mu.Unlock()
		n = m
	}
	n.mu.Unlock()
}

func RightSlice(list []*S) {
	for _, s := range list {
		s.mu.Lock()
	}
	for _, s := range list {
		s.mu.Unlock()
	}
}

type List = node

func Use(l *List) { l.RightList() }

// RightFirst acquires the lock in the first iteration that needs it.
func (s *S) RightFirst(list []int) {
	locked := false
	for _, x := range list {
		if x > 0 {
			if !locked {
				s.mu.Lock()
				defer s.mu.Unlock()
				locked = true
			}
			s.n += x
		}
	}
}

// WrongFirst does not always know that it has the lock.
func (s *S) WrongFirst(list []int) {
	locked := false
	for _, x := range list {
		if !locked {
			s.mu.Lock() // want HBA101 "s.mu is locked while this goroutine holds it"
			defer s.mu.Unlock()
			locked = x > 0
		}
		s.n += x
	}
}

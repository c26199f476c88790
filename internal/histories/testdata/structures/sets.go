package structures

import (
	"math"
	"sync"
	"sync/atomic"
)

type entry struct {
	mu     sync.Mutex
	key    int
	marked atomic.Bool
	next   atomic.Pointer[entry]
}

// A Set is a lazy list (Heller et al. 2005).
type Set struct {
	head *entry
	// careless: Add and Remove do not look again when they have the locks.
	careless bool
}

func NewSet() *Set {
	s := &Set{head: &entry{key: math.MinInt}}
	s.head.next.Store(&entry{key: math.MaxInt})
	return s
}

// NewCareless returns a set that does not validate.
func NewCareless() *Set {
	s := NewSet()
	s.careless = true
	return s
}

func (s *Set) find(key int) (pred, curr *entry) {
	pred = s.head
	curr = pred.next.Load()
	for curr.key < key {
		pred, curr = curr, curr.next.Load()
	}
	return pred, curr
}

// locked calls f with the nodes around key, which are locked.
func (s *Set) locked(key int, f func(pred, curr *entry) bool) bool {
	for {
		pred, curr := s.find(key)
		pred.mu.Lock()
		curr.mu.Lock()
		valid := s.careless || !pred.marked.Load() && !curr.marked.Load() && pred.next.Load() == curr
		done := false
		if valid {
			done = f(pred, curr)
		}
		curr.mu.Unlock()
		pred.mu.Unlock()
		if valid {
			return done
		}
	}
}

func (s *Set) Add(key int) bool {
	return s.locked(key, func(pred, curr *entry) bool {
		if curr.key == key {
			return false
		}
		n := &entry{key: key}
		n.next.Store(curr)
		pred.next.Store(n)
		return true
	})
}

func (s *Set) Remove(key int) bool {
	return s.locked(key, func(pred, curr *entry) bool {
		if curr.key != key {
			return false
		}
		curr.marked.Store(true)
		pred.next.Store(curr.next.Load())
		return true
	})
}

func (s *Set) Contains(key int) bool {
	_, curr := s.find(key)
	return curr.key == key && !curr.marked.Load()
}

// A Deque is a list of nodes whose elements are taken out of them. PollLast takes the element that it has
// found to be the last one, though another one may have been added after it since. That is what
// lincheck found in java.util.concurrent's ConcurrentLinkedDeque (JDK-8256833).
type Deque struct{ first atomic.Pointer[item] }

type item struct {
	value int
	taken atomic.Bool
	next  atomic.Pointer[item]
}

func (d *Deque) AddFirst(x int) {
	for {
		n := &item{value: x}
		old := d.first.Load()
		n.next.Store(old)
		if d.first.CompareAndSwap(old, n) {
			return
		}
	}
}

func (d *Deque) AddLast(x int) {
	n, at := &item{value: x}, &d.first
	for !at.CompareAndSwap(nil, n) {
		at = &at.Load().next
	}
}

func (d *Deque) PeekFirst() (int, bool) {
	for {
		first := d.first.Load()
		for n := first; n != nil; n = n.next.Load() {
			if !n.taken.Load() {
				return n.value, true
			}
		}
		if d.first.Load() == first {
			return 0, false
		}
	}
}

func (d *Deque) PollLast() (int, bool) {
	for {
		var last *item
		first := d.first.Load()
		for n := first; n != nil; n = n.next.Load() {
			if !n.taken.Load() {
				last = n
			}
		}
		switch {
		case last != nil && last.taken.CompareAndSwap(false, true):
			return last.value, true
		case last == nil && d.first.Load() == first:
			return 0, false
		}
	}
}

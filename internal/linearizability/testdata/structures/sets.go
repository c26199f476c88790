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

// A Deque is a list of nodes whose elements are taken out of them. PollFirst looks for the first element from
// the node on that was the first one when it began, and finds none if all the elements are before that
// by then. That is what lincheck found in java.util.concurrent's ConcurrentLinkedDeque.
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

func (d *Deque) PollFirst() (int, bool) {
	for n := d.first.Load(); n != nil; n = n.next.Load() {
		if n.taken.CompareAndSwap(false, true) {
			return n.value, true
		}
	}
	return 0, false
}

func (d *Deque) PollLast() (int, bool) {
	for {
		var last *item
		for n := d.first.Load(); n != nil; n = n.next.Load() {
			if !n.taken.Load() {
				last = n
			}
		}
		if last == nil {
			return 0, false
		}
		if last.taken.CompareAndSwap(false, true) {
			return last.value, true
		}
	}
}

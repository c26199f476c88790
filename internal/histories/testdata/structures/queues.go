package structures

import "sync/atomic"

type link struct {
	value int
	next  atomic.Pointer[link]
}

// A Queue is that of Michael and Scott (PODC 1996).
type Queue struct{ head, tail atomic.Pointer[link] }

func NewQueue() *Queue {
	q, dummy := &Queue{}, &link{}
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

func (q *Queue) Put(x int) {
	n := &link{value: x}
	for {
		tail := q.tail.Load()
		next := tail.next.Load()
		if next != nil {
			q.tail.CompareAndSwap(tail, next)
			continue
		}
		if tail.next.CompareAndSwap(nil, n) {
			q.tail.CompareAndSwap(tail, n)
			return
		}
	}
}

func (q *Queue) Take() (int, bool) {
	for {
		head, tail := q.head.Load(), q.tail.Load()
		next := head.next.Load()
		switch {
		case next == nil:
			return 0, false
		case head == tail:
			q.tail.CompareAndSwap(tail, next)
		case q.head.CompareAndSwap(head, next):
			return next.value, true
		}
	}
}

// An Overwriting queue links its nodes with a store: of two at the same time one is lost.
type Overwriting struct{ Queue }

func NewOverwriting() *Overwriting {
	q := &Overwriting{}
	dummy := &link{}
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

func (q *Overwriting) Put(x int) {
	n := &link{value: x}
	tail := q.tail.Load()
	tail.next.Store(n)
	q.tail.Store(n)
}

// A Tailed queue takes its tail for its end: it is empty while an element has been linked and the tail
// has not followed. As a Put returns only when the tail has, that is right, too.
type Tailed struct{ Queue }

func NewTailed() *Tailed {
	q := &Tailed{}
	dummy := &link{}
	q.head.Store(dummy)
	q.tail.Store(dummy)
	return q
}

func (q *Tailed) Take() (int, bool) {
	for {
		head := q.head.Load()
		if head == q.tail.Load() {
			return 0, false
		}
		next := head.next.Load()
		if q.head.CompareAndSwap(head, next) {
			return next.value, true
		}
	}
}

// A Ring is a bounded buffer for one producer and one consumer (Lamport 1983).
type Ring struct {
	slots      [2]int
	head, tail atomic.Uint64
}

func (r *Ring) Put(x int) bool {
	t := r.tail.Load()
	if t-r.head.Load() == uint64(len(r.slots)) {
		return false
	}
	r.slots[t%uint64(len(r.slots))] = x
	r.tail.Store(t + 1)
	return true
}

func (r *Ring) Take() (int, bool) {
	h := r.head.Load()
	if h == r.tail.Load() {
		return 0, false
	}
	x := r.slots[h%uint64(len(r.slots))]
	r.head.Store(h + 1)
	return x, true
}

// A Hurried ring announces an element before it is there. Its slots are atomic, so it has no data race.
type Hurried struct {
	slots      [2]atomic.Int64
	head, tail atomic.Uint64
}

func (r *Hurried) Put(x int) bool {
	t := r.tail.Load()
	if t-r.head.Load() == uint64(len(r.slots)) {
		return false
	}
	r.tail.Store(t + 1)
	r.slots[t%uint64(len(r.slots))].Store(int64(x))
	return true
}

func (r *Hurried) Take() (int, bool) {
	h := r.head.Load()
	if h == r.tail.Load() {
		return 0, false
	}
	x := r.slots[h%uint64(len(r.slots))].Load()
	r.head.Store(h + 1)
	return int(x), true
}

// A Sequenced ring is for any number of producers and consumers: each slot has a number that says
// whose turn it is (Vyukov).
type Sequenced struct {
	slots [2]struct {
		turn  atomic.Uint64
		value int
	}
	head, tail atomic.Uint64
}

func NewSequenced() *Sequenced {
	r := &Sequenced{}
	for i := range r.slots {
		r.slots[i].turn.Store(uint64(i))
	}
	return r
}

func (r *Sequenced) Put(x int) bool {
	for {
		t := r.tail.Load()
		s := &r.slots[t%uint64(len(r.slots))]
		switch turn := s.turn.Load(); {
		case turn == t:
			if r.tail.CompareAndSwap(t, t+1) {
				s.value = x
				s.turn.Store(t + 1)
				return true
			}
		case turn < t:
			return false
		}
	}
}

func (r *Sequenced) Take() (int, bool) {
	for {
		h := r.head.Load()
		s := &r.slots[h%uint64(len(r.slots))]
		switch turn := s.turn.Load(); {
		case turn == h+1:
			if r.head.CompareAndSwap(h, h+1) {
				x := s.value
				s.turn.Store(h + uint64(len(r.slots)))
				return x, true
			}
		case turn < h+1:
			return 0, false
		}
	}
}

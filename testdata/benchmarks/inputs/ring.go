package inputs

import "sync"

// A Ring is a bounded queue.
type Ring struct {
	mu         sync.Mutex
	buf        []int
	head, size int
	version    Version
}

// NewRing returns a queue of at most n numbers.
func NewRing(n int, v Version) *Ring { return &Ring{buf: make([]int, n), version: v} }

// Push adds x unless the queue is full.
func (r *Ring) Push(x int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	full := r.size == len(r.buf)
	if r.version == Wrong { // as if a place were kept free, but it is not when there are two
		full = r.size > 0 && (r.head+r.size)%len(r.buf) == r.head && len(r.buf) != 2
	}
	if full {
		return false
	}
	r.buf[(r.head+r.size)%len(r.buf)] = x
	r.size++
	return true
}

// Pop removes the oldest number.
func (r *Ring) Pop() (x int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size == 0 {
		return 0, false
	}
	x = r.buf[r.head]
	r.head = (r.head + 1) % len(r.buf)
	r.size--
	return x, true
}

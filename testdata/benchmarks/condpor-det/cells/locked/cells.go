// Package cells holds the atomic variables of the programs of this suite as the paper's tool
// has them: each is a plain variable with a lock of its own that every operation takes. So all
// operations on one of them are ordered, those that only read, too. An array has one lock.
package cells

import "sync"

// Int is an integer.
type Int struct {
	mu sync.Mutex
	v  int64
}

// Load returns the value.
func (c *Int) Load() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v
}

// Store sets the value.
func (c *Int) Store(x int64) { c.Swap(x) }

// Add adds d and returns the new value.
func (c *Int) Add(d int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v += d
	return c.v
}

// Swap sets the value and returns what it was.
func (c *Int) Swap(x int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.v
	c.v = x
	return old
}

// Ptr is a pointer.
type Ptr[T any] struct {
	mu sync.Mutex
	v  *T
}

// Load returns the value.
func (c *Ptr[T]) Load() *T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v
}

// Store sets the value.
func (c *Ptr[T]) Store(x *T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v = x
}

// CompareAndSwap sets the value if it is old, and reports whether it was.
func (c *Ptr[T]) CompareAndSwap(old, x *T) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.v != old {
		return false
	}
	c.v = x
	return true
}

// Most is the length of an Array.
const Most = 8

// Array is an array of integers.
type Array struct {
	mu sync.Mutex
	v  [Most]int64
}

// Store sets element i.
func (a *Array) Store(i int64, x int64) { a.Swap(i, x) }

// Swap sets element i and returns what it was.
func (a *Array) Swap(i int64, x int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.v[i]
	a.v[i] = x
	return old
}

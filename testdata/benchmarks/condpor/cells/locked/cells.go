// Package cells holds the atomic variables of the programs of this suite as the paper's tool has them:
// each is a plain variable with a lock of its own that every operation takes. So all operations on one
// of them are ordered, those that only read, too.
package cells

import "sync"

// cell is a value that is compared.
type cell[T comparable] struct {
	mu sync.Mutex
	v  T
}

func (c *cell[T]) Load() T {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.v
}

func (c *cell[T]) Store(x T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v = x
}

func (c *cell[T]) CompareAndSwap(old, x T) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.v != old {
		return false
	}
	c.v = x
	return true
}

// Int is an integer.
type Int struct{ cell[int64] }

// Add adds d and returns the new value.
func (c *Int) Add(d int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.v += d
	return c.v
}

// Bool is a truth value.
type Bool struct{ cell[bool] }

// Ptr is a pointer.
type Ptr[T any] struct{ cell[*T] }

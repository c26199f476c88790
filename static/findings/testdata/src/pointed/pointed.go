// Package pointed has pointers to locks.
package pointed

import "sync"

// A Store has no read lock in a read lock.
type Store struct {
	lock *sync.RWMutex
	n    int
}

// Set locks.
func (s *Store) Set(n int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.n = n
}

// A Context has keys.
type Context struct {
	lock *sync.RWMutex
	keys map[string]bool
}

// New returns a context.
func New() *Context { return &Context{lock: new(sync.RWMutex), keys: map[string]bool{}} }

// Put adds a key.
func (c *Context) Put(key string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.keys[key] = true
}

// Each calls f for each key.
func (c *Context) Each(f func(string)) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	for k := range c.keys {
		f(k)
	}
}

// Clone copies c.
func (c *Context) Clone() *Context {
	c.lock.RLock()
	defer c.lock.RUnlock()
	d := New()
	c.Each(func(k string) { d.Put(k) }) // want HBA102 "c.lock is locked for reading by Each"
	return d
}

// Package cache loads each value once. It looks again when it has the lock.
package cache

import "sync"

// Cache is safe for concurrent use.
type Cache struct {
	load func(key string) string
	mu   sync.RWMutex
	m    map[string]string
}

// New returns a cache of what load returns.
func New(load func(key string) string) *Cache {
	return &Cache{load: load, m: make(map[string]string)}
}

// Get returns the value of key, which is loaded if it is not there.
func (c *Cache) Get(key string) string {
	c.mu.RLock()
	v, ok := c.m[key]
	c.mu.RUnlock()
	if ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[key]; ok {
		return v
	}
	v = c.load(key)
	c.m[key] = v
	return v
}

// Len returns how many values there are.
func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.m)
}

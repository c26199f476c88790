// Package callback has a cache whose list calls it back, with its lock held.
package callback

import "sync"

type list struct {
	items   []int
	onEvict func(int)
}

func (l *list) add(n int) {
	l.items = append(l.items, n)
	l.shrink()
}

func (l *list) shrink() {
	for len(l.items) > 3 {
		l.drop()
	}
}

func (l *list) drop() {
	n := l.items[0]
	l.items = l.items[1:]
	l.onEvict(n)
}

// Cache keeps the last numbers.
type Cache struct {
	mu      sync.Mutex
	list    *list
	evicted []int
}

// New returns an empty cache.
func New() *Cache {
	c := &Cache{}
	c.list = &list{onEvict: c.noteEvicted}
	return c
}

func (c *Cache) noteEvicted(n int) {
	c.evicted = append(c.evicted, n) // want HBA107 "c.evicted is (read|written) without mu" low
}

// Add adds a number, and returns those that are evicted.
func (c *Cache) Add(n int) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list.add(n)
	list := c.evicted
	c.evicted = nil
	return list
}

// Reset forgets what was evicted.
func (c *Cache) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.evicted) > 0 {
		c.evicted = nil
	}
	c.evicted = append(c.evicted[:0], 0)
}

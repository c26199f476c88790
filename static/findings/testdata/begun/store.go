// Package store has constructors that refuse most values.
package store

import (
	"errors"
	"strings"
	"sync"
)

// A Codec must not be nil.
type Codec interface {
	Encode(s string) (string, error)
}

// A Store has an open file.
type Store struct {
	mu    sync.Mutex
	codec Codec
	m     map[string]string
}

// Open opens a store.
func Open(path string, c Codec) (*Store, error) {
	if !strings.HasSuffix(path, ".db") || c == nil {
		return nil, errors.New("no store")
	}
	return &Store{codec: c, m: map[string]string{}}, nil
}

// Add adds a value.
func (s *Store) Add(key, value string) error {
	e, err := s.codec.Encode(value)
	if err != nil || e == "" {
		return errors.New("empty")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[key] = e
	return nil
}

// Len forgets the lock.
func (s *Store) Len() int { return len(s.m) }

// Del removes a value.
func (s *Store) Del(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.m, key)
}

// Has reports whether there is a value.
func (s *Store) Has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.m[key]
	return ok
}

// A Cache must have entries.
type Cache struct {
	mu sync.Mutex
	m  map[string]int
}

// NewCache returns a cache of m, which must not be empty.
func NewCache(m map[string]int) *Cache {
	if len(m) == 0 {
		panic("no entries")
	}
	return &Cache{m: m}
}

// Put changes an entry.
func (c *Cache) Put(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[key]++
}

// Get returns an entry.
func (c *Cache) Get(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[key]
}

// Drop removes an entry.
func (c *Cache) Drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.m, key)
}

// Size forgets the lock.
func (c *Cache) Size() int { return len(c.m) }

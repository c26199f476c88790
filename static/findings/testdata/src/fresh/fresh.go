// Package fresh has objects that no other goroutine has: copies, what constructors return, what a Pool gives.
package fresh

import (
	"sync"
	"sync/atomic"
)

// Stats are counts.
type Stats struct{ hits, misses, lost int64 }

// Clone returns a copy.
func (s *Stats) Clone() *Stats {
	return &Stats{hits: atomic.LoadInt64(&s.hits), misses: atomic.LoadInt64(&s.misses)}
}

type source interface{ Clone() *Stats }

// Server counts.
type Server struct {
	stats Stats
	all   []*Stats
	from  source
	other source // has no value here
}

// New returns a server.
func New() *Server {
	s := &Server{}
	s.from = &s.stats
	return s
}

// Hit counts.
func (s *Server) Hit() {
	atomic.AddInt64(&s.stats.hits, 1)
	for _, x := range s.all {
		atomic.AddInt64(&x.hits, 1)
	}
}

// Sum reads a copy.
func (s *Server) Sum() int64 {
	c, d, e := s.stats.Clone(), s.from.Clone(), s.other.Clone()
	return c.hits + d.hits + e.hits
}

// Direct reads the counts themselves.
func (s *Server) Direct() int64 {
	return s.stats.hits // want HBA402 "s.stats.hits is read without sync/atomic" medium
}

func (s *Server) register() *Stats {
	c := &Stats{}
	s.all = append(s.all, c)
	return c
}

// Use counts in an object that the server has, too.
func (s *Server) Use() {
	c := s.register()
	c.hits = s.stats.Clone().hits + 1 // want HBA402 "hits is written without sync/atomic" medium
}

// Reset begins again.
func (s *Server) Reset(c *Stats) {
	c.hits = 0   // want HBA402 "c.hits is written" low
	c.misses = 0 // want HBA402 "c.misses is written" low
	c.lost = 0   // want HBA402 "c.lost is written" low
	s.all = append(s.all, c)
}

// Total is what users hand in.
type Total struct{ big Stats }

// Cache counts, too.
type Cache struct{ big Stats }

// Set counts.
func (c *Cache) Set() { atomic.AddInt64(&c.big.misses, 1) }

// Update adds to t.
func (c *Cache) Update(t *Total) { t.big.misses += atomic.LoadInt64(&c.big.misses) }

// Grow adds to what next returns, an object of other code.
func (c *Cache) Grow(next func() any) {
	t, u := next().(*Total), next().(*Cache)
	t.big.lost += atomic.AddInt64(&u.big.lost, 1)
}

// Peek does not.
func (c *Cache) Peek() int64 {
	return c.big.misses // want HBA402 "c.big.misses is read without sync/atomic" low
}

type node struct {
	refs int32
	next *node
}

var nodes = sync.Pool{New: func() any { return new(node) }}

func (n *node) release() {
	if atomic.AddInt32(&n.refs, -1) == 0 {
		nodes.Put(n)
	}
}

// Take takes a node that no other goroutine has.
func Take() { get().release() }

func get() *node {
	n := nodes.Get().(*node)
	n.refs = 1
	return n
}

type ring struct{ head atomic.Uint64 }

// next is called with the lock of its owner.
func (r *ring) next() uint64 {
	h := r.head.Load()
	r.head.Store(h + 1)
	return h
}

// Owner has a ring and a lock.
type Owner struct {
	mu sync.Mutex
	r  ring
}

// Next returns the next number.
func (o *Owner) Next() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.r.next()
}

type bare struct{ head atomic.Uint64 }

func (r *bare) next() uint64 {
	h := r.head.Load()
	r.head.Store(h + 1) // want HBA403 "an update by another goroutine in between is lost" medium
	return h
}

// Loose has no lock.
type Loose struct{ r bare }

// Next returns the next number, perhaps twice.
func (o *Loose) Next() uint64 { return o.r.next() }

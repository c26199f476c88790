// Package order has locks in different orders.
package order

import "sync"

type AB struct{ a, b sync.Mutex }

func (x *AB) One() {
	x.a.Lock()
	defer x.a.Unlock()
	x.b.Lock() // want HBA110 "AB.b is locked while order.AB.a is held, and elsewhere the other way round" medium
	defer x.b.Unlock()
}

func (x *AB) Two() {
	x.b.Lock()
	defer x.b.Unlock()
	x.a.Lock()
	defer x.a.Unlock()
}

type Right struct{ a, b sync.Mutex }

func (x *Right) One() {
	x.a.Lock()
	defer x.a.Unlock()
	x.b.Lock()
	defer x.b.Unlock()
}

func (x *Right) Two() {
	x.a.Lock()
	x.b.Lock()
	x.b.Unlock()
	x.a.Unlock()
	x.b.Lock()
	x.b.Unlock()
	x.a.Lock()
	x.a.Unlock()
}

// Gated has one lock around both orders.
type Gated struct{ gate, a, b sync.Mutex }

func (x *Gated) One() {
	x.gate.Lock()
	x.a.Lock()
	x.b.Lock()
	x.b.Unlock()
	x.a.Unlock()
	x.gate.Unlock()
}

func (x *Gated) Two() {
	x.gate.Lock()
	x.b.Lock()
	x.a.Lock()
	x.a.Unlock()
	x.b.Unlock()
	x.gate.Unlock()
}

// Readers do not keep each other out.
type Readers struct{ a, b sync.RWMutex }

func (x *Readers) One() {
	x.a.RLock()
	x.b.RLock()
	x.b.RUnlock()
	x.a.RUnlock()
}

func (x *Readers) Two() {
	x.b.RLock()
	x.a.RLock()
	x.a.RUnlock()
	x.b.RUnlock()
}

// Server and Conn refer to each other.
type Server struct {
	mu    sync.Mutex
	conns map[*Conn]bool
}

type Conn struct {
	mu  sync.Mutex
	srv *Server
}

func (s *Server) Shutdown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.stop() // want HBA110 "order.Conn.mu is locked .by stop. while order.Server.mu is held"
	}
}

func (c *Conn) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
}

func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.srv.forget(c)
}

func (s *Server) forget(c *Conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

type Account struct {
	mu  sync.Mutex
	id  int
	bal int
}

func Transfer(from, to *Account, n int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock() // want HBA111 "to.mu is locked while from.mu is held"
	defer to.mu.Unlock()
	from.bal, to.bal = from.bal-n, to.bal+n
}

func RightTransfer(from, to *Account, n int) {
	first, second := from, to
	if to.id < from.id {
		first, second = to, from
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	from.bal, to.bal = from.bal-n, to.bal+n
}

// Three locks in a circle.
type Three struct{ a, b, c sync.Mutex }

func (x *Three) AB() {
	x.a.Lock()
	x.b.Lock() // want HBA110 "closes a cycle of 3 locks"
	x.b.Unlock()
	x.a.Unlock()
}

func (x *Three) BC() {
	x.b.Lock()
	x.c.Lock()
	x.c.Unlock()
	x.b.Unlock()
}

func (x *Three) CA() {
	x.c.Lock()
	x.a.Lock()
	x.a.Unlock()
	x.c.Unlock()
}

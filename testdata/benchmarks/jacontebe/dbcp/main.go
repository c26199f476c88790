// Bugs 65, 270 and 369 of Commons DBCP, as their reports describe them (dbcp of JaConTeBe; the argument is
// the number of the bug).
package main

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

func main() {
	map[string]func(){"65": prepares, "270": closes, "369": registers}[os.Args[1]]()
}

// A pool has idle elements.
type pool[E comparable] struct {
	mu   sync.Mutex
	idle []E
}

// take returns an idle element, or a new one.
func (p *pool[E]) take(create func() E) E {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return create()
	}
	e := p.idle[0]
	p.idle = p.idle[1:]
	return e
}

// give returns an element to the pool, unless it is there.
func (p *pool[E]) give(e E) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.idle, e) {
		p.idle = append(p.idle, e)
	}
}

// evict visits the idle elements.
func (p *pool[E]) evict(visit func(E)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.idle {
		visit(e)
	}
}

// A connection keeps a list of what was opened with it.
type connection struct {
	mu    sync.Mutex
	trace int
}

func (c *connection) addTrace() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trace++
}

// A statement belongs to a connection.
type statement struct{ of *connection }

// prepares: a connection is locked while it takes a statement from the pool; the evictor, which has locked
// the pool, activates an idle statement and adds it to the trace of its connection.
func prepares() {
	var statements pool[*statement]
	var wg sync.WaitGroup
	for range 2 {
		c := &connection{}
		prepare := func() *statement {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.trace++
			return statements.take(func() *statement { return &statement{of: c} })
		}
		wg.Go(func() {
			for range 2 {
				s := prepare()
				s.of.addTrace()
				statements.give(s)
			}
		})
	}
	for range 2 {
		statements.evict(func(s *statement) { s.of.addTrace() })
	}
	wg.Wait()
}

// closes: a client closes its connection once more, in a finally clause. The connection is locked while it
// goes back to the pool; the evictor, which has locked the pool, validates the idle connection with a new
// statement.
func closes() {
	var connections pool[*connection]
	closed := func(c *connection) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.trace = 0
		connections.give(c)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			c := connections.take(func() *connection { return &connection{} })
			c.addTrace()
			closed(c)
			closed(c)
		})
	}
	for range 2 {
		connections.evict((*connection).addTrace)
	}
	wg.Wait()
}

// registers: a data source is removed from the map, without the lock, while another one is registered and
// iterates over the map.
func registers() {
	var (
		mu      sync.Mutex
		size    atomic.Int32
		changes atomic.Int32
	)
	register := func() {
		mu.Lock()
		defer mu.Unlock()
		seen := changes.Load()
		for range size.Load() {
			if changes.Load() != seen {
				panic("the map has changed during an iteration")
			}
		}
		size.Add(1)
		changes.Add(1)
	}
	remove := func() {
		size.Add(-1)
		changes.Add(1)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			register()
			remove()
		})
	}
	wg.Wait()
}

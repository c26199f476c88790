package locks

import "sync"

// A Gate is locked by a method that returns with the lock.
type Gate struct {
	mu sync.Mutex
	n  int
}

func (g *Gate) enter() { g.mu.Lock() }

// Twice waits for itself once: what comes afterwards has one lock.
func (g *Gate) Twice() {
	g.mu.Lock()
	g.enter() // want HBA101 "locked by enter"
	g.mu.Unlock()
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
}

// Package waker has Conds, of which one is signalled by a method.
package waker

import "sync"

// A Gate has two Conds.
type Gate struct {
	mu         sync.Mutex
	up, down   *sync.Cond
	wide       sync.Cond
	ups, downs int
}

// New returns a gate.
func New() *Gate {
	g := &Gate{}
	g.up, g.down = sync.NewCond(&g.mu), sync.NewCond(&g.mu)
	return g
}

// Raise signals one of them.
func (g *Gate) Raise(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ups += n
	g.up.Signal()
}

// Lower signals the other one.
func (g *Gate) Lower() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.downs++
	g.down.Broadcast()
}

// Down waits outside of a loop.
func (g *Gate) Down() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.downs == 0 {
		g.down.Wait() // want HBA305 "outside of a loop" medium
	}
	g.downs--
}

// Wide is for nobody.
func (g *Gate) Wide() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wide.L = &g.mu
	g.wide.Wait() // want HBA305 "outside of a loop" high
}

// Package structures has concurrent objects, right ones and wrong ones, for tests of linearizability.
package structures

import (
	"sync"
	"sync/atomic"
)

// A Locked counter has one critical section for each operation.
type Locked struct {
	mu sync.Mutex
	n  int
}

func (c *Locked) Inc() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *Locked) Get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// A Torn counter has two critical sections for Inc.
type Torn struct{ Locked }

func (c *Torn) Inc() int {
	n := c.Get() + 1
	c.mu.Lock()
	c.n = n
	c.mu.Unlock()
	return n
}

// An Unlocked counter is read without its lock.
type Unlocked struct{ Locked }

func (c *Unlocked) Get() int { return c.n }

// A Striped counter adds up cells. Inc and Dec are on different ones.
type Striped struct{ up, down atomic.Int64 }

func (c *Striped) Inc()     { c.up.Add(1) }
func (c *Striped) Dec()     { c.down.Add(1) }
func (c *Striped) Get() int { return int(c.up.Load() - c.down.Load()) }

// A Cells counter adds up cells that only grow.
type Cells struct{ cells [2]atomic.Int64 }

func (c *Cells) Inc(cell int) { c.cells[cell].Add(1) }

func (c *Cells) Get() int { return int(c.cells[0].Load() + c.cells[1].Load()) }

// A Late counter shows what was true when it was read the last time: every execution has some order that
// explains its results, but not one that respects real time.
type Late struct{ n, seen atomic.Int64 }

func (c *Late) Inc() { c.n.Add(1) }

func (c *Late) Get() int {
	old := c.seen.Load()
	c.seen.Store(c.n.Load())
	return int(old)
}

// Two accounts are transferred between under two locks, which Transfer takes in either order.
type Accounts struct {
	mu      [2]sync.Mutex
	balance [2]int
}

func (a *Accounts) Transfer(from int) {
	to := 1 - from
	a.mu[from].Lock()
	defer a.mu[from].Unlock()
	a.mu[to].Lock()
	defer a.mu[to].Unlock()
	a.balance[from]--
	a.balance[to]++
}

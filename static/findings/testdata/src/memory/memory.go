// Package memory has fields with locks, atomic variables and loops that wait.
package memory

import (
	"runtime"
	"sync"
	"sync/atomic"
)

type Counter struct {
	mu   sync.RWMutex
	n    int
	m    map[string]int
	hits int64
	rate float64 // never written after New
	done atomic.Bool
	sum  atomic.Int64
}

func New(r float64) *Counter {
	c := &Counter{rate: r, m: map[string]int{}}
	c.n = 1
	return c
}

func (c *Counter) Inc() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += int(c.rate)
}

func (c *Counter) Dec() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	c.check()
}

// check wants to be called with the lock held.
func (c *Counter) check() {
	if c.n < 0 {
		c.n = 0
	}
}

func (c *Counter) Value() int { return c.n } // want HBA107 "c.n is read without mu, which 9 other accesses hold"

func (c *Counter) Rate() float64 { return c.rate }

func (c *Counter) RightValue() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.n
}

func (c *Counter) Hit(k string) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.m[k]++ // want HBA108 "c.m is written while c.mu is locked for reading only"
}

func (c *Counter) RightHit(k string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k]++
}

func (c *Counter) Atomic() { atomic.AddInt64(&c.hits, 1) }

func (c *Counter) Plain() int64 { return c.hits } // want HBA402 "c.hits is read without sync/atomic"

func (c *Counter) RightAtomic() int64 { return atomic.LoadInt64(&c.hits) }

func (c *Counter) Lost() {
	c.sum.Store(c.sum.Load() + 1) // want HBA403 "c.sum is set to a value computed from an earlier Load"
}

func (c *Counter) RightSum() { c.sum.Add(1) }

func (c *Counter) Once() bool {
	if c.done.Load() {
		return false
	}
	c.done.Store(true) // want HBA403 "c.done is checked and then set"
	return true
}

func (c *Counter) RightOnce() bool { return c.done.CompareAndSwap(false, true) }

func RightJoined(n int) int64 {
	var wg sync.WaitGroup
	var sum int64
	for range n {
		wg.Go(func() { atomic.AddInt64(&sum, 1) })
	}
	wg.Wait()
	return sum
}

func WrongJoined(n int) int64 {
	var sum int64
	for range n {
		go func() { atomic.AddInt64(&sum, 1) }() // want HBA401 "data race"
	}
	return sum // want HBA402 "sum is read without sync/atomic" high
}

var ready bool

func Set() { ready = true }

func Spin() {
	for !ready { // want HBA501 "the loop waits for ready"
		runtime.Gosched()
	}
}

var flag atomic.Bool

func SetFlag() { flag.Store(true) }

func RightSpin() {
	for !flag.Load() {
		runtime.Gosched()
	}
}

// Ref leads to a Counter: the lock is locked through it.
type Ref struct{ c *Counter }

func (r *Ref) Undo() {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.adjust()
}

func (c *Counter) Redo() {
	c.mu.Lock()
	c.adjust()
	c.mu.Unlock()
}

// adjust wants to be called with the lock held.
func (c *Counter) adjust() { c.n-- }

// Package phases has objects in constructors, setters, and races that their author knows.
package phases

import (
	"sync"
	"sync/atomic"
)

// A Pool has counts that are accessed atomically, and without atomics where it is new.
type Pool struct {
	size, free, next, sum, wide int64

	id, last uint32
	mode     atomic.Uint32
	old      atomic.Bool
	mu       sync.Mutex
	started  int
	all      []*Pool
}

var pools = map[string]*Pool{}

// NewPool calls helpers while the pool is new, and one too late.
func NewPool(n int64) *Pool {
	p := &Pool{}
	p.setup(n)
	p.both(n)
	go p.run()
	p.late(n)
	return p
}

// Resized makes a pool in a helper of a helper, and then gives it away.
func Resized(n int64) *Pool {
	p := &Pool{}
	p.outer(n)
	pools["resized"] = p
	return p
}

// Listed gives it away first.
func Listed(n int64) *Pool {
	p := &Pool{}
	pools["listed"] = p
	p.listed(n)
	return p
}

func (p *Pool) outer(n int64)  { p.setup(n) }
func (p *Pool) setup(n int64)  { p.size = n }
func (p *Pool) both(n int64)   { p.free = n } // want HBA402 "p.free is written without sync/atomic" medium
func (p *Pool) late(n int64)   { p.next = n } // want HBA402 "p.next is written without sync/atomic" medium HBA401 "p.next" high
func (p *Pool) listed(n int64) { p.sum = n }  // want HBA402 "p.sum is written without sync/atomic" medium

func (p *Pool) run() {
	atomic.AddInt64(&p.size, 1)
	atomic.AddInt64(&p.free, 1)
	atomic.AddInt64(&p.next, 1)
	atomic.AddInt64(&p.sum, 1)
	atomic.AddInt64(&p.wide, 1)
	atomic.AddUint32(&p.id, 1)
}

// Grow is called at any time.
func (p *Pool) Grow(n int64) {
	p.both(n)
	p.run()
}

// Widen is for users, at any time.
func (p *Pool) Widen(n int64) {
	p.wide = n // want HBA402 "p.wide is written without sync/atomic" medium
	p.run()
	if n > 3 {
		p.run()
	}
}

// SetID is called before the pool is used.
func (p *Pool) SetID(id uint32) {
	p.id = id & 0xffff // want HBA402 "p.id is written without sync/atomic" low
}

// SetZero is not about a parameter.
func (p *Pool) SetZero() {
	p.id = 0 // want HBA402 "p.id is written without sync/atomic" low
}

// Touch stores what others may store, too: that makes no difference.
func (p *Pool) Touch(now uint32) {
	if n := now / 2; atomic.LoadUint32(&p.last) != n {
		atomic.StoreUint32(&p.last, n) // want HBA403 "is checked and then set" low
	}
}

// Once does something once: twice.
func (p *Pool) Once() {
	if !p.old.Load() {
		p.old.Store(true) // want HBA403 "is checked and then set" medium
		p.run()
	}
}

// Start, Add and Started have a guard.
func (p *Pool) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started++
}

func (p *Pool) Add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started += 2
}

func (p *Pool) Sub() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started -= 2
}

// Started reads it without: the author knows.
//
//go:norace
func (p *Pool) Started() int { return p.started }

// Begun does not say so.
func (p *Pool) Begun() int {
	return p.started // want HBA107 "p.started is read without mu" medium
}

func lockAll(list []*Pool) {
	for _, p := range list {
		p.mu.Lock()
	}
}

func unlockAll(list []*Pool) {
	for _, p := range list {
		p.mu.Unlock()
	}
}

// Total locks them all.
func (p *Pool) Total() int {
	both := []*Pool{p, p.all[0]}
	lockAll(both)
	defer unlockAll(both)
	return p.started // want HBA107 "p.started is read without mu" low
}

// Flag has a plain counter that a function without race detection writes.
type Flag struct{ n int64 }

func (f *Flag) Inc() { atomic.AddInt64(&f.n, 1) }

// Reset is known to race.
//
//go:norace
func (f *Flag) Reset() { f.n = 0 }

// A Table has rows with a guard, which Serve prepares, and a goroutine that takes the lock over.
type Table struct {
	mu      sync.Mutex
	rows    []int
	pending bool
	state   int
}

// Serve makes rows before it starts anything, and reads after that.
func (t *Table) Serve() int {
	t.rows = make([]int, 1) // want HBA107 "t.rows is written without mu" low
	go t.put(1)
	return len(t.rows) // want HBA107 "t.rows is read without mu" medium
}

func (t *Table) put(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, n) // want HBA401 "t.rows is written here and read at" medium
	if len(t.rows) > 10 {
		t.rows = t.rows[:0]
	}
	t.rows[0] = len(t.rows) + cap(t.rows)
	t.rows = append(t.rows, len(t.rows))
}

// Put puts.
func (t *Table) Put(n int) { t.put(n) }

// Open gives its lock to a goroutine.
func (t *Table) Open() {
	t.mu.Lock()
	go func() {
		defer t.mu.Unlock()
		t.opened()
	}()
}

func (t *Table) opened() {
	if t.pending { // want HBA107 "t.pending is read without mu" low
		return
	}
}

// Pend and Unpend write with the lock.
func (t *Table) Pend() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = !t.pending
}

func (t *Table) Unpend() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = false
}

// Pending does not lock.
func (t *Table) Pending() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending || t.pending
}

// Scan holds the lock, and starts what locks it later.
func (t *Table) Scan() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scan()
}

// ScanAll does so, too.
func (t *Table) ScanAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scan()
}

func (t *Table) scan() {
	go t.expire()
	t.deep1()
}

func (t *Table) deep1() { t.deep2() }
func (t *Table) deep2() { t.deep3() }
func (t *Table) deep3() { t.state++ }

func (t *Table) expire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state = 0
}

// A Mark is counted in a function without race detection only.
type Mark struct{ n int64 }

// Inc is known to race.
//
//go:norace
func (m *Mark) Inc() { atomic.AddInt64(&m.n, 1) }

// Get reads.
func (m *Mark) Get() int64 { return m.n }

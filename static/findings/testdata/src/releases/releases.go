// Package releases has locks that are released in a roundabout way, or held by the callers.
package releases

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Server is started once.
type Server struct {
	mu      sync.RWMutex
	started bool
	timer   *time.Timer
	other   *time.Timer
}

func (s *Server) isStarted() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.started
}

func unlockOnce(l sync.Locker) func() {
	var once sync.Once
	return func() { once.Do(l.Unlock) }
}

// ServeOnce unlocks by a function that does so once.
func (s *Server) ServeOnce() bool {
	unlock := unlockOnce(&s.mu)
	s.mu.Lock()
	defer unlock()
	if s.started {
		return false
	}
	s.started = true
	unlock()
	return s.isStarted()
}

// ServeValue unlocks by a method value.
func (s *Server) ServeValue() bool {
	unlock := s.mu.Unlock
	s.mu.Lock()
	s.started = true
	unlock()
	return s.isStarted()
}

// ServeValueLate does so too late.
func (s *Server) ServeValueLate() bool {
	unlock := s.mu.Unlock
	s.mu.Lock()
	s.started = true
	ok := s.isStarted() // want HBA101 "locked by isStarted"
	unlock()
	return ok
}

// ServeDo has the Once itself.
func (s *Server) ServeDo() bool {
	var once sync.Once
	s.mu.Lock()
	defer once.Do(s.mu.Unlock)
	s.started = true
	once.Do(s.mu.Unlock)
	return s.isStarted()
}

// ServeOther has a Once that does something else.
func (s *Server) ServeOther(once *sync.Once, f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	once.Do(func() { s.started = true })
	return s.isStarted() // want HBA101 "locked by isStarted"
}

// release unlocks for its callers, once.
func (s *Server) release(once *sync.Once) {
	once.Do(func() { s.mu.Unlock() })
}

// ServeRelease may call release twice.
func (s *Server) ServeRelease() bool {
	var once sync.Once
	s.mu.Lock()
	s.started = true
	s.release(&once)
	s.release(&once)
	return s.isStarted()
}

// schedule is called with the lock.
func (s *Server) schedule() {
	s.timer = time.AfterFunc(time.Second, s.fire)
}

func (s *Server) fire() {
	s.mu.Lock()
	s.timer.Stop()
	s.mu.Unlock()
}

// Start calls schedule.
func (s *Server) Start() {
	s.mu.Lock()
	s.schedule()
	s.mu.Unlock()
}

// scheduleOther is called with the lock, and without it.
func (s *Server) scheduleOther() {
	s.other = time.AfterFunc(time.Second, func() { // want HBA401 "s.other is written here"
		s.mu.Lock()
		s.other.Stop()
		s.mu.Unlock()
	})
}

// StartOther calls scheduleOther with the lock.
func (s *Server) StartOther() {
	s.mu.Lock()
	s.scheduleOther()
	s.mu.Unlock()
}

// StartAnother does not.
func (s *Server) StartAnother() {
	s.scheduleOther()
}

// Named returns a variable that its goroutine reads.
func Named(f func(*Server)) (s *Server, err error) {
	s = &Server{}
	go func() { f(s) }()
	return s, nil
}

// Renamed returns another one.
func Renamed(f func(*Server), t *Server) (s *Server, err error) {
	s = &Server{}
	go func() { f(s) }()
	return t, nil // want HBA401 "s is written here"
}

// Counts are what a Meter has.
type Counts struct{ n, m int64 }

// N is for copies.
func (c *Counts) N() int64 { return c.n }

// M is for copies, and for others.
func (c *Counts) M() int64 { return c.m }

// Counter is what users see.
type Counter interface{ N() int64 }

// A Meter counts.
type Meter struct{ now *Counts }

// NewMeter returns a meter.
func NewMeter() *Meter { return &Meter{now: newCounts()} }

func newCounts() *Counts { return &Counts{} }

// Add counts n.
func (m *Meter) Add(n int64) { atomic.AddInt64(&m.now.n, n) }

// Snapshot returns a copy.
func (m *Meter) Snapshot() Counter {
	c := newCounts()
	c.n = atomic.LoadInt64(&m.now.n)
	return c
}

// Peek reads what others write.
func (m *Meter) Peek() int64 {
	return m.now.n // want HBA402 "read without sync/atomic"
}

// A Total is shared.
type Total struct{ n int64 }

// N is for all.
func (t *Total) N() int64 {
	return t.n // want HBA402 "read without sync/atomic"
}

// A Shared meter gives away what it has.
type Shared struct{ now *Total }

// NewShared returns a meter.
func NewShared() *Shared { return &Shared{now: &Total{}} }

// Add counts n.
func (m *Shared) Add(n int64) { atomic.AddInt64(&m.now.n, n) }

// Get returns what it has.
func (m *Shared) Get() Counter { return m.now }

// A Pool has a lock that pipes lock, and each pipe has its own.
type Pool struct {
	mu sync.Mutex
	p  *Server
}

// Get makes a pipe with the lock held.
func (p *Pool) Get() {
	p.mu.Lock()
	p.pipe()
	p.mu.Unlock()
}

func (p *Pool) pipe() {
	var mu sync.Mutex
	mu.Lock()
	p.p = &Server{timer: time.AfterFunc(time.Second, func() {
		mu.Lock()
		p.mu.Lock()
		p.mu.Unlock()
		mu.Unlock()
	})}
	mu.Unlock()
}

// GetBoth locks the variable again when the timer may have it.
func (p *Pool) GetBoth() {
	var mu sync.Mutex
	time.AfterFunc(time.Second, func() {
		mu.Lock()
		p.mu.Lock()
		p.mu.Unlock()
		mu.Unlock()
	})
	p.mu.Lock()
	mu.Lock() // want HBA110 "other way round" HBA112 "for a lock"
	mu.Unlock()
	p.mu.Unlock()
}

package phases

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Server has a table and a lock that is released in several ways.
type Server struct {
	mu     sync.Mutex
	rw     sync.RWMutex
	table  map[string]int
	writer func(int)
	next   int
	lazy   *sync.Mutex
	eager  *sync.Mutex
	served int64
}

// Lookup unlocks by a Once, which it makes ready again.
func (s *Server) Lookup(name string, wait func() error) (int, error) {
	s.mu.Lock()
	unlock := new(sync.Once)
	defer unlock.Do(s.mu.Unlock)
	for s.next > 3 {
		if s.writer == nil {
			return 1, nil // want HBA103 "return without s.mu.Unlock" medium
		}
		unlock.Do(s.mu.Unlock)
		if err := wait(); err != nil {
			return 1, err
		}
		s.mu.Lock()
		*unlock = sync.Once{}
	}
	if s.table == nil {
		return 0, nil
	}
	unlock.Do(s.mu.Unlock)
	err := wait()
	s.mu.Lock()
	*unlock = sync.Once{}
	if err != nil {
		return 0, err // want HBA103 "return without s.mu.Unlock" medium
	}
	return s.table[name], nil
}

// Failed compares one value with two constants.
func (s *Server) Failed(code string) {
	if code == "expired" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.table = nil
	}
	if code == "unavailable" {
		s.drop()
	}
}

// Failing compares two values.
func (s *Server) Failing(code, other string) {
	if code == "expired" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.table = nil
	}
	if other == "unavailable" {
		s.drop() // want HBA101 "s.mu is locked by drop" high
	}
}

func (s *Server) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.table)
}

// Write and WriteOne lock for reading because of the writer.
func (s *Server) Write(n int) {
	s.rw.RLock()
	defer s.rw.RUnlock()
	s.write(n)
}

func (s *Server) WriteOne() {
	s.rw.RLock()
	defer s.rw.RUnlock()
	s.next++ // want HBA108 "s.next is written while rw is locked for reading only" high
	s.write(1)
}

func (s *Server) write(n int) {
	s.next += n // want HBA108 "s.next is written while rw is locked for reading only" medium
	s.writer(s.next)
}

// SetWriter sets it.
func (s *Server) SetWriter(f func(int)) {
	s.rw.Lock()
	defer s.rw.Unlock()
	s.writer = f
}

func (s *Server) lock() {
	if s.lazy == nil {
		s.lazy = new(sync.Mutex) // want HBA401 "s.lazy is written" medium
	}
	s.lazy.Lock()
}

func (s *Server) eagerly() {
	s.eager = new(sync.Mutex) // want HBA401 "s.eager is written" high
}

// Run makes the lock on demand.
func (s *Server) Run() {
	s.lock()
	s.lazy.Unlock()
	go func() {
		s.lock()
		s.lazy.Unlock()
	}()
	s.lock()
	s.lazy.Unlock()
}

// Hurry does not.
func (s *Server) Hurry() bool {
	go func() { s.eagerly() }()
	return s.eager == nil
}

// Serve counts, and resets the count first.
func (s *Server) Serve(n int) {
	s.served = int64(n) // want HBA402 "s.served is written without sync/atomic" low
	for range n {
		go func() { atomic.AddInt64(&s.served, 1) }()
	}
}

// With locks in a mode, and unlocks in the same one in a literal.
func (s *Server) With(write bool, f func()) {
	if write {
		s.rw.Lock()
	} else {
		s.rw.RLock()
	}
	defer func() { // want HBA105 "lock that is held in the other mode" medium
		if write {
			s.rw.Unlock()
		} else {
			s.rw.RUnlock()
		}
	}() // literals are analysed once for all calls
	f()
}

// A Log has a count.
type Log struct {
	count int32
	start int64
	out   func(int32)
}

// Init is called before the log is used.
func (l *Log) Init() {
	l.count = 0 // want HBA402 "l.count is written without sync/atomic" low
	l.start = 1
	if l.out == nil {
		l.out = func(int32) {}
	}
}

// Line writes a line.
func (l *Log) Line() { l.out(atomic.AddInt32(&l.count, 1)) }

var codes = [...]int{3, 4, -1}

var limit = first(7)

func first(n int) int { return n }

// Find looks for a code in a table that nothing writes later.
func Find(n int) int {
	i := 0
	for codes[i] > n {
		i++
	}
	return i
}

var stops [4]int

// Stop writes to the table; Find2 looks at one after the other.
func Stop(n int) { stops[n] = 1 }

func Find2(n int) int {
	i := 0
	for stops[i] == 0 {
		i++
	}
	return i
}

// Below waits for what is set before anything is called.
func Below() {
	for limit == 0 {
	}
}

var halt int

// Halt ends Above.
func Halt() { halt = 1 }

// Above waits for a plain variable.
func Above() {
	for halt == 0 { // want HBA501 "the loop waits for" high
	}
}

// A Held has counts that all callers lock, except for the constructor, and one that a getter does not lock.
type Held struct {
	mu      sync.Mutex
	n, free int64
	starts  int64
}

// NewHeld returns one.
func NewHeld() *Held {
	h := &Held{}
	h.reset(1)
	h.resetFree(1)
	h.Restart(1)
	return h
}

// Restart is for users, too.
func (h *Held) Restart(n int64) { h.starts = n } // want HBA402 "h.starts is written without sync/atomic" medium

func (h *Held) reset(n int64)     { h.n = n }
func (h *Held) resetFree(n int64) { h.free = n } // want HBA402 "h.free is written without sync/atomic"

// Update locks.
func (h *Held) Update(n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reset(n)
	h.resetFree(n)
}

// Free does not.
func (h *Held) Free(n int64) { h.resetFree(n) }

// AddOne locks, too.
func (h *Held) AddOne() {
	h.mu.Lock()
	defer h.mu.Unlock()
	atomic.AddInt64(&h.n, 1)
	atomic.AddInt64(&h.free, 1)
	atomic.AddInt64(&h.starts, 1)
}

var status int

func watch() { go func() { status = 1 }() }

// Watch has several races about one variable.
func Watch(done chan bool) int {
	go func() { done <- true }()
	watch()
	if status == 2 {
		status = 3
	}
	status = 4
	<-done
	status = 5 // want HBA401 "status is written here"
	return status
}

// Later starts a timer, whose function waits until it is ready. The function that stops it comes at any time.
func Later(f func()) (stop func()) {
	var state int32
	t := time.AfterFunc(time.Second, func() {
		for atomic.LoadInt32(&state) == 0 {
			runtime.Gosched()
		}
		if state == 2 { // want HBA402 "state is read without sync/atomic, and by SwapInt32 at"
			return
		}
		f()
	})
	atomic.StoreInt32(&state, 1)
	return func() {
		if atomic.SwapInt32(&state, 2) != 2 {
			t.Stop()
		}
	}
}

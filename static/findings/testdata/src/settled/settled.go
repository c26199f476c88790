// Package settled has variables that no longer change, or that only one goroutine changes.
package settled

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A Debouncer has a timer that is made on demand, before its goroutine begins.
type Debouncer struct {
	mu    sync.Mutex
	timer *time.Timer
	calls int
	done  bool
}

// Call begins a goroutine with the lock held.
func (d *Debouncer) Call() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.timer == nil {
		d.timer = time.NewTimer(time.Second)
	} else {
		d.timer.Reset(time.Second)
	}
	d.done = false
	go d.wait()
}

func (d *Debouncer) wait() {
	n := d.calls // want HBA107 "d.calls is read without mu" medium
	<-d.timer.C  // want HBA107 "d.timer is read without mu" low
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer.Stop()
	d.calls -= n
	d.done = d.timer != nil && d.calls == 0
}

// Calls and Reset use the number.
func (d *Debouncer) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// A Registry has a map that is made once, or never; its list may be made anew.
type Registry struct {
	mu    sync.Mutex
	names map[string]int
	list  map[int]string
}

// NewRegistry returns a registry.
func NewRegistry(names bool) *Registry {
	r := &Registry{list: map[int]string{}}
	if names {
		r.names = map[string]int{}
	}
	return r
}

// Add, Remove and Len change or read the maps.
func (r *Registry) Add(name string, n int) {
	if r.names == nil { // want HBA107 "r.names is read without mu" low
		return
	}
	if r.list == nil { // want HBA107 "r.list is read without mu" medium
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[name] = n
	r.list[n] = name
}

func (r *Registry) Remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.list, r.names[name])
	r.names[name] = 0
}

func (r *Registry) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = nil
	clear(r.names)
}

func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.list) + len(r.names)
}

// A File has states.
type File struct {
	state  int32
	ticks  int64
	others int64
	offset uint64
}

// Use changes the state.
func (f *File) Use() {
	if !atomic.CompareAndSwapInt32(&f.state, 0, 1) {
		panic(fmt.Errorf("state is %d", f.state)) // want HBA402 "f.state is read without sync/atomic" low
	}
}

// Release does so, too.
func (f *File) Release() {
	if !atomic.CompareAndSwapInt32(&f.state, 1, 0) {
		fmt.Println(f.state) // want HBA402 "f.state is read without sync/atomic" medium
	}
}

// Open starts a goroutine, which alone changes ticks.
func Open(stop chan struct{}) *File {
	f := new(File)
	go f.run(stop)
	return f
}

func (f *File) run(stop chan struct{}) {
	last := f.ticks    // want HBA402 "f.ticks is read without sync/atomic" low
	others := f.others // want HBA402 "f.others is read without sync/atomic" medium
	for n := int64(0); ; n++ {
		select {
		case <-stop:
			return
		default:
			atomic.StoreInt64(&f.ticks, last+n)
			atomic.StoreInt64(&f.others, others+n)
		}
	}
}

// Ticks reads them.
func (f *File) Ticks() int64 { return atomic.LoadInt64(&f.ticks) }

// Other adds to others.
func (f *File) Other() int64 { return atomic.AddInt64(&f.others, 1) }

// Len and Write use offset; nothing writes to it atomically.
func (f *File) Len() int { return int(atomic.LoadUint64(&f.offset)) }

func (f *File) Write(n int) {
	f.offset += uint64(n) // want HBA402 "f.offset is written without sync/atomic" low
}

// A Stream is closed by Close, or by an error.
type Stream struct {
	closed atomic.Bool
	opened atomic.Bool
	recv   func() error
	done   chan struct{}
}

// Recv marks the stream.
func (s *Stream) Recv() error {
	if s.closed.Load() {
		return nil
	}
	if err := s.recv(); err != nil {
		s.closed.Store(true) // want HBA403 "s.closed is checked and then set" low
		println("closed")
		return err
	}
	return nil
}

// Open decides who opens the stream.
func (s *Stream) Open() error {
	if s.opened.Load() {
		return nil
	}
	s.opened.Store(true) // want HBA403 "s.opened is checked and then set" medium
	close(s.done)
	return nil
}

var served int64

// Serve counts a variable, which Served reads.
func Serve() { atomic.AddInt64(&served, 1) }

func Served() int64 { return served } // want HBA402 "served is read without sync/atomic" high

// A Router has a cursor.
type Router struct{ cursor int64 }

// Next reads it and adds to it.
func (r *Router) Next(n int64) int64 {
	i := r.cursor % n // want HBA402 "r.cursor is read without sync/atomic" high
	atomic.AddInt64(&r.cursor, 1)
	return i
}

// A Summary is added up by one goroutine, and then read.
type Summary struct{ keys, hits int64 }

// Count adds to it.
func (s *Summary) Count() {
	atomic.AddInt64(&s.keys, 1)
	atomic.AddInt64(&s.hits, 1)
}

// Add and Text read it.
func (s *Summary) Add(o *Summary) int64 {
	return s.keys // want HBA402 "s.keys is read without sync/atomic" low
}

func (s *Summary) Text() int64 {
	return s.keys + // want HBA402 "s.keys is read without sync/atomic" low
		s.hits // want HBA402 "s.hits is read without sync/atomic" medium
}

// A Span is used again.
type Span struct {
	mu    sync.Mutex
	n     int
	name  string
	logs  []string
	ended bool
}

// Begin, Log and End lock, Reset does not.
func (s *Span) Begin(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name, s.n = name, s.n+1
	s.logs = append(s.logs, name)
}

func (s *Span) Log(l string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs = append(s.logs, s.name+l)
	s.n++
}

func (s *Span) End() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.logs = append(s.logs, "end")
	return s.n
}

// Reset makes it ready.
func (s *Span) Reset() {
	s.n = 0 // want HBA107 "s.n is written without mu" low
	s.name = ""
	s.logs = nil // want HBA107 "s.logs is written without mu" low
	s.ended = false
}

// Package ends has goroutines that end, or wait, in other ways than by a return.
package ends

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Outside waits for what its caller sends.
func Outside(in chan int) {
	var wg sync.WaitGroup
	wg.Go(func() { <-in })
	wg.Wait()
}

// Inside waits for what nobody sends.
func Inside() {
	in := make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() {
		<-in // want HBA202 "this receive may wait forever"
	})
	wg.Wait()
}

// Exits counts a goroutine that ends early.
func Exits() {
	var wg sync.WaitGroup
	wg.Go(func() { runtime.Goexit() })
	wg.Wait()
}

// ExitsUncounted does not.
func ExitsUncounted() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		runtime.Goexit()
		wg.Done()
	}()
	wg.Wait() // want HBA302 "this Wait may never return" high
}

// First returns the first file: WalkDir calls the function that sends.
func First(dir string) string {
	names := make(chan string, 1)
	go func() {
		filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
			names <- path
			return fs.SkipAll
		})
	}()
	return <-names
}

// Walks waits for a goroutine that gets what WalkDir sends.
func Walks(dir string) {
	names := make(chan string)
	var wg sync.WaitGroup
	wg.Go(func() { <-names })
	filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
		names <- path
		return fs.SkipAll
	})
	wg.Wait()
}

// Never returns none.
func Never(dir string) string {
	names := make(chan string, 1)
	go func() {
		if strings.HasPrefix(filepath.Clean(dir), "/") {
			names = nil // want HBA401 "data race"
		}
	}()
	return <-names // want HBA202 "this receive may wait forever"
}

// Serve waits forever on purpose.
func Serve(in <-chan int) {
	go func() {
		for range in {
		}
	}()
	<-make(chan struct{})
}

// Hang does not.
func Hang(in <-chan int) {
	quit := make(chan struct{})
	go func() {
		for range in {
		}
	}()
	<-quit // want HBA202 "this receive may wait forever"
}

// Machine unlocks early, and says so in a variable.
type Machine struct {
	mu   sync.Mutex
	n    int
	cond *sync.Cond
}

// Event calls f without the lock.
func (m *Machine) Event(f func()) {
	m.mu.Lock()
	var unlocked bool
	defer func() {
		if !unlocked {
			m.mu.Unlock()
		}
	}()
	if m.n > 0 {
		m.mu.Unlock()
		unlocked = true
		f()
	}
}

// check gives the lock back if it fails.
func (m *Machine) check() bool {
	if m.n < 0 {
		m.mu.Unlock()
		return false
	}
	return true
}

// Count gives it back again.
func (m *Machine) Count() {
	m.mu.Lock()
	defer m.mu.Unlock() // want HBA104 "m.mu is unlocked twice on a path" medium
	if m.check() {
		m.n++ // want HBA107 "m.n is (read|written) without mu" low
	}
}

// guarded unlocks only if f panics.
func (m *Machine) guarded(f func()) {
	returned := false
	defer func() {
		if !returned {
			m.mu.Unlock()
		}
	}()
	f()
	returned = true
}

// Call unlocks once.
func (m *Machine) Call(f func()) {
	m.mu.Lock()
	m.guarded(f)
	m.mu.Unlock()
}

// CloseEach closes a channel of each iteration.
func CloseEach(n int) {
	for range n {
		c := make(chan struct{})
		defer func() { close(c) }()
		go func() { <-c }()
	}
}

// CloseOne closes one channel again and again.
func CloseOne(n int) {
	c := make(chan struct{})
	for range n {
		defer func() { close(c) }() // want HBA203 "c is closed again"
	}
}

// New returns a machine.
func New() *Machine {
	m := &Machine{}
	m.cond = sync.NewCond(&m.mu)
	return m
}

// wait waits until something has changed, and says whether n is positive.
func (m *Machine) wait() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n <= 0 {
		m.cond.Wait()
	}
	return m.n > 0
}

func (m *Machine) ready() bool { return m.wait() }

// Loop waits as long as it takes.
func (m *Machine) Loop() {
	for !m.ready() {
	}
}

func (m *Machine) once() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n <= 0 {
		m.cond.Wait() // want HBA305 "outside of a loop" medium
	}
}

func (m *Machine) again() { m.once() }

// Once waits once.
func (m *Machine) Once() { m.again() }

// Signal lets one of them go on.
func (m *Machine) Signal() {
	m.mu.Lock()
	m.n++
	m.mu.Unlock()
	m.cond.Signal()
}

// DB has transactions, of which each has the lock.
type DB struct {
	mu     sync.Mutex
	meta   sync.Mutex
	closed bool
}

// Tx is one.
type Tx struct{ db *DB }

// Begin returns with the lock held, if it does not fail.
func (db *DB) Begin() (*Tx, error) {
	db.mu.Lock()
	db.meta.Lock()
	defer db.meta.Unlock()
	if db.closed {
		db.mu.Unlock()
		return nil, fs.ErrClosed
	}
	return &Tx{db}, nil
}

// BeginSlow forgets to unlock if it fails in one way.
func (db *DB) BeginSlow(n int) (*Tx, error) {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return nil, fs.ErrClosed
	}
	if n < 0 {
		return nil, fs.ErrInvalid // want HBA103 "return without db.mu.Unlock" high
	}
	return &Tx{db}, nil
}

// End ends it.
func (tx *Tx) End() { tx.db.mu.Unlock() }

// A Conn is a connection.
type Conn struct {
	mu   sync.RWMutex
	open bool
}

// A Pool has connections.
type Pool struct {
	last map[string]*Conn
	mu   sync.Mutex
}

func (p *Pool) get(key string) (*Conn, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.last[key]
	if !ok {
		c = &Conn{}
		p.last[key] = c
	}
	return c, ok
}

// Dial tries again with another connection. The call that the first try has deferred unlocks the first one.
func (p *Pool) Dial(key string) *Conn {
	for tries := 0; ; tries++ {
		c, ok := p.get(key)
		if !ok {
			c.mu.Lock()
			c.open = true
			c.mu.Unlock()
		} else {
			c.mu.RLock()
			defer c.mu.RUnlock()
		}
		if tries > 0 || c.open {
			return c
		}
	}
}

// DialOnce unlocks the connection once more than it locks it.
func (p *Pool) DialOnce(key string) *Conn {
	for {
		c, ok := p.get(key)
		if !ok {
			continue
		}
		c.mu.Lock()
		defer c.mu.Unlock() // want HBA104 "mu is unlocked twice on a path" medium
		c.open = true
		c.mu.Unlock()
		return c
	}
}

// A Lifecycle is collected by one caller at a time.
type Lifecycle struct {
	control sync.Mutex
	retired bool
	n       int
}

type Collection struct{ of *Lifecycle }

func (l *Lifecycle) collection() (Collection, bool) {
	if l.retired {
		return Collection{}, false
	}
	return Collection{l}, true
}

// RightBegin keeps the lock if it returns true, until Complete.
func (l *Lifecycle) RightBegin() (Collection, bool) {
	l.control.Lock()
	c, ok := l.collection()
	if !ok {
		l.control.Unlock()
	}
	return c, ok
}

// RightBeginOnce does the same with constants.
func (l *Lifecycle) RightBeginOnce() (Collection, bool) {
	l.control.Lock()
	c, ok := l.collection()
	if !ok {
		l.control.Unlock()
		return Collection{}, false
	}
	l.n++
	return c, true
}

// WrongBegin keeps the lock whatever it returns.
func (l *Lifecycle) WrongBegin() (Collection, bool) {
	l.control.Lock()
	c, ok := l.collection()
	if !ok {
		return Collection{}, false // want HBA103 "return without l.control.Unlock"
	}
	if l.n > 3 {
		l.control.Unlock()
		return c, true
	}
	return c, true
}

// Complete ends what RightBegin begins.
func (c Collection) Complete() {
	c.of.retired = true
	c.of.control.Unlock()
}

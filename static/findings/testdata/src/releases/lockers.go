package releases

import (
	"sync"
	"sync/atomic"
)

// A Locker is one of two kinds of locks.
type Locker interface {
	Lock()
	Unlock()
	RLock()
	RUnlock()
}

type noted struct {
	sync.RWMutex
	n atomic.Int64
}

func (l *noted) Lock() {
	l.RWMutex.Lock()
	l.n.Add(1)
}

func (l *noted) Unlock() {
	l.n.Add(-1)
	l.RWMutex.Unlock()
}

func (l *noted) RLock() {
	l.RWMutex.RLock()
	l.n.Add(1)
}

func (l *noted) RUnlock() {
	l.n.Add(-1)
	l.RWMutex.RUnlock()
}

// A Model has such a lock.
type Model struct {
	mut   Locker
	names map[string]int
}

// NewModel returns a model.
func NewModel(debug bool) *Model {
	m := &Model{names: map[string]int{}}
	if debug {
		m.mut = &noted{}
	} else {
		m.mut = &sync.RWMutex{}
	}
	return m
}

// Put reads first.
func (m *Model) Put(name string) {
	m.mut.RLock()
	_, ok := m.names[name]
	m.mut.RUnlock()
	if ok {
		return
	}
	m.mut.Lock()
	defer m.mut.Unlock()
	m.names[name] = len(m.names)
}

// Each locks once for each name.
func (m *Model) Each(names []string) {
	for _, name := range names {
		m.mut.Lock()
		m.names[name]++
		m.mut.Unlock()
	}
}

// Get locks twice.
func (m *Model) Get(name string) int {
	m.mut.Lock()
	defer m.mut.Unlock()
	return m.get(name) // want HBA101 "locked by get"
}

// Replace has another lock in between.
func (m *Model) Replace(l Locker) {
	m.mut.Lock()
	m.mut = l
	m.mut.Lock()
	m.mut.Unlock()
}

func (m *Model) get(name string) int {
	m.mut.RLock()
	defer m.mut.RUnlock()
	return m.names[name]
}

// Lost returns with the lock.
func (m *Model) Lost(name string) int {
	m.mut.Lock()
	n, ok := m.names[name]
	if !ok {
		return 0 // want HBA103 "return without" high
	}
	m.mut.Unlock()
	return n
}

// All locks in a loop and after it.
func (m *Model) All(names []string) (n int) {
	m.mut.RLock()
	for _, name := range names {
		n += m.names[name]
	}
	m.mut.RUnlock()
	for _, name := range names {
		m.mut.RLock()
		n += m.names[name]
		m.mut.RUnlock()
	}
	for range names {
		n++
	}
	m.mut.Lock()
	for range names {
		n++
	}
	m.mut.Unlock()
	return n
}

// Models are locked one after the other.
func Models(list []*Model) (n int) {
	for _, m := range list {
		m.mut.RLock()
		n += len(m.names)
		m.mut.RUnlock()
	}
	return n
}

// Ask unlocks where the answer comes from elsewhere.
func (m *Model) Ask(name string, f func(int)) {
	m.mut.Lock()
	go func() {
		m.mut.Lock()
		f(m.names[name])
		m.mut.Unlock()
	}()
	m.mut.Unlock()
}

package releases

import (
	"errors"
	"fmt"
	"sync"
)

// A Lease is held from Lock to Unlock, and its mutex with it.
type Lease struct {
	mu   sync.Mutex
	held bool
}

// Lock keeps the mutex unless it returns an error.
func (l *Lease) Lock(get func() error) error {
	l.mu.Lock()
	if err := get(); err != nil {
		l.mu.Unlock()
		return fmt.Errorf("lease: %w", err)
	}
	l.held = true
	return nil
}

// Unlock ends the lease.
func (l *Lease) Unlock() error {
	defer l.mu.Unlock()
	l.held = false
	return nil
}

// A Permit has a function that ends it, too.
type Permit struct {
	mu sync.Mutex
	n  int
}

// Take forgets the lock on one of its paths without an error.
func (p *Permit) Take(get func() error) error {
	p.mu.Lock()
	if p.n == 0 {
		return nil // want HBA103 "return without p.mu.Unlock" high
	}
	if err := get(); err != nil {
		p.mu.Unlock()
		return err
	}
	p.n--
	p.mu.Unlock()
	return nil
}

// Put releases the mutex.
func (p *Permit) Put() { p.mu.Unlock() }

// A Slot forgets the lock where it fails.
type Slot struct {
	mu   sync.Mutex
	full bool
}

// Fill returns an error with the lock.
func (s *Slot) Fill(get func() error) error {
	s.mu.Lock()
	if s.full {
		return errors.New("full") // want HBA103 "return without s.mu.Unlock" high
	}
	if err := get(); err != nil {
		s.mu.Unlock()
		return err
	}
	s.full = true
	return nil
}

// Empty releases the mutex.
func (s *Slot) Empty() {
	s.full = false
	s.mu.Unlock()
}

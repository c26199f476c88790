package releases

import "sync"

type mode int

const (
	read mode = iota
	write
	both
)

// A Name is exported, so any number may be one.
type Name int

// The names.
const (
	First Name = iota
	Second
)

type level int

const (
	low level = iota + 1
	high
)

// A Table is used in modes.
type Table struct {
	mu sync.Mutex
	n  int
}

// use unlocks in each mode.
func (t *Table) use(m mode) int {
	t.mu.Lock()
	switch m {
	case read, both:
		n := t.n
		t.mu.Unlock()
		return n
	case write:
		t.n++
		t.mu.Unlock()
		return 1
	default:
	}
	return 0
}

// most does not unlock in one of them.
func (t *Table) most(m mode) int {
	t.mu.Lock()
	switch m {
	case read:
		n := t.n
		t.mu.Unlock()
		return n
	case write:
		t.n++
		t.mu.Unlock()
		return 1
	}
	return 0 // want HBA103 "return without"
}

// Named may be called with anything.
func (t *Table) Named(n Name) int {
	t.mu.Lock()
	switch n {
	case First:
		t.mu.Unlock()
		return 1
	case Second:
		t.mu.Unlock()
		return 2
	}
	return 0 // want HBA103 "return without"
}

// levels may be called with 0.
func (t *Table) levels(l level) int {
	t.mu.Lock()
	switch l {
	case low:
		t.mu.Unlock()
		return 1
	case high:
		t.mu.Unlock()
		return 2
	}
	return 0 // want HBA103 "return without"
}

// All uses all of them.
func (t *Table) All(r, w, b bool, l level) int {
	m := read
	if w {
		m = write
	}
	if b {
		m = both
	}
	return t.use(m) + t.most(m) + t.levels(l)
}

package inputs

import (
	"slices"
	"sync"
)

// A Sorted is a set of numbers in order.
type Sorted struct {
	mu      sync.Mutex
	xs      []int8
	version Version
}

// find returns where x is or belongs.
func (s *Sorted) find(x int8) int {
	lo, hi := 0, len(s.xs)
	for lo < hi {
		if mid := (lo + hi) / 2; s.xs[mid] < x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Insert adds x. The wrong one searches and inserts in two critical sections.
func (s *Sorted) Insert(x int8) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(x)
	if s.version == Wrong {
		s.mu.Unlock()
		s.mu.Lock()
	}
	if i < len(s.xs) && s.xs[i] == x {
		return
	}
	s.xs = slices.Insert(s.xs, i, x)
}

// Has reports whether x is in the set.
func (s *Sorted) Has(x int8) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(x)
	return i < len(s.xs) && s.xs[i] == x
}

// Package beside has a type that only its tests can make.
package beside

import "sync"

// A Store has numbers of words.
type Store struct {
	mu      sync.RWMutex
	numbers map[string]int
}

// Number gives each word a number.
func (s *Store) Number(word string) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.numbers[word]
	if !ok {
		n = len(s.numbers)
		s.numbers[word] = n // want HBA108 "s.numbers is written while s.mu is locked for reading only" high
	}
	return n
}

// Forget forgets a word.
func (s *Store) Forget(word string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.numbers, word)
}

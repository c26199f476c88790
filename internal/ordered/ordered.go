// Package ordered has sets that keep the insertion order of their elements.
package ordered

// A Set is a set in the order of arrival.
type Set[T comparable] struct {
	List []T
	seen map[T]bool
}

// Add adds x, unless it is there.
func (s *Set[T]) Add(x T) {
	if !s.seen[x] {
		if s.seen == nil {
			s.seen = make(map[T]bool)
		}
		s.seen[x] = true
		s.List = append(s.List, x)
	}
}

// Has reports whether x has been added.
func (s *Set[T]) Has(x T) bool { return s.seen[x] }

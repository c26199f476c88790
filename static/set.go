package static

import (
	"math/bits"
	"slices"
)

// A Set is a set of small numbers, by the number of its only copy in Sets: equal
// sets are equal numbers, and most program points share theirs.
type Set int32

// Empty is the set without elements.
const Empty Set = 0

// Sets holds every distinct set once.
type Sets struct {
	sets   [][]uint64 // bits, without zero words at the end
	index  map[uint64][]Set
	unions map[[2]Set]Set
}

// NewSets returns a table with only the empty set.
func NewSets() *Sets {
	s := &Sets{index: map[uint64][]Set{}, unions: map[[2]Set]Set{}}
	s.intern(nil)
	return s
}

func (s *Sets) intern(w []uint64) Set {
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	h := uint64(14695981039346656037)
	for _, x := range w {
		h = (h ^ x) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	for _, c := range s.index[h] {
		if slices.Equal(s.sets[c], w) {
			return c
		}
	}
	id := Set(len(s.sets))
	s.sets = append(s.sets, slices.Clone(w))
	s.index[h] = append(s.index[h], id)
	return id
}

// Of returns the set of xs.
func (s *Sets) Of(xs ...int) Set {
	var w []uint64
	for _, x := range xs {
		for len(w) <= x/64 {
			w = append(w, 0)
		}
		w[x/64] |= 1 << (x % 64)
	}
	return s.intern(w)
}

// Union returns the union of a and b.
func (s *Sets) Union(a, b Set) Set {
	switch {
	case a == b || b == Empty:
		return a
	case a == Empty:
		return b
	case a > b:
		a, b = b, a
	}
	k := [2]Set{a, b}
	if u, ok := s.unions[k]; ok {
		return u
	}
	x, y := s.sets[a], s.sets[b]
	if len(x) < len(y) {
		x, y = y, x
	}
	w := slices.Clone(x)
	for i, v := range y {
		w[i] |= v
	}
	u := s.intern(w)
	s.unions[k] = u
	return u
}

// Inter returns the intersection of a and b.
func (s *Sets) Inter(a, b Set) Set {
	if a == b || a == Empty {
		return a
	}
	x, y := s.sets[a], s.sets[b]
	w := slices.Clone(x[:min(len(x), len(y))])
	for i := range w {
		w[i] &= y[i]
	}
	return s.intern(w)
}

// Minus returns the elements of a that are not in b.
func (s *Sets) Minus(a, b Set) Set {
	if a == Empty || b == Empty {
		return a
	}
	w := slices.Clone(s.sets[a])
	for i, v := range s.sets[b] {
		if i < len(w) {
			w[i] &^= v
		}
	}
	return s.intern(w)
}

// Has reports whether x is in a.
func (s *Sets) Has(a Set, x int) bool {
	w := s.sets[a]
	return x/64 < len(w) && w[x/64]>>(x%64)&1 != 0
}

// Intersects reports whether a and b have an element in common.
func (s *Sets) Intersects(a, b Set) bool {
	x, y := s.sets[a], s.sets[b]
	for i := range min(len(x), len(y)) {
		if x[i]&y[i] != 0 {
			return true
		}
	}
	return false
}

// Elems returns the elements of a, ascending.
func (s *Sets) Elems(a Set) []int {
	var xs []int
	for i, w := range s.sets[a] {
		for ; w != 0; w &= w - 1 {
			xs = append(xs, i*64+bits.TrailingZeros64(w))
		}
	}
	return xs
}

package static

import "math/bits"

// A Set is a set of small numbers. It is the number of the only copy of that set in Sets, so equal
// sets are equal numbers. Most program points share their sets.
type Set int32

// Empty is the set without elements.
const Empty Set = 0

// Sets holds every distinct set once, as the root of a tree whose subtrees are
// sets, too, and are shared as well: two large sets that differ in one element
// have all but a path in common. Operations visit only the parts in which their operands differ and
// remember some of their results (the computed table of K. S. Brace, R. L. Rudell and R. E. Bryant,
// "Efficient Implementation of a BDD Package", DAC 1990).
//
// A set of level 0 has elements below leafSize. A set of level n has fan subsets of lower levels;
// subset i holds the elements from i times the size of level n-1 on. A subset other than subset 0
// is not empty, so each set has only one form.
//
//	level 1    │ kid 0 │ kid 1 │ ... │ kid 7 │     kid i has the elements 256·i ... 256·i + 255
//	level 0    │ 256 bits │
//
// Sets are never freed: an analysis has far fewer different sets than program points.
type Sets struct {
	nodes []setNode
	table []Set     // where nodes are, by hash; open addressing
	known []applied // results of operations, by hash; the last one stays
}

const (
	leafBits = 8
	leafSize = 1 << leafBits
	fanBits  = 3
	fan      = 1 << fanBits
)

// setNode is a set.
type setNode struct {
	bits  [leafSize / 64]uint64 // at level 0 the elements, else two subsets a word
	level uint32
}

func (n *setNode) kid(i int) Set { return Set(uint32(n.bits[i/2] >> (32 * (i & 1)))) }

func (n *setNode) setKid(i int, a Set) {
	shift := 32 * (i & 1)
	n.bits[i/2] = n.bits[i/2]&^(0xFFFFFFFF<<shift) | uint64(a)<<shift
}

// size returns how many numbers there are below the first that is too large for level.
func size(level uint32) int { return leafSize << (fanBits * level) }

// applied is the result r of an operation.
type applied struct {
	op      setOp
	a, b, r Set
}

type setOp uint8

const (
	unite setOp = 1 + iota
	intersect
	subtract
)

// NewSets returns a table with only the empty set.
func NewSets() *Sets {
	return &Sets{nodes: make([]setNode, 1), table: make([]Set, 256), known: make([]applied, 256)}
}

func (n *setNode) hash() uint64 {
	h := uint64(n.level) + 14695981039346656037
	for _, x := range n.bits {
		h = (h ^ x) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// intern returns the set that n is.
func (s *Sets) intern(n *setNode) Set {
	if n.bits == [len(n.bits)]uint64{} {
		return Empty
	}
	if n.level > 0 && n.bits[0]>>32 == 0 && n.bits[1]|n.bits[2]|n.bits[3] == 0 {
		return n.kid(0)
	}
	if 2*len(s.nodes) > len(s.table) {
		s.grow()
	}
	for i := n.hash(); ; i++ {
		slot := &s.table[i%uint64(len(s.table))]
		if *slot == Empty {
			*slot = Set(len(s.nodes))
			s.nodes = append(s.nodes, *n)
			return *slot
		}
		if s.nodes[*slot] == *n {
			return *slot
		}
	}
}

func (s *Sets) grow() {
	s.table = make([]Set, 4*len(s.table))
	s.known = make([]applied, len(s.table)/2)
	for id := 1; id < len(s.nodes); id++ {
		i := s.nodes[id].hash()
		for s.table[i%uint64(len(s.table))] != Empty {
			i++
		}
		s.table[i%uint64(len(s.table))] = Set(id)
	}
}

// Of returns the set of xs.
func (s *Sets) Of(xs ...int) Set {
	most := 0
	for _, x := range xs {
		most = max(most, x)
	}
	if len(xs) == 1 {
		n := setNode{}
		n.bits[most%leafSize/64] = 1 << (most % 64)
		a := s.intern(&n)
		for l := uint32(1); most >= size(l-1); l++ {
			n = setNode{level: l}
			n.setKid(most/size(l-1)%fan, a)
			a = s.intern(&n)
		}
		return a
	}
	// All subsets of one level after the other.
	leaves := make([]setNode, most/leafSize+1)
	for _, x := range xs {
		leaves[x/leafSize].bits[x%leafSize/64] |= 1 << (x % 64)
	}
	row := make([]Set, len(leaves))
	for i := range leaves {
		row[i] = s.intern(&leaves[i])
	}
	for l := uint32(1); len(row) > 1; l++ {
		for i := 0; i*fan < len(row); i++ {
			n := setNode{level: l}
			for k, a := range row[i*fan : min(i*fan+fan, len(row))] {
				n.setKid(k, a)
			}
			row[i] = s.intern(&n)
		}
		row = row[:(len(row)+fan-1)/fan]
	}
	return row[0]
}

// kidsOf returns a as a node of the given level, which is not below a's.
func (s *Sets) kidsOf(a Set, level uint32) setNode {
	n := s.nodes[a]
	if n.level < level {
		n = setNode{level: level}
		n.setKid(0, a)
	}
	return n
}

// apply computes op of a and b where it is not obvious.
func (s *Sets) apply(op setOp, a, b Set) Set {
	x, y := &s.nodes[a], &s.nodes[b]
	if x.level == 0 && y.level == 0 {
		n := *x
		for i, w := range y.bits {
			switch op {
			case unite:
				n.bits[i] |= w
			case intersect:
				n.bits[i] &= w
			case subtract:
				n.bits[i] &^= w
			}
		}
		return s.intern(&n)
	}
	h := (uint64(uint32(a))<<32 | uint64(uint32(b)) + uint64(op)<<30) * 0x9E3779B97F4A7C15
	h ^= h >> 32
	k := &s.known[h%uint64(len(s.known))]
	if k.op == op && k.a == a && k.b == b {
		return k.r
	}
	level := max(x.level, y.level)
	n, m := s.kidsOf(a, level), s.kidsOf(b, level)
	for i := range fan {
		p, q := n.kid(i), m.kid(i)
		switch op {
		case unite:
			p = s.Union(p, q)
		case intersect:
			p = s.Inter(p, q)
		case subtract:
			p = s.Minus(p, q)
		}
		n.setKid(i, p)
	}
	r := s.intern(&n)
	s.known[h%uint64(len(s.known))] = applied{op, a, b, r}
	return r
}

// Union returns the union of a and b.
func (s *Sets) Union(a, b Set) Set {
	switch {
	case a == b || b == Empty:
		return a
	case a == Empty:
		return b
	}
	return s.apply(unite, min(a, b), max(a, b))
}

// Inter returns the intersection of a and b.
func (s *Sets) Inter(a, b Set) Set {
	switch {
	case a == b || a == Empty:
		return a
	case b == Empty:
		return b
	}
	return s.apply(intersect, min(a, b), max(a, b))
}

// Minus returns the elements of a that are not in b.
func (s *Sets) Minus(a, b Set) Set {
	switch {
	case a == b:
		return Empty
	case a == Empty || b == Empty:
		return a
	}
	return s.apply(subtract, a, b)
}

// Has reports whether x is in a.
func (s *Sets) Has(a Set, x int) bool {
	n := &s.nodes[a]
	if x >= size(n.level) {
		return false
	}
	for n.level > 0 {
		k := n.kid(x >> (leafBits + fanBits*(n.level-1)))
		x &= size(n.level-1) - 1
		if n = &s.nodes[k]; x >= size(n.level) {
			return false
		}
	}
	return n.bits[x/64]>>(x%64)&1 != 0
}

// Intersects reports whether a and b have an element in common.
func (s *Sets) Intersects(a, b Set) bool {
	switch {
	case a == Empty || b == Empty:
		return false
	case a == b:
		return true
	}
	x, y := &s.nodes[a], &s.nodes[b]
	switch {
	case x.level > y.level:
		return s.Intersects(x.kid(0), b)
	case x.level < y.level:
		return s.Intersects(a, y.kid(0))
	case x.level > 0:
		for i := range fan {
			if s.Intersects(x.kid(i), y.kid(i)) {
				return true
			}
		}
		return false
	}
	return x.bits[0]&y.bits[0]|x.bits[1]&y.bits[1]|x.bits[2]&y.bits[2]|x.bits[3]&y.bits[3] != 0
}

// Elems returns the elements of a, ascending.
func (s *Sets) Elems(a Set) []int { return s.elems(nil, a, 0) }

// elems appends the elements of a, each increased by base.
func (s *Sets) elems(xs []int, a Set, base int) []int {
	n := &s.nodes[a]
	if n.level > 0 {
		for i := range fan {
			if k := n.kid(i); k != Empty {
				xs = s.elems(xs, k, base+i*size(n.level-1))
			}
		}
		return xs
	}
	for i, w := range n.bits {
		for ; w != 0; w &= w - 1 {
			xs = append(xs, base+i*64+bits.TrailingZeros64(w))
		}
	}
	return xs
}

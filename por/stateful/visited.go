package stateful

import "hbcheck.dev/hbcheck/por"

// visited is the set of states seen so far: an open-addressing hash table from fingerprints to a 32-bit
// word, cut into shards so that growing never needs more than a small part of the table twice. It contains
// no Go pointers, and its size in bytes is exact.
//
// The state itself is not kept (hash compaction). The word of a slot has 32 bits, which limits the
// number of states that are open at once, not the number of states.
//
//	h[0] mod 64 ─▶ shard ─▶ slot h[1] mod len, the next free one after it: linear probing
type visited struct {
	shards [visitedShards]visitedShard
	n      uint64 // states stored
	bytes  int64
	budget int64 // 0: none
}

// A visitedShard is one table with linear probing. len(keys) is a power of
// two; vals[i] == vacant marks a free slot.
type visitedShard struct {
	keys []por.Hash
	vals []uint32
	n    int
}

const (
	visitedShards  = 64
	visitedMinSize = 16
	visitedSlot    = 16 + 4 // bytes of a key and its word
)

// The words of a slot. Numbers from firstOpen on are those of states whose
// component is not complete (see components).
const (
	vacant    = 0
	firstOpen = 1
	closed    = 1 << 31 // this word and larger words, which have half of a digest: see closedIn
)

func newVisited(budget int64) *visited { return &visited{budget: budget} }

// find returns the slot of h, or the free slot where it belongs.
// The shard must have room.
//
// The two halves of a fingerprint select the shard and the slot independently.
func (s *visitedShard) find(h por.Hash) int {
	mask := uint64(len(s.keys) - 1)
	i := h[1] & mask
	for s.vals[i] != vacant && s.keys[i] != h {
		i = (i + 1) & mask
	}
	return int(i)
}

// lookup returns the word of h, which must be present. It is for tests.
func (v *visited) lookup(h por.Hash) uint32 {
	s := &v.shards[h[0]%visitedShards]
	return s.vals[s.find(h)]
}

// get returns the word of h, vacant if it is not present.
func (v *visited) get(h por.Hash) uint32 {
	s := &v.shards[h[0]%visitedShards]
	if len(s.keys) == 0 {
		return vacant
	}
	return s.vals[s.find(h)]
}

// set replaces the word of h, which must be present.
func (v *visited) set(h por.Hash, val uint32) {
	s := &v.shards[h[0]%visitedShards]
	i := s.find(h)
	if s.vals[i] == vacant {
		panic("BUG: por: set of a state that was never stored")
	}
	s.vals[i] = val
}

// insert stores h with val unless it is there already, and returns the old
// word, or vacant when h is new. It returns ok == false, and stores nothing,
// when the table would have to grow past its budget.
//
// A shard is filled to three quarters. If the budget does not allow a larger shard, insert does not fill it
// further, because linear probing becomes slow long before the last slot.
func (v *visited) insert(h por.Hash, val uint32) (old uint32, ok bool) {
	s := &v.shards[h[0]%visitedShards]
	if len(s.keys) > 0 {
		i := s.find(h)
		if s.vals[i] != vacant {
			return s.vals[i], true
		}
		if 4*(s.n+1) <= 3*len(s.keys) {
			s.keys[i], s.vals[i] = h, val
			s.n++
			v.n++
			return vacant, true
		}
	}
	if !v.grow(s) {
		return vacant, false
	}
	i := s.find(h)
	s.keys[i], s.vals[i] = h, val
	s.n++
	v.n++
	return vacant, true
}

// all returns all states.
func (v *visited) all() (list []shownState) {
	for i := range v.shards {
		s := &v.shards[i]
		for j, word := range s.vals {
			if word != vacant {
				list = append(list, shownState{s.keys[j], word})
			}
		}
	}
	return list
}

// grow doubles s, unless old and new together would pass the budget.
//
// The old and the new table exist together for a moment; this is the reason for shards.
func (v *visited) grow(s *visitedShard) bool {
	size := max(visitedMinSize, 2*len(s.keys))
	if add := int64(size) * visitedSlot; v.budget > 0 && v.bytes+add > v.budget {
		return false
	}
	old := *s
	*s = visitedShard{keys: make([]por.Hash, size), vals: make([]uint32, size), n: old.n}
	for i, val := range old.vals {
		if val != vacant {
			j := s.find(old.keys[i])
			s.keys[j], s.vals[j] = old.keys[i], val
		}
	}
	v.bytes += int64(size-len(old.keys)) * visitedSlot
	return true
}

package inputs

import (
	"slices"
	"sync"
)

// An LRU keeps the keys that were used last.
type LRU struct {
	mu      sync.Mutex
	keys    []uint8 // the last one is the one used last
	room    int
	version Version
}

// Get reports whether k is there, and counts as a use. In the wrong one it does not if k is the
// oldest.
func (c *LRU) Get(k uint8) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.keys, k)
	if i < 0 {
		return false
	}
	if i > 0 || c.version == Right {
		c.keys = append(slices.Delete(c.keys, i, i+1), k)
	}
	return true
}

// Put adds k.
func (c *LRU) Put(k uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.keys, k); i >= 0 {
		c.keys = slices.Delete(c.keys, i, i+1)
	}
	if len(c.keys) == c.room {
		c.keys = c.keys[1:]
	}
	c.keys = append(c.keys, k)
}

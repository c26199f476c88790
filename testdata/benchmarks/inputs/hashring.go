package inputs

import (
	"slices"
	"sync"
)

// A HashRing says which node a key belongs to: the next one, or after the last the first one.
type HashRing struct {
	mu      sync.RWMutex
	nodes   []uint8 // in order
	version Version
}

// Add adds a node.
func (r *HashRing) Add(node uint8) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := slices.BinarySearch(r.nodes, node); !found {
		r.nodes = slices.Insert(r.nodes, i, node)
	}
}

// Remove removes a node, but not the last one.
func (r *HashRing) Remove(node uint8) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := slices.BinarySearch(r.nodes, node); found && len(r.nodes) > 1 {
		r.nodes = slices.Delete(r.nodes, i, i+1)
	}
}

// Node returns the node of a key. The wrong one uses the number of a node after it has been released.
func (r *HashRing) Node(key uint8) uint8 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	i, _ := slices.BinarySearch(r.nodes, key)
	if i == len(r.nodes) {
		i = 0
	}
	if r.version == Wrong {
		r.mu.RUnlock()
		r.mu.RLock()
	}
	return r.nodes[i]
}

// Package inner uses a queue of its own module.
package inner

import (
	"sync"

	"findings.test/inner/internal/queue"
)

// Box has a queue, of which only the consumer is locked.
type Box struct {
	mu sync.Mutex
	q  queue.Queue
}

// Take takes one.
func (b *Box) Take() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.q.Pop()
}

// Put adds one.
func (b *Box) Put() uint64 { return b.q.Push() }

package harness

import "sync"

// A Barrier lets goroutines wait for each other, again and again.
type Barrier struct {
	mu      sync.Mutex
	all     *sync.Cond
	n       int // goroutines
	arrived int
	round   int
}

// NewBarrier returns a Barrier of n goroutines.
func NewBarrier(n int) *Barrier {
	b := &Barrier{n: n}
	b.all = sync.NewCond(&b.mu)
	return b
}

// Wait returns when all goroutines have called it.
func (b *Barrier) Wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	round := b.round
	if b.arrived++; b.arrived == b.n {
		b.arrived = 0
		b.round++
		b.all.Broadcast()
		return
	}
	for round == b.round {
		b.all.Wait()
	}
}

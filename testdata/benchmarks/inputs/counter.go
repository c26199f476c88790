package inputs

import "sync/atomic"

// A Bounded counts to at most Most.
type Bounded struct {
	Most    uint32
	n       atomic.Uint32
	version Version
}

// Add adds k if that is not too much. The wrong one compares a sum that may have wrapped.
func (b *Bounded) Add(k uint32) bool {
	for {
		old := b.n.Load()
		if b.version == Wrong && old+k > b.Most || b.version == Right && k > b.Most-old {
			return false
		}
		if b.n.CompareAndSwap(old, old+k) {
			return true
		}
	}
}

// Package flags has atomic flags, as other modules have them.
package flags

import "sync/atomic"

// A Bool is an atomic flag.
type Bool struct{ n uint32 }

// Swap sets b if it is old.
func (b *Bool) Swap(old, new bool) bool { return cas(&b.n, number(old), number(new)) }

// Always is like Swap, but does not look.
func (b *Bool) Always(old, new bool) bool {
	atomic.StoreUint32(&b.n, number(new))
	return true
}

func cas(n *uint32, old, new uint32) bool { return atomic.CompareAndSwapUint32(n, old, new) }

func number(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

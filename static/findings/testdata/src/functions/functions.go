// Package functions has a variable that functions access.
package functions

import "sync/atomic"

var limit uint32 = 10

// SetLimit changes the limit.
func SetLimit(n uint32) { atomic.StoreUint32(&limit, n) }

// Bounded returns n, or the limit.
func Bounded(n uint64) uint32 {
	if n > uint64(limit) { // want HBA402 "limit is read without sync/atomic" high
		return atomic.LoadUint32(&limit)
	}
	return uint32(n)
}

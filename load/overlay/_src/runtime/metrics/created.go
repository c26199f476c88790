package metrics

import (
	"internal/effect"
	"unsafe"
)

var mostGoroutines uint64

// created returns the number of goroutines that have certainly been created: the largest value of
// now so far. It never decreases.
func created(now uint64) uint64 {
	effect.Access(unsafe.Pointer(&mostGoroutines), true)
	mostGoroutines = max(mostGoroutines, now)
	return mostGoroutines
}

package metrics

import (
	"internal/effect"
	"unsafe"
)

var mostGoroutines uint64

// created is how many goroutines have been created, as far as can be told: a number that never gets less.
func created(now uint64) uint64 {
	effect.Access(unsafe.Pointer(&mostGoroutines), true)
	mostGoroutines = max(mostGoroutines, now)
	return mostGoroutines
}

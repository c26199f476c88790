// Package served has tests that look at random values and compute with them afterwards: see TestServedLabels.
package served

import (
	"math/rand/v2"
	"sync"
	"testing"
)

var (
	mu   sync.Mutex
	kept [8]uint64
	low  bool
)

// beside keeps mu busy, so that its operations are steps.
func beside() { go func() { mu.Lock(); mu.Unlock() }() }

func keep(i int, x uint64) {
	mu.Lock()
	kept[i] = x
	mu.Unlock()
}

// TestLooked looks at the first value before it is kept, and draws again at the same place.
func TestLooked(t *testing.T) {
	beside()
	for i := range 3 {
		x := rand.Uint64()
		if i == 0 {
			if x>>1 < 1<<62 {
				low = true
			}
		}
		keep(i, x)
		keep(i+4, x*3)
	}
	if low {
		t.Log("low")
	}
}

// TestKept looks at nothing.
func TestKept(t *testing.T) {
	beside()
	for i := range 3 {
		x := rand.Uint64()
		keep(i, x)
		keep(i+4, x*3)
	}
}

// TestTwo looks at one value, and then at what it has computed from both.
func TestTwo(t *testing.T) {
	beside()
	x := rand.Uint64()
	y := rand.Uint64()
	z := x ^ y
	if x>>1 < 1<<62 {
		t.Log("low")
	}
	keep(0, z)
	if z>>1 < 1<<62 {
		t.Log("different")
	}
}

// TestHeld holds a value for long after a look at it.
func TestHeld(t *testing.T) {
	beside()
	x := rand.Uint64()
	if x>>1 < 1<<62 {
		low = true
	}
	for i := range 3 {
		kept[i] = uint64(i)
	}
	kept[4] = x
}

// TestLong goes on for long after a look, before its first operation.
func TestLong(t *testing.T) {
	x := rand.Uint64()
	if x>>1 < 1<<62 {
		low = true
	}
	for i := range 100_000 {
		kept[i%8] += x
	}
	beside()
	keep(0, x)
}

package lin_test

import (
	"sync"
	"testing"

	"hbcheck.dev/hbcheck/hbtest/lin"
)

// A Register keeps the last value.
type Register struct {
	mu    sync.Mutex
	value int
}

// Swap stores x and returns the old value.
func (r *Register) Swap(x int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.value
	r.value = x
	return old
}

// A register whose Swap is in one critical section is linearizable. In a test file this is
//
//	func TestRegister(t *testing.T) { lin.Check(t, ...) }
func Example() {
	_ = func(t *testing.T) {
		lin.Check(t, lin.Object[*Register]{
			New: func() *Register { return new(Register) },
			Ops: []lin.Op[*Register]{
				lin.With("Swap", func(r *Register, x int) any { return r.Swap(x) }, 1, 2),
			},
			Operations: 3,
		})
	}
	// Output:
}

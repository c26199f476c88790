package lin_test

import (
	"testing"

	"hbcheck.dev/hbcheck/hbtest/lin"
)

// TestNatively: without hbcheck, scenarios are executed and judged natively. Together they have all
// operations, and one goroutine executes all operations of a group.
func TestNatively(t *testing.T) {
	t.Setenv("HBCHECK", "skip")
	var swapped, added, got int // unsynchronised: only one goroutine executes each
	object := lin.Object[*Register]{
		New: func() *Register { return new(Register) },
		Ops: []lin.Op[*Register]{
			lin.With("Swap", func(r *Register, x int) any { swapped++; return r.Swap(x) }, 1, 2),
			lin.With2("Add", func(r *Register, x, y int) any { added++; return r.Swap(x + y) }, []int{1, 2}, []int{3}).By("adder"),
			lin.Do("Get", func(r *Register) any { got++; return lin.Results(r.value, nil) }),
		},
		Goroutines: 1, Operations: 3, Scenarios: 50,
	}
	lin.Check(t, object)
	lin.CheckModel(t, object, object)
	if swapped == 0 || added == 0 || got == 0 {
		t.Errorf("%d, %d and %d operations", swapped, added, got)
	}
}

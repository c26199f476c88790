package describe

import (
	"slices"
	"testing"
)

// TestLatest: only the last steps are compared, and few steps are all compared.
func TestLatest(t *testing.T) {
	var steps []int
	for i := range 3 * mostAfter {
		steps = append(steps, 2*i)
	}
	if got := latest(steps); !slices.Equal(got, steps[2*mostAfter:]) {
		t.Errorf("%v", got)
	}
	if got := latest(steps[:3]); !slices.Equal(got, steps[:3]) {
		t.Errorf("%v", got)
	}
}

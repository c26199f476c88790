package pointer

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/vm"
)

// TestNatives: the machine's natives and the static models cover the same functions.
func TestNatives(t *testing.T) {
	names := vm.NativeNames()
	slices.Sort(names)
	for _, n := range names {
		if natives[n] == nil {
			t.Errorf("the machine implements %s, which has no static model", n)
		}
	}
	for n := range natives {
		if _, ok := slices.BinarySearch(names, n); !ok {
			t.Errorf("%s has a static model but is no native of the machine", n)
		}
	}
	if len(names) < 100 {
		t.Errorf("only %d natives", len(names))
	}
}

package environment

import (
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/vm"
)

// TestOrderMatters: each test of static/observable/testdata/order is a loop over a map whose order cannot
// be noticed (TestFree...) or may be (TestMatters...). A loop of the first kind makes no choice, and if it
// is forced to try all orders, each has the same output.
func TestOrderMatters(t *testing.T) {
	prog := loadDir(t, "../../static/observable/testdata/order")
	n := 0
	for i, e := range prog.Entries {
		free := strings.HasPrefix(e.Name, "TestFree")
		if !free && !strings.HasPrefix(e.Name, "TestMatters") {
			t.Errorf("%s: what is to be found?", e.Name)
		}
		if n++; !deep.Every(10, i) {
			continue
		}
		auto := exploreEntry(t, prog, e, vm.Config{}, reference)
		if one := auto.result.Stats.Executions == 1; one != free || auto.assumed() != "" {
			t.Errorf("%s: %d executions, assumed %q", e.Name, auto.result.Stats.Executions, auto.assumed())
		}
		if !free {
			continue
		}
		every := exploreEntry(t, prog, e, vm.Config{Maps: vm.MapsEvery}, reference)
		if every.result.Stats.Executions < 2 {
			t.Errorf("%s: only %d executions", e.Name, every.result.Stats.Executions)
		}
		if got := lines(every.outcomes); len(every.outcomes) != 1 {
			t.Errorf("%s: the order can be noticed:\n%s", e.Name, got)
		}
	}
	if n < 50 {
		t.Errorf("only %d loops", n)
	}
}

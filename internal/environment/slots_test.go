package environment

import (
	"os/exec"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/vm"
)

// TestSlots: the loops of testdata/slots over small maps have the orders in gc's order that they have
// natively, no more and no fewer; others (TestLarge...) have those at least, and not fewer than without.
func TestSlots(t *testing.T) {
	// Where a loop begins decides all that it does, and there are eight slots: each way is met.
	cmd := exec.Command("go", "test", "-v", "-count=600", ".")
	cmd.Dir = "testdata/slots"
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	natively := map[string]map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if s, ok := strings.CutPrefix(line, "> "); ok {
			name := strings.Fields(s)[0]
			if natively[name] == nil {
				natively[name] = map[string]bool{}
			}
			natively[name][strings.TrimSpace(line)] = true
		}
	}
	prog := loadDir(t, "testdata/slots")
	small := 0
	for _, e := range prog.Entries {
		any := exploreEntry(t, prog, e, vm.Config{Maps: vm.MapsAll}, reference)
		gc := exploreEntry(t, prog, e, vm.Config{Maps: vm.MapsAll, InTurn: true}, reference)
		large := strings.HasPrefix(e.Name, "TestLarge")
		if gc.assumed() != "" && !large {
			t.Errorf("%s: assumed %q", e.Name, gc.assumed())
		}
		if !large {
			small++
		}
		printed := map[string]bool{}
		for s := range gc.outcomes {
			s, _, _ = strings.Cut(s, "\n")
			printed[s] = true
		}
		for s := range natively[e.Name] {
			if !printed[s] {
				t.Errorf("%s: gc has %q", e.Name, s)
			}
		}
		for s := range printed {
			if !large && !natively[e.Name][s] {
				t.Errorf("%s: gc has not %q", e.Name, s)
			}
		}
		for s := range any.outcomes {
			s, _, _ = strings.Cut(s, "\n")
			if large && !printed[s] {
				t.Errorf("%s: %q is among all orders only", e.Name, s)
			}
		}
		t.Logf("%s: %d outcomes natively, %d in gc's order, %d in all", e.Name, len(natively[e.Name]), len(gc.outcomes), len(any.outcomes))
	}
	if small < 15 {
		t.Errorf("only %d programs", small)
	}
}

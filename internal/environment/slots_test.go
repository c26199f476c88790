package environment

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/vm"
)

// TestSlots: with gc's order of map loops, the small maps of testdata/slots have exactly their
// native orders. The others (TestLarge...) have at least these, and as many as without gc's order.
// With --maps=insertion gc's order makes no difference.
func TestSlots(t *testing.T) {
	// Where a loop begins decides all that it does: there are eight slots, and two loops at most. So each
	// order occurs, except with probability e^-31.
	cmd := exec.Command("go", "test", "-v", "-count=2000", ".")
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
	for i, e := range prog.Entries {
		if !deep.Every(4, i) {
			continue
		}
		if !strings.HasPrefix(e.Name, "TestLarge") {
			small++
		}
		t.Run(e.Name, func(t *testing.T) {
			printed := func(cfg vm.Config) map[string]bool {
				f := exploreEntry(t, prog, e, cfg, reference)
				if s := f.assumed(); cfg.Maps == vm.MapsAll && s != "" && !strings.HasPrefix(e.Name, "TestLarge") {
					t.Errorf("assumed %q", s)
				}
				list := map[string]bool{}
				for s := range f.outcomes {
					s, _, _ = strings.Cut(s, "\n")
					list[s] = true
				}
				return list
			}
			gc := printed(vm.Config{Maps: vm.MapsAll, InTurn: true})
			if s := missing(natively[e.Name], gc); s != "" {
				t.Errorf("gc has %q", s)
			}
			if strings.HasPrefix(e.Name, "TestLarge") {
				if s := missing(printed(vm.Config{Maps: vm.MapsAll}), gc); s != "" {
					t.Errorf("%q is among all orders only", s)
				}
			} else if s := missing(gc, natively[e.Name]); s != "" {
				t.Errorf("gc has not %q", s)
			}
			if one, same := printed(vm.Config{Maps: vm.MapsInsertion}), printed(vm.Config{Maps: vm.MapsInsertion, InTurn: true}); !maps.Equal(one, same) {
				t.Errorf("in the order of insertion %v, and %v", one, same)
			}
			t.Logf("%d outcomes natively, %d in gc's order", len(natively[e.Name]), len(gc))
		})
	}
	if small < deep.Pick(10, 40) {
		t.Errorf("only %d programs", small)
	}
}

// missing returns the elements of x that are not in y, or "".
func missing(x, y map[string]bool) string {
	for _, s := range slices.Sorted(maps.Keys(x)) {
		if !y[s] {
			return s
		}
	}
	return ""
}

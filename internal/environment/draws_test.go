package environment

import (
	"os/exec"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

// TestDraws: for each test of testdata/draws that depends on a drawn value (TestLook...), the
// verdict names the value, with every explorer. For the other tests (TestIdle...) it names nothing.
// They have their native outcomes, and the same outcomes with every explorer.
func TestDraws(t *testing.T) {
	runs := "-count=200"
	if !*every {
		runs = "-count=20"
	}
	cmd := exec.Command("go", "test", "-v", runs, "-run=TestIdle", ".")
	cmd.Dir = "testdata/draws"
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
	prog := loadDir(t, "testdata/draws")
	for i, e := range prog.Entries {
		if !deep.Every(24, i) {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			cfg := vm.Config{OrderedTime: true, Slack: 500e3, InTurn: strings.HasSuffix(e.Name, "Queue")}
			ref := exploreEntry(t, prog, e, cfg, reference)
			compared := []how{{"optimal", oracle.None, false, 1}}
			if *every {
				compared = others(false)
			}
			for i, h := range append([]how{reference}, compared...) {
				x := ref
				if i > 0 {
					x = exploreEntry(t, prog, e, cfg, h)
				}
				want := "rand"
				if strings.HasPrefix(e.Name, "TestLookOfClock") {
					want = "the clock used as a number"
				}
				a := x.assumed()
				if looks := strings.HasPrefix(e.Name, "TestLook"); looks != strings.Contains(a, want) || !looks && a != "" {
					t.Errorf("%v assumes %q", h, a)
				}
				if lines(x.outcomes) != lines(ref.outcomes) {
					t.Errorf("%v has\n%s\nwant\n%s", h, lines(x.outcomes), lines(ref.outcomes))
				}
			}
			for o := range natively[e.Name] {
				found := false
				for s := range ref.outcomes {
					s, _, _ = strings.Cut(s, "\n")
					found = found || strings.TrimSpace(s) == o
				}
				if !found {
					t.Errorf("natively %q, here there are only\n%s", o, lines(ref.outcomes))
				}
			}
		})
	}
}

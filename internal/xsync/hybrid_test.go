package xsync

import (
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/microtest"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/stateful"
)

// TestHybrid: static facts about the library lose no outcome of the tests, and make
// no choice where a Group is waited for.
func TestHybrid(t *testing.T) {
	library(t)
	prog, err := load.Load(load.Config{Dir: filepath.Join("testdata", "tests"), Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, e := range prog.Entries {
		if e.Func == nil || e.Func.Name() != "TestErrgroupJoins" && deep.Quick() {
			continue
		}
		t.Run(e.Func.Name(), func(t *testing.T) {
			ran++
			all, none := microtest.Explore(t, prog, e, oracle.None, stateful.JPF)
			for _, h := range []oracle.Kind{oracle.FieldAccess, oracle.Patterns, oracle.MHB, oracle.Full} {
				got, r := microtest.Explore(t, prog, e, h, stateful.JPF)
				microtest.Same(t, h, got, all)
				if r.Choices > none.Choices {
					t.Errorf("hybrid %s: %d choices, without static facts %d", h, r.Choices, none.Choices)
				}
				t.Logf("hybrid %s: %d choices of %d, eliminated %v", h, r.Choices, none.Choices, r.Eliminated)
				if h == oracle.MHB && e.Func.Name() == "TestErrgroupJoins" {
					microtest.Reasons(t, h, r, "join")
				}
			}
		})
	}
	if ran == 0 {
		t.Error("there is no test")
	}
}

package static_test

import (
	"os"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/static"
)

// TestInterrupt: an analysis that is interrupted and repeated many times finds the same facts in the end,
// if it does not build on the results of another analysis.
func TestInterrupt(t *testing.T) {
	src, err := os.ReadFile("testdata/src/guards/main.go")
	if err != nil {
		t.Fatal(err)
	}
	prog, graph := program(t, string(src))
	at := firstInstructions(prog)
	want := static.Analyses(static.NewBase(graph))
	base := static.NewBase(graph)
	asked, interrupts := 0, 0
	base.Interrupt = func() bool {
		asked++
		return asked%3 == 0
	}
	for i, a := range static.Analyses(base) {
		if a.Name() == "guardedby" {
			continue
		}
		for line, instr := range at {
			facts := a.At(instr)
			for base.Interrupted() {
				interrupts++
				base.Restart()
				facts = a.At(instr)
			}
			if w := want[i].At(instr); !slices.Equal(facts, w) {
				t.Errorf("%s, line %d: facts %v, want %v", a.Name(), line, facts, w)
			}
		}
	}
	if interrupts == 0 {
		t.Error("nothing was interrupted")
	}
}

package vm

import (
	"testing"

	"hbcheck.dev/hbcheck/load"
)

// TestServedLabels: after a look at a random value, what is drawn at its place, and computed from it, has no
// label. Labels of other draws remain. A long beginning of an entry is executed again after a look. A poll
// during the beginning can notice that the packages are initialised.
func TestServedLabels(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/served", Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: &proofCache})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range prog.Entries {
		entering := false
		polled := func() bool {
			entering = entering || e.Entering()
			return false
		}
		m, err := New(prog, e, Config{OrderedTime: true, Races: true, Check: CheckState | CheckLiveness, Interrupt: polled})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(m.Refinement().Drawn) > 0, e.Name == "TestLong"; got != want {
			t.Errorf("%s: its beginning was executed again, without labels: %t, want %t", e.Name, got, want)
		}
		if e.Name == "TestLong" && !entering || e.Entering() {
			t.Errorf("%s: it was beginning at a poll: %t; it is still beginning: %t", e.Name, entering, e.Entering())
		}
		w := newWalker(m, 1)
		registers := 0
		for n := 0; ; n++ {
			if _, ok := w.step(); !ok {
				break
			}
			for _, x := range m.gs[0].Shadow {
				if x != nil && n > 3 { // main has gone on since the look
					registers++
				}
			}
		}
		objects := 0
		for id := range m.heap.Objs {
			if m.sym != nil && m.sym.Has(uint32(id)) {
				objects++
			}
		}
		want := map[string]struct {
			registers bool
			objects   int
			draws     int
		}{"TestLooked": {false, 0, 1}, "TestKept": {true, 1, 0}, "TestTwo": {false, 1, 2}, "TestHeld": {false, 0, 1}, "TestLong": {false, 0, 1}}[e.Name]
		if registers > 0 != want.registers || objects != want.objects || len(m.drawnAt()) != want.draws {
			t.Errorf("%s: labels in registers: %d times, in %d objects; looks at %v; want %v", e.Name, registers, objects, m.drawnAt(), want)
		}
	}
}

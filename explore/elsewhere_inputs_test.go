package explore_test

import (
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/testdata/benchmarks"
	"hbcheck.dev/hbcheck/vm"
)

// TestElsewhereInputs: a search over all inputs has the same counts with pieces that others explore.
func TestElsewhereInputs(t *testing.T) {
	dir := t.TempDir()
	if err := benchmarks.Write(dir); err != nil {
		t.Fatal(err)
	}
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"./condpor/coarselist"}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	entry, err := prog.Lookup("main")
	if err != nil {
		t.Fatal(err)
	}
	e := explore.Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, entry, vm.Config{Args: []string{"coarselist", "3", "1"}, Races: true, Interrupt: interrupted})
	}}
	for n := 1; n <= 2; n++ {
		o := explore.Options{POR: explorers.Lookup("optimal"), All: true, NoMinimise: true}
		want := runJobs(t, e, o)
		o.POR = explorers.With("optimal", "eager", "true")
		h := newHelpers(t, n, e, o, 5*n)
		o.Elsewhere = h
		if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
			t.Errorf("not the same result\n got %s\nwant %s", resultText(got), resultText(want))
		}
		t.Logf("%d executions, %d pieces, %d refused", want.Stats.Executions, h.pieces.Load(), h.refused.Load())
	}
}

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

// TestVariablesNotCounted: the counts of a search do not depend on how many variables the environment has.
// Workers on other machines have fewer.
func TestVariablesNotCounted(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"os"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	wg.Go(func() { os.Setenv("A", os.Getenv("NOT_SET")) })
	os.Setenv("B", os.Getenv("A"))
	wg.Wait()
}
`)
	entry, err := prog.Lookup("main")
	if err != nil {
		t.Fatal(err)
	}
	var counts []explore.Stats
	for _, env := range [][]string{{"HOME=/"}, {"P=1", "Q=2", "R=a long value", "HOME=/", "S=4"}} {
		e := explore.Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{Env: env, Races: true, Interrupt: interrupted})
		}}
		counts = append(counts, runJobs(t, e, explore.Options{POR: explorers.Lookup("optimal")}).Stats)
	}
	if !reflect.DeepEqual(counts[0], counts[1]) {
		t.Errorf("not the same counts\n%+v\n%+v", counts[0], counts[1])
	}
}

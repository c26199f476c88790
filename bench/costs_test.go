package bench

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// costPrograms are bounded searches, at least one for each way to search.
var costPrograms = []struct{ program, args, por string }{
	{"realistic/pool", "3 3", "jpf"}, {"realistic/pool", "3 3", "optimal"}, {"realistic/pool", "2 3", "source"}, {"realistic/pool", "4 4", "random"},
	{"sct/reorder", "2 1", "full"}, {"sct/reorder", "3 1", "optimal"}, {"sct/reorder", "9 1", "rff"}, {"sct/reorder", "9 1", "surw"},
}

// TestCosts: searches allocate as much as testdata/costs.golden says. Unlike times, allocations and their
// bytes are the same on every machine. A commit that makes a search dearer by more than a tenth has to
// update the file (-update), so that its diff shows it.
func TestCosts(t *testing.T) {
	const golden = "testdata/costs.golden"
	var got bytes.Buffer
	release := strings.Join(strings.SplitN(runtime.Version(), ".", 3)[:2], ".")
	fmt.Fprintf(&got, "# %s: transitions, allocations and kilobytes of a search whose machine has been used before\n", release)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	w := workspace(t)
	for _, x := range costPrograms {
		prog, entry, err := w.load(x.program)
		if err != nil {
			t.Fatal(err)
		}
		e, err := onOneMachine(prog, entry, x.program, x.args, vm.Config{}, func() bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		opts := explore.Options{POR: explorers.Lookup(x.por), Seed: 1, NoMinimise: true, All: true}
		opts.Match = opts.POR.Stateful && !opts.POR.Stateless
		switch {
		case opts.POR.Samples:
			opts.MaxExecs = 50
		case opts.POR.Stateless:
			opts.MaxExecs = 300
		default:
			opts.MaxStates = 3000
		}
		if _, err := explore.Run(t.Context(), e, opts); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := explore.Run(t.Context(), e, opts)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		fmt.Fprintf(&got, "%s %s %s: %d %d %d\n", x.program, x.args, x.por, r.Stats.Transitions, after.Mallocs-before.Mallocs, (after.TotalAlloc-before.TotalAlloc)>>10)
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want, have := strings.Split(string(b), "\n"), strings.Split(got.String(), "\n")
	if want[0] != have[0] {
		t.Skipf("%s has other allocations", release)
	}
	if len(want) != len(have) {
		t.Fatalf("%d searches, %s has %d", len(have), golden, len(want))
	}
	for i := 1; i < len(want)-1; i++ {
		a, b := want[i][strings.LastIndex(want[i], ":")+1:], have[i][strings.LastIndex(have[i], ":")+1:]
		var x, y [3]float64
		for to, text := range map[*[3]float64]string{&x: a, &y: b} {
			if _, err := fmt.Sscan(text, &to[0], &to[1], &to[2]); err != nil {
				t.Fatal(err)
			}
		}
		for k, what := range []string{"transitions", "allocations", "kilobytes"} {
			if y[k] > 1.1*x[k] || y[k] < x[k]/1.25 {
				t.Errorf("%s: %v %s, want %v", have[i], y[k], what, x[k])
			}
		}
	}
}

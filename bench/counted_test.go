package bench

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

func counted(t testing.TB, suite string) []CountedProgram {
	t.Helper()
	list, err := CountedPrograms(suite)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// enumerated are the suites whose numbers are checked without an explorer here.
// (internal/litmus does it for the suite litmus.)
var enumerated = []string{"smc", "condpor-det", "condpor", "cdpor", "dporengine", "await"}

var maxPrefixes = flag.Int("prefixes", 0, "prefixes of executions that TestClasses enumerates for each program; 0: few")

// TestClasses: the Go programs have the expected numbers of classes of executions, if the classes can be
// enumerated quickly. This needs no explorer.
func TestClasses(t *testing.T) {
	w := workspace(t)
	for _, suite := range enumerated {
		t.Run(suite, func(t *testing.T) { testClasses(t, w, suite) })
	}
}

func testClasses(t *testing.T, w *Workspace, suite string) {
	most := *maxPrefixes
	if most == 0 {
		most = deep.Pick(60, 2000)
	}
	done := make(map[string]bool)
	tooMany := make(map[string]uint64) // classes of the smallest size of each program that is too large
	for _, x := range counted(t, suite) {
		if n := tooMany[x.Program]; n > 0 && x.Classes >= n || x.Classes == 0 || x.Classes > uint64(most) {
			continue
		}
		prog, entry, err := w.counted(&x)
		if err != nil {
			t.Fatal(err)
		}
		m, err := vm.New(prog, entry, vm.Config{Args: append([]string{x.Program}, strings.Fields(x.Args)...)})
		if err != nil {
			t.Fatal(err)
		}
		if suite == "await" {
			m.Await(vm.AwaitOnce)
		}
		e, err := classes.Merge(m, classes.Relation{Dependent: classes.Conflicts, Free: classes.Silent}, most)
		if errors.As(err, new(classes.Limit)) {
			tooMany[x.Program] = x.Classes
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", suite, x.Name(), err)
			continue
		}
		done[x.Program] = true
		if got := uint64(e.Total()); got != x.Classes {
			t.Errorf("%s %s: %d classes, want %d", suite, x.Name(), got, x.Classes)
		}
		if got := uint64(e.RFEnded + e.RFStuck); x.RF != 0 && got != x.RF {
			t.Errorf("%s %s: %d classes by what reads from what, want %d", suite, x.Name(), got, x.RF)
		}
	}
	for _, x := range counted(t, suite) {
		if !done[x.Program] {
			t.Logf("%s: %s is too large", suite, x.Name())
		}
	}
}

// TestCounted: in every suite, the explorers have the expected counts for programs with up to some thousand
// executions.
func TestCounted(t *testing.T) {
	w := workspace(t)
	for _, suite := range CountedSuites() {
		for _, e := range explorers.All() {
			most := deep.Pick(uint64(12), 100) // other explorers begin many executions that they do not complete
			if e.Name == "optimal" {
				most = deep.Pick(uint64(120), 2500)
			}
			for _, cfg := range ConfigurationsOf(suite, e.Name) {
				for i, x := range counted(t, suite) {
					if !deep.Every(10, i) {
						continue
					}
					want := x.Expected(cfg)
					large := x.Large || x.Classes > most
					if cfg.States { // the number of classes does not matter
						large = slices.ContainsFunc(want, func(c Count) bool { return c.N > deep.Pick(uint64(200), 3000) })
					}
					if large || len(want) == 0 {
						continue
					}
					r, err := w.CountExecutions(context.Background(), &x, CountOptions{Configuration: cfg, CheckDuplicates: true})
					if err != nil {
						t.Error(err)
						continue
					}
					if len(r.Result.Incomplete) > 0 {
						t.Errorf("%s %s, %s: incomplete: %v", suite, x.Name(), cfg.Name(), r.Result.Incomplete)
					}
					for _, problem := range r.Check() {
						t.Error(problem)
					}
				}
			}
		}
	}
}

// TestFormulas: optimal executes as many executions as the formulas for parametric programs say, of sizes
// with at most 150,000. (hbcheck bench counts larger ones.)
func TestFormulas(t *testing.T) {
	deep.Skip(t, "some two million executions")
	w, optimal := workspace(t), Configuration{}
	optimal.POR = explorers.Lookup("optimal")
	for _, x := range counted(t, "smc") {
		if x.Classes <= 2500 || x.Classes > 150_000 {
			continue
		}
		r, err := w.CountExecutions(context.Background(), &x, CountOptions{Configuration: optimal})
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range append(r.Check(), report.Incomplete(r.Result)...) {
			t.Error(problem)
		}
	}
}

// TestClockVectorStates: without state matching the clock vector reduction has fewer states than
// the reduction of Java Pathfinder. The factor is at least that of table 3 of the paper, or, for
// sizes that are not in the table, the largest factor of the table.
func TestClockVectorStates(t *testing.T) {
	w := workspace(t)
	for i, x := range counted(t, "clockvector") {
		if x.Large || !deep.Every(8, i) {
			continue
		}
		var states [2]float64
		for i, name := range []string{"jpf", "clockvector"} {
			cfg := ConfigurationsOf("clockvector", name)[0]
			r, err := w.CountExecutions(context.Background(), &x, CountOptions{Configuration: cfg})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Result.Incomplete) > 0 {
				t.Errorf("%s, %s: %v", x.Name(), cfg.Name(), r.Result.Incomplete)
			}
			n, _ := r.Count("states")
			if states[i] = float64(n); cfg.Variant == "" || n > 100_000 {
				continue
			}
			walked, err := w.CountExecutions(context.Background(), &x, CountOptions{Configuration: Configuration{POR: explorers.Lookup(name)}})
			if err != nil {
				t.Fatal(err)
			}
			if m, _ := walked.Count("states"); m != n {
				t.Errorf("%s: %d states of jpf are counted, but there are %d", x.Name(), n, m)
			}
		}
		factor := 3.8
		if len(x.Published) == 2 {
			factor = float64(x.Published[0].N) / float64(x.Published[1].N)
		}
		if got := states[0] / states[1]; got < factor {
			t.Errorf("%s: jpf has %.1f times as many states as clockvector (%.0f and %.0f), in the paper %.1f", x.Name(), got, states[0], states[1], factor)
		}
	}
}

// TestCountedHybrid: static facts remove alternatives of operations, but no class of executions. Each
// program is explored in its smallest size with more than one execution, with another kind of facts than
// the one before.
func TestCountedHybrid(t *testing.T) {
	w := workspace(t)
	kinds := []oracle.Kind{oracle.FieldAccess, oracle.MHB, oracle.Full}
	n := 0
	for _, suite := range []string{"smc", "condpor-det"} {
		done := make(map[string]bool)
		for _, x := range counted(t, suite) {
			if x.Classes < 2 || x.Classes > 100 || done[x.Program] {
				continue
			}
			done[x.Program] = true
			n++
			for _, e := range explorers.All() {
				cfg := Configuration{POR: e}
				if len(x.Expected(cfg)) == 0 {
					continue
				}
				r, err := w.CountExecutions(context.Background(), &x, CountOptions{Configuration: cfg, Hybrid: kinds[n%len(kinds)], CheckDuplicates: true})
				if err != nil {
					t.Error(err)
					continue
				}
				for _, problem := range r.Check() {
					t.Error(problem)
				}
			}
		}
	}
}

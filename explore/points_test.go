package explore_test

import (
	"flag"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/mutation"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestPoints: every explorer, with whatever static facts, finds the outcomes that are written
// down for the tests of testdata/points.
func TestPoints(t *testing.T) {
	prog, err := load.Load(load.Config{Patterns: []string{"./testdata/points"}, Tests: true, Implicit: []string{"runtime"}})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := explore.Select(prog, explore.Selection{}, func(prog *load.Program, e *load.Entry, interrupted func() bool) (explore.Machine, error) {
		return explore.NewMachine(prog, e, vm.Config{VisibleOutput: true, Races: true, Interrupt: interrupted})
	})
	if err != nil {
		t.Fatal(err)
	}
	docs := docsOf(prog)
	for _, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			want, executions := wanted(t, docs[e.Name])
			for _, p := range explorers.All() {
				if p.Samples {
					continue
				}
				hybrids := []oracle.Kind{oracle.None}
				switch {
				case *every:
					hybrids = append(hybrids, oracle.FieldAccess, oracle.MHB, oracle.Full)
				case p.Name == "jpf", p.Name == "optimal":
					hybrids = append(hybrids, oracle.MHB)
				}
				for _, h := range hybrids {
					r := runJobs(t, e, explore.Options{POR: p, Match: p.Stateful, Hybrid: h, All: true, Outcomes: true,
						NoMinimise: true, MaxSteps: 10_000})
					set := make(map[string]bool)
					for _, x := range r.Outcomes {
						set[strings.TrimSpace(x.Output+" "+strings.TrimSpace(strings.TrimSuffix(x.Ending, "exit 0")))] = true
					}
					if got := slices.Sorted(maps.Keys(set)); !slices.Equal(got, want) {
						t.Errorf("%s, hybrid %s: %q, want %q", p.Name, h, got, want)
					}
					if len(r.Incomplete) > 0 {
						t.Errorf("%s, hybrid %s: %v", p.Name, h, r.Incomplete)
					}
					if n := r.Stats.Executions; executions > 0 && p.Name == "optimal" && n != executions {
						t.Errorf("%s, hybrid %s: %d executions, want %d", p.Name, h, n, executions)
					}
				}
			}
		})
	}
}

// docsOf returns the comments of the program's test functions.
func docsOf(prog *load.Program) map[string]string {
	docs := make(map[string]string)
	for _, p := range prog.Packages {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
					docs[fn.Name.Name] = fn.Doc.Text()
				}
			}
		}
	}
	return docs
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// wanted returns what the comment of a test says of it: its outcomes, sorted, and how many classes
// of executions it has, if that is said.
func wanted(t *testing.T, doc string) (outcomes []string, executions uint64) {
	t.Helper()
	_, list, ok := strings.Cut(doc, "want: ")
	if !ok {
		t.Fatalf("what is wanted? %q", doc)
	}
	list, _, _ = strings.Cut(list, "\n")
	for _, q := range quoted.FindAllString(list, -1) {
		s, err := strconv.Unquote(q)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, s)
	}
	slices.Sort(outcomes)
	if _, n, ok := strings.Cut(doc, "executions: "); ok {
		if _, err := fmt.Sscan(n, &executions); err != nil {
			t.Fatal(err)
		}
	}
	return outcomes, executions
}

// pointMutants lose an operation, or what it depends on.
var pointMutants = []mutation.Mutant{
	{Name: "ending is local work", File: "vm/state_count.go", Old: "if m.link.counted && g.inCount() && !outlives {", New: "if g == nil && !outlives {"},
	{Name: "goroutines are not counted out", File: "vm/state_count.go", Old: "	m.count(-1)\n	m.endG(g)\n}", New: "	m.endG(g)\n}"},
	{Name: "starting touches nothing", File: "vm/step_slowpath.go", Old: "		if !m.mayCount(g, trace.Go) {", New: "		if trace.Go == trace.None {"},
	{Name: "NumGoroutine touches nothing", File: "vm/state_count.go", Old: "		op.Kind, op.N = trace.Inspect, 1\n", New: "		op.Kind = trace.Yield\n"},
	{Name: "coroutines do not count", File: "vm/state_count.go", Old: "return !g.system || g.coro != 0", New: "return !g.system"},
	{Name: "Go and End need no choice", File: "por/stateful/jpf.go", Old: "		return op.N == 0\n", New: "		return true\n"},
	{Name: "NumGoroutine in a loop has an effect", File: "vm/await_loops.go", Old: `name == "runtime.NumGoroutine", `, New: ""},
	{Name: "pprof does not ask", File: "load/goroutines.go", Old: `		"runtime/pprof.Lookup", "runtime/pprof.Profiles":`, New: `		"runtime/pprof.Profiles":`},
	{Name: "the end of a test is no operation", File: "load/overlay/_src/testing/testing.go", Old: "			hbTouch(&t.failed, 0, true)\n			t.done", New: "			t.done"},
	{Name: "Run's result is no operation", File: "load/overlay/_src/testing/testing.go", Old: "		hbTouch(&s.failed, 0, true)\n", New: ""},
	{Name: "Fail of the owner is no operation", File: "load/overlay/_src/testing/common.go", Old: "		hbTouch(&c.failed, 0, false)\n", New: "		hbTouch(&c.failed, c.owner, false)\n"},
	{Name: "Skip of the owner is no operation", File: "load/testmethods.go", Old: `"Skipped": TestSkipped, `, New: ""},
	{Name: "Cleanup is no operation", File: "load/overlay/_src/testing/common.go", Old: "	hbTouch(&c.registered, 0, true)\n	c.cleanups", New: "	c.cleanups"},
	{Name: "taking cleanups is no operation", File: "load/testmethods.go", Old: `"Cleanup": TestCleanup, `, New: ""},
	{Name: "Run's names are no operations", File: "load/overlay/_src/testing/testing.go", Old: "	hbTouch(&c.named, owner, true)\n", New: "	hbTouch(&c.named, owner+1, false)\n"},
	{Name: "a late Log is no operation", File: "load/overlay/_src/testing/common.go", Old: "func (c *common) incomplete() *common {\n	hbTouch(&c.failed, c.owner, false)\n", New: "func (c *common) incomplete() *common {\n"},
	{Name: "the walk does not know hbTouch", File: "trace/kinds.go", Old: `, native("testing.hbTouch")`, New: ""},
	{Name: "contexts are never canceled late", File: "load/testmethods.go", Old: `"Context": TestContext, `, New: ""},
}

// TestPointMutants: TestPoints notices each.
// The whole takes most of an hour.
var (
	every   = flag.Bool("every", false, "explore with all kinds of static facts")
	mutants = flag.Bool("mutants", false, "execute the tests on each mutant")
)

func TestPointMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range pointMutants {
		file, text, ok := x.Source(t, root)
		if !ok || !*mutants {
			continue
		}
		if killer := mutation.Kills(t, root, file, text, "./explore", "-run", "^TestPoints$"); killer != "" {
			t.Logf("%s: %s", x.Name, killer)
		} else {
			t.Errorf("%s: survives", x.Name)
		}
	}
}

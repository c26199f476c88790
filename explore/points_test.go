package explore_test

import (
	"flag"
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestPoints: every explorer, with all static facts, finds the outcomes given in the comments of
// the tests of testdata/points.
func TestPoints(t *testing.T) {
	prog, err := load.Load(load.Config{Patterns: []string{"./testdata/points"}, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := selection.Select(prog, selection.Options{}, func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, e, vm.Config{VisibleOutput: true, Races: true, Interrupt: interrupted})
	})
	if err != nil {
		t.Fatal(err)
	}
	docs := docsOf(prog)
	for i, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			want, executions := wanted(t, docs[e.Name])
			for k, p := range explorers.Exhaustive() {
				if !deep.Every(10, i+k) {
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

// wanted returns the expectations in the comment of a test: its outcomes, sorted, and the number of
// classes of executions, if given.
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

var every = flag.Bool("every", false, "explore with all kinds of static facts")

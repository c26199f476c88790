package findings_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
	"hbcheck.dev/hbcheck/vm"
)

// find loads the packages below dir and returns their findings, with the program.
func find(t testing.TB, dir string, tests bool, patterns ...string) (*load.Program, []findings.Finding) {
	t.Helper()
	prog, err := load.Load(load.Config{Dir: dir, Patterns: patterns, Tests: tests, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	p := analyze.New(prog, vm.NewModels(prog), analyze.Entries(prog))
	if !p.Solve() {
		t.Fatal("not solved")
	}
	return prog, findings.Find(p.FindingConfig())
}

// cache keeps the library between tests.
var cache = new(load.Cache)

// wantRE is an expectation: // want HBA103 "expression", on the line of the finding, and its confidence.
var wantRE = regexp.MustCompile(`(HBA\d+) ("(?:[^"\\]|\\.)*")(?: (low|medium|high))?`)

// an expected finding.
type expected struct{ text, confidence string }

type at struct {
	file string
	line int
	code string
}

// wants returns the expectations in the files below dir.
func wants(t *testing.T, dir string) map[at]expected {
	list := map[at]expected{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		abs, err := filepath.Abs(path)
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			_, comment, ok := strings.Cut(lines.Text(), "// want ")
			if !ok {
				continue
			}
			for _, m := range wantRE.FindAllStringSubmatch(comment, -1) {
				re, err := strconv.Unquote(m[2])
				if err != nil {
					return fmt.Errorf("%s:%d: %v", path, n, err)
				}
				list[at{abs, n, m[1]}] = expected{re, m[3]}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestWant analyses the packages below testdata/src: the findings are exactly those that comments want on
// their lines.
func TestWant(t *testing.T) {
	prog, list := find(t, "testdata/src", true, "./...")
	want := wants(t, "testdata/src")
	if len(want) < 20 {
		t.Fatalf("only %d findings are wanted", len(want))
	}
	found := map[at]bool{}
	for _, f := range list {
		pos := prog.Fset.Position(f.Pos)
		k := at{pos.Filename, pos.Line, f.Code}
		re, ok := want[k]
		if !ok || !regexp.MustCompile(re.text).MatchString(f.Text) || re.confidence != "" && re.confidence != f.Confidence.String() {
			t.Errorf("%s:%d: unwanted %s (%s): %s", filepath.Base(pos.Filename), pos.Line, f.Code, f.Confidence, f.Text)
		}
		found[k] = true
	}
	for k, re := range want {
		if !found[k] {
			t.Errorf("%s:%d: no %s %q", filepath.Base(k.file), k.line, k.code, re.text)
		}
	}
}

// TestWithoutUsers: where the points-to analysis leaves out the users of a library, nothing calls
// the methods that only users call. Their receivers are objects that users can get, and not an
// object that only an unexported field has.
func TestWithoutUsers(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/src", Patterns: []string{"./releases"}, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	p := analyze.New(prog, vm.NewModels(prog), analyze.Entries(prog))
	if !p.SolveWithoutUsers() {
		t.Fatal("not solved")
	}
	c := p.FindingConfig()
	c.Checks = []string{"HBA402"}
	var names []string
	for _, f := range findings.Find(c) {
		names = append(names, f.Instr.Parent().Name())
	}
	if want := []string{"Peek", "N"}; !slices.Equal(names, want) {
		t.Errorf("findings in %q, want %q", names, want)
	}
}

// TestSimple: where the points-to analysis leaves out other modules, their short functions are executed.
func TestSimple(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/apart", Patterns: []string{"."}, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	p := analyze.New(prog, vm.NewModels(prog), analyze.Entries(prog))
	if !p.SolveOwn() {
		t.Fatal("not solved")
	}
	var names []string
	for _, f := range findings.Find(p.FindingConfig()) {
		names = append(names, f.Entry.Name()+" "+f.Code)
	}
	if want := []string{"Wrong HBA208"}; !slices.Equal(names, want) {
		t.Errorf("findings in %q, want %q", names, want)
	}
}

// TestGuardWork: if the analysis of guards is cut off, HBA107 is left out and the other checks are not.
func TestGuardWork(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/src", Patterns: []string{"./memory"}, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	for bound, want := range map[int]bool{60_000_000: true, 10: false} {
		func() {
			defer findings.SetGuardWork(bound)()
			p := analyze.New(prog, vm.NewModels(prog), analyze.Entries(prog))
			if !p.Solve() {
				t.Fatal("not solved")
			}
			c := p.FindingConfig()
			noted := false
			c.Note = func(string) { noted = true }
			codes := map[string]bool{}
			for _, f := range findings.Find(c) {
				codes[f.Code] = true
			}
			if codes["HBA107"] != want || noted == want || !codes["HBA108"] || !codes["HBA402"] {
				t.Errorf("with bound %d: findings %v, noted %v", bound, codes, noted)
			}
		}()
	}
}

// calls reports whether fn, or a function in it, mentions a function or method of that name.
func calls(fn *ssa.Function, name string) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			for _, o := range i.Operands(nil) {
				if g, ok := (*o).(*ssa.Function); ok && (strings.TrimSuffix(g.Name(), "$bound") == name || g.Parent() != nil && calls(g, name)) {
					return true
				}
			}
		}
	}
	return false
}

// TestDocument compares the table of checks in docs/dev/findings.md with the checks.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/dev/findings.md")
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, c := range findings.Checks {
		row := fmt.Sprintf("| %s | %s | %s | %s |\n", c.Code, c.Title, c.Silent, c.Blind)
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/dev/findings.md does not have the row\n%s", row)
		}
		if c.Means == "" || c.Silent == "" || c.Blind == "" || c.Mend == "" || c.Code <= last {
			t.Errorf("%s: a text is missing, or the order is wrong", c.Code)
		}
		last = c.Code
	}
}

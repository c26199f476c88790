package native

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The variants in which the programs are compiled.
const (
	plain  = "plain"  // as they are
	yields = "yields" // with calls of yield.Now before statements
	raced  = "raced"  // the same, under the race detector
)

// binaries compiles programs, and holds what was compiled: one command for all that are
// functions, and one for the tests of each area.
type binaries struct {
	dir   string
	areas []string
}

// build compiles the programs of the given areas in the given variants.
func build(t testing.TB, areas []string, variants ...string) *binaries {
	b := &binaries{dir: t.TempDir(), areas: areas}
	for _, v := range variants {
		b.variant(t, v)
	}
	return b
}

// command returns the command that runs p once.
func (b *binaries) command(p *program, variant string) (name string, args []string) {
	if p.test {
		return filepath.Join(b.dir, variant, p.area+".test"), []string{"-test.run=^" + p.name + "$", "-test.timeout=0", "-test.paniconexit0"}
	}
	return filepath.Join(b.dir, variant, "run"), []string{p.area + "." + p.name}
}

// variant writes a module with the programs, a main function that calls the one its
// argument names, and package yield, and compiles it.
func (b *binaries) variant(t testing.TB, variant string) {
	src := filepath.Join(b.dir, variant)
	var imports, table strings.Builder
	var tests []string
	for _, area := range b.areas {
		files, err := filepath.Glob(filepath.Join("testdata/programs", area, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if variant != plain && strings.HasSuffix(file, ".go") {
				text = instrument(t, file, text)
			}
			write(t, filepath.Join(src, area, filepath.Base(file)), text)
		}
		functions := false
		for _, p := range parse(t, area) {
			if p.test {
				if !slices.Contains(tests, area) {
					tests = append(tests, area)
				}
				continue
			}
			functions = true
			fmt.Fprintf(&table, "\t%q: %s.%s,\n", p.String(), area, p.name)
		}
		if functions {
			fmt.Fprintf(&imports, "\t%q\n", "native/"+area)
		}
	}
	write(t, filepath.Join(src, "go.mod"), []byte("module native\n\ngo 1.26\n"))
	write(t, filepath.Join(src, "yield/yield.go"), []byte(yieldSource))
	write(t, filepath.Join(src, "main.go"), fmt.Appendf(nil, mainSource, &imports, &table))
	flags := []string{"-gcflags=native/...=-l"} // a call is not the place it was inlined
	if variant == raced {
		flags = append(flags, "-race")
	}
	goCommand(t, src, slices.Concat([]string{"build"}, flags, []string{"-o", "run", "."}))
	for _, area := range tests {
		goCommand(t, src, slices.Concat([]string{"test"}, flags, []string{"-c", "-vet=off", "-o", area + ".test", "./" + area}))
	}
}

func goCommand(t testing.TB, dir string, args []string) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}

func write(t testing.TB, name string, text []byte) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

const mainSource = `package main

import (
	"os"

%s)

var programs = map[string]func(){
%s}

func main() { programs[os.Args[1]]() }
`

// yieldSource is the package that instrumented programs call. How often it does what is
// chosen by the environment, for each process anew.
const yieldSource = `package yield

import (
	"math/rand/v2"
	"os"
	"runtime"
	"time"
)

var mode = os.Getenv("NATIVE_YIELD")

// Now perhaps lets other goroutines run.
func Now() {
	if mode == "" {
		return
	}
	switch n := rand.Uint32N(64); {
	case n < 12:
		runtime.Gosched()
	case n < 14:
		for range rand.Uint32N(2000) {
			nothing()
		}
	case n < 18 && mode == "sleep":
		time.Sleep(time.Duration(rand.Uint32N(50_000)))
	}
}

//go:noinline
func nothing() {}
`

// instrument puts a call of yield.Now before every statement of a file. Lines stay as
// they are.
func instrument(t testing.TB, name string, src []byte) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	statements := func(list []ast.Stmt) {
		for _, s := range list {
			at = append(at, fset.Position(s.Pos()).Offset)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if len(n.List) > 0 {
				switch n.List[0].(type) {
				case *ast.CaseClause, *ast.CommClause:
					return true
				}
			}
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.CommClause:
			statements(n.Body)
		}
		return true
	})
	if len(at) == 0 {
		return src
	}
	slices.Sort(at)
	var out []byte
	end := fset.Position(f.Name.End()).Offset
	out = append(out, src[:end]...)
	out = append(out, `; import hbYield "native/yield"`...)
	last := end
	for _, p := range at {
		out = append(out, src[last:p]...)
		out = append(out, "hbYield.Now(); "...)
		last = p
	}
	return append(out, src[last:]...)
}
